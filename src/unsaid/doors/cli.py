"""The command line. Results go to standard output, everything else to standard error.

Exit codes: 0 done, 2 bad input, 3 refused by a limit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from unsaid.doors import outlined, tables
from unsaid.doors import report as reports
from unsaid.doors.demo import demonstrate
from unsaid.engines.duckdb import Table
from unsaid.errors import InputError, LimitExceeded, UnsaidError
from unsaid.ledger import Ledger
from unsaid.policy import Project, starter
from unsaid.releasing import prepare, release
from unsaid.releasing.files import atomically

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
    help="What a release says about things that were not released, kept within a limit you set.",
)  # fmt: skip
out, err = Console(highlight=False), Console(stderr=True, highlight=False)

ProjectFile = Annotated[
    Path, typer.Argument(help="The project file, or the folder that has unsaid.toml.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


@app.command()
def init(
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file, or a table of --database.")],
    database: Annotated[str | None, typer.Option(help="A DuckDB file that has the table.")] = None,
    project: Annotated[Path, typer.Option(help="The project file to write.")] = Path("unsaid.toml"),
) -> None:
    """Write a commented project file for a table, to be edited."""
    if project.exists():
        raise InputError(f"{project}: is there already; edit it, or name another with --project")
    with busy(f"looking at {table}"):
        opened = Table.open(table, database=database)
        text = starter(opened.describe(), table, database=database, rows=opened.count())
    with atomically(project) as partial:
        partial.write_text(text, "utf-8")
    err.print(f"Wrote {project}. Say in it what is sensitive and who reads what, then: unsaid leak")


@app.command()
def learn(project: ProjectFile = Path(), as_json: AsJson = False) -> None:
    """Learn how the attributes depend on one another, and say what values tell too much."""
    with busy("reading the table"):
        ready = prepare(project)
    show(outlined.learned(ready), as_json, tables.learned(ready))


@app.command()
def leak(project: ProjectFile = Path(), as_json: AsJson = False) -> None:
    """Who would learn what about what, if everything not sensitive were released."""
    with busy("reading the table"):
        ready = prepare(project)
    found = ready.findings(curve=False)
    show(outlined.leak(found), as_json, tables.leak(found, found.everything))


@app.command()
def plan(
    project: ProjectFile = Path(),
    close: Annotated[
        bool | None, typer.Option("--close/--open", help="Make telling values sensitive first.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The most releases within the limits, with and without closing telling values."""
    with busy("reading the table and planning"):
        ready = prepare(project).closing(close)
        found = ready.findings(curve=False)
    show(outlined.plan(found), as_json, tables.plan(found))


@app.command("release")
def release_command(
    project: ProjectFile = Path(),
    scale: Annotated[float, typer.Option(help="Use this share of every eps of the plan.")] = 1.0,
    dry_run: Annotated[
        bool, typer.Option(help="Say what would be released; charge nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Charge the ledger, then write the released table and its manifest."""
    if dry_run:
        plan(project, None, as_json)
        return
    with busy("planning, charging and releasing"):
        done = release(project, scale)
    show(outlined.released(done), as_json, tables.released(done))


@app.command()
def report(
    project: ProjectFile = Path(),
    charts: Annotated[
        Path | None, typer.Option(help="Also write each chart here, as PNG and SVG.")
    ] = None,
) -> None:
    """Write the page that can be shown to those concerned."""
    with busy("planning at eight limits"):
        found = prepare(project).findings()
    reports.write(found, found.project.files.report)
    if charts is not None:
        charts.mkdir(parents=True, exist_ok=True)
        reports.png(found, charts)
        reports.svg(found, charts)
    err.print(f"Wrote {found.project.files.report}")


@app.command()
def ledger(project: ProjectFile = Path(), as_json: AsJson = False) -> None:
    """What was released so far, and how much of every attribute that shows."""
    path = Project.read(project).files.ledger
    if not path.exists():
        raise InputError(f"{path}: there is no ledger yet; it is made by the first release")
    history = Ledger(path).history()
    show(outlined.ledger(history), as_json, tables.ledger(history))


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to write the demo.")] = Path("demo"),
    offices: Annotated[int, typer.Option(min=2, help="How many offices.")] = 120,
    days: Annotated[int, typer.Option(min=5, help="How many working days.")] = 250,
) -> None:
    """A building of offices, from its table to a release and a report."""
    demonstrate(folder, offices, days, out)


def show(result: dict[str, Any], as_json: bool, table: Any) -> None:
    """One JSON object, or the tables."""
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, allow_nan=False) + "\n")
    else:
        out.print(table)


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """A spinner on standard error while something takes its time."""
    with err.status(f"{doing} ..."):
        yield


def main() -> None:
    """Run a command; what unsaid refuses is one line and an exit code."""
    try:
        app()
    except LimitExceeded as refusal:
        err.print(f"refused: {refusal}", soft_wrap=True, markup=False)
        sys.exit(3)
    except UnsaidError as mistake:
        err.print(f"{mistake}", soft_wrap=True, markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
