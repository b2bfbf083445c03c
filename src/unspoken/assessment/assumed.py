"""What every number of a project's findings stands on, in words."""

from __future__ import annotations

from unspoken.assessment.cautions import most_in_words
from unspoken.assessment.leaks import leakage_matrix
from unspoken.planning import Plan
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project

__all__ = ["assumptions"]


def assumptions(project: Project, learned: Learned, chosen: Plan) -> list[str]:
    """What every number stands on, in words."""
    unit = ", ".join(project.source.unit)
    said = [
        f"The belief is learned from {learned.rows:,} rows (a plug-in).",
        *(learned.tree.said() if learned.tree else ()),
        f"Limits hold per row of {', '.join(project.source.keys)}; rows are taken as independent.",
        f"Which {', '.join(project.source.keys)} exist is public.",
    ]
    if project.source.unit != project.source.keys:
        said.append(_together(project, unit))
    binned = [name for name in project.reads if project.attributes[name].grouped]
    if binned:
        said.append(f"Of {', '.join(binned)} the bin of a value is released, never the value.")
    return [*said, _pooling(project, learned, chosen)]


def _together(project: Project, unit: str) -> str:
    """What all rows of one unit may tell."""
    most = project.limits.unit_bits
    if most is None:
        return f"What all rows of one {unit} tell together is not limited."
    return (
        f"Of a habit in the secrets of one attribute all rows of one {unit} together tell at most "
        f"{most:g} bit; what else they tell together is not limited."
    )


def _pooling(project: Project, learned: Learned, chosen: Plan) -> str:
    """Who is taken to pool, and what it would take to be wrong about that."""
    if not project.divided:
        return "Everybody who reads anything may pool it with everybody else."
    everybody = {"everybody": project.reads}
    leaks = leakage_matrix(learned.belief, chosen.mechanism, everybody, learned.sensitive)
    groups = "; ".join(" and ".join(members) for members in project.pools if len(members) > 1)
    pooling = f"Only these pool what they get: {groups}" if groups else "No two readers pool"
    return f"{pooling}. If all did, under this plan, an answer {most_in_words(leaks)}."
