"""Where a ledger is: a file, or a server that is named by an address."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import sqlalchemy as sql

from unspoken.storage.ledger.postgresql import Server
from unspoken.storage.ledger.sqlite import SQLiteFile

__all__ = ["Database", "place"]


class Database(Protocol):
    """What differs from one database to the next. As text it is what messages name: no password."""

    path: Path

    @property
    def short(self) -> str:
        """What it is called beside its key."""

    def there(self) -> bool:
        """Whether a ledger was made there."""

    def make(self) -> None:
        """Make one that is empty, unless there is one."""

    def begun(self) -> AbstractContextManager[sql.Connection]:
        """A transaction that locks writers out, durable once it ends."""

    def identity(self) -> object:
        """Another one where something else is in its place, as far as that is known."""

    def renewed(self) -> Database:
        """The same, for a process that was forked."""

    def copy(self) -> bytes | None:
        """The file, as it is while nobody writes to it; None: there is none."""

    def refuse_damaged(self, connection: sql.Connection) -> None:
        """Look at what no query would read."""


def place(named: Path | str) -> Database:
    """The file of a path, or the server of an address."""
    return SQLiteFile(named) if isinstance(named, Path) else Server(named)
