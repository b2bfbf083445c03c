"""What was found in large files by looking at every row, kept beside the project: whether keys name
the rows, how many a unit has, keyed fingerprints. Another question to the same files need not look
again. Where a query of the holder's stands for the table, its rows may be others at every reading,
so of that nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unspoken.core.errors import InputError
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning.counts.beside import (
    Seen,
    folder_of,
    private,
    seen,
    settled,
    write_beside,
)
from unspoken.tables.policy import Project
from unspoken.tables.policy.reading import installed_version

__all__ = ["Looked"]

WORTH = 4 * 2**20  # bytes of files: fewer are read again as quickly
MOST = 100  # findings of the same files


@dataclass(frozen=True)
class Looked:
    """``files``: as they are when this is made; None: they cannot be looked at. ``rows``: whatever
    else decides which rows these are. ``keeps``: whether anything is kept.
    """

    table: Table
    path: Path
    rows: str
    files: Seen | None
    keeps: bool

    @classmethod
    def of(cls, project: Project, table: Table, handed_in: bool = False) -> Looked:
        """``handed_in``: whether its rows are those of a frame."""
        files = None if handed_in else seen(table.files)
        large = files is not None and sum(int(size) for _, size, *_ in files) >= WORTH
        rows = [installed_version(), repr(project.source), project.belief.history]
        whose = hashlib.sha256(str(project.path).encode()).hexdigest()[:8]
        path = folder_of(project) / f"looked-{whose}.json"
        shape = json.dumps([*rows, sorted(table.columns.items())])
        return cls(table, path, shape, files, large and project.source.sql is None)

    def once(self, what: Any, look: Callable[[], Any]) -> Any:
        """What a look finds, as JSON has it; kept, and not looked at again, while files stay."""
        if not self.keeps:
            return look()
        asked = hashlib.sha256(json.dumps([self.rows, what]).encode()).hexdigest()
        kept = self._kept()
        if asked in kept:
            return kept[asked]
        found = look()
        if self.unchanged and settled(self.files or ()):
            newest = [*self._kept().items()][1 - MOST :]
            held = {"files": self.files, "found": {**dict(newest), asked: found}}
            with contextlib.suppress(OSError, InputError):  # what cannot be kept is looked at again
                write_beside(self.path, json.dumps(held))
        return found

    @property
    def unchanged(self) -> bool:
        """Whether the files are what they were when this was made."""
        return self.files is None or seen(self.table.files) == self.files

    def _kept(self) -> dict[str, Any]:
        """What was found in these very files."""
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
            if private(self.path.parent):
                held = json.loads(self.path.read_bytes())
                if held["files"] == self.files:
                    return dict(held["found"])
        return {}
