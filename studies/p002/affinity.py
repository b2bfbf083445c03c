"""Section VII's affinity graph of Adult: an edge where |d_i^T d_j|_1 / (|d_i|_1 |d_j|_1) > 0.8.

How words become numbers is not said, and the graph is whatever one says: as columns of 0 and 1 (the
rows of the SVM), or as whole numbers; with the L1 norms that are printed, or as a cosine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studies import data
from studies.p002.support import incomes
from studies.row import Outcome, Row, Verdict
from unspoken.core.numerics.arrays import Array

__all__ = ["ROWS", "Affinity"]

ABOVE, AT_ONCE, SMALL = 0.8, 500, 1500


@dataclass(frozen=True)
class Affinity:
    """``mean``: of the rows beside one that it has an edge to; ``largest``: connected rows."""

    mean: float
    largest: int

    @classmethod
    def of(cls, rows: Array, norm: int) -> Affinity:
        """Rows of numbers; ``norm`` 1 as printed, 2 for the cosine."""
        unit = (rows / np.linalg.norm(rows, norm, axis=1, keepdims=True)).astype(np.float32)
        near = np.concatenate([(part @ unit.T > ABOVE).sum(1) for part in _parts(unit)])
        own = (unit**2).sum(1) > ABOVE  # by the L1 norms a row is seldom near itself
        edges = near - own
        order = np.argsort(-edges, kind="stable")
        return cls(float(edges.mean()), _largest(unit[order[edges[order] > 0]]))


def _parts(unit: Array) -> Iterator[Array]:
    return (unit[at : at + AT_ONCE] for at in range(0, len(unit), AT_ONCE))


def _largest(left: Array) -> int:
    """How many rows are connected at most; each of them has an edge."""
    largest = 1
    while len(left) > largest:
        found, reached, left = 1, left[:1], left[1:]
        while len(reached) and len(left):
            near = np.zeros(len(left), dtype=bool)
            for part in _parts(reached):
                near |= (part @ left.T > ABOVE).any(0)
            reached, left = left[near], left[~near]
            found += len(reached)
        largest = max(largest, found)
    return largest


def coded() -> Array:
    """The 14 attributes as they stand, words as their number in the alphabet, from 1."""
    table = data.columns("adult", "adult.csv.gz")
    said = np.array([[cell.strip() for cell in column] for column in table.values()]).T
    said = said[(said != "?").all(1)][:, :-1]
    columns = [
        column.astype(np.float64)
        if np.char.isnumeric(column).all()
        else np.unique(column, return_inverse=True)[1] + 1.0
        for column in said.T
    ]
    return np.stack(columns, axis=1)


def affinity(small: bool) -> Outcome:
    columns, numbers = incomes().features, coded()
    if small:
        columns, numbers = columns[:SMALL], numbers[:SMALL]
    said = []
    for name, rows, norm in (
        ("columns of 0 and 1, as printed", columns, 1),
        ("whole numbers, as printed", numbers, 1),
        ("columns of 0 and 1, cosine", columns, 2),
    ):
        found = Affinity.of(rows, norm)
        said.append(f"{name}: {found.mean:,.0f} edges a row, {found.largest:,} rows connected")
    return Outcome(
        f"{len(columns):,} rows of Adult; " + "; ".join(said),
        Verdict.CANNOT,
        "how words become numbers is not said, and that decides: no edges, or as good as one block "
        "of all. 30,162 rows have no attribute missing, not 30,269",
    )


ROWS = (
    Row("002", "VII, affinity graph", "rows with an affinity above 0.8 depend, of 30,269",
        "all pairs of Adult's rows, in NumPy", affinity, needs="adult", sized=True),
)  # fmt: skip
