"""What commands do with a project file before anything else: read it, and say what is odd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from unspoken import learning, releasing
from unspoken.doors.running import err, say, warn
from unspoken.doors.terminal import near
from unspoken.doors.waiting import busy
from unspoken.errors import InputError
from unspoken.policy import Project
from unspoken.releasing.open_project import OpenProject

if TYPE_CHECKING:  # who draws nothing loads nothing of that
    from unspoken.pictures import Chart

__all__ = ["declared", "prepared", "room_for", "to_draw"]


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


def room_for(*files: Path) -> None:
    """Refuse what could not be written for want of a folder before anything is computed."""
    for path in files:
        if not path.parent.is_dir():
            raise InputError(f"{near(path)}: there is no folder {near(path.parent)}; make it first")


def to_draw(path: Path) -> Callable[[Chart], Path]:
    """What draws a picture into this file; refused now if it could not."""
    from unspoken.pictures.images import picture_writer

    room_for(path)
    return picture_writer(path)
