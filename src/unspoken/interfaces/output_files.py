"""Output files: refused before anything is computed if they could not be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from unspoken.core.errors import InputError
from unspoken.interfaces.wording.terminal import near

if TYPE_CHECKING:  # who draws nothing loads nothing of that
    from unspoken.core.pictures import Chart

__all__ = ["room_for", "to_draw"]


def room_for(*files: Path) -> None:
    """Refuse what could not be written for want of a folder before anything is computed."""
    for path in files:
        if not path.parent.is_dir():
            raise InputError(f"{near(path)}: there is no folder {near(path.parent)}; make it first")


def to_draw(path: Path) -> Callable[[Chart], Path]:
    """What draws a picture into this file; refused now if it could not."""
    from unspoken.interfaces.images import picture_writer

    room_for(path)
    return picture_writer(path)
