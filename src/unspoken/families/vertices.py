"""The corners of all laws P >= 0 with A P = b, by trying which cells are the free ones.

A corner is fixed by as many cells as A has independent rows, all others being 0. A holds sums of
cells, zeros and ones, so of so many columns the determinant is a whole number: 0, or far from it.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from unspoken.errors import TooLarge
from unspoken.numerics.arrays import Array

__all__ = ["vertices"]

TRIED = 200_000  # choices of free cells, at most
AT_ONCE = 8192
OFF = 1e-9  # what given probabilities may be off, and corners below 0 therefore


def vertices(rows: Array, sums: Array) -> Array:
    """Each corner once: [corner, cell]; none where nothing agrees."""
    held = _independent(rows)
    matrix, wanted, cells = rows[held], sums[held], rows.shape[1]
    tried = math.comb(cells, len(held))
    if tried > TRIED:
        raise TooLarge(
            f"frechet: {tried:,} corners to try for {cells} cells and {len(held)} sums, more than "
            f"{TRIED:,}; give fewer values, larger tables, or a Box"
        )
    found = [np.zeros((0, cells))]
    every = itertools.combinations(range(cells), len(held))
    while chosen := list(itertools.islice(every, AT_ONCE)):
        at = np.array(chosen)
        square = np.moveaxis(matrix[:, at], 1, 0)
        solvable = np.abs(np.linalg.det(square)) > 0.5
        at, square = at[solvable], square[solvable]
        free = np.linalg.solve(square, np.broadcast_to(wanted[:, None], (len(at), len(held), 1)))
        corners = np.zeros((len(at), cells))
        np.put_along_axis(corners, at, free[..., 0], axis=1)
        corners = corners[(corners >= -OFF).all(1)]
        found.append(np.maximum(corners, 0.0))
    whole = np.concatenate(found)
    agrees = (np.abs(whole @ rows.T - sums) <= OFF * max(1, len(sums))).all(1)
    whole = whole[agrees]
    _, first = np.unique(np.round(whole, 11), axis=0, return_index=True)
    corners_once: Array = whole[np.sort(first)]
    return corners_once


def _independent(rows: Array) -> list[int]:
    """The first rows that span all of them."""
    kept: list[int] = []
    for at in range(len(rows)):
        if np.linalg.matrix_rank(rows[[*kept, at]]) > len(kept):
            kept.append(at)
    return kept
