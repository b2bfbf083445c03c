"""Which value of a column makes which value of another more likely, by more than chance does.

Of n rows of a value x of a column, k have the value s of another, which K of all N rows have. If
the columns did not go together, whichever rows were drawn, k would be hypergeometric, and so large
with a probability of at most (Hoeffding, 1963)

    min(exp(-n KL(k/n || K/N)), exp(-K KL(k/K || n/N)))

Of m such comparisons all are below CHANCE / m, but for a probability of CHANCE (Bonferroni): what
is beyond that is found, whatever else was compared. Rows are taken to be independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array, Mask
from unspoken.tables.column import FEW_ROWS

__all__ = ["CHANCE", "TellingCells", "ValueCounts", "telling_cells"]

CHANCE = 0.01  # that of columns which do not go together any two look as if they did

Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ValueCounts:
    """Of each value of some columns, which stand side by side: the column that it belongs to, from
    0 on, and the ``rows`` that have it; ``total``: all rows.
    """

    columns: Places
    rows: Array
    total: int


@dataclass(frozen=True)
class TellingCells:
    """Of each pair of columns that goes together the most telling values: ``seen`` and ``about``
    are the places of these values in the table of counts, and ``odds`` the factor on the odds.
    """

    seen: Places
    about: Places
    odds: Array

    def first(self, most: int, rows: Array) -> TellingCells:
        """So many of them, the most telling; of those alike the ones whose seen value more ``rows``
        have.
        """
        order = np.lexsort((self.about, self.seen, -rows[self.seen], -self.odds))[:most]
        return TellingCells(self.seen[order], self.about[order], self.odds[order])


def telling_cells(
    counts: Array, seen_by: ValueCounts, told_of: ValueCounts, asked: Mask, comparisons: int
) -> TellingCells:
    """The cells of a table of two-way counts that tell most, one for each two columns.

    ``asked``: [column, value of the other side], whether it is looked at. ``comparisons``: how many
    there are in all.
    """
    seen_of, about_of, total = seen_by.columns, told_of.columns, seen_by.total
    n, held = seen_by.rows, told_of.rows
    likelier = counts * total > n[:, None] * held[None, :]
    expected = np.outer(n, held / total)
    # KL(q || p) <= (q - p)^2 / p (1 - p), which needs no logarithm: most cells go no further.
    rest = np.minimum(1 - n[:, None] / total, 1 - held[None, :] / total)
    likelier &= (counts - expected) ** 2 >= _least(comparisons) * expected * rest * (1 - 1e-9)
    likelier &= (n >= FEW_ROWS)[:, None] & (held >= FEW_ROWS)[None, :] & asked[seen_of]
    seen, about = np.nonzero(likelier)
    sure = _exponents(counts[seen, about], n[seen], held[about], total) > _least(comparisons)
    seen, about = seen[sure], about[sure]
    k, n, held = counts[seen, about], n[seen], held[about]
    with np.errstate(divide="ignore"):
        odds = (k / held) / ((n - k) / (total - held))
    order = np.lexsort((-n, -odds, about_of[about], seen_of[seen]))
    pairs = np.stack([seen_of[seen[order]], about_of[about[order]]])
    best = order[np.append(True, (np.diff(pairs) != 0).any(0))] if len(order) else order
    return TellingCells(seen[best], about[best], odds[best])


def _least(comparisons: int) -> float:
    """What an exponent is above, so that none of so many is by chance."""
    return math.log(max(1, comparisons) / CHANCE)


def _exponents(k: Array, n: Array, held: Array, total: int) -> Array:
    """The larger exponent of the bound above, of each cell."""
    by_value = n * _divergence(k / n, held / total)
    return np.maximum(by_value, held * _divergence(k / held, n / total))


def _divergence(q: Array, p: Array) -> Array:
    """KL(q || p) of two coins, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(q > 0, q * np.log(q / p), 0.0)
        rest = np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - p)), 0.0)
    return np.asarray(first + rest)
