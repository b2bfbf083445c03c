"""What commands do with a project file before anything else: read it, and say what is odd."""

from __future__ import annotations

from pathlib import Path

from unspoken.interfaces.command_line.running import err, say, warn
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording.terminal import near
from unspoken.tables import learning
from unspoken.tables.policy import Project
from unspoken.workflows import release as releasing
from unspoken.workflows.release.open_project import OpenProject

__all__ = ["declared", "prepared"]


def declared(path: Path) -> Project:
    """The project; if it protects nothing, that is said loudly."""
    project = Project.read(path)
    if not project.protected:
        say(
            f"warning: no attribute in {near(project.path)} says what is "
            "`sensitive`, so NOTHING IS PROTECTED: everything read would be released"
        )
    return project


def prepared(path: Path, fresh: bool, protecting: bool = False) -> releasing.Prepared:
    """The project with its table read; refused, if it has to be ``protecting``, where it is not."""
    project = declared(path)
    with busy(err, "reading the table"), OpenProject.looked_at(project) as read:
        ready = releasing.prepare(read, fresh=fresh)  # loaded while keys are looked at
    if protecting:
        learning.refuse_idle(ready.doubts)
    warn(ready.warnings)
    return ready
