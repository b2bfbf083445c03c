"""Long chains: what a window around a variable tells, the rest being seen to its edge at most.

Let x_l and x_r be h steps to either side of x_i. What lies beyond them adds to the sum a number
that, given them, has nothing to do with x_i. So whoever is told x_l, x_r and the noisy sum of the
window learns at least as much as from the noisy sum of all (theory of DDP, T4). Given x_i both
sides of the window are independent, S = w_i x_i + L + R + what is beyond; with E(L; a, b) the
largest log-ratio of (x_l, L + noise) for x_i = a and b,

    leak_i <= max over a, b of |w_i (a - b)| / scale + E(L; a, b) + E(R; a, b):

replace one law after the other, each at the cost of its E (as in core/searching/chains.py). Mostly
both are largest far out on the same side, and this is no loss. As h grows, what x_l and x_r say of
x_i fades; h is chosen such that it does not matter. For those who know any of the others, E is the
largest one over the nearest variable they know on that side, h steps away at most, or further off
(sides.py), or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.ring import OutOfRange
from unspoken.core.numerics.rounding import ROUNDED
from unspoken.core.types.bound import Bound
from unspoken.core.types.sums import term
from unspoken.noise.calibration.exact.adversaries import one_adversary
from unspoken.noise.calibration.exact.sides import ChainSide, Reach
from unspoken.noise.calibration.exact.threats import WorstAt
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.quilt import backwards, influences

__all__ = ["Windows"]

# No wider windows are looked at.
WIDEST = 512
# Numbers that are worked on side by side.
AT_ONCE = 2**22


@dataclass(frozen=True)
class Windows:
    """Every variable of a chain with its window; ``nodes``: those that differ."""

    slow: ClassVar[bool] = False
    problem: NoiseProblem
    sides: tuple[ChainSide, ChainSide]  # the second one backwards
    possible: Mask
    unit: float
    nodes: Codes
    width: int
    anybody: bool

    @classmethod
    def of(cls, problem: NoiseProblem, anybody: bool, share: float) -> Windows | None:
        """So wide that edges say less than this share of the limit.

        None: no chain, no lattice of sums, different numbers of values, or a memory that does not
        fade.
        """
        belief, (query,) = problem.belief, problem.queries
        domain, forest = belief.domain, belief.forest
        terms = {domain.axis(n): term(domain, w, n) for n, w in query.items() if w}
        lattice = Lattice.of([terms]) if terms else None
        if lattice is None or not lattice.dense or len(set(domain.sizes)) > 1:
            return None
        if forest is None or not belief.steps:
            return None
        adds = np.zeros((len(domain.names), domain.sizes[0]), dtype=np.intp)
        for t, units in lattice.steps.items():
            adds[t] = units
        laws, moves = np.stack(forest.singles), np.stack(belief.steps)
        ahead, behind = ChainSide(moves, adds), ChainSide(backwards(laws, moves), adds[::-1])
        width = _width(ahead.moves, behind.moves, share * problem.limit)
        if width is None:
            return None
        nodes = _unlike(ahead.moves, behind.moves[::-1], adds, width)
        return cls(problem, (ahead, behind), laws > 0, lattice.units[0], nodes, width, anybody)

    def worst(self, scale: float) -> WorstAt:
        size, adds = self.possible.shape[1], self.sides[0].adds
        rows = max(1, AT_ONCE // (size**2 * (1 + self.width * int(adds.max()))))
        largest = np.concatenate(
            [
                self._at(self.nodes[first : first + rows])._ratios(scale).max((1, 2))
                for first in range(0, len(self.nodes), rows)
            ]
        )
        node = int(self.nodes[largest.argmax()])
        window = self._at(np.array([node]))

        def leak(scale: float) -> float:
            return float(window._ratios(scale).max())

        return WorstAt(float(largest.max()), leak, lambda s: window._bound(node, leak(s), s))

    def _at(self, nodes: Codes) -> Windows:
        return replace(self, nodes=nodes)

    def _ratios(self, scale: float) -> Array:
        """The bound on log f(y | a) / f(y | b), for every node, a and b."""
        nodes, adds = self.nodes, self.sides[0].adds[self.nodes]
        try:
            ahead, behind = self._reaches(scale)
        except OutOfRange:  # so little noise that it hides nothing a window could show
            return np.full((len(nodes), *[adds.shape[1]] * 2), np.inf)
        moved = np.abs(adds[:, :, None] - adds[:, None, :]) * self.unit / scale
        possible = self.possible[nodes]
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(adds.shape[1], dtype=bool)
        ratios = np.where(both, moved + ahead.ratio + behind.ratio, 0.0)
        return np.maximum(ratios, 0.0) * (1 + 16 * ROUNDED)

    @cached_property
    def _reaches(self) -> Callable[[float], tuple[Reach, Reach]]:
        """What both sides tell at a scale; the last one that was asked for is kept."""
        (ahead, behind), last = self.sides, len(self.possible) - 1

        def reaches(scale: float) -> tuple[Reach, Reach]:
            rate = self.unit / scale
            return (
                ahead.reach(self.nodes, rate, self.width, self.anybody),
                behind.reach(last - self.nodes, rate, self.width, self.anybody),
            )

        return lru_cache(maxsize=1)(reaches)

    def _bound(self, node: int, high: float, scale: float) -> Bound:
        """From below: what somebody learns who knows what is worst, and all beyond it."""
        names, inner, known = self.problem.belief.domain.names, self.problem, list[str]()
        if self.anybody:
            ratios = self._ratios(scale)
            worst = np.unravel_index(int(ratios.argmax()), ratios.shape)
            right, left = (int(side.gap[worst]) for side in self._reaches(scale))
            known = [names[t] for t in (node - left, node + right) if 0 <= t < len(names)]
            inner = inner.about(names[max(node - left + 1, 0) : node + right])
        low = one_adversary(inner, Adversary(names[node], knows=known)).bound_at(scale)
        why = f"{low.why}; from above by what {self.width} steps to either side tell"
        return replace(low, low=min(low.low, high), high=max(low.high, high), why=why)


def _width(ahead: Array, behind: Array, share: float) -> int | None:
    """After how many steps both edges together say less than this of any variable."""
    pairs = zip(influences(ahead), influences(behind), strict=True)
    for gap, (right, left) in enumerate(pairs, start=1):
        if gap > WIDEST:
            return None
        if max(_finite(right), _finite(left)) < share / 2:
            return gap
    return len(ahead) + 1


def _finite(influence: Array) -> float:
    """The largest where there is such an edge at all (the others are inf for every a, b)."""
    there = influence[~np.isinf(influence).all((1, 2))]
    return float(there.max(initial=0.0))


def _unlike(ahead: Array, behind: Array, adds: Codes, width: int) -> Codes:
    """One variable for each kind of surroundings that never change within its window."""
    kinds: dict[bytes, int] = {}
    kind = np.array(
        [
            kinds.setdefault(b"".join(part.tobytes() for part in step), len(kinds))
            for step in zip(ahead, behind, adds[:-1], adds[1:], strict=True)
        ]
    )
    change = np.concatenate([[0], np.cumsum(kind[1:] != kind[:-1])])
    kept, steady_kinds = [], set[int]()
    for node in range(len(adds)):
        first, last = node - width, node + width - 1
        steady = first >= 0 and last < len(kind) and change[first] == change[last]
        if steady and kind[first].item() in steady_kinds:
            continue
        if steady:
            steady_kinds.add(kind[first].item())
        kept.append(node)
    return np.array(kept)
