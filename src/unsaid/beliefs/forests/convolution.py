"""Convolutions of positive numbers, term by term: the small ones keep all their digits.

What is summed directly has the relative accuracy of its terms. A fast Fourier transform errs by
1e-16 of the *largest* entry, and the tails, which decide how far odds can move, are the smallest.
"""

from __future__ import annotations

import numpy as np

from unsaid.beliefs.networks.potentials import OutOfRange, Ring
from unsaid.numerics.arrays import Array

__all__ = ["convolved"]

# No product is allowed below this: the next ones would have lost digits.
LEAST = 1e-290
# Logarithms are added up in blocks of this length, within which plain numbers reach: products stay
# above e^-600.
BLOCK, REACH = 64, 300.0


def convolved(one: Array, other: Array, ring: Ring) -> Array:
    """Row by row, sum_k one[k] other[s - k]; both of shape (rows, points)."""
    if one.shape[1] > other.shape[1]:
        one, other = other, one
    total = np.zeros((len(one), one.shape[1] + other.shape[1] - 1))
    if not ring.in_logs and _least(one) * _least(other) < LEAST:
        raise OutOfRange
    if ring.in_logs or len(one) <= one.shape[1]:
        by_row = _in_logs if ring.in_logs else np.convolve
        for row, (a, b) in enumerate(zip(one, other, strict=True)):
            total[row] = by_row(a, b)
        return total
    for k, weight in enumerate(one.T):
        total[:, k : k + other.shape[1]] += weight[:, None] * other
    return total


def _least(table: Array) -> float:
    return float(table.min(where=table > 0, initial=1.0))


def _in_logs(one: Array, other: Array) -> Array:
    """log sum_k e^(one[k] + other[s - k]).

    A block of one times all blocks of the other is one matrix product of plain numbers, each block
    on its own scale; their sums are put together as logarithms again.
    """
    width = min(_reach(one), _reach(other))
    heads, scales = _blocks(one, width)
    tails, levels = _blocks(other, width)
    total = np.full((len(heads) + len(tails), width), -np.inf)
    for i, (head, scale) in enumerate(zip(heads, scales, strict=True)):
        shifted = np.zeros((width, 2 * width))
        for k in range(width):
            shifted[k, k : k + width] = head
        with np.errstate(divide="ignore"):
            product = np.log(tails @ shifted) + (levels + scale)[:, None]
        here, beyond = total[i : i + len(tails)], total[i + 1 : i + 1 + len(tails)]
        np.logaddexp(here, product[:, :width], out=here)
        np.logaddexp(beyond, product[:, width:], out=beyond)
    return total.ravel()[: len(one) + len(other) - 1]


def _blocks(logs: Array, width: int) -> tuple[Array, Array]:
    """Blocks of plain numbers with the largest 1, and the logarithms of their scales."""
    count = -(-len(logs) // width)
    padded = np.full((count, width), -np.inf)
    padded.ravel()[: len(logs)] = logs
    scale = padded.max(axis=1)
    scale[scale == -np.inf] = 0.0
    return np.exp(padded - scale[:, None]), scale


def _reach(logs: Array) -> int:
    """The longest blocks within which the numbers lie within e^REACH of each other."""
    width = BLOCK
    while width > 1:
        count = -(-len(logs) // width)
        padded = np.full(count * width, -np.inf)
        padded[: len(logs)] = logs
        blocks = padded.reshape(count, width)
        low = blocks.min(axis=1, where=blocks > -np.inf, initial=np.inf)
        if not (blocks.max(axis=1) - low > REACH).any():  # an empty block: -inf - inf
            break
        width //= 2
    return width
