"""How results show themselves: as text, as a notebook table, as rows of a data frame, as JSON."""

from __future__ import annotations

import html
import math
from abc import abstractmethod
from textwrap import fill
from typing import Any

from unspoken.core.errors import cut, printable
from unspoken.core.lending import presenter

__all__ = ["Framed", "Shown", "Tabled", "html_table", "json_number", "share"]

ROWS, LAST = 30, 8  # facts that are shown, and how many of these are the last ones
LONGEST = 400  # letters of a fact
WIDEST = 100  # letters of a line of text
HANGING: dict[str, Any] = {"initial_indent": "  ", "subsequent_indent": "    "}


class Shown:
    """A result that lists its facts; text and notebook views are derived from the list."""

    __slots__ = ()

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """What to show, line by line: (name, text)."""

    def __repr__(self) -> str:
        rows = _short(self.facts())
        width = max((len(name) for name, _ in rows), default=0)
        lines = [f"  {name:<{width}}  {text}".rstrip() for name, text in rows]
        return printable("\n".join([type(self).__name__, *lines]))

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, _short(self.facts()))


def _short(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """No more than a person reads."""
    if len(rows) > ROWS:
        left_out = ("...", f"{len(rows) - ROWS} more")
        rows = [*rows[: ROWS - LAST], left_out, *rows[-LAST:]]
    return [(cut(n, WIDEST), f"{t[:LONGEST]}..." if len(t) > LONGEST else t) for n, t in rows]


def html_table(title: str, rows: list[tuple[str, str]]) -> str:
    """A plain table that inherits the notebook's own colours, light or dark."""
    cells = "".join(
        f'<tr><th style="text-align:left">{_escaped(name)}</th>'
        f'<td style="text-align:left">{_escaped(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table><caption><b>{_escaped(title)}</b></caption>{cells}</table>"


class Tabled:
    """A result that is a table with notes below it; text and notebook views are derived from it."""

    __slots__ = ()

    @abstractmethod
    def title(self) -> str:
        """What the table is about."""

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns."""

    @abstractmethod
    def cells(self) -> list[list[str]]:
        """Row by row."""

    @abstractmethod
    def notes(self) -> list[tuple[str, str]]:
        """What is said of some rows, by their first cell: (name, text)."""

    def remarks(self) -> list[str]:
        """What is said of all of it."""
        return []

    def __repr__(self) -> str:
        cells = self.cells()
        rows = [self.columns(), *cells] if cells or not self.remarks() else []  # which say why
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        notes = [f"  {name:<{widths[0]}}  {text}" for name, text in self.notes()]
        remarks = [fill(each, WIDEST, **HANGING) for each in self.remarks()]
        below = ["", *remarks] if remarks else []
        text = "\n".join(map(str.rstrip, [self.title(), *lines, *notes, *below]))
        return printable(text.replace("\u00a0", " "))  # which keeps no line together here

    def _repr_html_(self) -> str:
        """What is said of a row stands in it, in a last column."""
        notes = dict(self.notes())
        rows = [[*row, notes.get(row[0], "")] for row in self.cells()]
        head = _html_row("th", [*self.columns(), ""]) if rows or not self.remarks() else ""
        body = "".join(_html_row("td", row) for row in rows)
        below = "<br>".join(map(_escaped, self.remarks()))
        foot = f'<tfoot><tr><td colspan="{len(self.columns()) + 1}" style="text-align:left">'
        foot = f"{foot}{below}</td></tr></tfoot>" if below else ""
        title = f"<caption><b>{_escaped(self.title())}</b></caption>"
        return f"<table>{title}{head}{body}{foot}</table>"


def _html_row(kind: str, cells: list[str]) -> str:
    inside = (f'<{kind} style="text-align:left">{_escaped(cell)}</{kind}>' for cell in cells)
    return f"<tr>{''.join(inside)}</tr>"


class Framed:
    """A result that has rows of named values, for whoever wants to go on calculating with them."""

    __slots__ = ()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Row by row: {column: value}, numbers as they are."""

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        return presenter("to_frame")(self.records())


def json_number(x: float) -> float | str:
    """JSON has no infinity: the word "inf" stands for it."""
    return str(x) if math.isinf(x) else x


def share(x: float) -> str:
    """A share to a tenth of a per cent; never 0.0% or 100.0% of what is merely close to it."""
    shown = f"{x:.1%}"
    if shown == "100.0%":
        return shown if x >= 1 else "> 99.9%"
    return "< 0.1%" if shown == "0.0%" and x > 0 else shown


def _escaped(text: str) -> str:
    return html.escape(printable(text))
