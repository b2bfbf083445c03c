"""The account "value": the most releases such that pooled values tell little about every secret.

Maximise sum_i w_i p_i over p, subject for every target j with a secret to I(S_j; Y) <= limit_j and
to an odds cap on every answer, Y being all released values together. More may be withheld than the
secrets are (planning/closure.py). Groups of variables that are independent of one another are
planned apart (planning/block.py). The plan is checked in the end by the same views and measures a
holder would ask, and only what they confirm is handed out.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from unspoken.beliefs import Belief
from unspoken.measures import MEASURES
from unspoken.numerics.arrays import Array, Mask
from unspoken.planning.apart import Apart, together
from unspoken.planning.block import Block
from unspoken.planning.limits import ROUNDING, Limits
from unspoken.planning.pairs import beside, blocks
from unspoken.planning.problem import Problem
from unspoken.planning.supports import Telling, telling_values
from unspoken.types.bound import Bound
from unspoken.types.domain import Value

__all__ = ["ValuePlan", "plan_values"]

INFORMATION, ODDS = MEASURES["mutual-information"], MEASURES["odds"]
# A smaller p releases nothing that anybody would notice.
NOTHING = 1e-12


@dataclass(frozen=True)
class ValuePlan:
    """``p``: what to release. No plan within the limits reaches more than ``upper``.

    ``information``, ``odds``: what the pooled answers do to every secret, per target; ``above``:
    the probability of an answer above the odds cap, where some were allowed; ``telling``: values
    that break the odds cap however rarely they are released.
    """

    p: Array
    objective: float
    upper: float
    information: Mapping[str, Bound]
    odds: Mapping[str, Bound]
    above: Mapping[str, float] = field(default_factory=dict)
    telling: tuple[Telling, ...] = ()


def plan_values(problem: Problem, gap: float = 1e-3) -> ValuePlan:
    """The most weights . p within the limits, the odds cap and the caps of a problem."""
    whole = _whole(problem)
    weights, caps = whole.weights, whole.caps
    p, uppers = np.zeros(len(weights)), []
    said = Said({}, {}, {})
    telling: list[Telling] = []
    pools = [whole.names] if problem.coalitions is None else problem.coalitions
    for members in blocks(problem.belief):
        harmless, block = _parted(whole, members, {name for own in pools for name in own})
        p[harmless] = caps[harmless]
        uppers += (weights[harmless] * caps[harmless]).tolist()
        said = said.joined(Said.by(block.only([]), np.zeros(0)))
        for seen in together(block.names, pools, block.limits.exceed > 0):
            group = Apart.of(block, seen)
            found = group.search(gap)
            chosen, confirmed = _confirmed(group, found.p)
            p[[whole.names.index(name) for name in group.block.names]] = chosen
            uppers.append(found.upper)
            said = said.joined(confirmed)
        telling += telling_values(
            block.belief,
            block.sensitive,
            block.targets,
            block.names,
            problem.odds_cap,
            block.beside,
        )
    used = weights > 0
    objective = math.fsum((weights[used] * p[used]).tolist())
    upper = max(objective, math.fsum(uppers))
    worst_first = sorted(telling, key=lambda one: (-one.factor, -one.probability))
    return ValuePlan(
        p, objective, upper, said.information, said.odds, said.above, tuple(worst_first)
    )


@dataclass(frozen=True)
class Said:
    """What views confirm of a plan, per target."""

    information: Mapping[str, Bound]
    odds: Mapping[str, Bound]
    above: Mapping[str, float]

    @classmethod
    def by(cls, block: Block, p: Array) -> Said:
        views, limits = block.views(p), block.limits
        return cls(
            {name: INFORMATION.of(view) for name, view in views.items()},
            {name: ODDS.of(view) for name, view in views.items()},
            {name: limits.above(view) for name, view in views.items()} if limits.exceed > 0 else {},
        )

    def joined(self, other: Said) -> Said:
        """The worse of both, about every target."""
        return Said(
            _worse(self.information, other.information),
            _worse(self.odds, other.odds),
            {
                name: max(self.above.get(name, 0.0), other.above.get(name, 0.0))
                for name in {**self.above, **other.above}
            },
        )


def _worse(some: Mapping[str, Bound], others: Mapping[str, Bound]) -> dict[str, Bound]:
    worse = {**others, **some}
    for name, bound in others.items():
        worse[name] = max(bound, worse[name], key=lambda one: one.high)
    return worse


def _whole(problem: Problem) -> Block:
    """All variables in one block, however they depend."""
    belief, secrets = problem.belief, problem.secrets
    targets = {name: own for name, own in secrets.items() if _occurs(belief, name, own)}
    odds_cap = problem.odds_cap if problem.exceed < 1 else math.inf
    exceed = problem.exceed if math.isfinite(odds_cap) else 0.0
    return Block(
        belief,
        problem.sensitive,
        targets,
        problem.names,
        problem.weights,
        -np.expm1(-problem.caps),
        Limits({target: problem.limit_about(target) for target in targets}, odds_cap, exceed),
        beside(belief),
    )


def _parted(whole: Block, members: Sequence[int], seen: Container[str]) -> tuple[Mask, Block]:
    """One group of variables; and which of them may be released whatever else is.

    What nobody sees is not released.
    """
    own = whole.about([whole.names[i] for i in members])
    worth = (whole.weights > 0) & (whole.caps > 0)
    wanted = [i for i in members if worth[i] and whole.names[i] in seen]
    # What is always sensitive is always withheld, and where nothing is, nothing can be told.
    free = [i for i in wanted if not own.targets or _never_shown(whole, whole.names[i])]
    busy = [whole.names[i] for i in wanted if i not in free]
    return np.isin(np.arange(len(whole.names)), free), own.only(busy)


def _never_shown(block: Block, name: str) -> bool:
    values, hidden = block.belief.domain.values_of(name), block.sensitive[name]
    return not _occurs(block.belief, name, (value for value in values if value not in hidden))


def _occurs(belief: Belief, name: str, some: Iterable[Value]) -> bool:
    """Whether any of these values can occur, however rarely."""
    mass, code = belief.marginal([name]), belief.domain.code
    return any(mass[code(name, value)] > 0 for value in some)


def _confirmed(group: Apart, p: Array) -> tuple[Array, Said]:
    """p, or slightly less where rounding makes a view see a limit broken; nothing at the worst.

    Odds that do not fall with p (of released values) may be the cap itself but for rounding: only
    where no smaller p helps, the last digits are let pass.
    """
    p = np.where(p < NOTHING, 0.0, p)
    parts = list(zip(group.parts, group.places, strict=True))
    for rounding in (0.0, ROUNDING / 2):
        for step in range(-1, 12):
            less = p * (1.0 - 1e-13 * 8.0**step) if step >= 0 else p
            if not any(part.limits.broken(part.views(less[own]), rounding) for part, own in parts):
                return less, reduce(Said.joined, (Said.by(part, less[own]) for part, own in parts))
    return np.zeros_like(p), Said.by(group.block, np.zeros_like(p))
