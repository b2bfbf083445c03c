"""Applications that a plan gives nothing while others get something: who, why, and the ways out.

A plan counts cells, whoever reads them: where two attributes do not go together within the limits,
the one with more to release takes all. That is said, and not mended: what is fair is for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unspoken.doors.report import words
from unspoken.releasing.findings import Findings
from unspoken.releasing.told import limits_of, views

__all__ = ["starved"]

NOTHING = 1e-4  # of all rows: less is shown as less than any number here
# How much is tried of what it reads, as eps: about 1 %, 10 % and half of its cells.
TRIED = (0.01, 0.1, 0.7)


def starved(findings: Findings) -> dict[str, str]:
    """For each application that gets nothing, though not all do, a few sentences to say so."""
    if not any(share > NOTHING for share in findings.shares.values()):
        return {}
    return {
        name: _said(findings, name, reads)
        for name, reads in findings.project.applications.items()
        if not any(findings.shares[one] > NOTHING for one in reads)
    }


def _said(findings: Findings, name: str, reads: Sequence[str]) -> str:
    gets = f"{name} gets nothing under this plan"
    hidden = findings.plan.mechanism.sensitive or {}
    if all(set(findings.learned.labels[one]) <= set(hidden.get(one, ())) for one in reads):
        return f"{gets}: every value of {words.listed(reads)} is sensitive or closed."
    why = words.listed(_binding(findings, reads)) or "the limits"
    either = words.listed(reads, "or")
    return (
        f"{gets}, so that others get more: releasing {either} beside the rest would break {why}. "
        f"Two ways out: {_closing(findings, either)}, or give {either} more weight "
        f"(weights={words.NBSP}of unspoken.plan; project files have none)."
    )


def _binding(findings: Findings, reads: Sequence[str]) -> list[str]:
    """The limits that break first when some of what an application reads is released, too."""
    for eps in TRIED:
        broken = list(_broken(findings, {**findings.plan.epsilon, **dict.fromkeys(reads, eps)}))
        if broken:
            return broken
    return []


def _broken(findings: Findings, epsilon: dict[str, float]) -> Iterator[str]:
    """The limits that a release with these eps would break, for those who pool."""
    given, secrets = findings.project.limits, findings.learned.sensitive
    tried = replace(findings.plan.mechanism, epsilon=epsilon)
    broken = {
        (one.target, one.limit)
        for sees in findings.project.pools.values()
        for one in limits_of(findings.project).broken(
            views(findings.learned.belief, tried, secrets, sees)
        )
    }
    for about in secrets:
        if (about, "odds") in broken:
            yield f"the odds cap of {words.factor(given.odds_cap)} about {about}"
        if (about, "information") in broken:
            yield f"the limit of {words.limit(given.about(about))} about {about}"


def _closing(findings: Findings, either: str) -> str:
    if findings.closure.added and not findings.project.limits.close:
        return "close the values that tell too much (close = true)"
    return f"declare values of {either} that tell much sensitive, too"
