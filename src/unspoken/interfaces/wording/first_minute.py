"""What a table shows before there is a project, for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType

from unspoken.assessment.table_scan import ColumnLine, TableScan
from unspoken.interfaces.wording.terminal import Prose, blank, head, note, rows_of

__all__ = ["in_words"]

HANG = 2  # spaces before what goes on below


def in_words(scan: TableScan, begin: str) -> RenderableType:
    """Who tells what, the most telling first; ``begin``: the command that goes on from here."""
    rows = [_row(line, scan) for line in scan.lines()]
    *said, last = scan.said("--picture FILE draws most, --json lists them")
    return Group(
        head(scan.title()),
        blank(),
        *([rows_of(scan.columns(), rows)] if rows else []),
        *([blank()] if rows else []),
        *map(note, [*said, f"{last} Next: {begin}"]),
    )


def _row(line: ColumnLine, scan: TableScan) -> list[Prose | str]:
    if not line.numbers:
        none = [""] * (len(scan.columns()) - 1)
        return [Prose(line.what, style="bold", breaks=True), *none]
    indent = "" if scan.is_about_one_label else "  "
    return [Prose(line.what, first=indent, breaks=True, hang=HANG), *line.numbers]
