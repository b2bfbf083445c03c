"""Words for applications that a plan gives nothing while others get something."""

from __future__ import annotations

from unspoken.doors.report import words
from unspoken.planning.limits import Broken
from unspoken.policy import Project
from unspoken.releasing.findings import Findings
from unspoken.releasing.starved import Starved, starved

__all__ = ["in_words"]


def in_words(findings: Findings) -> dict[str, str]:
    """For each of them, a few sentences to say so: why, and the ways out."""
    return {case.application: _said(findings, case) for case in starved(findings)}


def _said(findings: Findings, case: Starved) -> str:
    gets = f"{case.application} gets nothing under this plan"
    if case.withheld:
        return f"{gets}: every value of {words.listed(case.reads)} is sensitive or closed."
    limits = [_limit(findings.project, broken) for broken in case.broken]
    why = words.listed(limits) or "the limits"
    either = words.listed(case.reads, "or")
    return (
        f"{gets}, so that others get more: releasing {either} beside the rest would break {why}. "
        f"Ways out: {_closing(findings, either)}, raise that limit, or ask for less of the rest."
    )


def _limit(project: Project, broken: Broken) -> str:
    limits, about = project.limits, broken.target
    if broken.limit == "odds":
        return f"the odds cap of {words.factor(limits.odds_cap)} about {about}"
    return f"the limit of {words.limit(limits.about(about))} about {about}"


def _closing(findings: Findings, either: str) -> str:
    if findings.closure.added and not findings.project.limits.close:
        return "close the values that tell too much (close = true)"
    return f"declare values of {either} that tell much sensitive, too"
