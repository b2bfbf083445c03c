"""Convolutions of positive numbers, term by term: the small ones keep all their digits.

What is summed directly has the relative accuracy of its terms. A fast Fourier transform errs by
1e-16 of the *largest* entry, and the tails, which decide how far odds can move, are the smallest.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import OutOfRange, Ring

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


def convolved(left: Array, right: Array, ring: Ring) -> Array:
    """Row by row, sum_k left[k] right[s - k]; both [row, point]."""
    if left.shape[1] > right.shape[1]:
        left, right = right, left
    if ring.in_logs:
        return _in_logs(left, right)
    total = np.zeros((len(left), left.shape[1] + right.shape[1] - 1))
    if _least(left) * _least(right) < LEAST:
        raise OutOfRange
    if len(left) <= left.shape[1]:
        for row, (a, b) in enumerate(zip(left, right, strict=True)):
            total[row] = np.convolve(a, b)
        return total
    for k, weight in enumerate(left.T):
        total[:, k : k + right.shape[1]] += weight[:, None] * right
    return total


def _least(table: Array) -> float:
    return float(table.min(where=table > 0, initial=1.0))


def _in_logs(left: Array, right: Array) -> Array:
    """log sum_k e^(left[k] + right[s - k]).

    A block of the left times all blocks of the right is one matrix product of plain numbers, each
    block on its own scale, and so are the sums. Where these are too far apart, by logarithms.
    """
    length = left.shape[1] + right.shape[1] - 1
    if left.shape[1] <= FEW:
        return _plainly(left, right)
    width = min(_reach(left), _reach(right), max(SHORT, 1 << (left.shape[1] - 1).bit_length()))
    heads, scales = _blocks(left, width)
    tails, levels = _blocks(right, width)
    beside = scales[:, :, None] + levels[:, None, :]  # [row, head, tail]
    top = _tops(beside)
    sums, far = np.zeros((len(left), top.shape[1], width)), np.zeros(top.shape, dtype=bool)
    for i in range(heads.shape[1]):
        product = tails @ _shifts(heads[:, i])
        for part, at in ((product[..., :width], i), (product[..., width:], i + 1)):
            here = slice(at, at + tails.shape[1])
            distance = beside[:, i] - top[:, here]
            sums[:, here] += part * _lifted(distance)[..., None]
            far[:, here] |= (distance < -TOP) & (distance > -np.inf)
    with np.errstate(divide="ignore"):
        total = np.where(sums > 1.0, np.log(sums / LIFT), np.log(sums) - TOP) + top[..., None]
    lost = ((sums < LITTLE) & far[..., None]).reshape(len(left), -1)[:, :length].any(axis=1)
    flat: Array = total.reshape(len(left), -1)[:, :length]
    if lost.any():
        flat[lost] = _plainly(left[lost], right[lost])
    return flat


def _lifted(distance: Array) -> Array:
    """e^(apart + TOP), with all digits where the scales are near."""
    near = distance > -TOP
    lifted: Array = np.where(near, np.exp(distance) * LIFT, np.exp(np.minimum(distance + TOP, 0.0)))
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


def _plainly(left: Array, right: Array) -> Array:
    """Term by term."""
    points = right.shape[1]
    total = np.full((len(left), left.shape[1] + points - 1), -np.inf)
    total[:, :points] = left[:, :1] + right
    for k in range(1, left.shape[1]):
        here = total[:, k : k + points]
        np.logaddexp(here, left[:, k, None] + right, out=here)
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
