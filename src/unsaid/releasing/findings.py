"""Everything that is found out about a project before anything is released."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unsaid.learning import Closure, Learned
from unsaid.mechanisms import OneSided
from unsaid.planning import Plan, plan
from unsaid.policy import Project
from unsaid.releasing.told import Told, matrix
from unsaid.types.domain import Value

__all__ = ["Findings", "Share", "findings", "readers"]

LOG2 = math.log(2.0)
# The limits of the trade-off curve, as multiples of the one that is set.
CURVE = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)


@dataclass(frozen=True)
class Share:
    """One point of the trade-off: a limit, and the share of all cells read that it lets out."""

    limit_bits: float
    released: float


@dataclass(frozen=True)
class Findings:
    """``everything``: what is told if all that is declared free were released; ``planned``: under
    the plan. ``open_plan``: the best plan without closing telling values. ``shares``: per attribute
    read, the share of all rows whose cell the plan releases.
    """

    project: Project
    learned: Learned
    closure: Closure
    plan: Plan
    open_plan: Plan
    everything: Sequence[Told]
    planned: Sequence[Told]
    shares: Mapping[str, float]
    curve: Sequence[Share]
    assumptions: Sequence[str]


def findings(project: Project, learned: Learned, closure: Closure, curve: bool = True) -> Findings:
    """Plans, what they tell, and what was assumed."""
    hidden = closure.sensitive if project.limits.close else learned.sensitive
    chosen = best(project, learned, hidden)
    targets = [name for name, labels in learned.sensitive.items() if labels]
    free = OneSided(dict.fromkeys(project.reads, math.inf), learned.sensitive)
    return Findings(
        project=project,
        learned=learned,
        closure=closure,
        plan=chosen,
        open_plan=best(project, learned, learned.sensitive) if project.limits.close else chosen,
        everything=matrix(learned.belief, free, readers(project), targets),
        planned=matrix(learned.belief, chosen.mechanism, readers(project), targets),
        shares=shares(project, learned, chosen, hidden),
        curve=trade_off(project, learned, hidden) if curve else (),
        assumptions=assumptions(project, learned),
    )


def readers(project: Project) -> dict[str, tuple[str, ...]]:
    """Who sees what: each application alone, each coalition pooled, and everybody together.

    The plan is made for everybody together, whatever coalitions are declared.
    """
    alone = dict(project.applications)
    coalitions = [members for members in project.limits.coalitions if len(members) > 1]
    everybody = tuple(alone) if len(alone) > 1 else ()
    pooled = {
        " + ".join(members): tuple(
            name for name in project.reads if any(name in alone[member] for member in members)
        )
        for members in dict.fromkeys(filter(None, [*coalitions, everybody]))
    }
    return {**alone, **pooled}


def best(
    project: Project,
    learned: Learned,
    sensitive: Mapping[str, Sequence[Value]],
    scale: float = 1.0,
) -> Plan:
    """The plan for what is read, all applications pooled, with every limit times ``scale``."""
    limits = project.limits
    return plan(
        learned.belief,
        limit={name: scale * limits.about(name) * LOG2 for name in project.attributes},
        sensitive=sensitive,
        caps={name: 0.0 for name in project.attributes if name not in project.reads},
        odds_cap=limits.odds_cap,
        exceed=limits.exceed,
    )


def shares(
    project: Project, learned: Learned, chosen: Plan, sensitive: Mapping[str, Sequence[Value]]
) -> dict[str, float]:
    """p times the share of rows that may be released at all."""
    free = {name: 1.0 - _mass(learned, name, sensitive[name]) for name in project.reads}
    return {name: chosen.p[name] * free[name] for name in project.reads}


def trade_off(
    project: Project, learned: Learned, sensitive: Mapping[str, Sequence[Value]]
) -> list[Share]:
    """What other limits would let out, the odds cap staying as it is."""
    points = []
    for scale in CURVE:
        let_out = shares(project, learned, best(project, learned, sensitive, scale), sensitive)
        mean = math.fsum(let_out.values()) / max(1, len(let_out))
        points.append(Share(scale * project.limits.bits, mean))
    return points


def assumptions(project: Project, learned: Learned) -> list[str]:
    """What every number stands on, in words."""
    unit = ", ".join(project.source.unit)
    said = [
        f"The belief is learned from {learned.rows:,} rows (a plug-in), smoothed by "
        f"{learned.prior_rows:.4g} rows spread as if the attributes were independent.",
        f"Limits hold per row of {', '.join(project.source.keys)}; rows are taken as independent.",
        f"Which {', '.join(project.source.keys)} exist is public.",
    ]
    if project.source.unit != project.source.keys:
        said.append(f"Rows of one {unit} are several cells about one unit: their leakages add up.")
    public = [name for name, one in project.attributes.items() if one.missing == "public"]
    if public:
        said.append(f"That a value is missing is public for {', '.join(public)}.")
    return [*said, "Everybody who reads anything may pool it with everybody else."]


def _mass(learned: Learned, name: str, labels: Sequence[Value]) -> float:
    table = learned.belief.marginal([name])
    values = learned.belief.domain.values_of(name)
    return math.fsum(p for p, value in zip(table.tolist(), values, strict=True) if value in labels)
