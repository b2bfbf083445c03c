"""Why nothing is released of an epoch whose source is another one than was first read, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unspoken.storage.ledger import Release
from unspoken.tables.engines.sql import literal
from unspoken.tables.policy import Project

__all__ = ["another_reading"]


def another_reading(
    project: Project,
    event: Release,
    epochs: Sequence[str],
    name: str,
    table: str,
    leaving_out: Callable[[str], str] | None,
    released: bool,
) -> str:
    """``name``, from ``table``: what is another one in the first of these epochs. ``leaving_out``:
    of an answer with noise, how it is asked where this holds, too. ``released``: whether
    what changed was, of each of them: then it is known what every record was.
    """
    from_other = f" from {table}" if table != event.table else ""
    changed = (
        f"epoch {epochs[0]}: the source of {name} (its rows, its values, or what is sensitive) "
        f"changed since it was first read{from_other}"
    )
    if leaving_out is not None:
        key = f"CAST({project.epoch.of} AS VARCHAR)"
        text = " AND ".join(f"{key} <> {literal(epoch)}" for epoch in epochs)
        left = "this epoch" if len(epochs) == 1 else f"all {len(epochs):,} epochs that changed"
        others = f", or leave {left} out: {leaving_out(text)}" if event.per_key else ""
        late = _late(project, released)
        return (
            f"{changed}; beside what was given out of it an answer would show the change; "
            f"{late}. Ask what was asked before, which is free{others}"
        )
    if event.draw > 1:
        return (
            f"{changed}; draw {event.draw} would answer its cells from another reading, which "
            "shows the change. Its first draw stays as it is; ask for draws of an epoch before "
            "rows come late to it, or declare a new [epoch] label, whose coins are charged to "
            "the same account"
        )
    apart = ", or leave this epoch out, with [source] sql" if event.per_key else ""
    if event.per_key and not project.files.by_epoch:
        apart += ", or give each epoch a file of its own ([output] release, the name of a folder)"
    return (
        f"{changed}; a cell answered from two readings shows the change. Give out the earlier "
        f"release again{apart}, or declare a new [epoch] label, whose coins are charged to the "
        "same account"
    )


def _late(project: Project, released: bool) -> str:
    """What becomes of rows that only came late, and were not there when something was answered."""
    if not project.files.by_epoch:
        return (
            "what is asked of all its rows takes a new [epoch] label, and is charged to the same "
            "account"
        )
    if released:
        return "rows that only came late are asked about once they are released (unspoken release)"
    return (
        "where answers alone were given, or no release had this of all rows, rows that only came "
        "late are not told from what changed: release an epoch (unspoken release) before rows come "
        "late to it"
    )
