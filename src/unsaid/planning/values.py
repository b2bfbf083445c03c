"""The account "value": the most releases such that pooled values tell little about every secret.

Maximise sum_i w_i p_i over p, subject for every target j with a secret to I(S_j; Y) <= limit_j and
to an odds cap on every answer, Y being all released values together. Groups of variables that are
independent of one another are planned apart (planning/block.py). The plan is checked in the end by
the same views and measures a holder would ask, and only what they confirm is handed out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unsaid.beliefs import Belief
from unsaid.measures import MEASURES
from unsaid.mechanisms.local import Secret
from unsaid.numerics.arrays import Array, Mask
from unsaid.planning.bits import blocks
from unsaid.planning.block import Block
from unsaid.planning.supports import Telling, telling_values
from unsaid.planning.wide import search_block
from unsaid.types.bound import Bound
from unsaid.types.domain import Value
from unsaid.types.posteriors import Posteriors
from unsaid.views import FiniteView, View

__all__ = ["ValuePlan", "plan_values"]

INFORMATION, ODDS = MEASURES["mutual-information"], MEASURES["odds"]
# Rounding allowed in the last check: downwards for information, upwards for odds.
ROUNDING = 1e-12
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


def plan_values(
    belief: Belief,
    sensitive: Mapping[str, tuple[Value, ...]],
    weights: Array,
    caps: Array,
    limits: Mapping[str, float],
    odds_cap: float,
    exceed: float,
    gap: float = 1e-3,
) -> ValuePlan:
    """The most weights . p, p <= ``caps``, within ``limits`` (nats, per target) and the odds cap.

    ``exceed``: the probability, for each target, with which an answer may go beyond the odds cap.
    """
    p, uppers = np.zeros(len(weights)), []
    said = Said({}, {}, {})
    telling: list[Telling] = []
    cap = math.inf if exceed >= 1 else odds_cap
    beside = _beside(belief)
    for members in blocks(belief):
        harmless, block = _block(
            belief, sensitive, weights, caps, limits, cap, exceed, beside, members
        )
        p[harmless] = caps[harmless]
        uppers += (weights[harmless] * caps[harmless]).tolist()
        found = search_block(block, gap) if block.names else None
        chosen = found.p if found is not None else np.zeros(0)
        chosen, confirmed = _confirmed(block, chosen)
        p[[belief.domain.axis(name) for name in block.names]] = chosen
        uppers.append(found.upper if found is not None else 0.0)
        said = said.joined(confirmed)
        telling += telling_values(belief, sensitive, block.targets, block.names, odds_cap, beside)
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
        views = block.views(p)
        return cls(
            {name: INFORMATION.of(view) for name, view in views.items()},
            {name: ODDS.of(view) for name, view in views.items()},
            {name: _above(view, block.told.log_cap) for name, view in views.items()}
            if block.exceed > 0
            else {},
        )

    def joined(self, other: Said) -> Said:
        return Said(
            {**self.information, **other.information},
            {**self.odds, **other.odds},
            {**self.above, **other.above},
        )

    def keep(self, block: Block, rounding: float) -> bool:
        """Whether this is within the block's limits, the odds but for ``rounding`` of their log."""
        for name, limit in zip(block.targets, block.limits.tolist(), strict=True):
            if self.information[name].high * (1 + ROUNDING) > limit:
                return False
            if self.odds[name].nats <= block.told.log_cap + rounding:
                continue
            if not self.above.get(name, 1.0) <= block.exceed:
                return False
        return True


def _block(
    belief: Belief,
    sensitive: Mapping[str, tuple[Value, ...]],
    weights: Array,
    caps: Array,
    limits: Mapping[str, float],
    odds_cap: float,
    exceed: float,
    beside: Mapping[str, frozenset[str]],
    members: Sequence[int],
) -> tuple[Mask, Block]:
    """One group of variables; and which of them may be released whatever else is."""
    names = [belief.domain.names[i] for i in members]
    shares = {name: _share(belief, name, sensitive[name]) for name in names}
    targets = tuple(name for name in names if shares[name] > 0)
    wanted = [i for i in members if weights[i] > 0 and caps[i] > 0]
    # What is always sensitive is always withheld, and where nothing is, nothing can be told.
    free = [i for i in wanted if not targets or shares[belief.domain.names[i]] == 1]
    busy = [i for i in wanted if i not in free]
    block = Block(
        belief,
        sensitive,
        targets,
        tuple(belief.domain.names[i] for i in busy),
        weights[busy],
        caps[busy],
        np.array([_limit(belief, sensitive, name, limits) for name in targets]),
        odds_cap,
        exceed if math.isfinite(odds_cap) else 0.0,
        beside,
    )
    return np.isin(np.arange(len(weights)), free), block


def _beside(belief: Belief) -> dict[str, frozenset[str]]:
    """For each variable those it forms a dependent pair with."""
    pairs: dict[str, set[str]] = {}
    for first, second in belief.pairs():
        pairs.setdefault(first, set()).add(second)
        pairs.setdefault(second, set()).add(first)
    return {name: frozenset(others) for name, others in pairs.items()}


def _limit(
    belief: Belief,
    sensitive: Mapping[str, tuple[Value, ...]],
    target: str,
    limits: Mapping[str, float],
) -> float:
    """The target's limit in nats; infinite where even telling the secret itself would keep it."""
    law = belief.marginal([target])
    classes = Secret.of(belief.domain, target, sensitive[target]).classes @ law
    entropy = -math.fsum(mass * math.log(mass) for mass in classes.tolist() if mass > 0)
    limit = limits.get(target, math.inf)
    return limit if limit < entropy * (1 + 1e-9) else math.inf


def _share(belief: Belief, name: str, hidden: Sequence[Value]) -> float:
    """P(X = 0); exactly 1 where no value that can occur may be released."""
    mass = dict(zip(belief.domain.values_of(name), belief.marginal([name]).tolist(), strict=True))
    if not any(mass[value] > 0 for value in mass if value not in hidden):
        return 1.0
    return math.fsum(mass[value] for value in hidden)


def _confirmed(block: Block, p: Array) -> tuple[Array, Said]:
    """p, or slightly less where rounding makes a view see a limit broken; nothing at the worst.

    Odds that do not fall with p (of released values) may be the cap itself but for rounding: only
    where no smaller p helps, the last digits are let pass.
    """
    p = np.where(p < NOTHING, 0.0, p)
    for rounding in (0.0, ROUNDING):
        for step in range(-1, 12):
            less = p * (1.0 - 1e-13 * 8.0**step) if step >= 0 else p
            said = Said.by(block, less)
            if said.keep(block, rounding):
                return less, said
    return np.zeros_like(p), Said.by(block, np.zeros_like(p))


def _above(view: View, log_cap: float) -> float:
    """The probability of an answer that raises some odds beyond the cap; 1 where none is listed."""

    def beyond(after: Posteriors) -> Array:
        return (ODDS.f(after) > log_cap + ROUNDING).astype(np.float64)

    # Only of listed answers: the bounds of other views hold for convex functions alone.
    return view.mean(beyond).high if isinstance(view, FiniteView) else 1.0
