"""What noisy counts say of the rows, once nothing else is known but how many rows there are."""

from __future__ import annotations

import numpy as np

from unspoken.core.numerics.arrays import Array, Counts

__all__ = ["consistent"]


def consistent(noisy: Counts, rows: int) -> Array:
    """The counts of so many rows nearest to these: max(N - t, 0), t such that they add up.

    How many rows there are is public, and that no count is negative too; clipping alone would add
    rows wherever there are none.
    """
    falling = np.sort(noisy.ravel())[::-1].astype(np.float64)
    over = (np.cumsum(falling) - rows) / np.arange(1, falling.size + 1)
    last = int(np.flatnonzero(falling > over)[-1])
    counts: Array = np.maximum(noisy - over[last], 0.0)
    return counts
