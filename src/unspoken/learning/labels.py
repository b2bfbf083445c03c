"""The labels of an attribute: its cells, apart where both sensitive and free rows occur."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unspoken.learning.cells import Cells, noted

__all__ = ["Labels"]


@dataclass(frozen=True)
class Labels:
    """``names`` in the order of the cells; ``code[mark]`` is a mark's label, None if it has none.

    ``split``: the labels whose cell has both sensitive and free rows.
    """

    names: tuple[str, ...]
    sensitive: tuple[str, ...]
    split: frozenset[int]
    code: tuple[int | None, ...]

    @classmethod
    def of(cls, cells: Cells, counts: Mapping[int, int]) -> Labels:
        """The labels that occur, and declared ones that do not yet.

        A declared cell without rows is sensitive if any of its attribute's may be. A free row in a
        cell that was sensitive throughout goes with it; a sensitive row where all were free has no
        label, since the label of its cell may be released.
        """
        names: list[str] = []
        sensitive: list[str] = []
        split: set[int] = set()
        code: list[int | None] = []
        for cell, name in enumerate(cells.names):
            free, hidden = counts.get(2 * cell, 0), counts.get(2 * cell + 1, 0)
            if free and hidden:
                split |= {len(names), len(names) + 1}
                code += [len(names), len(names) + 1]
                names += [name, noted(name, "sensitive", {*cells.names, *names})]
                sensitive.append(names[-1])
            elif hidden or (not free and cells.can_hide(cell)):
                code += [len(names)] * 2
                names.append(name)
                sensitive.append(name)
            else:
                code += [len(names), None]
                names.append(name)
        return cls(tuple(names), tuple(sensitive), frozenset(split), tuple(code))

    def sql(self, mark: str) -> str:
        """SQL over the row for the position of its label among ``names``, NULL if it has none."""
        listed = ", ".join("NULL" if code is None else str(code) for code in self.code)
        return f"CAST(([{listed}])[{mark} + 1] AS SMALLINT)"
