"""An answer with noise, in words or for --json: its rows, how far off, what was charged."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType

from unspoken.core.display import json_number
from unspoken.interfaces.wording.envelope import head
from unspoken.interfaces.wording.terminal import Prose, blank, rows_of
from unspoken.workflows.query import NoisyAnswer, Promised
from unspoken.workflows.query.answer import with_error
from unspoken.workflows.query.intervals import ErrorBar

__all__ = ["as_data", "in_words"]


def in_words(found: NoisyAnswer | Promised) -> RenderableType:
    """The rows of an answer; of a dry run what would be said beside them."""
    if isinstance(found, Promised):
        return Group(*map(Prose, [*found.lines(), "Nothing was charged or drawn."]))
    rows = [[_cell(value) for value in row] for row in found.bars]
    errors = found.promised.lines() if found.again else []  # else they were said before the charge
    said = [Prose(line) for line in (*errors[:-1], _charged(found))]
    return Group(rows_of(list(found.titles), rows, _numbers(found)), blank(), *said)


def as_data(found: NoisyAnswer | Promised) -> dict[str, Any]:
    """Rows with noise and how far off they may be; of a dry run that alone."""
    if isinstance(found, Promised):
        return {**head("query"), "dry_run": True, "query": found.query, **found.as_json()}
    errors = found.largest_errors()
    return {
        **head("query"),
        "query": found.promised.query,
        "columns": list(found.titles),
        "rows": [list(row) for row in found.rows],
        "answers": [
            {title: _with_error(x) for title, x in zip(found.titles, row, strict=True)}
            for row in found.bars
        ],
        "again": found.again,
        "event": found.number,
        **found.promised.as_json(),
        "error": {title: [json_number(one)] for title, (one, _) in errors.items()},
        "error_of_all": {title: [json_number(every)] for title, (_, every) in errors.items()},
    }


def _numbers(found: NoisyAnswer) -> set[str]:
    """The columns that have nothing else."""
    titles = enumerate(found.titles)
    return {title for at, title in titles if all(_is_number(row[at]) for row in found.rows)}


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _charged(found: NoisyAnswer) -> str:
    if found.number is None:
        return "No noise, and nothing charged: keys alone count it."
    if found.again:
        return f"Drawn before, under event {found.number}: nothing was charged."
    return f"Charged as event {found.number}; asked again it is the same answer, free."


def _with_error(value: Any) -> Any:
    return value.as_json() if isinstance(value, ErrorBar) else value


def _cell(value: Any) -> str:
    if isinstance(value, ErrorBar):
        return with_error(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
