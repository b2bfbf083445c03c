"""Plans on the account "bit": solve, then mend where the pooled bits exceed the odds cap."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unsaid.adversary import Adversary
from unsaid.beliefs import Joint
from unsaid.measures import MEASURES
from unsaid.numerics.arrays import CELLS, Array, Codes
from unsaid.planning.bits import Bits, blocks, sides
from unsaid.planning.chosen import Chosen, worst_odds
from unsaid.planning.clouds import Cloud
from unsaid.planning.curves import Curves
from unsaid.planning.epsilon import maximise_epsilon
from unsaid.planning.frontier import maximise, search
from unsaid.planning.pooled import Limits, Pooled
from unsaid.planning.problem import Problem
from unsaid.planning.released import maximise_released
from unsaid.planning.solution import Solution
from unsaid.types.bound import Bound
from unsaid.types.domain import Value

__all__ = ["plan_bits"]

ODDS = MEASURES["odds"]
# Pooled odds are looked at where one look lists at most this many cells.
LOOK = CELLS // 16
# Boxes searched where both the leakage limit and the pooled odds bind.
BOXES = 100
# What is left of the cap and of p so that the views, which have the last word, agree.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Budget:
    """Some variables, their leakage curves and what these may sum to."""

    members: Codes
    curves: Curves
    limit: float

    def total(self, epsilon: Array) -> float:
        return self.curves.total(epsilon[self.members])

    def solve(self, problem: Problem, caps: Array) -> Solution:
        solver = maximise_released if problem.objective == "released" else maximise_epsilon
        limit = min(self.limit, self.curves.total(np.full(self.curves.n, math.inf)))
        return solver(self.curves, problem.weights[self.members], caps[self.members], limit)


def plan_bits(problem: Problem) -> Chosen:
    """The certified optimum, then smaller where the pooled bits would break the odds cap."""
    bits = Bits.of(problem)
    caps = np.minimum(problem.caps, bits.caps(problem.odds_cap))
    groups = [np.array(block) for block in blocks(problem.belief)]
    budgets = _budgets(problem, bits, groups)
    solved = [budget.solve(problem, caps) for budget in budgets]
    epsilon = np.zeros(len(caps))
    for budget, solution in zip(budgets, solved, strict=True):
        epsilon[budget.members] = solution.epsilon
    upper = math.fsum(solution.upper for solution in solved)
    listed = [group for group in groups if _lists(problem, group)]
    for group in listed:
        if _pooled(problem, group, epsilon).nats > math.log(problem.odds_cap):
            budget = next(one for one in budgets if group[0] in one.members)
            epsilon, upper = _mend(problem, group, budget, caps, epsilon, upper)
    multiplier = max(solution.multiplier for solution in solved)
    total = math.fsum(budget.total(epsilon) for budget in budgets)
    odds = _odds(problem, bits, epsilon, listed, whole=len(listed) == len(groups))
    return Chosen(epsilon, total, upper, multiplier, odds)


def _budgets(problem: Problem, bits: Bits, groups: list[Codes]) -> list[Budget]:
    """One budget of eq. 21; or, for limits per target, each block's self terms on their own.

    sum_{i in block} I(X_i; M_i) bounds what any coalition learns from bits about any X_j in it, so
    it has to stay below the least limit_j that is not met anyway (I(X_j; .) <= H(X_j) <= limit_j).
    """
    limit = problem.limit
    if not isinstance(limit, Mapping):
        return [Budget(np.arange(len(bits.free)), bits.curves(), limit)]
    entropy = bits.curves(cross=False).leakage(np.full(len(bits.free), math.inf))
    wanted = np.array([limit.get(name, math.inf) for name in problem.names])
    binding = np.where(entropy > wanted, wanted, math.inf)
    own = bits.curves(cross=False)
    return [Budget(group, own.take(group), float(binding[group].min())) for group in groups]


def _lists(problem: Problem, group: Codes) -> bool:
    """Whether the belief knows the group jointly and its pooled bits can be listed."""
    names = [problem.names[i] for i in group]
    cells = problem.belief.cells(names) * 2 ** len(names)
    return problem.belief.knows_jointly(names) and cells <= LOOK


def _pooled(problem: Problem, group: Codes, epsilon: Array) -> Bound:
    """The worst odds about any target in the group when all its bits are pooled."""
    names = [problem.names[i] for i in group]
    mechanism = problem.mechanism(epsilon)
    views = {name: mechanism.view(problem.belief, Adversary(name, sees=names)) for name in names}
    odds = {name: ODDS.of(view) for name, view in views.items()}
    return worst_odds(odds, problem.belief.premise)


def _mend(
    problem: Problem, group: Codes, budget: Budget, caps: Array, start: Array, upper: float
) -> tuple[Array, float]:
    """The best eps of one group within the cap on pooled odds, the others staying as they are.

    Releasing less is post-processing, so what is allowed is a lower set (planning/frontier.py).
    Bits that never vary have no cap and say nothing.
    """
    vary = group[np.isfinite(caps[group])]
    on_p = problem.objective == "released"
    weights = problem.weights[vary]
    most = -np.expm1(-caps[vary]) if on_p else caps[vary]
    cloud = _cloud(problem, group, vary)
    limits = Limits(np.full(len(cloud.targets), math.inf), math.log(problem.odds_cap), 0.0)

    def put(chosen: Array) -> Array:
        tried = start.copy()
        tried[vary] = -np.log1p(-chosen) if on_p else chosen
        return tried

    def feasible(chosen: Array) -> bool:
        if budget.total(put(chosen)) > budget.limit:
            return False
        look = cloud.at(chosen if on_p else -np.expm1(-chosen))
        return look.log_odds() <= limits.log_cap - ROUNDING

    best = search(weights, most, Pooled(cloud, limits, weights)) if on_p else None
    if best is None or not feasible(best.p * (1 - ROUNDING)):  # the leakage limit binds as well
        best = maximise(weights, most, feasible, budget=BOXES)
    epsilon = put(best.p * (1 - ROUNDING))
    rest = problem.value(np.where(np.isin(np.arange(len(start)), vary), 0.0, start))
    alone = len(group) == len(start)  # else the others could use what this group leaves over
    return epsilon, min(upper, rest + best.upper) if alone else upper


def _cloud(problem: Problem, group: Codes, vary: Codes) -> Cloud:
    """The pooled bits of a group: released values of a belief whose variables are the bits."""
    names = [problem.names[i] for i in group]
    table = problem.belief.marginal(names)
    for axis, name in enumerate(names):
        table = np.moveaxis(np.tensordot(sides(problem, name), table, (1, axis)), 0, axis)
    hidden: dict[str, tuple[Value, ...]] = dict.fromkeys(names, (0,))
    return Cloud.of(Joint(table, names), hidden, hidden, [problem.names[i] for i in vary])


def _odds(problem: Problem, bits: Bits, epsilon: Array, listed: list[Codes], whole: bool) -> Bound:
    """The worst odds of all groups' pooled bits; unbounded where a group is too large to list."""
    alone = math.log(bits.odds_alone(epsilon))
    pooled = [_pooled(problem, group, epsilon) for group in listed]
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
