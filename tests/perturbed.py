"""Linear programs solved in another order, with costs a hair off: another processor's arithmetic.

With UNSPOKEN_PERTURBED=SEED every program of the library gets its rows and columns in a random
order and costs that are off by 1e-12 of themselves, and every solution is put back in order. A test
that passes otherwise and fails so rests on the last digits of one machine.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partialmethod
from typing import Any

import numpy as np
import pytest

from unspoken.planning.records.solver import Coefficients, Constraints, Program

COSTS = 1e-12

__all__ = ["perturb", "seed_of_environment"]


def perturb(patch: pytest.MonkeyPatch, seed: int) -> None:
    """Every program from now on."""
    rng = np.random.default_rng(seed)
    for name in ("__init__", "_ran", "add_rows", "add_columns", "change_worth", "change_bounds"):
        patch.setattr(Program, name, partialmethod(globals()[f"_{name.strip('_')}"],
                                                   getattr(Program, name), rng))  # fmt: skip


def _costs(worth: Any, rng: np.random.Generator) -> Any:
    return worth * (1 + COSTS * rng.uniform(-1, 1, len(worth)))


def _init(self: Any, plain: Any, rng: Any, worth: Any, rows: Constraints, lower: Any, upper: Any,
          presolve: bool = False) -> None:  # fmt: skip
    # self.row[i]: where row i of the caller is; self.column likewise.
    self.row, self.column = rng.permutation(rows.lines), rng.permutation(len(worth))
    order = np.argsort(self.column)
    moved = _moved(rows, self.row, self.column)
    plain(self, _costs(worth, rng)[order], moved, lower[order], upper[order], presolve)


def _ran(self: Any, plain: Any, rng: Any) -> Any:
    found = plain(self)
    multipliers = found.multipliers[self.row] if len(found.multipliers) else found.multipliers
    return replace(found, x=found.x[self.column], multipliers=multipliers)


def _add_rows(self: Any, plain: Any, rng: Any, rows: Constraints) -> None:
    plain(self, _moved(rows, np.arange(rows.lines), self.column))
    self.row = np.append(self.row, len(self.row) + np.arange(rows.lines))


def _add_columns(self: Any, plain: Any, rng: Any, worth: Any, columns: Coefficients, lower: Any,
                 upper: Any) -> None:  # fmt: skip
    moved = replace(columns, column=self.row[columns.column])  # a line for each new column
    plain(self, _costs(worth, rng), moved, lower, upper)
    self.column = np.append(self.column, len(self.column) + np.arange(columns.lines))


def _change_worth(self: Any, plain: Any, rng: Any, worth: Any) -> None:
    moved = np.zeros(len(self.column))
    moved[self.column[: len(worth)]] = _costs(worth, rng)
    plain(self, moved)


def _change_bounds(self: Any, plain: Any, rng: Any, columns: Any, lower: Any, upper: Any) -> None:
    at = self.column[columns]
    order = np.argsort(at)
    plain(self, at[order], lower[order], upper[order])


def _moved(rows: Constraints, row: Any, column: Any) -> Constraints:
    order, old = np.argsort(row), rows.coefficients
    coefficients = Coefficients(old.lines, row[old.line], column[old.column], old.number)
    return Constraints(coefficients, rows.least[order], rows.most[order])


def seed_of_environment() -> int | None:
    """UNSPOKEN_PERTURBED, if it is set."""
    given = os.environ.get("UNSPOKEN_PERTURBED")
    return int(given) if given else None
