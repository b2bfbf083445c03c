"""The best plan for a project, by either coin, and what a plan tells under a belief."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from unspoken.assessment.cells_for_set import cells_for_set
from unspoken.assessment.closing import withheld_by
from unspoken.assessment.leaks import limits_of, views
from unspoken.core.beliefs import Belief
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import RecordCoin
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.premise import NONE, Premise
from unspoken.core.views import View
from unspoken.planning import Limits, Plan, baseline_plan, plan
from unspoken.planning.chosen import worst_odds
from unspoken.planning.plans import WORTH
from unspoken.planning.records.binding import Binding
from unspoken.planning.records.floor import floor_binding, is_floor
from unspoken.storage.coarse import coarse, with_exponents
from unspoken.storage.ledger import Adoption
from unspoken.storage.stated import stated
from unspoken.tables.learning import Learned
from unspoken.tables.learning.intervals.given_sets import given_sets
from unspoken.tables.policy import Project

__all__ = [
    "Best",
    "adopted_premise",
    "as_adopted",
    "best",
    "evaluated",
    "mean",
    "refuse_useless",
    "shares",
    "weights",
]

# Less p can make an answer above the cap more frequent, if not more telling: where the rounded plan
# then exceeds more than it may, it is made again for a smaller share of what may be exceeded.
SHARES = (1.0, 0.95, 0.75, 0.0)

Hidden = Mapping[str, Sequence[Value]]


def best(
    project: Project,
    learned: Learned,
    beliefs: Belief,
    sensitive: Hidden,
    scale: float = 1.0,
    extends: RecordCoin | None = None,
) -> Plan:
    """The plan for what is read, each coalition pooled, with every limit on bits times ``scale``.

    ``beliefs``: the confidence set, for every prior in which the plan holds; where a project asks
    for none, the observed frequencies; where it asks for one and there is none (too many
    combinations of values), the plan is the baseline. ``sensitive``: what cell coins for observed
    frequencies withhold. ``extends``: the coin whose answers are out, beside which more is shown.
    """
    within = project.planned
    if extends is not None and within.plan.by == "cell":
        raise project.error("plan", "by", text="coins of cells are not extended: adopt a new plan")
    if not (within.plans_for_set and learned.secrets):
        if within.plan.by == "record":
            return _by_records(within, learned, beliefs, scale, extends)
        return _by_cells(within, learned, sensitive, scale)
    if beliefs is learned.belief:
        return evaluated(within, learned, _baseline(within, learned, scale, extends))
    if within.plan.by == "record":
        return _by_records(within, learned, beliefs, scale, extends)
    return _by_cells_for_set(within, learned, beliefs, scale)


@dataclass(frozen=True)
class Best:
    """The best plans for what was counted, each made once, whoever asks: a curve asks again for the
    limits that are set, and for those of a remedy. ``extends``: the coin whose answers are out,
    beside which all that one coin a record shows is more.
    """

    learned: Learned
    beliefs: Belief
    extends: RecordCoin | None = None
    _made: list[tuple[Project, float, Plan]] = field(default_factory=list, repr=False)

    def plan(self, project: Project, scale: float = 1.0) -> Plan:
        """With every limit on bits times ``scale``."""
        within, hidden = project.planned, withheld_by(project, self.learned)
        for before, times, found in self._made:
            if times == scale and before == within:
                return found
        extends = self.extends if within.plan.by == "record" else None
        found = best(within, self.learned, self.beliefs, hidden, scale, extends)
        self._made.append((within, scale, found))
        return found

    def shares(self, project: Project, scale: float = 1.0) -> dict[str, float]:
        """Of all rows those whose cell it shows."""
        return shares(project, self.learned, self.plan(project, scale))

    def released(self, project: Project, scale: float = 1.0) -> float:
        """The share of all cells read that it lets out."""
        return mean(self.shares(project, scale))


def mean(let_out: Mapping[str, float]) -> float:
    """Over what is read."""
    return math.fsum(let_out.values()) / max(1, len(let_out))


def _by_cells(project: Project, learned: Learned, sensitive: Hidden, scale: float) -> Plan:
    """Each p of three decimal places."""
    limits = project.limits
    kept = Limits.in_bits(
        {name: scale * limits.about(name) for name in project.attributes},
        limits.odds_cap,
        limits.exceed,
    )
    for share in SHARES if limits.exceed else (1.0,):
        chosen = plan(
            learned.belief,
            limit_bits=_bits(project, scale),
            sensitive=sensitive,
            secrets=learned.sensitive,
            caps={name: 0.0 for name in project.attributes if name not in project.reads},
            odds_cap=limits.odds_cap,
            exceed=share * limits.exceed,
            coalitions=list(project.pools.values()),
        )
        epsilon = coarse(chosen.epsilon)
        mechanism = with_exponents(chosen.mechanism, epsilon)
        rounded = replace(chosen, epsilon=epsilon, mechanism=mechanism)
        rounded, clouds = _with_leakage(project, learned, rounded, kept)
        if not any(map(kept.broken, clouds)):
            break
    return rounded


def _by_cells_for_set(project: Project, learned: Learned, beliefs: Belief, scale: float) -> Plan:
    """One coin a cell for every prior in the set; the baseline, where that shows as much."""
    floor = evaluated(project, learned, _baseline(project, learned, scale, None))
    mechanism = cells_for_set(project, learned, beliefs, scale)
    premise = beliefs.premise
    text = "reached by this plan; the upper end is all that is not sensitive"
    bound = Bound(0.0, floor.bound.high, "labels", premise, text)
    cells = replace(
        floor, epsilon=mechanism.exponents(), bound=bound, mechanism=mechanism, floor=floor
    )
    cells = evaluated(project, learned, cells)
    return cells if cells.objective > floor.objective else replace(floor, floor=floor)


def _baseline(project: Project, learned: Learned, scale: float, extends: RecordCoin | None) -> Plan:
    """The belief-free baseline, whose cap needs no counts."""
    asked = _asked_of_records(project, learned, scale, extends)
    return baseline_plan(learned.belief, **{**asked, "contexts": None})


def _by_records(
    project: Project, learned: Learned, beliefs: Belief, scale: float, extends: RecordCoin | None
) -> Plan:
    """What is declared is withheld, and nothing is closed: a program decides what goes with it.

    The smallest share of what an application reads is made as large as can be, then the sum. What
    gains less than WORTH over the floor, which needs no belief, is not worth its premise: then the
    sum alone is tried, and then the floor is the plan.
    """
    options = _asked_of_records(project, learned, scale, extends)
    asked = partial(plan, beliefs, by="record", **options)
    chosen = asked(shares=project.applications)
    if extends is not None:
        return evaluated(project, learned, chosen)
    if _poor(chosen) and len(project.applications) > 1:
        chosen = asked()  # what is fair to who can be given next to nothing is of use to nobody
    if chosen.floor is not None and _poor(chosen):
        chosen = replace(chosen.floor, floor=chosen.floor)
    return evaluated(project, learned, chosen)


def _asked_of_records(
    project: Project, learned: Learned, scale: float, extends: RecordCoin | None
) -> dict[str, Any]:
    """The options of `unspoken.plan` that a project asks for."""
    given, limits = project.plan, project.limits
    return {
        "limit_bits": _bits(project, scale),
        "sensitive": learned.sensitive,
        "odds_cap": limits.odds_cap,
        "coalitions": list(project.pools.values()),
        "reads": project.reads,
        "weights": weights(project),
        "events": given.events,
        "pooled_cap": limits.pooled_cap
        if project.divided and limits.pooled_cap < math.inf
        else None,
        "own_reads": given.own_reads,
        "unbiased": given.unbiased,
        "floor": given.floor,
        "knows": _known(project, learned),
        "extends": extends,
        "contexts": _given(project, learned),
    }


def _poor(chosen: Plan) -> bool:
    return chosen.gain is not None and chosen.gain < WORTH


def _known(project: Project, learned: Learned) -> list[Any]:
    """What may be known beside what is shown: by each coalition what its applications do, and by
    anybody what is public of every row, that a value is missing. That is the last label of it.
    """
    pairs = [
        (reads, sorted({name for who in members for name in project.terms[who].known}))
        for members, reads in project.pools.items()
    ]
    public: dict[str, Sequence[Value]] = {
        name: learned.labels[name][-1:]
        for name, attribute in project.attributes.items()
        if attribute.missing == "public"
    }
    return [*(pair for pair in pairs if pair[1]), *([public] if public else [])]


def _given(project: Project, learned: Learned) -> list[tuple[float, Belief]] | None:
    """What the counts leave possible given each value of the context that plans hold given."""
    name = project.plan.given
    if name is None:
        return None
    return given_sets(learned.contexts[name], learned.secrets, project.belief.confidence)


def _bits(project: Project, scale: float) -> dict[str, float] | None:
    limits = project.limits
    if not limits.on_average:
        return None
    return {name: scale * limits.about(name) for name in project.attributes}


def weights(project: Project) -> dict[str, float]:
    """The worth of a cell of each attribute: the most that anybody who reads it gives for it."""
    readers = {
        name: [who for who, reads in project.applications.items() if name in reads]
        for name in project.reads
    }
    return {name: max(project.terms[w].weight for w in who) for name, who in readers.items()}


def evaluated(project: Project, learned: Learned, chosen: Plan) -> Plan:
    """A plan with what it tells under this belief."""
    return _with_leakage(project, learned, chosen, limits_of(project))[0]


def _with_leakage(
    project: Project, learned: Learned, chosen: Plan, limits: Limits
) -> tuple[Plan, list[dict[str, View]]]:
    """The plan with how often it shows what, and what each coalition may then believe."""
    mechanism = chosen.mechanism
    p = stated(mechanism, learned.belief)
    clouds = [
        views(learned.belief, mechanism, learned.sensitive, reads)
        for reads in project.pools.values()
    ]
    about = {target: [cloud[target] for cloud in clouds] for target in learned.secrets}
    information = {target: _largest("mutual-information", each) for target, each in about.items()}
    odds = {target: _largest("odds", each) for target, each in about.items()}
    bounded = replace(
        chosen,
        p=p,
        total=max((bound.high for bound in information.values()), default=0.0),
        odds=worst_odds(odds, learned.belief.premise),
        information=information,
        exceeded={target: max(map(limits.above, about[target])) for target in chosen.exceeded},
    )
    reached = math.fsum(shares(project, learned, bounded).values())
    bound = replace(chosen.bound, low=reached, high=max(reached, chosen.bound.high))
    return replace(bounded, objective=reached, bound=bound), clouds


def _largest(measure: str, each: Sequence[View]) -> Bound:
    return max(map(MEASURES[measure].of, each), key=lambda bound: bound.high)


def shares(project: Project, learned: Learned, chosen: Plan) -> dict[str, float]:
    """Of all rows those whose cell is shown: p of those that may be."""
    return {
        name: chosen.p[name] * (1.0 - _mass(learned, name, chosen.mechanism.hides(name)))
        for name in project.reads
    }


def refuse_useless(project: Project, learned: Learned, chosen: Plan) -> None:
    """Where an application is shown less than is of use to it."""
    shown = shares(project, learned, chosen)
    for who, reads in project.applications.items():
        reached = math.fsum(shown[name] for name in reads) / len(reads)
        wanted = project.terms[who].share if who in project.terms else 0.0
        if reached < wanted:
            raise project.error(
                "application", who, "share", text=f"the plan shows {who} less than {wanted:.0%} of "
                "the cells it reads; ask for less, raise a limit, or read fewer attributes",
            )  # fmt: skip


def _mass(learned: Learned, name: str, labels: Sequence[Value]) -> float:
    table = learned.belief.marginal([name])
    values = learned.belief.domain.values_of(name)
    return math.fsum(p for p, value in zip(table.tolist(), values, strict=True) if value in labels)


def as_adopted(project: Project, learned: Learned, adopted: Adoption) -> Plan:
    """The adopted plan, with what it tells under the belief; no plan showed more, when made. What
    needs no belief is seen to by its table.
    """
    mechanism, premise = adopted.mechanism, _premise(learned, adopted)
    upper = math.inf if adopted.upper is None else adopted.upper
    nothing = Bound.of_odds(0.0, 0.0, premise, "")
    plan = Plan(
        epsilon={}
        if mechanism.record_coins()
        else {**dict.fromkeys(project.attributes, 0.0), **mechanism.exponents()},
        p={},
        objective=0.0,
        total=0.0,
        bound=Bound(0.0, upper, "labels", premise, "as adopted; no plan showed more when made"),
        multiplier=math.nan,
        odds=nothing,
        information={},
        account="value",
        mechanism=mechanism,
        exceeded=dict.fromkeys(learned.secrets, 0.0) if project.limits.exceed else {},
    )
    found = evaluated(project, learned, plan)
    if not _is_baseline(learned, adopted, project.planned.limits.odds_cap):
        return found
    return replace(found, floor=found, binding=_floor_binding(project, learned, found))


def adopted_premise(learned: Learned, adopted: Adoption, cap: float) -> Premise:
    """For which priors this cap is kept by an adopted plan, which was made for no higher one."""
    return NONE if _is_baseline(learned, adopted, cap) else _premise(learned, adopted)


def _premise(learned: Learned, adopted: Adoption) -> Premise:
    """As it was adopted. The baseline for another cap than that of now is like any other plan."""
    then = Premise.of(adopted.premise or learned.belief.premise)
    return learned.belief.premise if then == NONE else then


def _is_baseline(learned: Learned, adopted: Adoption, cap: float) -> bool:
    """Whether it is the belief-free baseline for this cap."""
    secrets = learned.sensitive
    coins = adopted.mechanism.record_coins()
    return bool(coins) and all(is_floor(coin, secrets, cap) for coin in coins)


def _floor_binding(project: Project, learned: Learned, floor: Plan) -> tuple[Binding, ...]:
    """What holds an adopted floor back."""
    belief, secrets = learned.belief, learned.secrets
    harmless = [
        [label not in labels for label in belief.domain.values_of(name)]
        for name, labels in secrets.items()
    ]
    free = float(belief.marginal([*secrets])[np.ix_(*harmless)].sum()) if secrets else 0.0
    worth = weights(project)
    if not free:
        return ()
    rest = 1 - floor.objective / (free * len(worth))
    return (floor_binding(free * sum(worth.values()), rest, free, project.reads),)
