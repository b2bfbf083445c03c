"""Trees and chains of any size: noise that is enough for everybody, by what branches let through.

What nobody exceeds, whatever they know (core/searching/branches.py), falls with the scale; the
least scale at which it keeps the limit is a little more than the exact one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from unspoken.core.adversary import Adversary
from unspoken.core.errors import NotKnown
from unspoken.core.numerics.roots import least_scale
from unspoken.core.searching.branches import BranchBounds
from unspoken.core.searching.search import Worst, worst
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.exact.threats import WorstAt
from unspoken.noise.calibration.problem import LEAST, NoiseProblem

__all__ = ["Branched", "branches"]


def branches(problem: NoiseProblem) -> float:
    """The scale, for those who may know anything."""
    if problem.belief.forest is None:
        raise NotKnown('method "branches": needs a Tree or a Chain; use "exact", "mean" or "group"')
    threat, low = Branched(problem), problem.reach / problem.limit
    low = max(low, LEAST[problem.noise]) if low else low
    return least_scale(threat.most, problem.limit, low, 2 * low) if low else low


@dataclass(frozen=True)
class Branched:
    """On a tree: the scale is the least one at which the bound for everybody keeps the limit."""

    slow: ClassVar[bool] = False
    problem: NoiseProblem

    def worst(self, scale: float) -> WorstAt:
        return WorstAt(self.most(scale), self.most, self.bound)

    def most(self, scale: float) -> float:
        """What nobody exceeds."""
        domain = self.problem.belief.domain
        parts = self.problem.mechanism(scale).parts(domain, Adversary(domain.names[0]))
        return float(self.branches.leaks(self.branches.epsilons(parts)).max())

    def bound(self, scale: float) -> Bound:
        """The same, and what somebody learns who was looked for."""
        problem = self.problem
        looked_for = worst(problem.belief, problem.mechanism(scale), problem.measure)
        who = _who(looked_for, len(problem.belief.domain.names))
        high = max(looked_for.bound.low, self.most(scale))
        return replace(looked_for.bound, high=high, why=f"{who}; {looked_for.bound.why}")

    @cached_property
    def branches(self) -> BranchBounds:
        forest = self.problem.belief.forest
        assert forest is not None
        return BranchBounds(forest, self.problem.belief.domain)


def _who(worst_of_tree: Worst, variables: int) -> str:
    assert worst_of_tree.adversary is not None  # a search that is not stopped finds somebody
    (target,), known = worst_of_tree.adversary.targets, len(worst_of_tree.adversary.known)
    few = "all others" if known == variables - 1 else f"all but {variables - 1 - known} others"
    return f"{target}, to somebody who knows {few if known else 'nothing else'}"
