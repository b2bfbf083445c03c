"""What has to be right about [query], and about the limits on answers with noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.kernels import stationary
from unspoken.core.numerics.tables import as_law
from unspoken.tables.policy.complaints import Complaint, nearest, quoted
from unspoken.tables.policy.schema import ProjectTable

__all__ = ["complaints"]


def complaints(tables: ProjectTable) -> Iterator[Complaint]:
    """Everything that is wrong with them."""
    yield from check_units(tables)
    yield from check_epochs(tables)
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


def check_units(tables: ProjectTable) -> Iterator[Complaint]:
    """Limits on what is told of a unit are not negative, and of units that have several rows."""
    each = {*(tables.source.unit or tables.source.keys)} == {*tables.source.keys}
    for name in ("unit_epsilon", "epoch_epsilon"):
        most = getattr(tables.limit, name)
        if most is not None and most < 0:
            yield Complaint(("limit", name), "is negative. Write 0 (no answers) or more.")
        if most is not None and each:
            text = "is of all rows of one unit. Write whose rows they are: [source] unit = "
            yield Complaint(("limit", name), f'{text}["person"].')


def check_epochs(tables: ProjectTable) -> Iterator[Complaint]:
    """What one epoch may be told of rests on a chain, and on epochs that every row has for ever."""
    limit, chain = tables.limit, tables.limit.epoch_chain
    if (limit.epoch_epsilon is None) != (chain is None):
        given, other = ("epoch_epsilon", "epoch_chain")[:: 1 if chain is None else -1]
        yield Complaint(("limit", given), f"needs {other} beside it. Write both, or neither.")
    if limit.epoch_epsilon is not None and tables.epoch.of is None:
        text = "is of epochs that keys decide. Write of = ... under [epoch], or leave it out."
        yield Complaint(("limit", "epoch_epsilon"), text)
    why = "" if chain is None else _no_chain(chain)
    if why:
        text = f"is no chain with one law that it keeps ({why}). "
        yield Complaint(("limit", "epoch_chain"), f"{text}Write, say, [[0.8, 0.2], [0.3, 0.7]].")


def _no_chain(rows: Sequence[Sequence[float]]) -> str:
    """Why these are no chain in a law that it keeps and that has all of its states; empty: they
    are. What is told of a state that the law has not is in no share, whoever is in it.
    """
    if not rows or any(len(row) != len(rows) for row in rows):
        return "each state needs a row, and in every row a number"
    try:
        laws = [as_law(row, f"row {place}") for place, row in enumerate(rows, 1)]
    except InputError as error:
        return str(error)
    law = stationary(np.stack(laws))
    if law is None:
        return "which states it comes to depends on the first"
    gone = [place for place, share in enumerate(law, 1) if not share]
    return f"the state of row {gone[0]} is left for good, so nobody is in it" if gone else ""
