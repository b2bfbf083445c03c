"""What is believed of a project: its table counted with noise, once, and used from then on.

The first release counts (or `unspoken learn`, before it): the ledger is given the event and the
text of the file in one step, and then the file is written, so that a crash loses neither the counts
nor the account of them. Later ones read the file, or write it again where it is gone. It answers as
long as the ledger has the event that made it, and the project counts by the same rules.

A ledger is one account, whatever its tables are called: all countings in it multiply. What is gone
is found by the name of its table, or by the rules it was counted by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.core.errors import InputError
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Learning
from unspoken.tables.engines.protocol import Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.files import PATIENCE, PRIVATE, unfinished, writing
from unspoken.tables.learning import Learned
from unspoken.tables.learning.counts.counted import Counted, Noted
from unspoken.tables.learning.counts.rows import cells_of
from unspoken.tables.learning.once import Once
from unspoken.tables.learning.pinned import Pinned, rules
from unspoken.tables.policy import Project

__all__ = [
    "Believed",
    "Countings",
    "believed",
    "pinned_of",
    "used_rows",
    "split_rows",
]

PURPOSE = ("unspoken-belief-1", "counts")
AGAIN = "unspoken learn --again"


class CountedBefore(InputError):
    """The same rows are in the account, by the same rules."""


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


@dataclass(frozen=True)
class Countings:
    """What was counted before: ``learnings`` with noise; and ``exact``, what was history when
    releases were planned by exact counts.
    """

    learnings: Sequence[Learning] = ()
    exact: Sequence[str] = ()

    @classmethod
    def of(cls, kept: Custody | None) -> Countings:
        if kept is None or kept.ledger.empty:  # looking writes down what it added up
            return cls()
        return kept.look(lambda account: cls(account.learnings(), account.exact()))


def used_rows(project: Project, table: Table, *, history: bool) -> Table:
    """Those a belief is learned from, the ``history`` if there is one; or those to be released."""
    found = split_rows(project, table, history)
    if found is not table and not found.count():
        none = "no row, so nothing can be learned" if history else (
            "every row, so nothing is left to release"
        )  # fmt: skip
        raise project.error("belief", "history", text=f"is true in {none}")
    return found


def split_rows(project: Project, table: Table, history: bool) -> Table:
    """The rows that are ``history``, or all others; all, where nothing is said to be."""
    text, where = project.belief.history, project.at("belief", "history")
    if text is None:
        return table
    row = RowSQL(table.columns, table.title, table.timezone)
    condition = row.read(text, where, condition=True, steady=True)
    others = sorted(set(condition.columns) - set(table.keys))
    if others or not condition.columns:
        reads = f"reads {others[0]}" if others else "reads no key"
        raise InputError(f"{where}: {reads}; write a condition on keys alone")
    return table.only(condition, history)


def pinned_of(project: Project, kept: Custody | None) -> Believed | None:
    """What was counted of this project's table; None: nothing was yet."""
    file, learnings = project.files.belief, Countings.of(kept).learnings
    if not learnings or kept is None:
        if file.exists():
            raise InputError(
                f"{file}: is there, and no ledger has the event that made it; restore key and "
                "ledger from a copy, or move the file away"
            )
        return None
    pinned = Pinned.read(file) if file.exists() else _written_again(project, kept, learnings)
    if pinned is None:
        return None
    if pinned.digest not in {event.digest for event in learnings}:
        raise InputError(
            f"{file}: is not what was counted, by the ledger; move it away, and what was counted "
            f"is written again from the ledger; or count again, at the same cost: {AGAIN}"
        )
    differing = _differing(pinned.rules, rules(project))
    if differing:
        raise InputError(
            f"{project.place.file}: {differing} is not what it was when {file.name} was counted, "
            f"on {pinned.learned}; write it as it was, or count again, at the same cost: {AGAIN}"
        )
    return Believed(pinned, learnings)


def _written_again(project: Project, kept: Custody, learnings: Sequence[Learning]) -> Pinned | None:
    """The belief file from the ledger: the last of this table; or, if the table has another name
    now, the last that was counted by the very rules of this project.
    """
    file, now = project.files.belief, rules(project)
    for event in reversed(learnings):
        text, named = kept.ledger.text(event.digest), event.table == project.source.name
        if text is None and named:
            raise InputError(
                f"{file}: is gone, was counted from {project.source.name}, and the ledger has no "
                f"copy; restore it, or, once there are other rows, count them: {AGAIN}"
            )
        pinned = None if text is None else Pinned.parse(text, kept.ledger.path)
        if pinned is not None and (named or not _differing(pinned.rules, now)):
            if pinned.digest != event.digest:
                raise InputError(
                    f"ledger {kept.ledger.path}: its copy of {file.name} was changed; restore "
                    "either from a copy"
                )
            _write(file, pinned)
            return pinned
    return None


def believed(
    project: Project,
    rows: Table,
    kept: Custody,
    before: Counted | None,
    epsilon: float,
    again: bool = False,
) -> Believed:
    """The same, counted now where nothing was yet, or where that is asked for ``again``; ``rows``
    are those of `used_rows`.
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
    learnings = list[Learning]()

    def admit(account: Account) -> None:
        """Where nobody else writes, since two may have counted at once; by whatever name."""
        learnings.extend(account.learnings())
        _refuse_counted(learnings, fingerprint, file)

    try:
        kept.ledger.charge(event, admit, kept.seal, pinned.text())
    except CountedBefore:  # by another run, since this one looked: what that drew is the noise
        known = None if again else pinned_of(project, kept)
        if known is None:
            raise
        return known
    _write(file, pinned)
    return Believed(pinned, [*learnings, event])


def _write(file: Path, pinned: Pinned) -> None:
    with unfinished(file, PRIVATE, PATIENCE) as partial, writing(file):
        partial.file.write(pinned.text().encode())
        partial.publish()


def _refuse_counted(learnings: Sequence[Learning], fingerprint: str, file: Path) -> None:
    """The same rows by the same rules are never counted twice: two noises would tell more."""
    for event in learnings:
        if event.fingerprint == fingerprint:
            raise CountedBefore(
                f"{event.table}: these very rows were counted before, in {file.name}; nothing was "
                "counted again"
            )


def _differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first rule that is another one; empty if all are the same."""
    before = {rule["name"]: rule for rule in then["attributes"]}
    for rule in now["attributes"]:
        if before.get(rule["name"]) != rule:
            return f"attribute.{rule['name']}"
    if len(before) != len(now["attributes"]):
        return "the list of attributes"
    return next((f"`{key}`" for key in now if then.get(key) != now[key]), "")
