"""The edges of bins, proposed from quantiles: as round as their distances allow."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

__all__ = ["MOST_BINS", "round_edges"]

MOST_BINS = 4
HALVES = 4  # how often a step is halved in search of a number that no few rows have


def round_edges(
    quantiles: Sequence[float],
    whole: bool = False,
    avoid: Collection[float] = (),
    most: int = MOST_BINS,
) -> list[float]:
    """At most ``most`` - 1 edges near even quantiles, none of them among ``avoid``.

    ``whole``: edges are whole numbers as far as ``avoid`` leaves any. A value that many quantiles
    share counts once, so that the others are told apart too. Each edge lies above the least and not
    above the largest value, so that no outer bin is empty. Where no number near a quantile may be
    an edge, there is none.
    """
    known = sorted({q for q in quantiles if math.isfinite(q)})
    if len(known) < 3:
        return []
    low, high, last = known[0], known[-1], len(known) - 1
    picked = sorted({low, *(known[round(last * k / most)] for k in range(1, most)), high})
    gaps = [upper - lower for lower, upper in pairwise(picked)]
    edges: set[float] = set()
    for quantile, around in zip(picked[1:-1], pairwise(gaps), strict=True):
        able = (edge for edge in _near(quantile, min(around) / 2, whole) if edge not in avoid)
        edges |= {edge for edge in [next(able, low)] if low < edge <= high}
    return sorted(edges)


def _near(number: float, gap: float, whole: bool) -> Iterator[float]:
    """The number as a multiple of the largest 1, 2 or 5 times a power of ten within ``gap``; then
    numbers half a step beside it, a quarter of a step, and so on.
    """
    if not 0 < gap < math.inf:
        yield number
        return
    power = Decimal(10) ** math.floor(math.log10(gap))
    step = max((power * k for k in (1, 2, 5) if float(power * k) <= gap), default=power)
    if whole:
        step = max(step, Decimal(1))
    first = round(Decimal(number) / step) * step
    yield float(first)
    for _ in range(HALVES):
        step /= 2
        yield float(first + step)
        yield float(first - step)
