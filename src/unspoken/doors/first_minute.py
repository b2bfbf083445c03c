"""What a table shows before there is a project, for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType

from unspoken.doors.terminal import Prose, blank, head, note, rows_of
from unspoken.releasing.assessing.first_look import ColumnLine, FirstLook

__all__ = ["in_words"]

HANG = 2  # spaces before what goes on below


def in_words(look: FirstLook, begin: str) -> RenderableType:
    """Who tells what, the most telling first; ``begin``: the command that goes on from here."""
    rows = [_row(line, look) for line in look.lines()]
    *said, last = look.said("--picture FILE draws all, --json lists them")
    return Group(
        head(look.title()),
        blank(),
        *([rows_of(look.columns(), rows)] if rows else []),
        *([blank()] if rows else []),
        *map(note, [*said, f"{last} Next: {begin}"]),
    )


def _row(line: ColumnLine, look: FirstLook) -> list[Prose | str]:
    if not line.numbers:
        none = [""] * (len(look.columns()) - 1)
        return [Prose(line.what, style="bold", breaks=True), *none]
    indent = "" if look.secret is not None else "  "
    return [Prose(line.what, first=indent, breaks=True, hang=HANG), *line.numbers]
