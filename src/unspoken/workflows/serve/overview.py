"""What the steward looks at: where accounts stand, what was given and to whom, what would fit.

Frozen records, made of the curator and its ledger and of nothing else: pages only lay them out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from unspoken.assessment.best import shares
from unspoken.assessment.closing import closed_by
from unspoken.assessment.deciding.adopting import adopt
from unspoken.assessment.findings import who_learns
from unspoken.assessment.leaks import Leak
from unspoken.assessment.trade_off import OfCap
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.planning import Plan
from unspoken.storage.ledger import Adoption, AnswerEvent, Release
from unspoken.workflows.release.preparing import Prepared
from unspoken.workflows.serve.curator import Curator
from unspoken.workflows.serve.history import Happened
from unspoken.workflows.serve.notices import Notice, Notices
from unspoken.workflows.serve.standing import Standing
from unspoken.workflows.serve.stream import Stream, streams

__all__ = ["OfferedPlan", "Overview", "Reader", "WhatIf", "approve", "overview", "what_if"]

LEAST, MOST = 1.0, 1e3  # odds caps that are looked at


@dataclass(frozen=True)
class Reader:
    """An application, as declared; ``given``: how many events gave it something."""

    name: str
    reads: tuple[str, ...]
    knows: tuple[str, ...]
    weight: float
    share: float
    given: int


@dataclass(frozen=True)
class Overview:
    """``coalitions``: what those who pool have had together; ``alone``: what each application has.

    ``streams``: what answers told them of all rows of a unit. ``exceed``: the share of rows whose
    answers may be above the cap. ``noisy``: what was learned is counts with noise.
    """

    table: str
    odds_cap: float
    exceed: float
    promise: tuple[str, ...]
    readers: tuple[Reader, ...]
    coalitions: tuple[Standing, ...]
    alone: tuple[Standing, ...]
    streams: tuple[Stream, ...]
    history: tuple[Happened, ...]
    refusals: tuple[Notice, ...]
    alarms: tuple[Notice, ...]
    noisy: bool = False


@dataclass(frozen=True)
class OfferedPlan:
    """A plan that is, or may be, adopted. ``shares``: of all cells of an attribute those shown;
    ``leaks``: who would learn what by it alone; ``digest``: by which the very same is known again.
    """

    odds_cap: float
    shares: Mapping[str, float]
    leaks: tuple[Leak, ...]
    digest: str


@dataclass(frozen=True)
class WhatIf:
    """``adopted``: the plan that is served; ``declared``: the best one for what is declared now;
    ``asked``: the best with another cap. ``why_not``: why there is none. ``curve``: what other caps
    would let out. ``cap_in``: the part of the project file that has the cap of plans.
    """

    adopted: OfferedPlan
    declared: OfferedPlan | None
    asked: OfferedPlan | None
    curve: tuple[OfCap, ...]
    why_not: str = ""
    cap_in: str = "limit"


def overview(curator: Curator) -> Overview:
    """As it is now."""
    ready, kept = curator.current()
    project = ready.project
    named = [(name,) for name in project.applications]
    standings = curator.standings([*project.pools, *(n for n in named if n not in project.pools)])
    history = curator.history()
    given = [happened for happened in history if happened.kind in (Release.kind, AnswerEvent.kind)]
    return Overview(
        table=project.source.name,
        odds_cap=project.limits.odds_cap,
        exceed=project.limits.exceed,
        promise=tuple(ready.promise.lines()),
        readers=tuple(
            Reader(
                name, tuple(reads), terms.knows, terms.weight, terms.share,
                sum(not each.who or name in each.who for each in given),
            )
            for name, reads in project.applications.items()
            for terms in [project.terms[name]]
        ),
        coalitions=tuple(each for each in standings if each.coalition in project.pools),
        alone=tuple(each for each in standings if each.coalition in named),
        streams=tuple(streams(project, kept)),
        history=history,
        refusals=tuple(curator.refusals),
        alarms=tuple(Notices.alarms(project).latest()),
        noisy=ready.promise.pinned and project.belief.noise is not None,
    )  # fmt: skip


# ---------------------------------------------------------------- plans


def what_if(curator: Curator, cap: float | None = None) -> WhatIf:
    """The plan that is served beside those that might be; nothing is charged."""
    ready = curator.declared()
    adopted = _offer(ready, ready.plan())
    declared, why_not = None, ""
    try:
        declared = _best(ready)
    except (InputError, LimitExceeded) as error:
        why_not = str(error)
    asked = None if cap is None else _best(_with_cap(ready, cap))
    curve = tuple(ready.new_plan().by_cap()) if declared is not None else ()
    cap_in = "limit" if ready.project.plan.odds_cap is None else "plan"
    return WhatIf(adopted, declared, asked, curve, why_not, cap_in)


def _with_cap(ready: Prepared, cap: float) -> Prepared:
    if not LEAST <= cap <= MOST:
        raise InputError(f"cap {cap:g}: is a factor on odds, from {LEAST:g} to {MOST:,.0f}")
    project = ready.project
    limits = project.limits.capped(cap)
    plan = replace(project.plan, odds_cap=None)
    other = replace(project, limits=limits, plan=plan)
    return replace(ready, project=other, closed=closed_by(other, ready.learned))


def _best(ready: Prepared) -> OfferedPlan:
    """What would be adopted."""
    anew = ready.new_plan()
    return _offer(anew, anew.plan())


def _offer(ready: Prepared, plan: Plan) -> OfferedPlan:
    learned, project = ready.learned, ready.project
    leaks = who_learns(project, learned, plan.mechanism)
    shown = plan.mechanism.showing(project.reads)  # as it is adopted
    described = json.dumps(shown.describe(), sort_keys=True).encode()
    return OfferedPlan(
        project.planned.limits.odds_cap,
        shares(project, learned, plan),
        tuple(leaks),
        hashlib.sha256(described).hexdigest(),
    )


def approve(curator: Curator, digest: str, by: str, why: str) -> Adoption:
    """Adopt the plan that somebody has looked at, by its ``digest``, and no other."""
    if not why.strip():
        raise InputError("why: is empty; say why this plan is adopted, for those who ask later")
    with curator.charging():
        ready, (_, kept) = curator.declared(), curator.current()
        anew = ready.new_plan()
        plan = anew.plan()
        if ready.believed is None or _offer(anew, plan).digest != digest:
            raise InputError(
                "plan: is not the one that you have looked at, since something has changed; look "
                "at it again"
            )
        return adopt(anew.project, kept, ready.believed, plan, anew.closed, by, why.strip())
