"""Results as plain data, for --json. Infinity is the word "inf"."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from unspoken.assessment.cautions import Caution
from unspoken.assessment.findings import Findings, Openly
from unspoken.assessment.in_context import InContext
from unspoken.assessment.leaks import leakage
from unspoken.assessment.table_scan import TableScan
from unspoken.core.display import json_number
from unspoken.interfaces.wording import changed, in_context
from unspoken.interfaces.wording.envelope import head
from unspoken.planning import Plan
from unspoken.storage.custody.archive import BackedUp, Restored
from unspoken.storage.custody.custody import Verified
from unspoken.storage.ledger import AnswerEvent, Decision, Release, fold
from unspoken.tables.learning import KeptLinks
from unspoken.workflows.release import Difference, Prepared, Rehearsed, Released
from unspoken.workflows.release.results import EpochOutcomes, Said

if TYPE_CHECKING:  # what gives no answers loads nothing of them
    from unspoken.interfaces.case import CaseAnswers
    from unspoken.workflows.query import Offer
    from unspoken.workflows.release.undeclared import Undeclared

__all__ = [
    "audited",
    "backed_up",
    "case",
    "diff",
    "leak",
    "learned",
    "ledger",
    "plan",
    "rehearsed",
    "released",
    "restored",
    "table_scan",
    "verified",
]


def learned(ready: Prepared) -> dict[str, Any]:
    """The belief's outline: labels, shares of sensitive rows, telling values."""
    model = ready.learned
    return {
        **head("learn"),
        **_for_holder(ready.cautions()),
        "rows": model.rows,
        "premise": str(model.belief.premise),
        "counted": _counted(ready),
        "promise": list(ready.promise.lines()),
        **(_tree(model.tree) if model.tree else {}),
        "attributes": {
            name: {
                "labels": dict(zip(labels, model.counts[name], strict=True)),
                "sensitive": list(model.sensitive[name]),
            }
            for name, labels in model.labels.items()
        },
        "telling": [
            {
                "attribute": value.name,
                "label": str(value.value),
                "about": value.target,
                "secret": [str(label) for label in value.secret],
                "odds": json_number(value.factor),
                "share": value.probability,
            }
            for value in ready.closed.telling
        ],
    }


def _counted(ready: Prepared) -> dict[str, Any] | None:
    """How it was counted; None: not yet, but for the holder."""
    if ready.believed is None:
        return None
    pinned, file = ready.believed.pinned, str(ready.project.files.belief)
    noise = {"epsilon": pinned.epsilon, "sensitivity": pinned.sensitivity}
    return {"file": file, "at": pinned.learned, "noise": noise, "digest": pinned.digest}


def _tree(tree: KeptLinks) -> dict[str, Any]:
    """The pairs that a tree keeps, what it loses of the secrets, and both in words."""
    return {
        "form": "tree",
        "links": [asdict(link) for link in tree.links],
        "lost": [asdict(pair) for pair in tree.lost],
        "left_out": tree.said(),
    }


def leak(findings: Openly, keys: Sequence[Undeclared] = ()) -> dict[str, Any]:
    """Who is told what, with everything not sensitive released."""
    return {
        **head("leak"),
        **_for_holder(findings.cautions),
        "premise": str(findings.learned.belief.premise),
        "box": list(findings.boxed),
        "told": leakage(findings.everything),
        **_known(findings.known),
        **in_context.of_keys_as_json(keys),
    }


def _known(entries: Sequence[InContext]) -> dict[str, Any]:
    return {"given": in_context.as_json(entries)} if entries else {}


def table_scan(scan: TableScan) -> dict[str, Any]:
    """What each column of a table tells of each secret, by itself."""
    return {**head("leak"), **scan.as_json()}


def plan(
    findings: Findings,
    keys: Sequence[Undeclared] = (),
    offered: Sequence[Offer] = (),
    undeclared: Sequence[str] = (),
) -> dict[str, Any]:
    """The plan, the one without closure, and what the plan tells."""
    closed = findings.closure.added if findings.project.closing_values else {}
    return {
        **head("plan"),
        **_for_holder(findings.cautions),
        "premise": str(findings.learned.belief.premise),
        "plan": findings.plan.as_json(),
        "without_closure": findings.open_plan.as_json(),
        "shares": dict(findings.shares),
        "closed": {name: [str(v) for v in values] for name, values in closed.items()},
        "promise": list(findings.promise.lines()) if findings.promise else [],
        "box": list(findings.boxed),
        "told": leakage(findings.planned),
        **_known(findings.planned_known),
        **in_context.of_keys_as_json(keys),
        "answers": [asdict(offer) for offer in offered],
        "no_answers": list(undeclared),
        "assumptions": list(findings.assumptions),
    }


def rehearsed(done: Rehearsed) -> dict[str, Any]:
    """What would be released."""
    return {
        **head("release"),
        "dry_run": True,
        **_epochs(done.epochs),
        "p": dict(done.p),
        **_said(done.said),
    }


def released(done: Released) -> dict[str, Any]:
    """What was written."""
    return {
        **head("release"),
        "release": str(done.path),
        "manifest": str(done.manifest),
        "rows": done.rows,
        "again": done.again,
        **_epochs(done.epochs),
        "p": dict(done.p),
        "limits": dict(done.event.limits),
        **_said(done.said),
    }


def ledger(
    history: Sequence[tuple[str, Release]],
    decisions: Sequence[tuple[str, Decision]] = (),
    answers: Sequence[tuple[str, AnswerEvent]] = (),
    shown: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Every event, and what they show together; ``shown``: that, where these are some of them."""
    if shown is None:
        shown = fold([event for _, event in history], {}).exponents()
    return {
        **head("ledger"),
        "events": [
            {
                "at": at,
                "table": event.table,
                "for": list(event.readers),
                "epoch": event.epoch,
                **({} if event.draw == 1 else {"draw": event.draw}),
                "epsilon": _epsilon(event.mechanism.exponents()),
                "records": {c.digest: list(c.delivered) for c in event.mechanism.record_coins()},
            }
            for at, event in history
        ],
        "exposure": _epsilon(shown),
        "answers": [
            {
                "at": at,
                "table": event.table,
                "query": event.query,
                "for": list(event.readers),
                "noise": event.mechanism.describe(),
            }
            for at, event in answers
        ],
        "decisions": [{"at": at, "kind": event.kind, **_decided(event)} for at, event in decisions],
    }


def _decided(event: Decision) -> dict[str, Any]:
    """A belief that was learned, a plan that was adopted, a disclosure, as the ledger keeps it."""
    kept: dict[str, Any] = json.loads(event.to_json())
    return {name: value for name, value in kept.items() if name not in ("fingerprint", "format")}


def verified(checked: Verified) -> dict[str, Any]:
    """A ledger that is whole: its head, and up to which event that is recorded where."""
    recorded = {str(place): head.number for place, head in checked.recorded.items()}
    return {
        **head("ledger"),
        "verified": True,
        "events": checked.head.number,
        "head": checked.head.code,
        "recorded": recorded,
    }


def case(answers: CaseAnswers) -> dict[str, Any]:
    """One entry for each answer."""
    bounds = {name: bound.as_json() for name, bound in answers.bounds.items()}
    chosen = {} if answers.plan is None else {"plan": _asked(answers.plan)}
    return {**head("case"), **bounds, **chosen}


def _asked(plan: Plan) -> dict[str, Any]:
    """A plan for a stated belief: with what its objective and its solver say."""
    return {
        **plan.as_json(),
        "objective": json_number(plan.objective),
        "total": plan.total,
        "multiplier": None if math.isnan(plan.multiplier) else json_number(plan.multiplier),
        "unbounded": plan.unbounded,
        "witness": plan.witness,
    }


def audited(what: str, **found: Any) -> dict[str, Any]:
    """What attacks came to: on the catalogue, or on a release."""
    return {**head("audit"), "attacked": what, **found}


def backed_up(done: BackedUp) -> dict[str, Any]:
    """Which files are in the archive."""
    return {
        **head("backup"),
        "backup": str(done.path),
        "files": {name: str(path) for name, path in done.kept.items()},
        "events": done.events,
    }


def restored(done: Restored) -> dict[str, Any]:
    """Which files are back, and of when."""
    return {
        **head("restore"),
        "made": done.made,
        "files": {name: str(path) for name, path in done.written.items()},
        "events": done.events,
    }


def diff(found: Difference) -> dict[str, Any]:
    """What changed."""
    return {**head("diff"), **changed.as_json(found)}


def _for_holder(cautions: Sequence[Caution]) -> dict[str, Any]:
    """At full digits they tell the counts of the table: not to be handed on."""
    return {"for": "the holder", "warnings": [caution.text for caution in cautions]}


def _epochs(epochs: EpochOutcomes | None) -> dict[str, Any]:
    """What became of each, for the holder."""
    return {} if epochs is None else {"epochs": asdict(epochs)}


def _said(what: Said) -> dict[str, Any]:
    """Whether everything given out keeps the limits, and what no limit is about."""
    return {
        "together": what.together or "within the limits",
        "promise": [] if what.together else list(what.promise.lines()),
        "warnings": [caution.text for caution in what.cautions],
    }


def _epsilon(exponents: Mapping[str, float]) -> dict[str, float | str]:
    return {name: json_number(epsilon) for name, epsilon in exponents.items()}
