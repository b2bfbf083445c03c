"""The masses, each between two ends, under which a mean is largest or least: found by sorting.

The mean sum m k / sum m of a kernel over cells with low <= m <= up is largest where cells above
some threshold of the kernel are at their upper ends and all others at their lower ones. Of a given
mass in all, cells are filled in the order of the kernel. The largest mean of mass t is a quotient
of a concave and a linear function of t, hence quasi-concave: where t is bounded it is largest at
the threshold's own mass, or at the nearest one that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array

__all__ = ["Knapsack", "between", "fill", "share", "threshold"]


def fill(low: Array, up: Array, kernel: Array, sign: int, mass: float | Array) -> Array:
    """Rows in [low, up] of this ``mass`` under which the kernel's mean is largest, or least (-1).

    What is left above ``low`` goes where the kernel is largest first: greedy, and best.
    """
    order = np.argsort(-sign * kernel, kind="stable")
    room = (up - low)[:, order]
    before = np.zeros_like(room)
    np.cumsum(room[:, :-1], axis=1, out=before[:, 1:])
    left = mass - low.sum(axis=1, keepdims=True)
    rows = np.empty_like(room)
    rows[:, order] = low[:, order] + np.clip(left - before, 0.0, room)
    return rows


def between(low: Array, up: Array, mass: float) -> Array:
    """Masses of this total, each as far up between its ends as the others."""
    room, left = float((up - low).sum()), max(mass - float(low.sum()), 0.0)
    masses: Array = low + (up - low) * (min(left / room, 1.0) if room else 0.0)
    return masses


def threshold(low: Array, up: Array, kernel: Array, sign: int) -> Array:
    """The masses in [low, up] whose mean of the kernel is largest (sign 1) or least (-1)."""
    order = np.argsort(-sign * kernel, kind="stable")
    weight, first, last = kernel[order], up[:, order], low[:, order]
    means, mass = sign * _so_far(first * weight, last * weight), _so_far(first, last)
    some = mass > 0
    np.divide(means, mass, out=means, where=some)
    means[~some] = -np.inf
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    rows: Array = np.where(rank < means.argmax(1)[:, None], up, low)
    return rows


def _so_far(first: Array, last: Array) -> Array:
    """For each k: what the first k of one row add up to, with all but these of the other."""
    sums = np.zeros((len(first), first.shape[1] + 1))
    first.cumsum(1, out=sums[:, 1:])
    sums[:, :-1] += last[:, ::-1].cumsum(1)[:, ::-1]
    return sums


@dataclass(frozen=True)
class Knapsack:
    """``low``, ``up``: [cell] ends of what cells weigh; in all that is ``least`` to ``most``."""

    low: Array
    up: Array
    least: float
    most: float

    @classmethod
    def of(cls, low: Array, up: Array, beside: tuple[float, float], total: float = 1.0) -> Knapsack:
        """Of cells that together with others, of this least and most mass, weigh ``total``."""
        weighed = float(up.sum())  # by rounding the others may leave more than these can weigh
        least = min(max(float(low.sum()), total - beside[1]), weighed)
        return cls(low, up, least, max(least, min(weighed, total - beside[0])))

    @property
    def possible(self) -> bool:
        return self.most > 0

    def best(self, kernel: Array, sign: int) -> Array:
        """The masses [cell] whose mean of the kernel is largest (1) or least (-1)."""
        masses: Array = threshold(self.low[None], self.up[None], kernel, sign)[0]
        total = float(masses.sum())
        if self.least <= total <= self.most:
            return masses
        allowed: Array = np.array([min(max(total, self.least), self.most)])
        masses = self.weighing(kernel, sign, allowed)[0]
        return masses

    def weighing(self, kernel: Array, sign: int, mass: Array) -> Array:
        """The best masses [m, cell] of each total ``mass`` [m]."""
        low, up = (np.broadcast_to(end, (len(mass), len(end))) for end in (self.low, self.up))
        return fill(low, up, kernel, sign, mass[:, None])

    def mean(self, masses: Array, kernel: Array, sign: int) -> Array:
        """The mean [m] of the kernel under masses [m, cell]; of none, what it tends to."""
        total, means, ends = masses.sum(-1), masses @ kernel, _ends(kernel[self.up > 0])
        some = total > 0
        np.divide(means, total, out=means, where=some)
        # Rounding leaves no mean outside of what is averaged.
        np.minimum(np.maximum(means, ends[0], out=means), ends[1], out=means)
        means[~some] = ends[sign > 0]
        return means

    def range(self, kernel: Array) -> tuple[float, float]:
        """The least and the largest mean."""
        least, most = (
            float(self.mean(self.best(kernel, sign)[None], kernel, sign)[0]) for sign in (-1, 1)
        )
        return least, most

    def filling(self, kernel: Array, sign: int) -> Filling:
        """The best masses of every total, one cell after another."""
        return Filling.of(self.low, self.up, kernel, sign)


@dataclass(frozen=True)
class Filling:
    """What `fill` gives for any total: its sum of m k is piecewise linear, so no cell is looked at.

    ``least``: of total and sum at the lower ends; of each cell in its turn, ``room``, ``kernel``,
    and the mass and the sum that were filled ``before`` [2, cell]; ``limits``: between the means.
    """

    least: tuple[float, float]
    room: Array
    kernel: Array
    before: Array
    limits: tuple[float, float]
    sign: int

    @classmethod
    def of(cls, low: Array, up: Array, kernel: Array, sign: int) -> Filling:
        order = np.argsort(-sign * kernel, kind="stable")
        room, sorted_kernel = (up - low)[order], kernel[order]
        mass, worth = before = np.zeros((2, len(room) + 1))
        room.cumsum(out=mass[1:])
        (room * sorted_kernel).cumsum(out=worth[1:])
        least = float(low.sum()), float(low @ kernel)
        return cls(least, room, sorted_kernel, before, _ends(kernel[up > 0]), sign)

    @property
    def breaks(self) -> Array:
        """The totals at which filling goes on to the next cell."""
        breaks: Array = self.least[0] + self.before[0]
        return breaks

    def sums(self, total: Array) -> tuple[Array, Array]:
        """Of masses of each ``total``, as far as these can weigh it: what they do, and of m k."""
        left = total - self.least[0]
        at = np.maximum(self.before[0][:-1].searchsorted(left, "right"), 1) - 1
        mass, worth = self.before[:, at]
        part = np.minimum(np.maximum(left - mass, 0.0), self.room[at])
        return self.least[0] + mass + part, self.least[1] + worth + part * self.kernel[at]

    def mean(self, total: Array) -> Array:
        """The kernel's mean, of each total; of none, what it tends to."""
        mass, worth = self.sums(total)
        some, (least, most) = mass > 0, self.limits
        means: Array = np.divide(worth, mass, out=np.zeros_like(mass), where=some)
        np.minimum(np.maximum(means, least, out=means), most, out=means)
        means[~some] = self.limits[self.sign > 0]
        return means


def _ends(kernel: Array) -> tuple[float, float]:
    """Its least and its largest number; of none, inf and -inf."""
    return float(kernel.min(initial=np.inf)), float(kernel.max(initial=-np.inf))


def share(
    above: Knapsack, below: Knapsack, kernels: tuple[Array, Array], total: float
) -> tuple[Array, Array]:
    """The masses of both, ``total`` together, with the largest mean of one over the least of the
    other. With masses t and M - t both sums are piecewise linear in t, G = a + b t and H = c + d t;
    (a + b t) (M - t) / t (c + d t) is largest where filling goes on to another cell, or where its
    derivative is 0, a quadratic equation in each piece. A mass t next to 1 has lost digits of
    M - t: where it is the other side that goes on, its own mass is kept.
    """
    upper, lower = above.filling(kernels[0], 1), below.filling(kernels[1], -1)
    masses, others = (
        np.clip(
            np.append(filling.breaks, (first.least, first.most)),
            max(first.least, total - second.most),
            max(first.least, total - second.most, min(first.most, total - second.least)),
        )
        for first, second, filling in ((above, below, upper), (below, above, lower))
    )
    t: Array = np.unique(np.concatenate([masses, total - others]))
    masses = np.concatenate(
        [masses, _stationary(t, upper.sums(t)[1], lower.sums(total - t)[1], total)]
    )
    ways = np.concatenate([masses, total - others]), np.concatenate([total - masses, others])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log(upper.mean(ways[0])) - np.log(lower.mean(ways[1]))
    at = [int(np.argmax(np.where(np.isnan(log_ratio), -np.inf, log_ratio)))]
    most = above.weighing(kernels[0], 1, ways[0][at])[0]
    return most, below.weighing(kernels[1], -1, ways[1][at])[0]


def _stationary(t: Array, g: Array, h: Array, total: float) -> Array:
    """Where in each piece [t_i, t_i+1] the derivative of G (M - t) / t H is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        b, d = np.diff(g) / np.diff(t), np.diff(h) / np.diff(t)
        a, c = g[:-1] - b * t[:-1], h[:-1] - d * t[:-1]
        n0, n1, n2 = a * total, b * total - a, -b  # (n0 + n1 t + n2 t^2) / (c t + d t^2)
        square, linear, constant = n2 * c - n1 * d, -2 * n0 * d, -n0 * c
        root = np.sqrt(linear**2 - 4 * square * constant)
        q = -(linear + np.copysign(root, linear)) / 2
        roots = np.stack([q / square, constant / q])
    inside = (roots > t[:-1]) & (roots < t[1:])
    inner: Array = roots[inside]
    return inner
