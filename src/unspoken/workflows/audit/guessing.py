"""Blank cells guessed from the release alone, without the truth.

Who has seen the shown cells of a column guesses the blank ones by what else is shown of their rows:
by shown cells of rows alike, which know of any dependence, and by naive Bayes where these are few;
beside always guessing the commonest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.core.display import Shown, share
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.binomial import lower_end, upper_end
from unspoken.core.types.bound import Estimate
from unspoken.workflows.audit.released_column import ReleasedColumn
from unspoken.workflows.audit.trials import WITHHELD_AS

__all__ = ["Guessed", "guessed"]


@dataclass(frozen=True, repr=False)
class Guessed(Shown):
    """Blank cells of a column, guessed from what is shown: how often rightly, both ways."""

    column: str
    blanks: int
    learned: Estimate
    commonest: Estimate

    def as_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "blanks": self.blanks,
            "learned": self.learned.as_json(),
            "commonest": self.commonest.as_json(),
        }

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("blanks of", f"{self.column}, {self.blanks:,}"),
            ("learned", f"right in {_ends(self.learned)}"),
            ("commonest", f"right in {_ends(self.commonest)}"),
        ]


def guessed(name: str, cells: Mapping[str, ReleasedColumn], chance: float) -> Guessed:
    """By rows whose cell is shown: those of them that are alike in all else, n(label), and with the
    weight of one more P(label) prod P(other cell | label).
    """
    column, blank, seen = cells[name], cells[name].blank, ~cells[name].unseen
    size = len(column.words)
    usual = np.bincount(column.shown[seen].astype(np.intp), minlength=size) + 1.0
    score = np.zeros((int(blank.sum()), size))
    for other, beside in cells.items():
        if other != name:
            score += _log_likelihood(beside, column, blank)
    score += np.log(usual / usual.sum())
    score -= score.max(1, keepdims=True)
    bayes = np.exp(score)
    score = bayes / bayes.sum(1, keepdims=True) + _alike(name, cells)
    truth = column.truth[blank]
    learned, commonest = score.argmax(1) == truth, truth == int(usual.argmax())
    return Guessed(
        name,
        int(blank.sum()),
        _share(learned, "learned from shown cells", chance),
        _share(commonest, "always the commonest that is shown", chance),
    )


def _alike(name: str, cells: Mapping[str, ReleasedColumn]) -> Array:
    """How many shown cells of the column, in rows alike, have each label: [blank, label]."""
    column, rows = cells[name], np.zeros(len(cells[name].blank), dtype=np.intp)
    for other, beside in cells.items():
        if other != name:
            codes = (beside.shown - WITHHELD_AS).astype(np.intp)
            _, rows = np.unique(rows * (len(beside.words) + 1) + codes, return_inverse=True)
    seen, size = ~column.unseen, len(column.words)
    at = rows[seen] * size + column.shown[seen].astype(np.intp)
    counts = np.bincount(at, minlength=(int(rows.max(initial=0)) + 1) * size).reshape(-1, size)
    alike: Array = counts[rows[column.blank]].astype(float)
    return alike


def _log_likelihood(beside: ReleasedColumn, column: ReleasedColumn, blank: Mask) -> Array:
    """log P(what is shown of another column | label), for each blank and label."""
    seen = ~column.unseen
    codes = (beside.shown - WITHHELD_AS).astype(np.intp)  # a blank is 0
    table = np.ones((len(column.words), len(beside.words) + 1))
    np.add.at(table, (column.shown[seen].astype(np.intp), codes[seen]), 1.0)
    logs: Array = np.log(table / table.sum(1, keepdims=True))
    return logs.T[codes[blank]]


def _share(right: Mask, why: str, chance: float) -> Estimate:
    hits, of = np.array([int(right.sum())]), len(right)
    ends = float(lower_end(hits, of, chance / 2)[0]), float(upper_end(hits, of, chance / 2)[0])
    return Estimate(float(hits[0]) / of, "probability", why, ends)


def _ends(found: Estimate) -> str:
    low, high = found.interval or (0.0, 1.0)
    return f"{share(found.value)} ({share(low)} to {share(high)})"
