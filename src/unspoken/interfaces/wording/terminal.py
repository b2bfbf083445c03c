"""Text for a terminal: sentences that wrap below their beginning, tables with whole numbers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unspoken.core.errors import printable

__all__ = ["NBSP", "Prose", "blank", "facts", "head", "near", "note", "rows_of", "said"]

NBSP = "\u00a0"
WIDEST = 100  # sentences longer than this are hard to read, however wide the terminal is
NUMBERS = frozenset(
    {
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
)

LETTERS = 24  # of a word on one line of a table: a longer one is broken
GAP = 2  # between columns, and before the first

Cell: TypeAlias = "str | Text | Prose"


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

    def __post_init__(self) -> None:
        # Before lines are laid out: an escape is longer than what it stands for.
        object.__setattr__(self, "text", printable(self.text))

    def __str__(self) -> str:
        return self.text

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


def rows_of(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]], numbers: Collection[str] = NUMBERS
) -> TextTable:
    """A table without lines; columns of ``numbers`` stand to the right and are never broken.

    A column of nothing is left out: rich takes room for it that it has not counted.
    """
    rows = list(rows)
    some = [k for k, column in enumerate(columns) if column or any(row[k] for row in rows)]
    kept = [[_seen(row[k]) for k in some] for row in rows]
    return TextTable([columns[k] for k in some], kept, numbers)


def _seen(cell: Cell) -> Cell:
    return printable(cell) if isinstance(cell, str) else cell


@dataclass(frozen=True)
class TextTable:
    """Columns side by side; where there is no room for them, each row one below the other."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Collection[str] = NUMBERS

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - GAP * (len(self.columns) + 1)
        least = [self._least(k) for k in range(len(self.columns))]
        if sum(least) > room:
            for row in self.rows:
                yield from self._below(row)
        else:
            widths = _widths(
                least, [max(map(cell_len, self._texts(k))) for k in range(len(least))], room
            )
            yield Padding(self._table(widths), (0, 0, 0, GAP), expand=False)

    def _texts(self, k: int) -> list[str]:
        return [self.columns[k], *(str(row[k]) for row in self.rows)]

    def _least(self, k: int) -> int:
        """The room that a column needs: all of its numbers, or its longest word."""
        if self.columns[k] in self.numbers:
            return max(map(cell_len, self._texts(k)))
        longest = max(cell_len(word) for text in self._texts(k) for word in text.split(" "))
        return min(longest, LETTERS)

    def _table(self, widths: Sequence[int]) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
        for column, width in zip(self.columns, widths, strict=True):
            number = column in self.numbers
            justify: Literal["right", "left"] = "right" if number else "left"
            table.add_column(column, justify=justify, no_wrap=number, overflow="fold", width=width)
        for row in self.rows:
            table.add_row(
                *(_cell(c, cell, self.numbers) for c, cell in zip(self.columns, row, strict=True))
            )
        return table

    def _below(self, row: Sequence[Cell]) -> Iterable[Prose]:
        """What a row is about, and below it the rest, each with the name of its column."""
        indent = getattr(row[0], "first", "") + "  "
        yield Prose(str(row[0]), indent, getattr(row[0], "style", ""), breaks=True, hang=2)
        pairs = zip(self.columns[1:], row[1:], strict=True)
        said = [(column, f"{column} {cell}".strip()) for column, cell in pairs if str(cell)]
        rest = [
            text.replace(" ", NBSP) if column in self.numbers else text for column, text in said
        ]
        red = (str(cell.style) for cell in row[1:] if isinstance(cell, Text))
        if rest:
            yield Prose("; ".join(rest), f"{indent}    ", next(red, ""), breaks=True)


def _widths(least: Sequence[int], whole: Sequence[int], room: int) -> list[int]:
    """What each column gets: what it needs, and of the room left over what makes cells whole.

    Narrow columns first: a share that one does not use is there for the next.
    """
    widths, left = list(least), room - sum(least)
    wanting = sorted(range(len(least)), key=lambda k: whole[k] - least[k])
    for place, k in enumerate(wanting):
        more = min(whole[k] - least[k], left // (len(wanting) - place))
        widths[k] += more
        left -= more
    return widths


def _cell(column: str, cell: Cell, numbers: Collection[str]) -> Cell:
    """What is no number wraps like a sentence, so that hard spaces hold in tables too."""
    return Prose(cell, breaks=True) if isinstance(cell, str) and column not in numbers else cell


def near(path: Path) -> str:
    """A file as one would name it from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
