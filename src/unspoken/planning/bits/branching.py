"""Branch and bound on the item that the relaxation leaves off its curve.

Its interval is cut where the limit really lets it go. There the envelopes of both halves touch the
curve, so the relaxations of the halves are exact there, and what error is left is elsewhere.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.planning.bits.envelope import Envelope, envelope
from unspoken.planning.bits.items import Certified, Items
from unspoken.planning.bits.relaxation import Rest, relax

# Parts a search looks at cost about so many rounds each.
ROUNDS = 10
# A cut nearer than this share to an end of the interval is moved away from it.
MARGIN = 1e-3
# An interval narrower than this share of its end is not cut any more.
NARROW = 1e-10


class OpenBox(NamedTuple):
    """A part of the box: its bound (negative: the heap gives the least) and where to cut it."""

    minus_upper: float
    serial: int
    narrowed: dict[int, Envelope]
    partial: int
    cut: float
    near: Rest | None


class Branches:
    """The best point so far, the parts of the box still open, the largest bound of closed ones."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.best, self.reached = np.zeros(items.curves.n), 0.0
        self.open: list[OpenBox] = []
        self.settled = 0.0
        self.looked = 0

    @property
    def upper(self) -> float:
        return max(self.settled, self.reached, -self.open[0].minus_upper if self.open else 0.0)

    def look(self, narrowed: dict[int, Envelope], near: Rest | None, ceiling: float) -> float:
        """Relax one part of the box, try its point, and queue it; the price there."""
        items, self.looked = self.items, self.looked + 1
        env = items.root
        if narrowed:
            part = (np.concatenate(values) for values in zip(*narrowed.values(), strict=True))
            env = env.but(np.array(list(narrowed)), Envelope(*part))
        relaxed = relax(items.smooth, env, items.weights, items.limit, near)
        if relaxed is None:
            return 0.0
        at, near = relaxed
        point = items.completed(env, at)
        if items.gain(point) > self.reached:
            self._try(items.kept(point))
        upper, k = min(at.upper, ceiling), at.partial
        if k is None or env.hi[k] - env.knee[k] <= NARROW * env.hi[k]:
            self.settled = max(self.settled, upper)
        elif upper > self.reached:
            margin = MARGIN * (env.hi[k] - env.knee[k])
            cut = float(np.clip(point[k], env.knee[k] + margin, env.hi[k] - margin))
            heappush(self.open, OpenBox(-upper, self.looked, narrowed, k, cut, near))
        return at.price

    def branch(self) -> None:
        """Cut the part with the largest bound in two."""
        node = heappop(self.open)
        k = node.partial
        part = self.items.curves.take(np.array([k]))
        last = node.narrowed.get(k)
        low = last.lo if last else np.zeros(1)
        high = last.hi if last else self.items.ends[k : k + 1]
        for lo, hi in ((low, np.array([node.cut])), (np.array([node.cut]), high)):
            self.look({**node.narrowed, k: envelope(part, lo, hi)}, node.near, -node.minus_upper)

    def _try(self, point: Array) -> None:
        gained = self.items.gain(point)
        if gained > self.reached:
            self.best, self.reached = point, gained


def search(items: Items, gap: float, nodes: int) -> Certified:
    """Branch and bound until the gap is small enough, or that many parts were cut."""
    branches = Branches(items)
    price = branches.look({}, None, math.inf)
    for _ in range(nodes):
        enough = max(branches.settled, branches.reached / (1.0 - gap))
        if not branches.open or -branches.open[0].minus_upper <= enough:
            break
        branches.branch()
    return Certified(branches.best, branches.upper, 1.0 / price)
