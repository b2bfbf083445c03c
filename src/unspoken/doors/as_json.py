"""Results as plain data, for --json. Infinity is the word "inf".

Every object says which command it is of, and the format: {"unspoken": "leak", "format": 1, ...}.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unspoken.doors.case import Answers
from unspoken.learning import Kept
from unspoken.ledger import Release, fold
from unspoken.planning import Plan
from unspoken.releasing import Findings, Prepared, Rehearsed, Released
from unspoken.releasing.manifest import leakage

__all__ = [
    "case",
    "leak",
    "learned",
    "ledger",
    "plan",
    "rehearsed",
    "released",
    "started",
    "written",
]

FORMAT = 1


def learned(ready: Prepared) -> dict[str, Any]:
    """The belief's outline: labels, shares of sensitive rows, telling values."""
    own = ready.learned
    return {
        **_head("learn"),
        "rows": own.rows,
        "prior_rows": own.prior_rows,
        "premise": str(own.belief.premise),
        **(_tree(own.tree) if own.tree else {}),
        "attributes": {
            name: {
                "labels": dict(zip(labels, own.counts[name], strict=True)),
                "sensitive": list(own.sensitive[name]),
            }
            for name, labels in own.labels.items()
        },
        "telling": [
            {
                "attribute": told.name,
                "label": str(told.value),
                "about": told.target,
                "secret": [str(value) for value in told.secret],
                "odds": number(told.factor),
                "share": told.probability,
            }
            for told in ready.closed.telling
        ],
    }


def _tree(own: Kept) -> dict[str, Any]:
    """The pairs that a tree keeps, what it loses of the secrets, and both in words."""
    return {
        "form": "tree",
        "links": [asdict(link) for link in own.links],
        "lost": [asdict(one) for one in own.lost],
        "left_out": own.said(),
    }


def leak(found: Findings) -> dict[str, Any]:
    """Who is told what, with everything not sensitive released."""
    return {
        **_head("leak"),
        "premise": str(found.learned.belief.premise),
        "told": leakage(found.everything),
    }


def plan(found: Findings) -> dict[str, Any]:
    """The plan, the one without closure, and what the plan tells."""
    return {
        **_head("plan"),
        "premise": str(found.learned.belief.premise),
        "plan": planned(found.plan),
        "without_closure": planned(found.open_plan),
        "shares": dict(found.shares),
        "closed": {name: [str(v) for v in values] for name, values in found.closure.added.items()},
        "told": leakage(found.planned),
        "assumptions": list(found.assumptions),
    }


def planned(one: Plan) -> dict[str, Any]:
    """A plan's numbers."""
    return {
        "epsilon": {name: number(epsilon) for name, epsilon in one.epsilon.items()},
        "p": dict(one.p),
        "bound": one.bound.as_json(),
        "odds": one.odds.as_json(),
        "information": {name: bound.as_json() for name, bound in one.information.items()},
    }


def rehearsed(done: Rehearsed) -> dict[str, Any]:
    """What would be released."""
    return {
        **_head("release"),
        "dry_run": True,
        "epsilon": {name: number(epsilon) for name, epsilon in done.epsilon.items()},
        "told": leakage(done.told),
    }


def released(done: Released) -> dict[str, Any]:
    """What was written."""
    return {
        **_head("release"),
        "release": str(done.path),
        "manifest": str(done.manifest),
        "rows": done.rows,
        "again": done.again,
        "epsilon": {
            name: number(epsilon) for name, epsilon in done.event.mechanism.exponents().items()
        },
        "told": leakage(done.told),
    }


def ledger(history: Sequence[tuple[str, Release]]) -> dict[str, Any]:
    """Every event, and what they show together."""
    shown = fold([event for _, event in history], {}).exponents()
    return {
        **_head("ledger"),
        "events": [
            {
                "at": at,
                "table": event.table,
                "epoch": event.epoch,
                "epsilon": {name: number(e) for name, e in event.mechanism.exponents().items()},
            }
            for at, event in history
        ],
        "exposure": {name: number(epsilon) for name, epsilon in shown.items()},
    }


def case(answers: Answers) -> dict[str, Any]:
    """One entry for each answer."""
    bounds = {name: bound.as_json() for name, bound in answers.bounds.items()}
    chosen = {} if answers.plan is None else {"plan": _asked(answers.plan)}
    return {**_head("case"), **bounds, **chosen}


def _asked(plan: Plan) -> dict[str, Any]:
    """A plan for a stated belief: with what its objective and its solver say."""
    return {
        **planned(plan),
        "objective": number(plan.objective),
        "total": plan.total,
        "multiplier": None if math.isnan(plan.multiplier) else number(plan.multiplier),
        "unbounded": plan.unbounded,
        "witness": plan.witness,
    }


def started(project: Path, keys: Sequence[str], attributes: Sequence[str]) -> dict[str, Any]:
    """What a new project file says."""
    return {
        **_head("init"),
        "project": str(project),
        "keys": list(keys),
        "attributes": list(attributes),
    }


def written(report: Path, charts: Sequence[Path]) -> dict[str, Any]:
    """Where the report is."""
    return {**_head("report"), "report": str(report), "charts": [str(path) for path in charts]}


def _head(command: str) -> dict[str, Any]:
    return {"unspoken": command, "format": FORMAT}


def number(x: float) -> float | str:
    """JSON has no infinity."""
    return "inf" if math.isinf(x) else x
