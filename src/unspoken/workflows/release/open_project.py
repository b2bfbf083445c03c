"""A project with its table open. Little is loaded for that, so that the engine can look at keys
while the rest is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from unspoken.core.errors import InputError
from unspoken.core.types.kinds import expect
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.engines.interrupting import interrupt
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.learning.project_table import table_of
from unspoken.tables.policy import Project

__all__ = ["OpenProject", "opened", "refuse_sources"]

AGAIN = 0.05  # seconds until a look that nobody waits for is ended once more


@dataclass(frozen=True)
class OpenProject:
    """``looked``: what is known of its rows, or will be. ``handed_in``: whether they are those of a
    frame, in place of the ones of the source. ``looking``: a look at the keys that was begun.
    """

    project: Project
    table: Table
    looked: Looked
    handed_in: bool = False
    looking: Future[None] | None = None

    @classmethod
    def of(
        cls, project: Project | str | Path | OpenProject, frame: ArrowStream | None = None
    ) -> OpenProject:
        """The same, if it is open: then there is no other frame."""
        if isinstance(project, OpenProject):
            assert frame is None
            return project
        whole, handed_in = opened(project), frame is not None
        table = table_of(whole, frame, checked=False)
        refuse_sources(whole, table)
        return cls(whole, table, Looked.of(whole, table, handed_in), handed_in)

    @classmethod
    @contextmanager
    def looked_at(cls, project: Project) -> Iterator[OpenProject]:
        """With a look at its keys begun, where nothing was counted yet: counting waits for that.

        What has to be loaded for all else is loaded meanwhile, in the time of one core.
        """
        read = cls.of(project)
        if project.files.ledger.exists():
            yield read
            return
        with ThreadPoolExecutor(1, "unspoken") as pool:
            begun = pool.submit(read.check)
            try:
                yield replace(read, looking=begun)
            finally:
                while not begun.done():  # whoever needed it has waited
                    interrupt()
                    wait([begun], AGAIN)

    def check(self) -> None:
        """Refuse keys that do not name each row."""
        if self.looking is not None:
            return self.looking.result()
        at = self.project.at("source", "keys")
        self.looked.once("keys", partial(self.table.check, at))


def opened(project: Project | str | Path) -> Project:
    """The project of a file, or the one that is given."""
    if isinstance(project, str | Path):
        return Project.read(project)
    expect(project, Project, "project", "give a path; a frame stands beside it, as table=")
    return project


def refuse_sources(project: Project, table: Table) -> None:
    """What is read is never written over: a query names files that the project does not."""
    read = {os.path.realpath(path) for path in table.files}
    for path in project.files.paths:
        if os.path.realpath(path) in read:
            raise InputError(
                f"{path}: is read by this project, so it cannot be written too; name another file"
            )
