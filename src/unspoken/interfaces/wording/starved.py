"""Words for what a plan gives next to nothing, and for what holds it back."""

from __future__ import annotations

import math

from unspoken.assessment.few import GROUP, few
from unspoken.assessment.findings import Findings
from unspoken.assessment.held_back import HeldBack, Poor
from unspoken.assessment.starved import Starved, Zero, starved
from unspoken.assessment.starved import zeros as blocked
from unspoken.core.types.bound import exp_or_inf
from unspoken.interfaces.wording import words
from unspoken.planning.limits import Broken
from unspoken.storage import prose
from unspoken.storage.coarse import up
from unspoken.tables.policy import Project

__all__ = ["held_back", "in_words", "zeros"]

ALL, RARE = 0.99, 0.05  # of what may be shown of an attribute; of all rows, what may be
UNSEEN = "unspoken plan says what is in the way of the best plan now; this one was adopted before"


def in_words(findings: Findings) -> dict[str, str]:
    """For each of them, a few sentences to say so: why, and the ways out."""
    names = {each.attribute for each in findings.poor}
    poor = {
        application: f"{application} gets next to nothing under this plan."
        for application, reads in findings.project.applications.items()
        if names.issuperset(reads)
    }
    return {**poor, **{case.application: _said(findings, case) for case in starved(findings)}}


def zeros(findings: Findings) -> list[str]:
    """For each attribute of which nothing is released, what stands in the way, and the ways out."""
    return [
        *(_zero(findings, zero) for zero in blocked(findings)),
        *(_poor(findings, each) for each in findings.poor),
    ]


def held_back(findings: Findings) -> list[dict[str, str]]:
    """The answers that hold a plan back, a row of a table each; then all of them on average, where
    a limit on bits does.
    """
    average = findings.on_average
    rows = [
        {
            "answer": _answer(each),
            "about": each.about if each.shown is not None else "",
            "rows": _rows(each),
            "gain": prose.percent(each.gain),
        }
        for each in findings.held_back
    ]
    if average is None:
        return rows
    gain = "" if math.isnan(average.gain) else prose.percent(average.gain)
    about = prose.listed(average.about)
    return [*rows, {"answer": "all answers on average", "about": about, "rows": "", "gain": gain}]


def _rows(each: HeldBack) -> str:
    """How many have the values of an answer; that shows none, how many get it."""
    if each.shown:
        return _about(each.rows)
    return "" if each.shown is None or few(each.given) else _about(each.given)


def _answer(each: HeldBack) -> str:
    if each.shown is None:
        return f"an answer of {GROUP}"
    return words.seen(each.shown) if each.shown else "nothing shown"


def _poor(findings: Findings, poor: Poor) -> str:
    """What is in the way, and what each remedy would show of it."""
    p = findings.plan.p[poor.attribute]
    begin = f"{poor.attribute} {prose.percent(poor.share)}: "
    if p >= ALL:
        return f"{begin}it is all there is to show of it, since the other rows are sensitive."
    held, average = poor.answer, findings.on_average
    if held is None:
        unseen = findings.adopted and not findings.plan.binding
        why = "" if average is not None else UNSEEN if unseen else "no single answer is in the way"
    elif held.shown is None:
        why = f"an answer of {GROUP} is in the way"
    elif poor.attribute in held.shown:
        why = (
            f"{_answer(held)} (about {_about(held.rows)} rows with these values) may not tell more "
            f"about {held.about}"
        )
    else:
        many = GROUP if few(held.given) else f"about {_about(held.given)} rows"
        why = (
            f"{_answer(held)} is what {many} get in its place; rows with a secret get it, too, and "
            f"it may not tell more about {held.about}"
        )
    if average is not None:
        limits = prose.listed(f"{_bits(findings.project, name)}" for name in average.about)
        beside = "; so is " if why else ""
        why = f"{why}{beside}the limit of {limits}{'' if beside else ' is in the way'}"
    gains = "; ".join(f"{what} {prose.percent(share)}" for what, share in poor.remedies.items())
    if 0 < poor.share < RARE * p:
        free = poor.share / p
        many = GROUP if few(free * findings.learned.rows) else f"{prose.percent(free)} of all rows"
        why = f"{why}; {many} may show it, the others are sensitive"
    return f"{begin}{why}. Planned again: {gains}."


def _zero(findings: Findings, zero: Zero) -> str:
    name, broken = zero.attribute, zero.broken
    if broken is None:
        return f"{name} 0{prose.NBSP}%: less than a thousandth of it fits."
    if broken.limit == "information":
        return (
            f"{name} 0{prose.NBSP}%: some of it beside the rest breaks "
            f"{_limit(findings.project, broken)}. Ways out: a higher limit_bits, or wider bins."
        )
    answer = zero.answer
    if answer is None:
        which = "some answer with it"
    elif few(answer.rows):
        which = GROUP
    else:
        which = f"{words.seen(answer.seen)} (about {_about(answer.rows)} rows with these values)"
    exceed = "" if zero.exceed >= 1 else f" = {prose.digits(up(zero.exceed))}"
    return (
        f"{name} 0{prose.NBSP}%: {which} would change the odds about {broken.target} by "
        f"{prose.measured(exp_or_inf(broken.reached))}. Ways out: exceed{exceed}, to let half "
        f"of it pass; merge values of {name}, or declare those that tell most sensitive; a "
        "higher odds_cap."
    )


def _about(rows: float) -> str:
    """A number of rows at two digits, not more: what is exact would count the table."""
    unit = 10.0 ** max(0, math.floor(math.log10(rows)) - 1)
    return f"{unit * math.floor(rows / unit):,.0f}"


def _said(findings: Findings, case: Starved) -> str:
    gets = f"{case.application} gets nothing under this plan"
    if case.withheld:
        return f"{gets}: every value of {prose.listed(case.reads)} is sensitive or closed."
    limits = [_limit(findings.project, broken) for broken in case.broken]
    why = prose.listed(limits) or "the limits"
    either = prose.listed(case.reads, "or")
    return (
        f"{gets}, so that others get more: releasing {either} beside the rest would break {why}. "
        f"Ways out: {_closing(findings, either)}, raise that limit, or ask for less of the rest."
    )


def _limit(project: Project, broken: Broken) -> str:
    limits, about = project.planned.limits, broken.target
    if broken.limit == "odds":
        return f"the odds cap of {prose.factor(limits.odds_cap)} about {about}"
    return f"the limit of {_bits(project, about)}"


def _bits(project: Project, about: str) -> str:
    """A limit on bits; that of all rows of a unit by what each row may tell of it."""
    limits, rows = project.planned.limits, project.source.rows_per_unit
    bits, whole = limits.about(about), limits.unit_bits
    of_unit = whole is not None and rows is not None and bits * rows >= whole * (1 - 1e-9)
    part = f" (a row's part of unit_bits {whole:g})" if of_unit else ""
    return f"{prose.limit(bits)} about {about}{part}"


def _closing(findings: Findings, either: str) -> str:
    if findings.closure.added and not findings.project.limits.close:
        return "close the values that tell too much (close = true)"
    return f"declare values of {either} that tell much sensitive, too"
