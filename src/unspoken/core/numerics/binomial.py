"""The largest share that k of n draws leave possible: Clopper and Pearson's end, rounded outward.

The upper end p for k of n at a chance c solves P(X <= k) = c for X ~ Bin(n, p):

    P(X <= k) = C(n, k) p^k q^(n - k) (1 + r_1 + r_1 r_2 + ...)
    r_i = (k - i + 1) q / (n - k + i) p

With t = log(p / q), log P(X <= k) is concave and falls in t, since a law cut off above varies less
than the whole one. So Newton's method lands beyond the root, which is the safe side, and comes back
from there without crossing it, wherever it begins: near the normal law's quantile, a few steps
suffice. Every term is positive, and their ratios fall: what is left out is
at most a geometric series. The lower end is 1 - the upper one of n - k.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from unspoken.core.numerics.arrays import Array, Counts, Mask
from unspoken.core.numerics.rounding import UNIT

__all__ = ["lower_end", "upper_end"]

STEPS = 30  # of Newton's method: about four serve
TERMS = 8192  # of the series, at most
CELLS = 1 << 14  # terms that are added at a time, of all series together
AT_ONCE = 4096  # ends that are looked for at a time
FEW = 1024  # ends that are kept for whoever asks for the same ones
LEFT_OUT = 1e-13  # of the series, at most, where the blocks suffice
CLOSE = 1e-12  # how close, in t, an end comes to the true one, where rounding lets it
OUTWARD = 24  # how often it may then go further, four times as far, until it is proved
FURTHEST = 700.0  # e^t is a float


def upper_end(counts: Counts, total: int, chance: float) -> Array:
    """The p at which Bin(total, p) is at most this count with at most this chance, or above it."""
    return _each(counts, total, chance)[0]


def lower_end(counts: Counts, total: int, chance: float) -> Array:
    """The p at which Bin(total, p) is this count or more with at most this chance, or below it."""
    return _each(total - np.clip(counts, 0, total), total, chance)[1]


def _each(counts: Counts, total: int, chance: float) -> tuple[Array, Array]:
    """The upper end p of each count, and 1 - p; counts that occur again are not solved again."""
    held, back = np.unique(np.clip(counts, 0, total).ravel(), return_inverse=True)
    solve = _known if held.size <= FEW else _of_each
    p, q = solve(held.astype(np.float64).tobytes(), total, chance)
    shape = np.shape(counts)
    return p[back].reshape(shape), q[back].reshape(shape)


def _of_each(counts: bytes, total: int, chance: float) -> tuple[Array, Array]:
    """The same of different counts, which are floats."""
    held = np.frombuffer(counts)
    p, q = np.ones(held.size), np.zeros(held.size)
    for part in np.array_split(np.flatnonzero(held < total), -(-held.size // AT_ONCE)):
        if part.size:
            p[part], q[part] = _solved(held[part], total, math.log(chance))
    return p, q


# A box is made again of the same counts: for the plan, for what is released by it, for a report.
_known = lru_cache(256)(_of_each)


def _solved(k: Array, n: int, log_chance: float) -> tuple[Array, Array]:
    choose = np.array([_log_choose(n, int(each)) for each in k])
    least = np.log((k + 1.0) / (n - k))
    t = np.maximum(least, _normal(k, n, log_chance))
    for _ in range(STEPS):
        log_tail, slope = _tail(t, k, n, choose)
        moved = np.clip(t + (log_tail - log_chance) / slope, least, FURTHEST)
        done, t = np.abs(moved - t).max() < CLOSE, moved
        if done:
            break
    for more in range(OUTWARD):
        sure = _tail(t, k, n, choose)[0] <= log_chance
        if sure.all():
            break
        t = np.where(sure, t, t + CLOSE * 4.0**more)
    return _outward(_share(t), sure, 1.0), _outward(_share(-t), sure, 0.0)


def _normal(k: Array, n: int, log_chance: float) -> Array:
    """About where the end is: Wilson's, log(p / q), with z from Mills's ratio."""
    z = math.sqrt(max(-2.0 * log_chance, 1.0))
    for _ in range(3):
        z = math.sqrt(max(-2.0 * (log_chance + math.log(z * math.sqrt(math.tau))), 1.0))
    half = z * np.sqrt((k + 0.5) * (n - k) / n + z * z / 4)
    up, down = k + 0.5 + z * z / 2 + half, n - k + z * z / 2 - half
    ends: Array = np.log(up / np.maximum(down, 1e-3))
    return ends


def _outward(share: Array, sure: Mask, end: float) -> Array:
    """A unit or two further out; where nothing was proved, all the way to the end."""
    moved = np.clip(share * (1.0 + (2.0 * end - 1.0) * 8 * UNIT), 0.0, 1.0)
    outer: Array = np.where(sure, moved, end)
    return outer


def _share(t: Array) -> Array:
    """p = 1 / (1 + e^-t)."""
    share: Array = np.exp(-np.logaddexp(0.0, -t))
    return share


def _tail(t: Array, k: Array, n: int, choose: Array) -> tuple[Array, Array]:
    """An upper end of log P(X <= k), and how fast it falls: -d log P(X <= k) / dt."""
    log_p, log_q = -np.logaddexp(0.0, -t), -np.logaddexp(0.0, t)
    series = _series(np.exp(-t), k, n)
    terms = choose - k * log_p - (n - k) * log_q  # of how large numbers the sum is one
    off = 16 * UNIT * (terms + 3 * abs(math.lgamma(n + 1.0)) + 1.0)
    log_tail: Array = choose + k * log_p + (n - k) * log_q + np.log(series) + off
    slope: Array = (n - k) * np.exp(log_p) / series
    return log_tail, slope


def _series(odds: Array, k: Array, n: int) -> Array:
    """1 + r_1 + r_1 r_2 + ..., at least; ``odds`` is q / p."""
    total, last, start = np.ones(k.size), np.ones(k.size), 0
    size = min(TERMS, max(CELLS // k.size, 1), 4 * math.isqrt(n) + 16)  # 6 deviations suffice
    while True:
        i = np.arange(start + 1.0, start + size + 2.0)
        ratios = np.maximum(k[:, None] - i + 1.0, 0.0) * odds[:, None] / (n - k[:, None] + i)
        terms = np.cumprod(ratios[:, :-1], axis=1) * last[:, None]
        total, last, after = total + terms.sum(1), terms[:, -1], ratios[:, -1]
        rest, start = last * after / (1.0 - after), start + size
        if start >= TERMS or (rest <= LEFT_OUT * total).all():
            break
    above: Array = (total + rest) * (1.0 + UNIT * 16 * TERMS)
    return above


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
