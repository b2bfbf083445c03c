"""The corners of all laws P >= 0 with A P = b, by trying which cells are the free ones.

A corner is fixed by as many cells as A has independent rows, all others being 0. A holds sums of
cells, zeros and ones, so of so many columns the determinant is a whole number: 0, or far from it;
and the inverse is a table of whole numbers over it, which is checked in whole numbers. So a corner
is off by no more than its one product A^-1 b is rounded.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.rounding import gamma

__all__ = ["vertices"]

TRIED = 200_000  # choices of free cells, at most
AT_ONCE = 8192
OFF = 1e-9  # what given probabilities may be off, and corners below 0 therefore


def vertices(rows: Array, sums: Array) -> tuple[Array, float]:
    """Each corner once: [corner, cell], and by how much cells are off; none where nothing agrees.

    Corners nearer than what they are off are taken for one.
    """
    held = _independent(rows)
    matrix, wanted, cells = rows[held], sums[held], rows.shape[1]
    tried = math.comb(cells, len(held))
    if tried > TRIED:
        raise TooLarge(
            f"frechet: {tried:,} corners to try for {cells} cells and {len(held)} sums, more than "
            f"{TRIED:,}; give fewer values, larger tables, or a Box"
        )
    found, off = [np.zeros((0, cells))], 0.0
    every = itertools.combinations(range(cells), len(held))
    while chosen := list(itertools.islice(every, AT_ONCE)):
        at = np.array(chosen)
        at, inverse = _inverses(at, np.moveaxis(matrix[:, at], 1, 0))
        corners = np.zeros((len(at), cells))
        np.put_along_axis(corners, at, inverse @ wanted, axis=1)
        corners = corners[(corners >= -OFF).all(1)]
        size = float((np.abs(inverse) @ np.abs(wanted)).max(initial=0.0))
        off = max(off, gamma(len(held) + 2) * size)
        found.append(corners)
    whole = np.concatenate(found)
    apart = np.abs(whole @ rows.T - sums).max(1, initial=0.0)
    whole, apart = whole[apart <= OFF * max(1, len(sums))], apart[apart <= OFF * max(1, len(sums))]
    given = max(float(-whole.min(initial=0.0)), float(apart.max(initial=0.0)))  # what sums are off
    _, first = np.unique(np.round(whole / (8 * (off or 1.0))), axis=0, return_index=True)
    return np.maximum(whole[np.sort(first)], 0.0), 9 * off + given


def _inverses(at: Codes, square: Array) -> tuple[Codes, Array]:
    """Of the choices that have one: a whole table over a whole determinant, and checked."""
    size = np.round(np.linalg.det(square))
    at, square, size = at[size != 0], square[size != 0], size[size != 0, None, None]
    adjugate = np.round(np.linalg.inv(square) * size)
    if (adjugate @ square != size * np.eye(square.shape[1])).any():
        raise TooLarge("frechet: sums of too many cells depend on each other; give a Box")
    inverse: Array = adjugate / size
    return at, inverse


def _independent(rows: Array) -> list[int]:
    """The first rows that span all of them."""
    kept: list[int] = []
    for at in range(len(rows)):
        if np.linalg.matrix_rank(rows[[*kept, at]]) > len(kept):
            kept.append(at)
    return kept
