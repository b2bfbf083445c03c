"""The command that answers a query with noise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType

from unspoken.answering import NoisyAnswer, Promised, query
from unspoken.doors import as_json
from unspoken.doors.projects import declared, room_for
from unspoken.doors.running import err, say, show
from unspoken.doors.terminal import Prose, blank, rows_of
from unspoken.doors.waiting import busy

__all__ = ["query_command"]


def query_command(
    sql: Annotated[
        str, typer.Argument(help='A query, such as "SELECT AVG(x) FROM the_table GROUP BY key".')
    ],
    project: Annotated[
        Path, typer.Argument(help="The project file, or the folder that has unspoken.toml.")
    ] = Path(),
    reader: Annotated[
        str | None, typer.Option("--for", help="To one application, which reads what is asked.")
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="How much one record may change it; else what is left of the limits."),
    ] = None,
    share: Annotated[
        float, typer.Option(help="Take this share of what is left of the limits, up to 1.")
    ] = 1.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how far off it may be; charge and draw nothing.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Read all rows again, though counts of them are kept.")
    ] = False,
    in_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Answer a query with noise: charge it, draw once, keep that."""
    given = declared(project)
    room_for(given.files.key, given.files.ledger)

    def tell(promised: Promised) -> None:
        for line in promised.lines():
            say(line)

    with busy(err, "reading the table"):
        found = query(
            given,
            sql,
            reader,
            epsilon=epsilon,
            share=share,
            dry_run=dry_run,
            fresh=fresh,
            tell=None if dry_run else tell,
        )
    show(as_json.answer(found) if in_json else _in_words(found))


def _in_words(found: NoisyAnswer | Promised) -> RenderableType:
    """The rows of an answer; of a dry run what would be said beside them."""
    if isinstance(found, Promised):
        return Group(*map(Prose, [*found.lines(), "Nothing was charged or drawn."]))
    rows = [[_cell(value) for value in row] for row in found.rows]
    errors = found.promised.lines() if found.again else []  # else they were said before the charge
    said = [Prose(line) for line in (*errors[:-1], _charged(found))]
    return Group(rows_of(list(found.titles), rows, _numbers(found)), blank(), *said)


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


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
