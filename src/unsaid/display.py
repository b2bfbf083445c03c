"""How results show themselves: facts in two columns, as text and as a notebook table."""

from __future__ import annotations

import html
from abc import abstractmethod

__all__ = ["Shown", "Tabled", "html_table"]


class Shown:
    """A result that lists its facts; text and notebook views are derived from the list."""

    __slots__ = ()

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """What to show, line by line: (name, text)."""

    def __repr__(self) -> str:
        rows = self.facts()
        width = max((len(name) for name, _ in rows), default=0)
        lines = [f"  {name:<{width}}  {text}".rstrip() for name, text in rows]
        return "\n".join([type(self).__name__, *lines])

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, self.facts())


def html_table(title: str, rows: list[tuple[str, str]]) -> str:
    """A plain table that inherits the notebook's own colours, light or dark."""
    cells = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        f'<td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table><caption><b>{html.escape(title)}</b></caption>{cells}</table>"


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
        """What is said of some rows: (name, text)."""

    def __repr__(self) -> str:
        rows = [self.columns(), *self.cells()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        notes = [f"  {name:<{widths[0]}}  {text}" for name, text in self.notes()]
        return "\n".join(line.rstrip() for line in [self.title(), *lines, *notes])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns())
        body = "".join(f"<tr>{_html_cells(row)}</tr>" for row in self.cells())
        notes = "<br>".join(html.escape(f"{name}: {text}") for name, text in self.notes())
        caption = f"<caption><b>{html.escape(self.title())}</b></caption>"
        return f"<table>{caption}<tr>{head}</tr>{body}</table><p><small>{notes}</small></p>"


def _html_cells(row: list[str]) -> str:
    return "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in row)
