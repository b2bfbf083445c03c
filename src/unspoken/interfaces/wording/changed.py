"""What changed, for a terminal and as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType

from unspoken.assessment.drift import LEVEL, Drift, Drifted
from unspoken.core.display import json_number
from unspoken.interfaces.wording.terminal import blank, head, note, rows_of, said
from unspoken.storage import prose
from unspoken.workflows.release import Difference
from unspoken.workflows.release.differing import OfPlan

__all__ = ["as_json", "in_words"]

LISTED = 8  # labels that drifted before "and n more"
SURE = round(100 * (1 - LEVEL))


def in_words(found: Difference) -> RenderableType:
    """Tables of what was counted and planned, and the verdict on the rows since."""
    return Group(*_counted(found), blank(), *_planned(found), blank(), *_drifted(found))


def _counted(found: Difference) -> list[RenderableType]:
    now, before = found.now, found.before
    if before is None:
        return [head(f"Counted on {now.learned}, {prose.rows(now.rows)}; nothing was before")]
    rows = [
        (name, label, prose.percent(then), prose.percent(since))
        for name, labels in found.moved.items()
        for label, (then, since) in labels.items()
    ]
    apart = (
        "The tables have other labels, so that only these can be compared."
        if found.apart is None
        else f"All combinations together: {prose.percent(found.apart)} of the rows would have to "
        "be others for the tables to be the same, noise included."
    )
    return [
        head(
            f"Counted on {now.learned}, {prose.rows(now.rows)}, and before on {before.learned}, "
            f"{prose.rows(before.rows)}"
        ),
        blank(),
        rows_of(["attribute", "value", "before", "now"], rows),
        note(apart),
    ]


def _planned(found: Difference) -> list[RenderableType]:
    plans = {"before": found.was, "adopted": found.adopted, "best now": found.best}
    shown = {title: plan for title, plan in plans.items() if plan is not None}
    names = list(found.best.chances)
    rows = [
        [name, *(f"{_chance(plan, name)} ({_share(plan, name)})" for plan in shown.values())]
        for name in names
    ]
    adopted = None if found.adopted is None else found.adopted.adopted
    closed = "" if adopted is None else _closed(adopted.closed)
    other = found.adopted is not None and found.adopted.chances != found.best.chances
    last = "What is best now is released once it is adopted: unspoken plan --adopt"
    return [
        head("Plans: release of what is not sensitive (of all rows)"),
        blank(),
        rows_of(["attribute", *shown], rows),
        *([note(closed)] if closed else []),
        *([note(last)] if other else []),
    ]


def _drifted(found: Difference) -> list[RenderableType]:
    title = head("Rows since (exact: for the holder, not for release)")
    drift, unit = found.drift, " and ".join(found.project.source.unit)
    lines = [_verdict(drift, unit), *map(_one, drift.found[:LISTED])]
    more = len(drift.found) - LISTED
    lines += [f"and {more} more, with --json"] if more > 0 else []
    lines += [
        f"{prose.rows(n)} of {name} with a value that nobody counted, which is withheld"
        for name, n in drift.unlisted.items()
    ]
    if drift.rows:
        worst = max((each.odds.odds for each in drift.boxed), default=None)
        possible = (
            ""
            if worst is None
            else (f", and up to {prose.measured(worst)} for every belief that they leave possible")
        )
        lines.append(f"Under the plan, by these rows: odds {prose.measured(drift.odds)}{possible}")
    return [title, blank(), *map(said, lines)]


def _verdict(drift: Drift, unit: str) -> str:
    if not drift.rows:
        return "None came since"
    if not drift.found:
        least = "" if drift.moves is None else f". {drift.moves.in_words(drift.units, unit)}"
        return f"{prose.rows(drift.rows)}: no more than chance and noise explain{least}"
    if drift.found[0].by_rows:
        return (
            f"{prose.rows(drift.rows)}: NOT like those that were counted, if all rows were "
            "independent; counted by unit it may be chance all the same"
        )
    return (
        f"{prose.rows(drift.rows)}: NOT like those that were counted (rows that are would be said "
        f"to be so in {100 - SURE} % of cases at most)"
    )


def _one(each: Drifted) -> str:
    named = " and ".join(f"{name} “{label}”" for name, label in each.labels.items())
    return f"{named}: {_between(each.then)} then, {_between(each.since)} since"


def _between(ends: tuple[float, float]) -> str:
    return f"{100 * ends[0]:.3g}-{100 * ends[1]:.3g} %"


def _closed(closed: Mapping[str, list[str]]) -> str:
    listed = "; ".join(f"{name} {', '.join(values)}" for name, values in closed.items() if values)
    return f"Withheld too, as adopted: {listed}" if listed else ""


def _chance(plan: OfPlan, name: str) -> str:
    return prose.percent(plan.chances[name]) if name in plan.chances else "-"


def _share(plan: OfPlan, name: str) -> str:
    return prose.percent(plan.shares[name]) if name in plan.shares else "-"


def as_json(found: Difference) -> dict[str, Any]:
    """The same, all of it."""
    plans = {"before": found.was, "adopted": found.adopted, "best": found.best}
    return {
        "belief": {
            "before": None if found.before is None else _belief(found.before),
            "now": _belief(found.now),
            "apart": found.apart,
            "shares": {
                name: {label: {"before": then, "now": now} for label, (then, now) in labels.items()}
                for name, labels in found.moved.items()
            },
        },
        "plans": {title: None if plan is None else _plan(plan) for title, plan in plans.items()},
        "drift": _drift(found.drift),
    }


def _belief(pinned: Any) -> dict[str, Any]:
    return {
        "learned": pinned.learned,
        "rows": pinned.rows,
        "epsilon": pinned.epsilon,
        "digest": pinned.digest,
    }


def _plan(plan: OfPlan) -> dict[str, Any]:
    adopted = plan.adopted
    named = {} if adopted is None else {"by": adopted.by, "why": adopted.why}
    closed = {} if adopted is None else {"closed": dict(adopted.closed)}
    return {
        "release_probability": dict(plan.chances),
        "shares": dict(plan.shares),
        **closed,
        **named,
    }


def _drift(drift: Drift) -> dict[str, Any]:
    return {
        "for": "the holder",
        "rows": drift.rows,
        "level": LEVEL,
        "found": [
            {
                "labels": dict(each.labels),
                "then": list(each.then),
                "since": list(each.since),
                "by_rows": each.by_rows,
            }
            for each in drift.found
        ],
        "moves": None
        if drift.moves is None
        else {
            "least": json_number(drift.moves.least),
            "most": json_number(drift.moves.most),
            "pairs": drift.moves.pairs,
        },
        "unlisted": dict(drift.unlisted),
        "odds": json_number(drift.odds),
        "box": [
            {"about": each.about, "odds": each.odds.as_json(), "bits": each.information.as_json()}
            for each in drift.boxed
        ],
    }
