"""Long chains: what a window around a variable tells, the rest being seen to its edge at most.

Let x_l and x_r be h steps to either side of x_i. What lies beyond them adds to the sum a number
that, given them, has nothing to do with x_i. So whoever is told x_l, x_r and the noisy sum of the
window learns at least as much as from the noisy sum of all (theory of DDP, T4). Given x_i both
sides of the window are independent, S = w_i x_i + L + R + what is beyond; with E(L; a, b) the
largest log-ratio of (x_l, L + noise) for x_i = a and b,

    leak_i <= max over a, b of |w_i (a - b)| / scale + E(L; a, b) + E(R; a, b):

replace one law after the other, each at the cost of its E (as in searching/chains.py). Mostly both
are largest far out on the same side, and this is no loss. As h grows, what x_l and x_r say of x_i
fades; h is chosen such that it does not matter. For those who know any of the others, E is the
largest one over the nearest variable they know on that side, h steps away at most, or none.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from unspoken.adversary import Adversary
from unspoken.beliefs import Chain
from unspoken.beliefs.lattice import Lattice
from unspoken.calibration.exact.adversaries import one
from unspoken.calibration.exact.least import Found
from unspoken.calibration.problem import Problem
from unspoken.calibration.rules.quilt import backwards, influences
from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.numerics.ring import OutOfRange
from unspoken.numerics.rounding import ROUNDED
from unspoken.searching.blurring import blurred
from unspoken.types.bound import Bound

__all__ = ["Windows"]

# No wider windows are looked at.
WIDEST = 512
# Numbers that are worked on side by side.
AT_ONCE = 2**22


@dataclass(frozen=True)
class Reach:
    """The largest log-ratio for every node and two of its values; ``gap``: how far off one knows,

    or is told, where it is so large.
    """

    apart: Array
    gap: Codes

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> Reach:
        return cls(np.full(shape, -np.inf), np.ones(shape, dtype=np.intp))

    def include(self, at: Codes, found: Array, gap: int) -> None:
        self.gap[at] = np.where(found > self.apart[at], gap, self.gap[at])
        self.apart[at] = np.maximum(self.apart[at], found)


@dataclass(frozen=True)
class Side:
    """``moves[t][a, b]`` = P(x_t+1 = b | x_t = a), ``steps[t, a]``: what x_t = a adds, in units."""

    moves: Array
    steps: Codes

    def reach(self, nodes: Codes, rate: float, width: int, anybody: bool) -> Reach:
        """E[node, a, b] of what comes after each node; ``rate``: of the noise, per unit."""
        size, end, live = self.moves.shape[1], len(self.steps), np.arange(len(nodes))
        best = Reach.nothing((len(nodes), size, size))
        law = np.broadcast_to(np.eye(size)[:, :, None], (len(nodes), size, size, 1))
        for gap in range(1, width + 1):
            moved = law if gap == 1 else _added(law, self.steps[nodes[live] + gap - 1])
            over = nodes[live] + gap == end
            if over.any():
                untold = moved[over].sum(1, keepdims=True)
                best.include(live[over], _apart(untold, rate, told=False), gap)
                live, moved = live[~over], moved[~over]
            if not live.size:
                return best
            law = np.einsum("mvak,mvw->mwak", moved, self.moves[nodes[live] + gap - 1])
            if anybody and gap < width:
                best.include(live, _apart(law, rate, told=False), gap)
        best.include(live, _apart(law, rate, told=True), width)
        return best


@dataclass(frozen=True)
class Windows:
    """Every variable of a chain with its window; ``nodes``: those that differ."""

    problem: Problem
    sides: tuple[Side, Side]  # the second one backwards
    possible: Mask
    unit: float
    nodes: Codes
    width: int
    anybody: bool

    @classmethod
    def of(cls, problem: Problem, chain: Chain, anybody: bool, share: float) -> Windows | None:
        """So wide that edges say less than this share of the limit.

        None: no lattice of sums, different numbers of values, or a memory that does not fade.
        """
        domain, (query,) = chain.domain, problem.queries
        terms = {domain.axis(n): w * domain.numbers(n) for n, w in query.items() if w}
        lattice = Lattice.of([terms]) if terms else None
        if lattice is None or not lattice.dense or len(set(domain.sizes)) > 1 or not chain.steps:
            return None
        steps = np.zeros((len(domain.names), domain.sizes[0]), dtype=np.intp)
        for t, own in lattice.steps.items():
            steps[t] = own
        laws, moves = np.stack(chain.marginals), np.stack(chain.steps)
        ahead, behind = Side(moves, steps), Side(backwards(laws, moves), steps[::-1])
        width = _width(ahead.moves, behind.moves, share * problem.limit)
        if width is None:
            return None
        nodes = _unlike(ahead.moves, behind.moves[::-1], steps, width)
        return cls(problem, (ahead, behind), laws > 0, lattice.units[0], nodes, width, anybody)

    def worst(self, scale: float) -> Found:
        size, steps = self.possible.shape[1], self.sides[0].steps
        rows = max(1, AT_ONCE // (size**2 * (1 + self.width * int(steps.max()))))
        value = np.concatenate(
            [
                self._values(self.nodes[first : first + rows], scale).max((1, 2))
                for first in range(0, len(self.nodes), rows)
            ]
        )
        node = int(self.nodes[value.argmax()])
        own = replace(self, nodes=np.array([node]))

        def leak(scale: float) -> float:
            return float(own._values(own.nodes, scale).max())

        return Found(float(value.max()), leak, lambda s: own._bound(node, leak(s), s))

    def _values(self, nodes: Codes, scale: float) -> Array:
        """The bound on log f(y | a) / f(y | b), for every node, a and b."""
        steps = self.sides[0].steps[nodes]
        try:
            sides = self._reaches(nodes, scale)
        except OutOfRange:  # so little noise that it hides nothing a window could show
            return np.full((len(nodes), *[steps.shape[1]] * 2), np.inf)
        own = np.abs(steps[:, :, None] - steps[:, None, :]) * self.unit / scale
        possible = self.possible[nodes]
        both = possible[:, :, None] & possible[:, None, :] & ~np.eye(steps.shape[1], dtype=bool)
        values = np.where(both, own + sides[0].apart + sides[1].apart, 0.0)
        return np.maximum(values, 0.0) * (1 + 16 * ROUNDED)

    def _reaches(self, nodes: Codes, scale: float) -> tuple[Reach, Reach]:
        rate, last = self.unit / scale, len(self.possible) - 1
        ahead, behind = self.sides
        return (
            ahead.reach(nodes, rate, self.width, self.anybody),
            behind.reach(last - nodes, rate, self.width, self.anybody),
        )

    def _bound(self, node: int, high: float, scale: float) -> Bound:
        """From below: what somebody learns who knows what is worst, and all beyond it."""
        names, part, known = self.problem.belief.domain.names, self.problem, list[str]()
        if self.anybody:
            values = self._values(self.nodes, scale)
            worst = np.unravel_index(int(values.argmax()), values.shape)
            gaps = [int(side.gap[worst]) for side in self._reaches(self.nodes, scale)]
            inside = names[max(node - gaps[1] + 1, 0) : node + gaps[0]]
            edges = (node - gaps[1], node + gaps[0])
            known = [names[t] for t in edges if 0 <= t < len(names)]
            weights = {name: [query.get(name, 0.0) for query in part.queries] for name in inside}
            part = replace(part, weights=weights)
        adversary = Adversary(names[node], knows=known)
        low = one(part, adversary).told(scale)
        why = f"{low.why}; from above by what {self.width} steps to either side tell"
        return replace(low, low=min(low.low, high), high=max(low.high, high), why=why)


def _added(law: Array, steps: Codes) -> Array:
    """law[m, v, a, k] with k moved by steps[m, v]."""
    moved = np.zeros((*law.shape[:3], law.shape[3] + int(steps.max())))
    for v in range(steps.shape[1]):
        for step in np.unique(steps[:, v]).tolist():
            rows = steps[:, v] == step
            moved[rows, v, :, step : step + law.shape[3]] = law[rows, v]
    return moved


def _apart(laws: Array, rate: float, *, told: bool) -> Array:
    """max over v, r of log f(v, r | a) / f(v, r | b); v is known before, unless it is ``told``."""
    mass = laws.sum(-1)
    fits = mass > 0
    given = np.divide(laws, mass[..., None], out=np.zeros(laws.shape), where=fits[..., None])
    with np.errstate(divide="ignore"):
        logs = np.log(blurred(given, rate))
        logs += np.log(mass)[..., None] if told else 0.0
    apart = np.full((len(laws), laws.shape[2], laws.shape[2]), -np.inf)
    for a, b in itertools.permutations(range(laws.shape[2]), 2):
        both = fits[:, :, a] & fits[:, :, b]
        with np.errstate(invalid="ignore"):
            own = np.where(both, (logs[:, :, a] - logs[:, :, b]).max(-1), -np.inf)
        if told:
            own = np.where(fits[:, :, a] & ~fits[:, :, b], np.inf, own)
        apart[:, a, b] = own.max(1)
    return apart


def _width(ahead: Array, behind: Array, share: float) -> int | None:
    """After how many steps both edges together say less than this of any variable."""
    pairs = zip(influences(ahead), influences(behind), strict=True)
    for gap, (right, left) in enumerate(pairs, start=1):
        if gap > WIDEST:
            return None
        if max(_finite(right), _finite(left)) < share / 2:
            return gap
    return len(ahead) + 1


def _finite(said: Array) -> float:
    """The largest where there is such an edge at all (the others are inf for every a, b)."""
    there = said[~np.isinf(said).all((1, 2))]
    return float(there.max(initial=0.0))


def _unlike(ahead: Array, behind: Array, steps: Codes, width: int) -> Codes:
    """One variable for each kind of surroundings that never change within its window."""
    kinds: dict[bytes, int] = {}
    own = [
        kinds.setdefault(a.tobytes() + b.tobytes() + s.tobytes() + z.tobytes(), len(kinds))
        for a, b, s, z in zip(ahead, behind, steps[:-1], steps[1:], strict=True)
    ]
    kind = np.array(own)
    change = np.concatenate([[0], np.cumsum(kind[1:] != kind[:-1])])
    kept, seen = [], set[int]()
    for node in range(len(steps)):
        first, last = node - width, node + width - 1
        steady = first >= 0 and last < len(kind) and change[first] == change[last]
        if steady and kind[first].item() in seen:
            continue
        if steady:
            seen.add(kind[first].item())
        kept.append(node)
    return np.array(kept)
