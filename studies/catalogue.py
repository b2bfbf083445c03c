"""Every study by its name, such as "p002.attack": the rows that one command computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies import p001, p002, p003, p004
from studies.row import Row
from unspoken.core.errors import unknown

__all__ = ["STUDIES", "named"]

PAPERS: Mapping[str, Mapping[str, Sequence[Row]]] = {
    "p001": p001.STUDIES,
    "p002": p002.STUDIES,
    "p003": p003.STUDIES,
    "p004": p004.STUDIES,
}
STUDIES: Mapping[str, Sequence[Row]] = {
    f"{paper}.{name}": rows for paper, own in PAPERS.items() for name, rows in own.items()
}


def named(names: Sequence[str]) -> dict[str, Sequence[Row]]:
    """The studies of these names, or of these papers; all, if none is named."""
    known = [*PAPERS, *STUDIES]
    for name in names:
        if name not in known:
            raise unknown("study", name, known)
    wanted = {*names} or {*PAPERS}
    return {
        name: rows
        for name, rows in STUDIES.items()
        if name in wanted or name.partition(".")[0] in wanted
    }
