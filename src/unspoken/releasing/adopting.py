"""The plan that is adopted: made once from the belief, kept in the ledger, and used from then on.

The first release adopts one, or, where the project wants approval, `unspoken plan --adopt`. Nothing
that is learned, declared or limited later changes what it shows; a new one is adopted explicitly,
and what was released before stays charged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from unspoken.display import json_number
from unspoken.errors import LimitExceeded
from unspoken.learning import Learned
from unspoken.ledger import Account, Adoption
from unspoken.planning import Closure, Plan
from unspoken.policy import Project
from unspoken.releasing.believing import Believed
from unspoken.releasing.best import evaluated
from unspoken.releasing.custody import Custody
from unspoken.types.bound import Bound
from unspoken.types.domain import Value

__all__ = [
    "adopt",
    "adopted_of",
    "adoptions_of",
    "as_adopted",
    "declared",
    "refuse_stale",
    "refuse_unapproved",
    "withheld",
]

ADOPT = "unspoken plan --adopt"


def adopted_of(project: Project, kept: Custody | None, pinned: Believed | None) -> Adoption | None:
    """The plan of this project's table that was adopted last."""
    return next(iter(adoptions_of(project, kept, pinned)[::-1]), None)


def adoptions_of(project: Project, kept: Custody | None, pinned: Believed | None) -> list[Adoption]:
    """The plans that were adopted, the last one last: made from these counts, or for a table of
    this name; else, whatever the table was called, those that show what is read here.
    """
    found: list[Adoption] = []

    def look(account: Account) -> None:
        found.extend(account.adoptions())

    if kept is not None:
        kept.ledger.look(look, kept.seal)
    counts = None if pinned is None else pinned.pinned.digest
    own = [a for a in found if project.source.name == a.table or counts == a.belief]
    return own or [a for a in found if {*project.reads} & {*a.mechanism.delivered}]


def adopt(
    project: Project,
    kept: Custody,
    pinned: Believed,
    plan: Plan,
    sensitive: Mapping[str, Sequence[Value]],
    closed: Closure,
    by: str = "",
    why: str = "",
) -> Adoption:
    """Keep this plan in the ledger; from then on it is what releases show."""
    event = Adoption(
        table=project.source.name,
        mechanism=plan.mechanism.showing(project.reads),
        closed={n: [str(v) for v in values] for n, values in closed.added.items()}
        if project.closing_values
        else {},
        limits=declared(project),
        belief=pinned.pinned.digest,
        key=kept.master.fingerprint,
        by=by,
        why=why,
        upper=plan.bound.high,
    )
    kept.ledger.charge(event, lambda _: None, kept.seal)
    return event


def as_adopted(project: Project, learned: Learned, adopted: Adoption) -> Plan:
    """The adopted plan, with what it tells under the belief; no plan showed more, when made."""
    mechanism, premise = adopted.mechanism, learned.belief.premise
    upper = math.inf if adopted.upper is None else adopted.upper
    nothing = Bound.of_odds(0.0, 0.0, premise, "")
    targets = [name for name, labels in learned.sensitive.items() if labels]
    plan = Plan(
        epsilon=None
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
        exceeded=dict.fromkeys(targets, 0.0) if project.limits.exceed else {},
    )
    return evaluated(project, learned, plan)


def withheld(adopted: Adoption) -> dict[str, tuple[Value, ...]]:
    """What an adopted plan never shows."""
    mechanism = adopted.mechanism
    return {name: mechanism.hides(name) for name in mechanism.delivered}


def refuse_stale(project: Project, adopted: Adoption | None, pinned: Believed | None) -> None:
    """A plan is for what it was made for."""
    if adopted is None:
        return
    shown = adopted.mechanism.delivered
    for name in project.reads:
        if name not in shown:
            raise LimitExceeded(
                f"attribute.{name}: is read, and the adopted plan does not have it; adopt a plan "
                f"that does: {ADOPT}"
            )
    if pinned is None or adopted.belief != pinned.pinned.digest:
        whose = "its plan" if adopted.table == project.source.name else f"that for {adopted.table}"
        raise LimitExceeded(
            f"{project.source.name}: was counted again since {whose} was adopted; adopt one that "
            f"is made from these counts: {ADOPT}"
        )


def refuse_unapproved(project: Project) -> None:
    """Where somebody has to say so, the first release does not."""
    if project.plan.approve:
        raise project.error(
            "plan", "approve", text=f"no plan is adopted yet, and somebody has to: {ADOPT}"
        )


def declared(project: Project) -> dict[str, Any]:
    """The limits as an event keeps them."""
    limits = project.limits
    given = {name: value for name, value in asdict(project.plan).items() if name != "approve"}
    pooled: dict[str, Any] = {}
    if project.divided:  # the names of a coalition do not say what it sees
        sees = [list(reads) for reads in project.pools.values()]
        pooled = {"pooled_cap": json_number(limits.pooled_cap), "sees": sees}
    return {
        **({**given, **pooled} if project.plan.by == "record" else {}),
        "limit_bits": json_number(limits.bits),
        "odds_cap": json_number(limits.odds_cap),
        "exceed": limits.exceed,
        "target": dict(limits.targets),
        **({"coalitions": [list(members) for members in project.pools]} if project.divided else {}),
    }
