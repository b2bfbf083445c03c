"""What the page says, as plain strings in the order it says them; the template only lays it out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from unspoken.assessment.best import weights
from unspoken.assessment.few import GROUP, few, named, rows_of_label
from unspoken.assessment.findings import Findings
from unspoken.assessment.in_context import worst_of
from unspoken.assessment.leaks import Leak
from unspoken.assessment.matrix import bands
from unspoken.assessment.promise import limits_in_bits
from unspoken.core.pictures.palette import BEYOND
from unspoken.interfaces.wording import answers, coins, recipients, starved, words
from unspoken.interfaces.wording.curves import NOT_DRAWN, curves
from unspoken.interfaces.wording.decision import Signed, decision
from unspoken.planning import Plan
from unspoken.storage import prose
from unspoken.tables.policy import Project

__all__ = ["content"]

Row = dict[str, Any]
MOST = 40  # telling values listed
MOST_NAMES = 4  # attributes named in the title before "n more attributes"


def content(findings: Findings, signed: Signed) -> Row:
    """Everything the template shows, but for pictures and colours."""
    nothing, given = starved.in_words(findings), findings.project.limits
    return {
        "table": table_name(findings),
        "about_table": _about_table(findings, signed.at),
        "decision": decision(findings, signed),
        "zeros": starved.zeros(findings),
        "held_back": starved.held_back(findings),
        "weighted": len({*weights(findings.project).values()}) > 1,
        "premise": words.premise_of_numbers(findings),
        "coin": coins.coin(findings),
        "rivals": coins.rivals(findings),
        "limits": limits(findings),
        "on_average": prose.unbroken(limits_in_bits(given.bits, given.targets)),
        "but_for": _but_for(findings),
        "cap": prose.factor(findings.project.limits.odds_cap),
        "first_beyond": BEYOND,
        "bands": bands(findings.project.limits.odds_cap),
        "tiles": tiles(findings),
        "matrix": matrix(findings),
        "known": known(findings),
        "known_held": words.held(findings),
        "pooled": _pooled(findings),
        "worst": worst(findings),
        "plan": plan_rows(findings),
        "answers": answers.answers(signed.answers),
        "answers_cost": answers.cost(findings, signed.answers),
        "starved": list(nothing.values()),
        "releases": findings.plan.objective > 0,
        "unread": _unread(findings),
        "curves": curves(findings),
        "not_drawn": NOT_DRAWN,
        "closing": closing(findings) if _may_close(findings.project) else None,
        "applications": [
            application(findings, name, nothing.get(name, ""))
            for name in findings.project.applications
        ],
        "estimating": recipients.said(findings),
        "code": recipients.code(findings),
        "assumptions": list(findings.assumptions),
    }


def table_name(findings: Findings) -> str:
    """The name of the table, without the folders that lead to it; of a query, what is read."""
    source = findings.project.source
    if source.file is not None:
        return source.file.name
    if source.table is not None and source.database is not None:
        return f"{source.table} in {source.database.name}"
    reads = findings.project.reads
    more = len(reads) - MOST_NAMES
    named = reads if more <= 1 else (*reads[:MOST_NAMES], f"{more} more attributes")
    return prose.listed(named)


def _about_table(findings: Findings, on: datetime) -> list[str]:
    project = findings.project
    label = project.epoch.label
    said = [
        f"{on.day} {on:%B %Y}",
        f"{prose.rows(findings.learned.rows)} counted",
        *_keyed(project.source.keys),
        f"epoch {label}" if label else "epochs by key",
    ]
    return said


def _may_close(project: Project) -> bool:
    """Whether telling values can be withheld: by one coin a cell, for the observed frequencies."""
    return project.plan.by == "cell" and not project.plans_for_set


def _keyed(keys: Sequence[str]) -> list[str]:
    """What a row is of; rows that are merely numbered are of themselves."""
    return [] if [*keys] == ["row"] else [f"one row for each {prose.listed(keys)}"]


def limits(findings: Findings) -> list[str]:
    """What the plan keeps, a sentence each."""
    promise = findings.promise
    promised = promise.lines() if promise is not None and findings.planned else ()
    return [
        *(prose.unbroken(line) for line in promised),
        "This holds for each coalition on its own, pooling what its applications get."
        if findings.project.divided
        else "This holds for all applications together, pooling everything they get.",
        *_given(findings.project),
        *_within(findings.project),
    ]


def _given(project: Project) -> list[str]:
    """The context whatever of which is known."""
    name = project.plan.given
    return [] if name is None else [f"The plan holds whatever anybody knows of {name}, too."]


def _within(project: Project) -> list[str]:
    """What plans keep to, where that is less."""
    given, within = project.limits, project.planned.limits
    most = f", and to {prose.limit(within.bits)}" if within.bits < given.bits else ""
    rest = "the rest is left for what else is given out, such as answers with noise."
    kept_to = f"Plans keep to a factor of {within.odds_cap:g}{most}: {rest}"
    return [kept_to] if within != given else []


def _but_for(findings: Findings) -> str:
    share = findings.project.limits.exceed
    said = f", but for answers that come up in {prose.percent(share)} of the rows at most"
    return said if share else ""


def tiles(findings: Findings) -> list[Row]:
    """Three numbers to take away, before and after."""
    before, after = _most(findings.everything), _most(findings.planned)
    if before is None or after is None:
        return []
    most = (_most_bits(findings.everything), _most_bits(findings.planned))
    return [
        {
            "name": "The most telling answer multiplies odds by",
            "before": prose.odds_of(before.odds),
            "after": prose.odds_of(after.odds),
        },
        {
            "name": "All answers, on average, tell of an attribute up to",
            "before": prose.bits_of(most[0].information),
            "after": prose.bits_of(most[1].information),
        },
        {
            "name": "Released of all cells read",
            "before": "",
            "after": prose.percent(findings.released),
        },
    ]


def _most(entries: Sequence[Leak]) -> Leak | None:
    return max(entries, key=lambda entry: entry.odds.nats, default=None)


def _most_bits(entries: Sequence[Leak]) -> Leak:
    return max(entries, key=lambda entry: entry.information.nats)


def matrix(findings: Findings) -> list[tuple[str, list[Row]]]:
    """The heat maps as one table: for each reader, a row a target."""
    names, cap = findings.called, findings.project.limits.odds_cap
    rows: dict[str, list[Row]] = {name: [] for name in names.values()}
    for before, after in zip(findings.everything, findings.planned, strict=True):
        row = {
            "about": before.about,
            "odds_before": prose.odds_of(before.odds),
            "bits_before": prose.bits_of(before.information, unit=False),
            "odds_after": prose.odds_of(after.odds),
            "bits_after": prose.bits_of(after.information, unit=False),
            "beyond_before": before.beyond(cap),
            "beyond_after": after.beyond(cap),
        }
        rows[names[before.who]].append(row)
    return list(rows.items())


def known(findings: Findings) -> list[Row]:
    """What the plan tells whoever knows a context, the worst first."""
    names, cap = findings.called, findings.project.limits.odds_cap
    return [
        {
            "given": f"{entry.context} {entry.value}".rstrip(),
            "who": names[entry.leak.who],
            "about": entry.leak.about,
            "odds": prose.odds_of(entry.leak.odds),
            "beyond": entry.leak.beyond(cap),
            "without": prose.odds_of(entry.without.odds),
        }
        for entry in worst_of(findings.planned_known)
    ]


def _pooled(findings: Findings) -> str:
    """Who "all pooled" is, if somebody is called that."""
    together = [who for who, name in findings.called.items() if who != name]
    return prose.listed(findings.project.applications) if together else ""


def worst(findings: Findings) -> list[Row]:
    """For each target the most telling answer anybody can get, before and under the plan."""
    return [
        {
            "about": target,
            "sensitive": _labels(findings, target, findings.learned.sensitive[target]),
            "before": _worst_of(findings, findings.everything, target),
            "after": _worst_of(findings, findings.planned, target),
        }
        for target in dict.fromkeys(entry.about for entry in findings.everything)
    ]


def _worst_of(findings: Findings, entries: Sequence[Leak], target: str) -> Row:
    entry = max((e for e in entries if e.about == target), key=lambda e: e.odds.nats)
    nobody = prose.tells_nothing(entry.odds)
    above = entry.above(findings.project.limits.odds_cap)
    return {
        "who": "" if nobody else findings.called[entry.who],
        "text": words.sentence(entry, findings.learned.sensitive[target]),
        "above": "" if entry.answer is None or not above else prose.percent(above),
    }


def plan_rows(findings: Findings) -> list[Row]:
    """What each attribute that is read gets."""
    closed = findings.closure.added if findings.project.closing_values else {}
    return [
        {
            "name": name,
            "p": _chance(findings.plan, name),
            "share": prose.percent(share),
            "width": f"{share:.0%}",
            "never": _labels(findings, name, findings.learned.sensitive.get(name, ())),
            "closed": _labels(findings, name, closed.get(name, ())),
        }
        for name, share in findings.shares.items()
    ]


def _labels(findings: Findings, name: str, labels: Sequence[object]) -> list[str]:
    """As far as they may be named."""
    return named(findings.project, findings.learned, name, [str(label) for label in labels])


def _chance(plan: Plan, name: str) -> str:
    return prose.chance(plan.p[name])


def _unread(findings: Findings) -> str:
    read = findings.project.reads
    return prose.listed(name for name in findings.project.attributes if name not in read)


def closing(findings: Findings) -> Row:
    """The telling values, and the plan with them closed beside the plan with them open."""
    close = findings.project.closing_values
    telling = findings.closure.telling if close else findings.plan.telling
    shown = {
        "closed": close,
        "telling": [
            telling_row(
                t.name, t.value, t.probability, t.target, t.secret, t.factor,
                few(rows_of_label(findings.learned, t.name, t.value)),
            )
            for t in telling[:MOST]
        ],
        "more": len(telling[MOST:]),
        "plans": [],
    }  # fmt: skip
    if not close or prose.percent(findings.open_released) == prose.percent(findings.released):
        return shown  # closing that buys nothing is not spoken of
    return {
        **shown,
        "plans": _plans(findings),
        "open_share": prose.percent(findings.open_released),
        "closed_share": prose.percent(findings.released),
    }


def telling_row(
    name: str,
    label: object,
    share: float,
    target: str,
    secret: Sequence[object],
    odds: float,
    hidden: bool,
) -> Row:
    """One value that tells too much by being released at all."""
    return {
        "name": name,
        "label": GROUP if hidden else str(label),
        "share": "" if hidden else prose.percent(share),
        "of": target,
        "secret": prose.listed([f"“{label}”" for label in secret], "or"),
        "factor": prose.measured(odds),
    }


def _plans(findings: Findings) -> list[Row]:
    return [
        {
            "name": name,
            "open": _chance(findings.open_plan, name),
            "closed": _chance(findings.plan, name),
        }
        for name in findings.project.reads
    ]


def application(findings: Findings, name: str, nothing: str = "") -> Row:
    """What one application gets, and what it learns on its own."""
    reads = findings.project.applications[name]
    entries = [entry for entry in findings.planned if entry.who == name]
    most = _most(entries)
    return {
        "name": name,
        "sentence": f"{name} reads {prose.listed(reads)}. {nothing}"
        if nothing
        else _application(findings, name, most),
        "gets": [
            f"{read}: the true value in {prose.percent(findings.shares[read])} of the rows, "
            "a blank in all others"
            for read in reads
        ],
        "learns": [
            {
                "about": entry.about,
                "bits": prose.bits_of(entry.information),
                "text": words.sentence(entry, findings.learned.sensitive[entry.about]),
            }
            for entry in entries
            if any(findings.shares[read] for read in reads)
        ],
    }


def _application(findings: Findings, name: str, most: Leak | None) -> str:
    reads = findings.project.applications[name]
    asked = f"{name} reads {prose.listed(reads)}"
    if not any(findings.shares[read] for read in reads):
        return f"{asked}; under this plan, it gets nothing and learns nothing."
    if most is None:
        return f"{asked}; nothing is declared sensitive."
    if prose.tells_nothing(most.odds):
        return f"{asked}; alone, it learns nothing noticeable about any sensitive value."
    return (
        f"{asked}; alone, it learns most about {most.about} "
        f"(odds {prose.odds_of(most.odds)} for the most telling answer)."
    )
