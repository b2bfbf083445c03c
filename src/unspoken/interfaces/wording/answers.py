"""The answers with noise that were given out, beside what the plan shows, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unspoken.assessment.findings import Findings
from unspoken.storage import prose
from unspoken.workflows.query import GivenAnswer, odds_beside, together

__all__ = ["answers", "cost"]


def answers(given: Sequence[GivenAnswer]) -> list[dict[str, Any]]:
    """Each with its error bar and what it costs."""
    return [
        {
            "query": each.query,
            "at": f"{each.at[:16].replace('T', ' ')} UTC",
            "to": prose.listed(each.readers) if each.readers else "everybody",
            "error": f"±{each.rows:,}",
            "epsilon": f"{each.epsilon:.3g}",
        }
        for each in given
    ]


def cost(findings: Findings, given: Sequence[GivenAnswer]) -> str:
    """What all of them tell of one record, by themselves and with the cells of the plan."""
    if not given:
        return ""
    project, epsilon = findings.project, together(given)
    limit, cap = project.limits.odds_cap, project.planned.limits.odds_cap
    alone, both = odds_beside(given), odds_beside(given, cap)
    said = (
        f"All of them together cost one record an eps of {epsilon:.3g} at most: by themselves they "
        f"multiply its odds by no more than {prose.factor(alone)}, whatever anybody believes; "
        f"beside this plan, which keeps to {prose.factor(cap)}, by no more than "
        f"{prose.factor(both)}."
    )
    if both <= limit:
        return said
    return (
        f"{said} The limit of {prose.factor(limit)} is held all the same: each is looked at with "
        "all that was given out before it, and refused where both together break it."
    )
