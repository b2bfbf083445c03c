"""What has to be right about [query]."""

from __future__ import annotations

from collections.abc import Iterator

from unspoken.policy.complaints import Complaint, nearest, quoted
from unspoken.policy.schema import ProjectTable

__all__ = ["complaints"]


def complaints(tables: ProjectTable) -> Iterator[Complaint]:
    """Everything that is wrong with it."""
    query = tables.query
    if query.rows_per_unit is not None and query.rows_per_unit < 1:
        text = "is below 1. Write how many rows of one unit may enter an answer, or leave it out."
        yield Complaint(("query", "rows_per_unit"), text)
    where = ("query", "bounds")
    for name, ends in query.bounds.items():
        if name not in tables.attribute:
            text = f"there is no attribute {quoted(name)}. {nearest(name, tables.attribute)}"
            yield Complaint((*where, name), text)
            continue
        if len(ends) != 2 or not ends[0] < ends[1]:
            text = "takes two numbers, the least and the largest. Write, for example, [0, 24]."
            yield Complaint((*where, name), text)
            continue
        edges = tables.attribute[name].bins or []
        beyond = [
            edge for edge in edges if isinstance(edge, float) and not ends[0] < edge < ends[1]
        ]
        if beyond:
            text = f"do not hold the edge {beyond[0]:g} of its bins between them. Widen them."
            yield Complaint((*where, name), text)
