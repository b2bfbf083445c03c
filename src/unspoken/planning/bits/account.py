"""Plans on the account "bit": solve, then mend where the pooled bits exceed the odds cap."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.measures import MEASURES
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.planning.bits.bit_laws import BitLaws
from unspoken.planning.bits.curves import Curves
from unspoken.planning.bits.maximise import maximise
from unspoken.planning.bits.solution import Solution
from unspoken.planning.chosen import Chosen, worst_odds
from unspoken.planning.frontier import LowerSet, furthest, search
from unspoken.planning.joint_law import JointLaw
from unspoken.planning.limits import ROUNDING
from unspoken.planning.pairs import independent_groups
from unspoken.planning.problem import ReleaseProblem

__all__ = ["plan_bits"]

ODDS = MEASURES["odds"]
# Pooled odds are looked at where their law has at most this many cells.
LOOK = CELLS // 16
# How many plans are looked at where pooled odds bind, and how near is near enough.
ASKED, NEAR = 5_000, 5e-5


@dataclass(frozen=True)
class Budget:
    """Some variables, their leakage curves and what these may sum to."""

    members: Codes
    curves: Curves
    limit: float

    def total(self, epsilon: Array) -> float:
        return self.curves.total(epsilon[self.members])

    def solve(self, problem: ReleaseProblem, caps: Array) -> Solution:
        limit = min(self.limit, self.curves.total(np.full(self.curves.n, math.inf)))
        weights, caps = problem.weights[self.members], caps[self.members]
        return maximise(problem.objective, self.curves, weights, caps, limit)


class Mended(NamedTuple):
    """``within``: whether what the cap on pooled odds allows is within the leakage limit anyway."""

    epsilon: Array
    upper: float
    within: bool


def plan_bits(problem: ReleaseProblem) -> Chosen:
    """The certified optimum, then smaller where the pooled bits would break the odds cap."""
    bits = BitLaws.of(problem)
    caps = np.minimum(problem.caps, bits.odds.caps(problem.odds_cap))
    groups = [np.array(block) for block in independent_groups([problem.belief])]
    budgets = _budgets(problem, bits, groups)
    solved = [budget.solve(problem, caps) for budget in budgets]
    epsilon = np.zeros(len(caps))
    for budget, solution in zip(budgets, solved, strict=True):
        epsilon[budget.members] = solution.epsilon
    upper = math.fsum(solution.upper for solution in solved)
    multiplier = max(solution.multiplier for solution in solved)
    listable = [group for group in groups if _lists(problem, group)]
    for group in listable:
        vary = group[bits.odds.varies[group]]  # the others say nothing
        if len(vary) and _pooled(problem, group, epsilon).nats > math.log(problem.odds_cap):
            budget = next(budget for budget in budgets if group[0] in budget.members)
            mended = _mend(problem, group, vary, budget, caps, epsilon, upper)
            epsilon, upper = mended.epsilon, mended.upper
            # A price that only the limit has: none where it does not bind, unknown where both do.
            multiplier = 0.0 if multiplier == 0.0 or mended.within else math.nan
    total = math.fsum(budget.total(epsilon) for budget in budgets)
    odds = _odds(problem, bits, epsilon, listable, whole=len(listable) == len(groups))
    return Chosen(epsilon, problem.value(epsilon), upper, total, multiplier, odds)


def _budgets(problem: ReleaseProblem, bits: BitLaws, groups: list[Codes]) -> list[Budget]:
    """One budget of eq. 21; or, for limits per target, each block's self terms on their own.

    sum_{i in block} I(X_i; M_i) bounds what any coalition learns from bits about any S_j in it, so
    it has to stay below the least limit_j that is not met anyway (I(S_j; .) <= H(S_j) <= limit_j).
    """
    if not isinstance(problem.limit, Mapping):
        return [Budget(np.arange(len(bits.free)), bits.curves(), problem.limit)]
    limits = np.array([problem.limit_about(problem.belief, name) for name in problem.names])
    alone = bits.curves(cross=False)
    return [Budget(group, alone.take(group), float(limits[group].min())) for group in groups]


def _lists(problem: ReleaseProblem, group: Codes) -> bool:
    """Whether its pooled bits can be listed, or there is no secret that they tell of."""
    if not _targets(problem, group):
        return True
    names = [problem.names[i] for i in group]
    cells = problem.belief.cells(names) * 2 ** len(names)
    return problem.belief.knows_jointly(names) and cells <= LOOK


def _pooled(problem: ReleaseProblem, group: Codes, epsilon: Array) -> Bound:
    """The worst odds about any secret in the group when all its bits are pooled."""
    names = [problem.names[i] for i in group]
    mechanism, odds = problem.mechanism(epsilon), {}
    for name, secrets in _targets(problem, group).items():
        adversary = Adversary(name, sees=names, secret=secrets)
        odds[name] = ODDS.of(mechanism.view(problem.belief, adversary))
    return worst_odds(odds, problem.belief.premise)


def _targets(problem: ReleaseProblem, group: Codes) -> dict[str, tuple[Value, ...]]:
    """The secrets in a group."""
    names = [problem.names[i] for i in group]
    return {name: problem.sensitive[name] for name in names if problem.sensitive[name]}


def _mend(
    problem: ReleaseProblem,
    group: Codes,
    vary: Codes,
    budget: Budget,
    caps: Array,
    start: Array,
    upper: float,
) -> Mended:
    """The best eps of the bits of one group within the cap on pooled odds, the rest as it is.

    Releasing less is post-processing, so what is allowed is a lower set (planning/frontier.py).
    """
    on_p = problem.objective == "released"
    weights = problem.weights[vary]
    most = -np.expm1(-caps[vary]) if on_p else caps[vary]
    targets, names = _targets(problem, group), [problem.names[i] for i in vary]
    joint = JointLaw.of(problem.belief, problem.sensitive, targets, names, shows="bit")
    log_cap = math.log(problem.odds_cap)

    def put(chosen: Array) -> Array:
        tried = start.copy()
        tried[vary] = -np.log1p(-chosen) if on_p else chosen
        return tried

    def above(chosen: Array) -> float:
        answers = joint.at(chosen if on_p else -np.expm1(-chosen))
        return answers.log_odds() - log_cap

    def over(chosen: Array) -> float:
        """The share of the limit by which it is broken."""
        total = budget.total(put(chosen))
        return total / budget.limit - 1.0 if budget.limit > 0 else total

    def capped(chosen: Array) -> Array:
        return np.array([above(chosen) - ROUNDING])

    def both(chosen: Array) -> Array:
        return np.append(capped(chosen), over(chosen))

    best = search(LowerSet(weights, most, capped, capped, budget=ASKED), NEAR)
    within = over(best.p) <= 0
    if not within:
        best = search(LowerSet(weights, most, both, both, budget=ASKED), NEAR)
    inside = furthest(lambda chosen: above(chosen) + ROUNDING, np.zeros_like(most), best.p)
    epsilon = put(inside)
    rest = problem.value(np.where(np.isin(np.arange(len(start)), vary), 0.0, start))
    alone = len(group) == len(start)  # else the others could use what this group leaves over
    return Mended(epsilon, min(upper, rest + best.upper) if alone else upper, within and alone)


def _odds(
    problem: ReleaseProblem, bits: BitLaws, epsilon: Array, listable: list[Codes], whole: bool
) -> Bound:
    """The worst odds of all groups' pooled bits; unbounded where a group is too large to list."""
    alone = math.log(bits.odds.alone(epsilon))
    pooled = [_pooled(problem, group, epsilon) for group in listable]
    worst = max(pooled, key=lambda bound: bound.nats, default=None)
    premise = problem.belief.premise
    if whole and worst is not None:
        return worst
    low = alone if worst is None else max(alone, worst.nats)
    why = (
        "at least: one bit alone, which is what the odds cap holds here; "
        "pooled bits are more than this belief knows or than can be listed"
    )
    return Bound.of_odds(low, math.inf, premise, why)
