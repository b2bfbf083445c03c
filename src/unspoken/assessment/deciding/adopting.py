"""The plan that is adopted: made once from the belief, kept in the ledger, and used from then on.

The first release adopts one, or, where the project wants approval, `unspoken plan --adopt`. Nothing
that is learned, declared or limited later changes what it shows; a new one is adopted explicitly,
and what was released before stays charged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from unspoken.assessment.deciding.judged import PlannedCoins
from unspoken.core.display import json_number
from unspoken.core.errors import LimitExceeded
from unspoken.core.types.domain import Value
from unspoken.planning import Closure, Plan
from unspoken.storage.custody.believing import Believed
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Adoption
from unspoken.tables.policy import Project

__all__ = [
    "adopt",
    "adopted_of",
    "adoptions_of",
    "declared",
    "keeps_to",
    "made_for",
    "refuse_stale",
    "refuse_unapproved",
    "same_limits",
    "withheld",
]

ADOPT = "unspoken plan --adopt"
PLANNED = "planned"  # what plans keep to, in the limits of an event: no more than all may show
OF_PLANS = ("approve", "odds_cap", "limit_bits")  # of [plan]: what is not a limit, or one of plans
EXTEND = f"{ADOPT}, or, where records that were released are released on, with --extend"


def adopted_of(project: Project, kept: Custody | None, pinned: Believed | None) -> Adoption | None:
    """The plan of this project's table that was adopted last."""
    return next(iter(adoptions_of(project, kept, pinned)[::-1]), None)


def adoptions_of(project: Project, kept: Custody | None, pinned: Believed | None) -> list[Adoption]:
    """The plans that were adopted, the last one last: made from these counts, or for a table of
    this name; else, whatever the table was called, those that show what is read here.
    """
    found = [] if kept is None else kept.look(Account.adoptions)
    counts = None if pinned is None else pinned.pinned.digest
    of_table = [a for a in found if project.source.name == a.table or counts == a.belief]
    return of_table or [a for a in found if {*project.reads} & {*a.mechanism.delivered}]


def adopt(
    project: Project,
    kept: Custody,
    pinned: Believed,
    plan: Plan,
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
        premise=str(plan.cap_premise),
    )
    kept.ledger.charge(event, lambda _: None, kept.seal)
    return event


def withheld(adopted: Adoption) -> dict[str, tuple[Value, ...]]:
    """What an adopted plan never shows."""
    mechanism = adopted.mechanism
    return {name: mechanism.hides(name) for name in mechanism.delivered}


def keeps_to(
    project: Project, adopted: Adoption | None, pinned: Believed | None
) -> PlannedCoins | None:
    """The cap that an adopted plan was made for, and to whom; None: it was made for other secrets,
    other counts or other knowledge than there are now.
    """
    now = declared(project)
    if adopted is None or pinned is None or adopted.belief != pinned.pinned.digest:
        return None
    then, mechanism = adopted.limits, adopted.mechanism
    same = all(then.get(name) == now.get(name) for name in ("by", "events", "knows"))
    if not mechanism.record_coins() or not same or then.get("exceed"):
        return None
    cap = {**then, **then.get(PLANNED, {})}["odds_cap"]
    sees = then.get("sees", [mechanism.delivered])
    knows = made_for(then, then.get("coalitions", [[*project.applications]]))
    return PlannedCoins(mechanism, sees, math.log(float(cap)), knows)


def made_for(limits: Mapping[str, Any], pools: Iterable[Iterable[str]]) -> list[set[str]]:
    """What each coalition may know of a row, one at a time, by a plan that has these limits."""
    knows = limits.get("knows", {})
    return [{name for who in members for name in knows.get(who, ())} for members in pools]


def refuse_stale(project: Project, adopted: Adoption | None, pinned: Believed | None) -> None:
    """A plan is for what it was made for."""
    if adopted is None:
        return
    shown = adopted.mechanism.delivered
    adopting = EXTEND if adopted.mechanism.record_coins() else ADOPT
    for name in project.reads:
        if name not in shown:
            raise LimitExceeded(
                f"attribute.{name}: is read, and the adopted plan does not have it; adopt a plan "
                f"that does: {adopting}"
            )
    for who, terms in project.terms.items() if adopted.mechanism.record_coins() else ():
        for name in sorted({*terms.knows} - {*adopted.limits.get("knows", {}).get(who, ())}):
            raise LimitExceeded(
                f"application.{who}.knows: {name} was not there when the plan was adopted, which "
                f"holds for what was known then; adopt one that holds now: {adopting}"
            )
    claimed = _claimed(project, adopted) if adopted.mechanism.record_coins() else None
    if claimed is not None:
        raise LimitExceeded(
            f"plan.{claimed}: was not so when the plan was adopted, which does not keep it; write "
            f"it as it was, or adopt a plan that does: {adopting}"
        )
    if pinned is None or adopted.belief != pinned.pinned.digest:
        whose = "its plan" if adopted.table == project.source.name else f"that for {adopted.table}"
        raise LimitExceeded(
            f"{project.source.name}: was counted again since {whose} was adopted; adopt one that "
            f"is made from these counts: {adopting}"
        )


def _claimed(project: Project, adopted: Adoption) -> str | None:
    """What [plan] promises that the adopted plan was not made to keep."""
    then, now = adopted.limits, project.plan
    floor = then.get("floor")
    claims = {
        "own_reads": now.own_reads and not then.get("own_reads"),
        "unbiased": now.unbiased and not then.get("unbiased"),
        "given": now.given is not None and now.given != then.get("given"),
        "floor": now.floor is not None and (floor is None or floor > now.floor),
        "events": now.events == "default" and then.get("events", "default") != "default",
    }
    return next((name for name, claim in claims.items() if claim), None)


def refuse_unapproved(project: Project) -> None:
    """Where somebody has to say so, the first release does not."""
    if project.plan.approve:
        raise project.error(
            "plan", "approve", text=f"no plan is adopted yet, and somebody has to: {ADOPT}"
        )


def same_limits(kept: Mapping[str, Any], project: Project) -> bool:
    """Whether an adopted plan was made within these limits, whatever it kept to beside."""
    then, now = (
        {name: value for name, value in each.items() if name != PLANNED and value is not None}
        for each in (kept, declared(project))
    )
    return then == now


def declared(project: Project) -> dict[str, Any]:
    """The limits as an event keeps them."""
    limits = project.limits
    given = {n: value for n, value in asdict(project.plan).items() if n not in OF_PLANS}
    planned = {"odds_cap": project.plan.odds_cap, "limit_bits": project.plan.limit_bits}
    within = {name: value for name, value in planned.items() if value is not None}
    pooled: dict[str, Any] = {}
    if project.divided:  # the names of a coalition do not say what it sees
        sees = [list(reads) for reads in project.pools.values()]
        pooled = {"pooled_cap": json_number(limits.pooled_cap), "sees": sees}
    knows = {who: [*term.known] for who, term in project.terms.items() if term.known}
    pooled |= {"knows": knows} if knows else {}
    return {
        **({**given, **pooled} if project.plan.by == "record" else {}),
        "limit_bits": json_number(limits.bits),
        "odds_cap": json_number(limits.odds_cap),
        "exceed": limits.exceed,
        "target": dict(limits.targets),
        **({PLANNED: within} if within else {}),
        **({"coalitions": [list(members) for members in project.pools]} if project.divided else {}),
    }
