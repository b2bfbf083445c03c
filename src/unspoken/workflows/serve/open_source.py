"""The table of a project, which stays open between requests while its files are what they were.

Opening it takes far longer than what most requests do with it. What is kept is one DuckDB with its
views: rows are read from the files at each request. Before it is used again its files are listed
and looked at, so a part that was added, or a file that was written again, is noticed as it would be
if the table were opened now. Where that cannot be known it is opened for each request: a database,
which others may write to, a table of Spark, and files that were written a moment ago.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.learning.counts.beside import Seen, changed_since, seen
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.policy import Project
from unspoken.workflows.release.open_project import OpenProject

__all__ = ["OpenSource"]


@dataclass(frozen=True)
class _KeptTable:
    """``source``: of which declaration; ``files``: as they were when it was opened."""

    table: DuckTable
    source: str
    files: Seen

    @property
    def is_current(self) -> bool:
        """Whether opening the table now would give the same."""
        files = self.table.current_files
        return files is not None and seen(files) == self.files


@dataclass
class OpenSource:
    """At most one table is kept; each request has a session of its own in it."""

    _kept: _KeptTable | None = field(default=None, repr=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def read(self, project: Project) -> OpenProject:
        """The project with its table as it is now."""
        source = repr((project.path, project.source))
        with self._opening:
            kept = self._kept
            if kept is None or kept.source != source or not kept.is_current:
                self._kept = None  # it is closed once the last request that reads it has ended
                return self._open(project, source)
            table = kept.table.share()
        return OpenProject(project, table, Looked.of(project, table))

    def _open(self, project: Project, source: str) -> OpenProject:
        began = time.time()
        read = OpenProject.of(project)
        if not isinstance(read.table, DuckTable):
            return read
        files = read.table.current_files
        found = None if files is None else seen(files)
        if found is None or changed_since(found, began):
            return read
        self._kept = _KeptTable(read.table, source, found)
        return OpenProject(project, read.table.share(), read.looked)
