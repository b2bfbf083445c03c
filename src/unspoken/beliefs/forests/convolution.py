"""Convolutions of positive numbers, term by term: the small ones keep all their digits.

What is summed directly has the relative accuracy of its terms. A fast Fourier transform errs by
1e-16 of the *largest* entry, and the tails, which decide how far odds can move, are the smallest.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.numerics.ring import OutOfRange, Ring

__all__ = ["convolved"]

# No product is allowed below this: the next ones would have lost digits.
LEAST = 1e-290
# Logarithms are added up in blocks of at most this length, within which plain numbers reach:
# products stay above e^-600.
SHORT, BLOCK, REACH = 8, 64, 300.0
# So few are added up one by one.
FEW = 4
# Sums of blocks are kept near e^TOP = LIFT; what is e^-TOP of that may lose digits, and is LITTLE.
TOP, LIFT, LITTLE = 866 * math.log(2.0), 2.0**866, 1e-280


def convolved(one: Array, other: Array, ring: Ring) -> Array:
    """Row by row, sum_k one[k] other[s - k]; both of shape (rows, points)."""
    if one.shape[1] > other.shape[1]:
        one, other = other, one
    if ring.in_logs:
        return _in_logs(one, other)
    total = np.zeros((len(one), one.shape[1] + other.shape[1] - 1))
    if _least(one) * _least(other) < LEAST:
        raise OutOfRange
    if len(one) <= one.shape[1]:
        for row, (a, b) in enumerate(zip(one, other, strict=True)):
            total[row] = np.convolve(a, b)
        return total
    for k, weight in enumerate(one.T):
        total[:, k : k + other.shape[1]] += weight[:, None] * other
    return total


def _least(table: Array) -> float:
    return float(table.min(where=table > 0, initial=1.0))


def _in_logs(one: Array, other: Array) -> Array:
    """log sum_k e^(one[k] + other[s - k]).

    A block of one times all blocks of the other is one matrix product of plain numbers, each block
    on its own scale, and so are the sums. Where these are too far apart, by logarithms.
    """
    length = one.shape[1] + other.shape[1] - 1
    if one.shape[1] <= FEW:
        return _plainly(one, other)
    width = min(_reach(one), _reach(other), max(SHORT, 1 << (one.shape[1] - 1).bit_length()))
    heads, scales = _blocks(one, width)
    tails, levels = _blocks(other, width)
    beside = scales[:, :, None] + levels[:, None, :]  # [row, head, tail]
    top = _tops(beside)
    sums, far = np.zeros((len(one), top.shape[1], width)), np.zeros(top.shape, dtype=bool)
    for i in range(heads.shape[1]):
        product = tails @ _shifts(heads[:, i])
        for own, at in ((product[..., :width], i), (product[..., width:], i + 1)):
            here = slice(at, at + tails.shape[1])
            apart = beside[:, i] - top[:, here]
            sums[:, here] += own * _lifted(apart)[..., None]
            far[:, here] |= (apart < -TOP) & (apart > -np.inf)
    with np.errstate(divide="ignore"):
        total = np.where(sums > 1.0, np.log(sums / LIFT), np.log(sums) - TOP) + top[..., None]
    lost = ((sums < LITTLE) & far[..., None]).reshape(len(one), -1)[:, :length].any(axis=1)
    flat: Array = total.reshape(len(one), -1)[:, :length]
    if lost.any():
        flat[lost] = _plainly(one[lost], other[lost])
    return flat


def _lifted(apart: Array) -> Array:
    """e^(apart + TOP), with all digits where the scales are near."""
    near = apart > -TOP
    lifted: Array = np.where(near, np.exp(apart) * LIFT, np.exp(np.minimum(apart + TOP, 0.0)))
    return lifted


def _tops(beside: Array) -> Array:
    """For each block of the sum the largest scale of those that it is made of."""
    rows, heads, tails = beside.shape
    top = np.full((rows, heads + tails), -np.inf)
    for i in range(heads):
        for at in (i, i + 1):
            here = top[:, at : at + tails]
            np.maximum(here, beside[:, i], out=here)
    return np.where(top > -np.inf, top, 0.0)


def _shifts(heads: Array) -> Array:
    """[row, k, s] = heads[row, s - k], a matrix for each row."""
    rows, width = heads.shape
    padded = np.zeros((rows, 3 * width))
    padded[:, width : 2 * width] = heads
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * width, axis=1)
    return np.ascontiguousarray(windows[:, width:0:-1])


def _plainly(one: Array, other: Array) -> Array:
    """Term by term."""
    points = other.shape[1]
    total = np.full((len(one), one.shape[1] + points - 1), -np.inf)
    total[:, :points] = one[:, :1] + other
    for k in range(1, one.shape[1]):
        here = total[:, k : k + points]
        np.logaddexp(here, one[:, k, None] + other, out=here)
    return total


def _blocks(logs: Array, width: int) -> tuple[Array, Array]:
    """Blocks of plain numbers with the largest 1, and the logarithms of their scales.

    A block in which nothing is possible has scale 0, as a logarithm -inf.
    """
    rows, points = logs.shape
    count = -(-points // width)
    padded = np.full((rows, count * width), -np.inf)
    padded[:, :points] = logs
    blocks = padded.reshape(rows, count, width)
    scale = blocks.max(axis=2)
    return np.exp(blocks - np.where(scale > -np.inf, scale, 0.0)[..., None]), scale


def _reach(logs: Array) -> int:
    """The longest blocks within which the numbers lie within e^REACH of each other."""
    width = BLOCK
    while width > 1:
        count = -(-logs.shape[1] // width)
        padded = np.full((len(logs), count * width), -np.inf)
        padded[:, : logs.shape[1]] = logs
        blocks = padded.reshape(len(logs), count, width)
        low = blocks.min(axis=2, where=blocks > -np.inf, initial=np.inf)
        if not (blocks.max(axis=2) - low > REACH).any():  # an empty block: -inf - inf
            break
        width //= 2
    return width
