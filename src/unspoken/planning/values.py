"""Plans on the account "value": what all released values together tell of every secret.

Maximise sum_i w_i p_i over p, subject for every target j with a secret to I(S_j; Y) <= limit_j and
to an odds cap on every answer, Y being all released values together; under every belief that may be
true. More may be withheld than the secrets are (planning/closure.py). Groups of variables that are
independent of one another are planned apart (planning/block.py). In the end the plan is held to the
limits by the same views and the same predicate that everybody asks, and only what they confirm is
handed out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.measures import MEASURES
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.views import View
from unspoken.planning.block import Block
from unspoken.planning.chosen import Chosen, worst_odds
from unspoken.planning.coalitions import Group, overlapping
from unspoken.planning.limits import ROUNDING, Limits
from unspoken.planning.pairs import dependents, independent_groups
from unspoken.planning.problem import ReleaseProblem
from unspoken.planning.supports import Telling, worst_first

__all__ = ["plan_values"]

INFORMATION, ODDS = MEASURES["mutual-information"], MEASURES["odds"]
# A smaller p releases nothing that anybody would notice.
NOTHING = 1e-12

Views = dict[str, list[View]]  # target: what each coalition may believe of it, by each belief


def plan_values(problem: ReleaseProblem, gap: float = 1e-3) -> Chosen:
    """The most weights . p within the limits, the odds cap and the caps of a problem."""
    wholes = [_whole(problem, belief) for belief in problem.belief.candidates]
    names, weights, caps, limits = problem.names, problem.weights, wholes[0].caps, wholes[0].limits
    p, uppers = np.zeros(len(names)), []
    views: Views = {}
    telling: list[Telling] = []
    pools = [names] if problem.coalitions is None else problem.coalitions
    for members in independent_groups(problem.belief.candidates):
        harmless, blocks = _parted(wholes, members, {name for pool in pools for name in pool})
        p[harmless] = caps[harmless]
        uppers += (weights[harmless] * caps[harmless]).tolist()
        for block in blocks:
            _add(views, block.only([]).views(np.zeros(0)))
            telling += block.telling(problem.odds_cap)
        for sees in overlapping(blocks[0].names, pools, limits.exceed > 0):
            group = Group.of(blocks, sees)
            frontier = group.search(gap)
            p[[names.index(name) for name in group.names]] = _confirmed(group, frontier.p, views)
            uppers.append(frontier.upper)
    with np.errstate(divide="ignore"):
        epsilon = np.minimum(-np.log1p(-p), problem.caps)
    information = _worst(views, INFORMATION.of)
    objective = problem.value(epsilon)
    return Chosen(
        epsilon=epsilon,
        objective=objective,
        upper=max(objective, math.fsum(uppers)),
        total=max((bound.high for bound in information.values()), default=0.0),
        multiplier=math.nan,
        odds=worst_odds(_worst(views, ODDS.of), problem.belief.premise),
        information=information,
        exceeded={
            target: max(map(limits.above, each)) for target, each in views.items() if limits.exceed
        },
        telling=worst_first(telling, lambda value: (value.name, value.value, value.target)),
    )


def _whole(problem: ReleaseProblem, belief: Belief) -> Block:
    """All variables in one block, however they depend."""
    secrets = problem.secrets
    targets = {name: values for name, values in secrets.items() if _occurs(belief, name, values)}
    odds_cap = problem.odds_cap if problem.exceed < 1 else math.inf
    exceed = problem.exceed if math.isfinite(odds_cap) else 0.0
    information = {target: problem.limit_about(belief, target) for target in targets}
    return Block(
        belief,
        problem.sensitive,
        targets,
        problem.names,
        problem.weights,
        -np.expm1(-problem.caps),
        Limits(information, odds_cap, exceed),
        dependents(belief),
    )


def _parted(
    wholes: Sequence[Block], members: Sequence[int], shown: Iterable[str]
) -> tuple[list[int], list[Block]]:
    """Of a group of variables those that may be released whatever else is, and a block of the rest
    for every belief. What nobody sees is not released.
    """
    names, worth = wholes[0].names, (wholes[0].weights > 0) & (wholes[0].caps > 0)
    blocks = [whole.about([names[i] for i in members]) for whole in wholes]
    wanted = [i for i in members if worth[i] and names[i] in set(shown)]
    # What is always sensitive is always withheld, and where nothing is, nothing can leak.
    harmless = [
        i
        for i in wanted
        if all(not block.targets or _never_shown(block, names[i]) for block in blocks)
    ]
    rest = [names[i] for i in wanted if i not in harmless]
    return harmless, [block.only(rest) for block in blocks]


def _never_shown(block: Block, name: str) -> bool:
    values, hidden = block.belief.domain.values_of(name), block.sensitive[name]
    return not _occurs(block.belief, name, (value for value in values if value not in hidden))


def _occurs(belief: Belief, name: str, some: Iterable[Value]) -> bool:
    """Whether any of these values can occur, however rarely."""
    mass, code = belief.marginal([name]), belief.domain.code
    return any(mass[code(name, value)] > 0 for value in some)


def _confirmed(group: Group, p: Array, views: Views) -> Array:
    """p, or slightly less where rounding makes a view see a limit broken; nothing at the worst.

    ``views`` gets those that confirm it. Odds that do not fall with p (of released values) may be
    the cap itself but for rounding: only where no smaller p helps, the last digits are let pass.
    """
    p = np.where(p < NOTHING, 0.0, p)
    parts = [(part, group.place(part)) for part in group.parts]
    for rounding in (0.0, ROUNDING / 2):
        for step in range(-1, 12):
            less = p * (1.0 - 1e-13 * 8.0**step) if step >= 0 else p
            tried = [(part.limits, part.views(less[axes])) for part, axes in parts]
            if not any(limits.broken(each, rounding) for limits, each in tried):
                for _, each in tried:
                    _add(views, each)
                return less
    return np.zeros_like(p)


def _add(views: Views, more: Mapping[str, View]) -> None:
    for target, view in more.items():
        views.setdefault(target, []).append(view)


def _worst(views: Views, measure: Callable[[View], Bound]) -> dict[str, Bound]:
    """For every target the largest of its bounds; of equal ones that of who sees more."""
    return {
        target: max(map(measure, reversed(each)), key=lambda bound: bound.high)
        for target, each in views.items()
    }
