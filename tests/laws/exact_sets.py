"""How far apart two classes come under any table of a set: exact rationals, but for a square root.

Of cells with masses in [low, up], t in all, the mean of a kernel is N(t) / t, N filled greedily and
piecewise linear. Of a Box both classes have such masses, and so has the rest: 1 in all. So the
largest ratio has each at its own best, or both weigh M together, M all that the rest leaves:

    max_t  N+(t) (M - t) / (t N-(M - t)),

at an end, where one goes on to another cell, or where a piece's derivative is 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from tests import oracle

Number = Any  # a Fraction, or an mpf where it is a root
Span = tuple[Number, Number]


@dataclass(frozen=True)
class Filled:
    """Cells (low, up, kernel) of one class, the first filled first."""

    cells: tuple[tuple[Fraction, Fraction, Fraction], ...]

    @classmethod
    def of(cls, cells: Sequence[tuple[Fraction, Fraction, Fraction]], sign: int) -> Filled:
        return cls(tuple(sorted(cells, key=lambda cell: -sign * cell[2])))

    @property
    def least(self) -> Fraction:
        return sum((low for low, _, _ in self.cells), Fraction(0))

    @property
    def most(self) -> Fraction:
        return sum((up for _, up, _ in self.cells), Fraction(0))

    @property
    def breaks(self) -> list[Fraction]:
        """The masses at which filling goes on to the next cell."""
        return list(itertools.accumulate((u - low for low, u, _ in self.cells), initial=self.least))

    def sum(self, mass: Number) -> Number:
        """N: the kernel's sum at this mass."""
        total, left = Fraction(0), mass - self.least
        for low, up, kernel in self.cells:
            taken = max(min(left, up - low), 0 * left)
            total, left = total + (low + taken) * kernel, left - taken
        return total

    def mean(self, mass: Number) -> Number:
        """Of no mass at all, what it tends to."""
        return self.sum(mass) / mass if mass else next(k for _, up, k in self.cells if up)

    def best(self, allowed: Span, sign: int) -> list[Number]:
        """Where the mean may be the largest (1) or least (-1): at a break, or at an end."""
        low, high = allowed
        return [low, high, *(t for t in self.breaks if low < t < high)]


def mpf(number: Number) -> Any:
    return oracle.ratio(number) if isinstance(number, Fraction) else number


def furthest(above: Filled, below: Filled, rest: Span) -> Any:
    """The largest mean of one over the least of the other; None where one has no mass."""
    spans = [
        (max(own.least, 1 - rest[1] - other.most), min(own.most, 1 - rest[0] - other.least))
        for own, other in ((above, below), (below, above))
    ]
    if not (above.most and below.most):
        return None
    tops = above.best(spans[0], 1), below.best(spans[1], -1)
    found = [(t, s) for t, s in itertools.product(*tops) if rest[0] <= 1 - t - s <= rest[1]]
    for together in {1 - rest[0], 1 - rest[1]}:
        span = (max(spans[0][0], together - spans[1][1]), min(spans[0][1], together - spans[1][0]))
        if span[0] <= span[1]:
            found += [(t, together - t) for t in _shared(above, below, together, span)]
    ratios = (_ratio(above, below, *pair) for pair in found)
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def alone(own: Filled, beside: Span, sign: int) -> Number | None:
    """The largest (1) or least (-1) mean of cells that with those beside weigh 1; None: no mass."""
    span = max(own.least, 1 - beside[1]), min(own.most, 1 - beside[0])
    return (
        max((sign * own.mean(t) for t in own.best(span, sign)), default=None) if own.most else None
    )


def _ratio(above: Filled, below: Filled, t: Number, s: Number) -> Any:
    most, least = above.mean(t), below.mean(s)
    if not least:
        return mpmath.inf if most else None
    return mpf(most) / mpf(least)


def _shared(above: Filled, below: Filled, together: Fraction, span: Span) -> Iterator[Number]:
    ends = {*above.breaks, *(together - t for t in below.breaks), *span}
    at = sorted(t for t in ends if span[0] <= t <= span[1])
    yield from at
    for left, right in itertools.pairwise(at):
        g = [above.sum(t) for t in (left, right)]
        h = [below.sum(together - t) for t in (left, right)]
        b, d = ((y[1] - y[0]) / (right - left) for y in (g, h))
        a, c = g[0] - b * left, h[0] - d * left
        n0, n1, n2 = a * together, b * together - a, -b
        square, linear, constant = n2 * c - n1 * d, -2 * n0 * d, -n0 * c
        inside = linear**2 - 4 * square * constant
        if square and inside >= 0:
            roots = [
                (-linear + sign * mpmath.sqrt(mpf(inside))) / (2 * mpf(square)) for sign in (1, -1)
            ]
        else:
            roots = [-constant / linear] if linear and not square else []
        yield from (root for root in roots if mpf(left) < root < mpf(right))
