"""Text for a terminal: sentences that wrap below their beginning, tables with whole numbers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["NBSP", "Prose", "blank", "facts", "head", "near", "note", "rows_of", "said"]

NBSP = "\u00a0"
WIDEST = 100  # sentences longer than this are hard to read, however wide the terminal is
NUMBERS = {
    "bits",
    "eps",
    "factor",
    "from",
    "odds",
    "of all rows",
    "of rows",
    "release",
    "rows",
    "rows with it",
    "sensitive rows",
    "to",
    "without",
}


@dataclass(frozen=True)
class Prose:
    """A paragraph: the first line after ``first``, the others below its beginning.

    What a hard space joins stays on one line, which rich by itself does not see to.
    """

    text: str
    first: str = ""
    style: str = ""
    breaks: bool = False  # whether a word longer than a line is broken: paths are not
    hang: int = 0  # spaces more before the lines below the first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = textwrap.wrap(
            self.text,
            max(len(self.first) + self.hang + 1, min(options.max_width, WIDEST)),
            initial_indent=self.first,
            subsequent_indent=" " * (len(self.first) + self.hang),
            break_long_words=self.breaks,
            break_on_hyphens=False,
        )
        for line in lines:
            yield Text(line, style=self.style, no_wrap=True, overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        words = [len(word) for word in self.text.split(" ")]
        whole = len(self.first) + len(self.text)
        words = [words[0] + len(self.first), *(w + len(self.first) + self.hang for w in words[1:])]
        return Measurement(min(max(words), options.max_width), min(whole, options.max_width))


def head(text: str) -> Prose:
    """What the lines below are about."""
    return Prose(text, style="bold")


def said(sentence: str) -> Prose:
    """One of several sentences."""
    return Prose(sentence, first="  - ")


def note(text: str) -> Prose:
    """What is said beside a table."""
    return Prose(text, first="  ")


def facts(text: str) -> list[Prose]:
    """Lines of names and what is said of them: what is long goes on below its beginning."""
    parts = (re.fullmatch(r"(\s+\S+(?: \S+)*\s{2,})?(.*)", line) for line in text.splitlines())
    return [Prose(part[2], first=part[1] or "") for part in parts if part]


def blank() -> Text:
    """An empty line."""
    return Text()


def rows_of(columns: Sequence[str], rows: Iterable[Sequence[str | Text | Prose]]) -> Padding:
    """A table without lines; numbers stand to the right and are never broken.

    A column of nothing is left out: rich takes room for it that it has not counted.
    """
    rows = list(rows)
    some = [k for k, column in enumerate(columns) if column or any(row[k] for row in rows)]
    columns, rows = [columns[k] for k in some], [[row[k] for k in some] for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        number = column in NUMBERS
        table.add_column(
            column, justify="right" if number else "left", no_wrap=number, overflow="fold"
        )
    for row in rows:
        table.add_row(*(_cell(column, cell) for column, cell in zip(columns, row, strict=True)))
    return Padding(table, (0, 0, 0, 2), expand=False)


def _cell(column: str, cell: str | Text | Prose) -> str | Text | Prose:
    """What is no number wraps like a sentence, so that hard spaces hold in tables too."""
    return Prose(cell, breaks=True) if isinstance(cell, str) and column not in NUMBERS else cell


def near(path: Path) -> str:
    """A file as one would name it from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
