"""Linear programs solved in another order, with costs a hair off: another processor's arithmetic.

With UNSPOKEN_PERTURBED=SEED every program of the library gets its rows and columns in a random
order and costs that are off by 1e-12 of themselves, and every solution is put back in order. A test
that passes otherwise and fails so rests on the last digits of one machine.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from unspoken.planning.records.solver import Coefficients, Constraints, Program

COSTS = 1e-12

__all__ = ["perturb", "seed_of_environment"]


def perturb(patch: pytest.MonkeyPatch, seed: int) -> None:
    """Every program from now on."""
    plain = {
        name: getattr(Program, name)
        for name in ("__init__", "_ran", "add_rows", "add_columns", "change_worth", "change_bounds")
    }
    rng = np.random.default_rng(seed)

    def costs(worth: Any) -> Any:
        return worth * (1 + COSTS * rng.uniform(-1, 1, len(worth)))

    def start(
        self: Any, worth: Any, rows: Constraints, lower: Any, upper: Any, **options: Any
    ) -> None:
        # self.row[i]: where row i of the caller is; self.column likewise.
        self.row, self.column = rng.permutation(rows.lines), rng.permutation(len(worth))
        order = np.argsort(self.column)
        moved = _moved(rows, self.row, self.column)
        plain["__init__"](self, costs(worth)[order], moved, lower[order], upper[order], **options)

    def ran(self: Any) -> Any:
        found = plain["_ran"](self)
        multipliers = found.multipliers
        if len(multipliers):
            multipliers = multipliers[self.row]
        return replace(found, x=found.x[self.column], multipliers=multipliers)

    def add_rows(self: Any, rows: Constraints) -> None:
        new = len(self.row) + np.arange(rows.lines)
        plain["add_rows"](self, _moved(rows, np.arange(rows.lines), self.column))
        self.row = np.append(self.row, new)

    def add_columns(self: Any, worth: Any, columns: Coefficients, lower: Any, upper: Any) -> None:
        moved = replace(columns, column=self.row[columns.column])  # a line for each new column
        plain["add_columns"](self, costs(worth), moved, lower, upper)
        self.column = np.append(self.column, len(self.column) + np.arange(columns.lines))

    def change_worth(self: Any, worth: Any) -> None:
        moved = costs(worth)
        full = np.zeros(len(self.column))
        full[self.column[: len(worth)]] = moved
        plain["change_worth"](self, full)

    def change_bounds(self: Any, columns: Any, lower: Any, upper: Any) -> None:
        at = self.column[columns]
        order = np.argsort(at)
        plain["change_bounds"](self, at[order], lower[order], upper[order])

    for name, made in {
        "__init__": start, "_ran": ran, "add_rows": add_rows, "add_columns": add_columns,
        "change_worth": change_worth, "change_bounds": change_bounds,
    }.items():  # fmt: skip
        patch.setattr(Program, name, made)


def _moved(rows: Constraints, row: Any, column: Any) -> Constraints:
    order, old = np.argsort(row), rows.coefficients
    coefficients = Coefficients(old.lines, row[old.line], column[old.column], old.number)
    return Constraints(coefficients, rows.least[order], rows.most[order])


def seed_of_environment() -> int | None:
    """UNSPOKEN_PERTURBED, if it is set."""
    given = os.environ.get("UNSPOKEN_PERTURBED")
    return int(given) if given else None
