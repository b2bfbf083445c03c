"""Everything that is found out about a project before anything is released."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unspoken.display import Shown
from unspoken.learning import Learned
from unspoken.measures import MEASURES
from unspoken.mechanisms import OneSided
from unspoken.planning import Closure, Limits, Plan, plan
from unspoken.planning.chosen import worst_odds
from unspoken.policy import Project
from unspoken.releasing.cautions import Caution, most_in_words
from unspoken.releasing.closing import closed_by
from unspoken.releasing.coarse import coarse, probability
from unspoken.releasing.few import rows_of_answer
from unspoken.releasing.in_context import InContext, in_contexts
from unspoken.releasing.leaks import Leak, leakage_matrix, limits_of, most_told, views
from unspoken.releasing.promise import Promise
from unspoken.releasing.trade_off import ByCap, OfCap, Share, TradeOff
from unspoken.types.bound import Bound
from unspoken.types.domain import Value
from unspoken.views import View

__all__ = ["Findings", "best", "by_cap", "evaluated", "findings", "readers", "shares"]

# The limits of the trade-off curve, as multiples of the one that is set.
CURVE = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
# The odds caps of the other curve, beside the one that is set if that can be drawn with them.
CAPS, LARGEST = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0), 1e3
# Less p can make an answer above the cap more frequent, if not more telling: where the rounded plan
# then exceeds more than it may, it is made again for a smaller share of what may be exceeded.
SHARES = (1.0, 0.95, 0.75, 0.0)


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """``everything``: what would leak if all that is declared free were released; ``planned``:
    under the plan; ``known`` and ``planned_known``: the same to whoever knows a context.
    ``open_plan``: the best plan without closing telling values. ``shares``: per
    attribute read, the share of all rows whose cell the plan releases; ``open_shares``: those of
    the other. ``boxed``: what every belief that the counts leave possible says, in words.
    """

    project: Project
    learned: Learned
    closure: Closure
    plan: Plan
    open_plan: Plan
    everything: Sequence[Leak]
    planned: Sequence[Leak]
    known: Sequence[InContext]
    planned_known: Sequence[InContext]
    shares: Mapping[str, float]
    open_shares: Mapping[str, float]
    curve: TradeOff | ByCap
    assumptions: Sequence[str]
    cautions: Sequence[Caution] = ()
    promise: Promise | None = None
    boxed: Sequence[str] = ()

    def facts(self) -> list[tuple[str, str]]:
        shares = [
            (name, f"{share:.2%} of all rows released") for name, share in self.shares.items()
        ]
        closed = [("closed", str(value)) for value in self.closure.telling[:5]]
        return [*shares, *closed, *most_told(self.planned), ("rows", f"{self.learned.rows:,}")]

    @property
    def released(self) -> float:
        """The share of all cells read that the plan lets out."""
        return _mean(self.shares)

    @property
    def open_released(self) -> float:
        """The share that the best plan without closing lets out."""
        return _mean(self.open_shares)


def findings(
    project: Project,
    learned: Learned,
    closure: Closure,
    curve: bool = True,
) -> Findings:
    """Plans, what they tell, and what was assumed."""
    hidden = closure.sensitive if project.limits.close else learned.sensitive
    chosen = best(project, learned, hidden)
    left_open = best(project, learned, learned.sensitive) if project.limits.close else chosen
    free = OneSided(dict.fromkeys(project.reads, math.inf), learned.sensitive)
    everything, planned = (_leaks(project, learned, m) for m in (free, chosen.mechanism))
    known = in_contexts(learned, free, readers(project), everything)
    planned_known = in_contexts(learned, chosen.mechanism, readers(project), planned)
    return Findings(
        project=project,
        learned=learned,
        closure=closure,
        plan=chosen,
        open_plan=left_open,
        everything=everything,
        planned=planned,
        known=known,
        planned_known=planned_known,
        shares=shares(project, learned, chosen, hidden),
        open_shares=shares(project, learned, left_open, learned.sensitive),
        curve=_curve(project, learned, hidden) if curve else TradeOff(),
        assumptions=assumptions(project, learned, chosen),
    )


def _leaks(project: Project, learned: Learned, mechanism: OneSided) -> list[Leak]:
    """Who learns what of whom, with the rows that give each answer."""
    leaks = leakage_matrix(learned.belief, mechanism, readers(project), learned.sensitive)
    return [
        leak
        if leak.answer is None
        else replace(
            leak,
            answer=replace(
                leak.answer,
                rows=rows_of_answer(learned, mechanism, leak.answer.seen, leak.answer.mass),
            ),
        )
        for leak in leaks
    ]


def readers(project: Project, serving: str | None = None) -> dict[str, tuple[str, ...]]:
    """Who sees what: each application alone, each coalition pooled, and everybody if all pool.

    ``serving``: only that application, and the coalitions it is in.
    """
    groups: dict[tuple[str, ...], tuple[str, ...]] = {}
    groups |= {(name,): reads for name, reads in project.applications.items()}
    groups |= project.pools
    if not project.divided:
        groups[tuple(project.applications)] = project.reads
    return {
        " + ".join(members): reads
        for members, reads in groups.items()
        if serving is None or serving in members
    }


def best(
    project: Project,
    learned: Learned,
    sensitive: Mapping[str, Sequence[Value]],
    scale: float = 1.0,
) -> Plan:
    """The plan for what is read, each coalition pooled, with every limit times ``scale``; each p of
    three decimal places.

    ``sensitive`` is withheld; what was declared is what is protected.
    """
    limits = project.limits
    kept = Limits.in_bits(
        {name: scale * limits.about(name) for name in project.attributes},
        limits.odds_cap,
        limits.exceed,
    )
    for share in SHARES if limits.exceed else (1.0,):
        chosen = plan(
            learned.belief,
            limit_bits={name: scale * limits.about(name) for name in project.attributes}
            if limits.on_average
            else None,
            sensitive=sensitive,
            secrets=learned.sensitive,
            caps={name: 0.0 for name in project.attributes if name not in project.reads},
            odds_cap=limits.odds_cap,
            exceed=share * limits.exceed,
            coalitions=list(project.pools.values()),
        )
        rounded, clouds = _rounded(project, learned, chosen, kept)
        if not any(map(kept.broken, clouds)):
            break
    return rounded


def evaluated(project: Project, learned: Learned, chosen: Plan) -> Plan:
    """A plan with what it tells under this belief."""
    return _rounded(project, learned, chosen, limits_of(project))[0]


def _rounded(
    project: Project, learned: Learned, exact: Plan, limits: Limits
) -> tuple[Plan, list[dict[str, View]]]:
    """The plan at p of three decimal places, and what each coalition may then believe."""
    epsilon = coarse(exact.epsilon)
    mechanism = replace(exact.mechanism, epsilon=epsilon)
    hidden = mechanism.sensitive or {}
    p = {name: probability(chance) for name, chance in mechanism.shown(learned.belief).items()}
    reached = math.fsum(
        p[name] * (1.0 - _mass(learned, name, hidden.get(name, ()))) for name in project.reads
    )
    clouds = [
        views(learned.belief, mechanism, learned.sensitive, reads)
        for reads in project.pools.values()
    ]
    about = {target: [cloud[target] for cloud in clouds] for target in exact.information}
    information = {target: _largest("mutual-information", each) for target, each in about.items()}
    odds = {target: _largest("odds", each) for target, each in about.items()}
    rounded = replace(
        exact,
        epsilon=epsilon,
        p=p,
        objective=reached,
        total=max((bound.high for bound in information.values()), default=0.0),
        bound=replace(exact.bound, low=reached, high=max(reached, exact.bound.high)),
        odds=worst_odds(odds, learned.belief.premise),
        information=information,
        exceeded={target: max(map(limits.above, about[target])) for target in exact.exceeded},
        mechanism=mechanism,
    )
    return rounded, clouds


def _largest(measure: str, each: Sequence[View]) -> Bound:
    return max(map(MEASURES[measure].of, each), key=lambda bound: bound.high)


def shares(
    project: Project, learned: Learned, chosen: Plan, sensitive: Mapping[str, Sequence[Value]]
) -> dict[str, float]:
    """p times the share of rows that may be released at all."""
    free = {name: 1.0 - _mass(learned, name, sensitive[name]) for name in project.reads}
    return {name: chosen.p[name] * free[name] for name in project.reads}


def _curve(
    project: Project, learned: Learned, sensitive: Mapping[str, Sequence[Value]]
) -> TradeOff | ByCap:
    """Of the limit on bits; of the odds cap where there is no other."""
    if project.limits.bits < math.inf:
        return trade_off(project, learned, sensitive)
    return by_cap(project, learned)


def trade_off(
    project: Project, learned: Learned, sensitive: Mapping[str, Sequence[Value]]
) -> TradeOff:
    """What other limits would let out, the odds cap staying as it is."""
    points = []
    for scale in CURVE:
        let_out = shares(project, learned, best(project, learned, sensitive, scale), sensitive)
        points.append(Share(scale * project.limits.bits, _mean(let_out), scale == 1))
    return TradeOff(points)


def by_cap(project: Project, learned: Learned) -> ByCap:
    """What other odds caps would let out, the limits staying as they are. A higher one closes fewer
    values, too.
    """
    points, own = [], project.limits.odds_cap
    for cap in sorted({*CAPS, own} if own <= LARGEST else CAPS):
        other = replace(project, limits=replace(project.limits, odds_cap=cap))
        closed = other.limits.close
        hidden = closed_by(other, learned).sensitive if closed else learned.sensitive
        let_out = shares(other, learned, best(other, learned, hidden), hidden)
        points.append(OfCap(cap, _mean(let_out), cap == own))
    return ByCap(points)


def assumptions(project: Project, learned: Learned, chosen: Plan) -> list[str]:
    """What every number stands on, in words."""
    unit = ", ".join(project.source.unit)
    said = [
        f"The belief is learned from {learned.rows:,} rows (a plug-in).",
        *(learned.tree.said() if learned.tree else ()),
        f"Limits hold per row of {', '.join(project.source.keys)}; rows are taken as independent.",
        f"Which {', '.join(project.source.keys)} exist is public.",
    ]
    if project.source.unit != project.source.keys:
        said.append(f"What all rows of one {unit} tell together is not limited.")
    binned = [name for name in project.reads if project.attributes[name].grouped]
    if binned:
        said.append(f"Of {', '.join(binned)} the bin of a value is released, never the value.")
    return [*said, _pooling(project, learned, chosen)]


def _pooling(project: Project, learned: Learned, chosen: Plan) -> str:
    """Who is taken to pool, and what it would take to be wrong about that."""
    if not project.divided:
        return "Everybody who reads anything may pool it with everybody else."
    everybody = {"everybody": project.reads}
    leaks = leakage_matrix(learned.belief, chosen.mechanism, everybody, learned.sensitive)
    groups = "; ".join(" and ".join(members) for members in project.pools if len(members) > 1)
    pooling = f"Only these pool what they get: {groups}" if groups else "No two readers pool"
    return f"{pooling}. If all did, under this plan, an answer {most_in_words(leaks)}."


def _mean(let_out: Mapping[str, float]) -> float:
    return math.fsum(let_out.values()) / max(1, len(let_out))


def _mass(learned: Learned, name: str, labels: Sequence[Value]) -> float:
    table = learned.belief.marginal([name])
    values = learned.belief.domain.values_of(name)
    return math.fsum(p for p, value in zip(table.tolist(), values, strict=True) if value in labels)
