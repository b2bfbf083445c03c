"""How results show themselves: facts in two columns, as text and as a notebook table."""

from __future__ import annotations

import html
from abc import abstractmethod

__all__ = ["Shown", "html_table"]


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
