"""What is believed of a project: its table counted with noise, once, and used from then on.

The first release counts (or `unspoken learn`, before it): the file under its digest, the event in
the ledger, the file under its name, in this order, so that a crash loses neither the counts nor the
account of them. Later ones read the file. It answers as long as the ledger has the event that made
it, and the project counts by the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.engines.protocol import Table
from unspoken.engines.selected import Selected
from unspoken.errors import InputError
from unspoken.learning import Learned
from unspoken.learning.counted import Counted, Noted
from unspoken.learning.once import Once
from unspoken.learning.pinned import Pinned, rules
from unspoken.learning.rows import cells_of
from unspoken.ledger import Account, Learning
from unspoken.numerics.files import PRIVATE, moved, unfinished, writing
from unspoken.policy import Project
from unspoken.releasing.custody import Custody

__all__ = ["Believed", "believed", "counted_rows", "pinned_of", "released_rows"]

PURPOSE = ("unspoken-belief-1", "counts")
AGAIN = "unspoken learn --again"


@dataclass(frozen=True)
class Believed:
    """``pinned``: what was counted, and ``learnings``: every time the table was."""

    pinned: Pinned
    learnings: Sequence[Learning]

    def learned(self, project: Project, table: Table) -> Learned:
        """The belief that the counts are. Of the table only the types of its columns are read."""
        values = Counted((), [], np.zeros(0, np.int64), self.pinned.values)
        cells = cells_of(project, Noted(table, before=values))
        return self.pinned.belief(project, cells)


def counted_rows(project: Project, table: Table) -> Table:
    """The rows that a belief is learned from."""
    history = project.belief.history
    if history is None:
        return table
    return Selected(table, history, True, project.at("belief", "history"))


def released_rows(project: Project, table: Table) -> Table:
    """The rows that are released: what is history is counted, and nothing else."""
    history = project.belief.history
    if history is None:
        return table
    return Selected(table, history, False, project.at("belief", "history"))


def pinned_of(project: Project, kept: Custody | None) -> Believed | None:
    """What was counted of this project's table; None: nothing was yet."""
    file, learnings = project.files.belief, _learnings(project, kept)
    if not learnings:
        if file.exists():
            raise InputError(
                f"{file}: is there, and no ledger has the event that made it; restore key and "
                "ledger from a copy, or move the file away"
            )
        return None
    digests = {event.digest for event in learnings}
    found = file if file.exists() else _unmoved(file, learnings[-1].digest)
    if found is None:
        raise InputError(
            f"{file}: is gone, and was counted from {project.source.name}; restore it from a "
            f"copy, or, once there are other rows, count them, at the same cost again: {AGAIN}"
        )
    pinned = Pinned.read(found)
    if pinned.digest not in digests:
        raise InputError(
            f"{file}: is not what was counted, by the ledger; restore it from a copy, or count "
            f"again, at the same cost: {AGAIN}"
        )
    if found != file:
        with writing(file):
            moved(found, file)
    differing = _differing(pinned.rules, rules(project))
    if differing:
        raise InputError(
            f"{project.place.file}: {differing} is not what it was when {file.name} was counted, "
            f"on {pinned.learned}; write it as it was, or count again, at the same cost: {AGAIN}"
        )
    return Believed(pinned, learnings)


def believed(
    project: Project,
    rows: Table,
    kept: Custody,
    before: Counted | None,
    epsilon: float,
    again: bool = False,
) -> Believed:
    """The same, counted now where nothing was yet, or where that is asked for ``again``; ``rows``
    are those of `counted_rows`.
    """
    known = None if again else pinned_of(project, kept)
    if known is not None:
        return known
    file = project.files.belief
    if file.exists():
        Pinned.read(file)  # only a belief file is written over
    once = Once.of(project, rows, before)
    fingerprint = kept.master.derive(*PURPOSE).code(once.digest.encode())[:16].hex()
    pinned = once.pinned(epsilon, datetime.now(UTC).date().isoformat())
    event = Learning(
        table=project.source.name,
        fingerprint=fingerprint,
        digest=pinned.digest,
        epsilon=pinned.epsilon,
        sensitivity=pinned.sensitivity,
        rows=pinned.rows,
        history=project.belief.history,
        key=kept.master.fingerprint,
    )
    first = _by_digest(file, pinned.digest)
    with unfinished(file, PRIVATE) as partial, writing(file):
        partial.file.write(pinned.text().encode())
        partial.publish(first)
    learnings = list[Learning]()

    def admit(account: Account) -> None:
        """Where nobody else writes, since two may have counted at once; by whatever name."""
        learnings.extend(account.learnings(project.source.name))
        _refuse_counted(account.learnings(), fingerprint, file)

    try:
        kept.ledger.charge(event, admit, kept.seal)
    except InputError:
        first.unlink()  # a second noise on the same counts
        raise
    with writing(file):
        moved(first, file)
    return Believed(pinned, [*learnings, event])


def _learnings(project: Project, kept: Custody | None) -> list[Learning]:
    """Every time that the table was counted, as the ledger has it."""
    found: list[Learning] = []

    def look(account: Account) -> None:
        found.extend(account.learnings(project.source.name))

    if kept is not None:
        kept.ledger.look(look, kept.seal)
    return found


def _refuse_counted(learnings: Sequence[Learning], fingerprint: str, file: Path) -> None:
    """The same rows by the same rules are never counted twice: two noises would tell more."""
    for event in learnings:
        if event.fingerprint == fingerprint:
            lost = "" if file.exists() else ", which is gone: restore it from a copy"
            raise InputError(
                f"{event.table}: these very rows were counted before, in {file.name}{lost}"
                "; nothing was counted again"
            )


def _unmoved(file: Path, digest: str) -> Path | None:
    """The file of a crash between the event and its name."""
    first = _by_digest(file, digest)
    return first if first.exists() else None


def _by_digest(file: Path, digest: str) -> Path:
    return file.with_name(f"{file.stem}.{digest[:12]}{file.suffix}")


def _differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first rule that is another one; empty if all are the same."""
    before = {rule["name"]: rule for rule in then["attributes"]}
    for rule in now["attributes"]:
        if before.get(rule["name"]) != rule:
            return f"attribute.{rule['name']}"
    if len(before) != len(now["attributes"]):
        return "the list of attributes"
    return next((f"`{key}`" for key in now if then.get(key) != now[key]), "")
