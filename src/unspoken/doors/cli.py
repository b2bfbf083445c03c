"""The command line. Results go to standard output, everything else to standard error.

Exit codes: 0 done, 2 bad input, 3 refused by a limit, or an attack beat one.
"""

from __future__ import annotations

import io
import shlex
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group

from unspoken.answering import offers
from unspoken.doors import as_json, first_minute, tables
from unspoken.doors.auditing import audit_command
from unspoken.doors.case import Case
from unspoken.doors.demo import demonstrate
from unspoken.doors.disclosing import disclosed_command
from unspoken.doors.ending import ended_by, heed
from unspoken.doors.everywhere import Everywhere
from unspoken.doors.keeping import (
    backup_command,
    diff_command,
    ledger_command,
    restore_command,
    verify_command,
)
from unspoken.doors.projects import declared, prepared, room_for, to_draw
from unspoken.doors.querying import query_command
from unspoken.doors.running import BAD_INPUT, err, out, running, say, show, warn
from unspoken.doors.serving import serve_command, token_command
from unspoken.doors.starting import Started, begin
from unspoken.doors.terminal import facts, near
from unspoken.doors.waiting import busy, quietly
from unspoken.errors import InputError
from unspoken.policy.described import json_schema
from unspoken.policy.paths import is_table
from unspoken.releasing import (
    adopt_plan,
    check,
    first_look,
    learn_project,
    rehearse,
    release,
    undeclared,
)

__all__ = ["app", "main"]

SIGNALLED = 128  # + the number of the signal that ended it, as shells have it

app = typer.Typer(
    cls=Everywhere, no_args_is_help=True, pretty_exceptions_enable=False,
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
    help="What a release says about things that were not released, kept within a limit you set. "
    "Begin with: unspoken init TABLE (or, for a look around, unspoken demo).",
    epilog="Exit codes: 0 done, 2 something given is wrong, 3 refused by a limit; a bound beaten.",
)  # fmt: skip

ProjectFile = Annotated[
    Path, typer.Argument(help="The project file, or the folder that has unspoken.toml.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Read all rows again, though counts of them are kept.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


def _version(asked: bool) -> None:
    if asked:
        out.print(f"unspoken {version('unspoken')}")
        raise typer.Exit


def _quiet(asked: bool) -> None:
    if asked:
        quietly(True)


@app.callback()
def command_line(
    shown: Annotated[
        bool, typer.Option("--version", callback=_version, expose_value=False, is_eager=True,
                           help="Say which it is.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", callback=_quiet, expose_value=False,
                           help="Say nothing of how far a command is.")
    ] = False,
) -> None:  # fmt: skip
    """What is asked of no command, before it or after it."""


@app.command()
def init(
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file, or a table of --database.")],
    database: Annotated[str | None, typer.Option(help="A DuckDB file that has the table.")] = None,
    keys: Annotated[
        str | None, typer.Option(help="The columns that name a row, such as office,day.")
    ] = None,
    project: Annotated[Path, typer.Option(help="The project file to write.")] = Path(
        "unspoken.toml"
    ),
    in_json: AsJson = False,
) -> None:
    """Write a commented project file for a table, to be edited."""
    with busy(err, f"looking at {table}"):
        started = begin(table, database, keys, project)
    written = started.project
    if in_json:
        show(as_json.started(project, written.source.keys, tuple(written.attributes)))
    where = "" if project.name == "unspoken.toml" and project.parent == Path() else f" {project}"
    first = f"what names a row ({started.doubt}), " if started.doubt else ""
    say(
        f"Wrote {project}{_and_ignored(started)}. Say in {project.name} {first}what is sensitive "
        f"and who reads what, then: unspoken leak{where}"
    )


def _and_ignored(started: Started) -> str:
    said = ", and lines of .gitignore that keep key, ledger and counts of the table out of git"
    return said if started.ignored else ""


@app.command("check")
def check_command(
    project: ProjectFile = Path(),
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of project files, for editors.")
    ] = False,
    in_json: AsJson = False,
) -> None:
    """Everything that is wrong with a project file, at once."""
    if schema:
        return show(json_schema())
    with busy(err, "looking at the project"):
        found = check(project)
    for fault in found.faults:
        say(str(fault))
    if in_json:
        show(as_json.checked(found))
    elif not found.faults:
        beside = "nor with its table" if found.table else "as far as can be said without its table"
        say(f"{near(found.path)}: nothing is wrong with it, {beside}")
    if found.faults:
        raise typer.Exit(BAD_INPUT)


@app.command()
def learn(
    project: ProjectFile = Path(),
    again: Annotated[
        bool, typer.Option("--again", help="Count once more, at the same cost: for new rows.")
    ] = False,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Count the table once, with noise; say what it shows."""
    given = declared(project)
    room_for(given.files.belief, given.files.key, given.files.ledger)
    with busy(err, "reading the table"):
        ready = learn_project(given, fresh=fresh, again=again)
    warn(ready.warnings)
    show(as_json.learned(ready) if in_json else tables.learned(ready), ready.warnings)


@app.command()
def leak(
    project: Annotated[
        Path,
        typer.Argument(help="The project; or a table: a file, or one of --database."),
    ] = Path(),
    secret: Annotated[
        str | None, typer.Option(help="Of a table: what to keep secret, as SQL: \"x = 'a'\".")
    ] = None,
    database: Annotated[str | None, typer.Option(help="A DuckDB file that has the table.")] = None,
    drawn: Annotated[
        Path | None, typer.Option("--picture", help="Draw what a table tells: .png or .svg.")
    ] = None,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Who would learn what; of a table: which column tells what."""
    if database is not None or is_table(project):
        of_table(str(project), database, secret, drawn, in_json)
        return
    for option, given in {"--secret": secret, "--picture": drawn}.items():
        if given is not None:
            raise InputError(f"{option}: is for a table; a project says what is `sensitive`")
    ready = prepared(project, fresh)
    with busy(err, "looking at every answer"):
        found = ready.openly()
        keys = undeclared(ready, found.everything)
    show(as_json.leak(found, keys) if in_json else tables.leak(found, keys), ready.warnings)


def of_table(
    table: str, database: str | None, secret: str | None, drawn: Path | None, in_json: bool
) -> None:
    """Which column of a table tells what of which other."""
    write = None if drawn is None else to_draw(drawn)
    with busy(err, f"looking at {table}"):
        look = first_look(table, database, secret)
        if write is not None:
            write(first_minute.picture(look))
    named = [table, *([] if database is None else ["--database", database])]
    begin = shlex.join(["unspoken", "init", *named])
    show(as_json.first_look(look) if in_json else first_minute.in_words(look, begin))
    if drawn is not None:
        say(f"Wrote {near(drawn)}")


@app.command()
def plan(
    project: ProjectFile = Path(),
    close: Annotated[
        bool | None,
        typer.Option(
            "--close/--open",
            help="Withhold telling values too, or do not; else as [limit] close says.",
        ),
    ] = None,
    drawn: Annotated[
        Path | None, typer.Option("--picture", help="Draw what odds caps let out: .png or .svg.")
    ] = None,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Release by this plan from now on.")
    ] = False,
    extend: Annotated[
        bool,
        typer.Option(
            "--extend", help="Keep the adopted plan, and show more beside what it has shown."
        ),
    ] = False,
    by: Annotated[str, typer.Option(help="Who adopts it; kept in the ledger.")] = "",
    why: Annotated[str, typer.Option(help="Why; kept in the ledger.")] = "",
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """The most that can be released within the limits."""
    write = None if drawn is None else to_draw(drawn)
    if adopt:
        with busy(err, "counting and planning"):
            ready = adopt_plan(
                declared(project).closing(close), by=by, why=why, extend=extend, fresh=fresh
            )
    else:
        ready = prepared(project, fresh, protecting=True).closing(close)
        ready = ready.extending() if extend else ready
    with busy(err, "planning"):
        findings = ready.findings(curve=False)
        if write is not None:
            write(ready.by_cap().plot().described)
        keys = undeclared(ready, findings.planned, findings.plan.mechanism)
        given = findings, keys, offers(ready, findings)
    show(as_json.plan(*given) if in_json else tables.plan(*given), ready.warnings)
    if drawn is not None:
        say(f"Wrote {near(drawn)}")


@app.command("release")
def release_command(
    project: ProjectFile = Path(),
    scale: Annotated[
        float, typer.Option(help="Take this share of every eps of the plan, from 0 to 1.")
    ] = 1.0,
    reader: Annotated[
        str | None,
        typer.Option("--for", help="To one application: a file of its own, with what it reads."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check it against the ledger; charge and write nothing."),
    ] = False,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Charge the ledger; write the released table and its manifest."""
    given = declared(project)
    files = given.files
    room_for(files.release, files.manifest, files.key, files.ledger)
    if dry_run:
        with busy(err, "planning"):
            trial = rehearse(given, scale, reader, fresh=fresh)
        warn(trial.warnings)
        show(as_json.rehearsed(trial) if in_json else tables.rehearsed(trial), trial.warnings)
        return
    with busy(err, "planning, charging and releasing"):
        done = release(given, scale, reader, fresh=fresh)
    warn(done.warnings)
    show(as_json.released(done) if in_json else tables.released(done), done.warnings)


@app.command()
def report(
    project: ProjectFile = Path(),
    charts: Annotated[
        Path | None, typer.Option(help="A folder for each chart as PNG and SVG, too.")
    ] = None,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Write the page that can be shown to those concerned."""
    from unspoken.doors.report.page import write_report

    ready = prepared(project, fresh)
    page = ready.project.files.report
    room_for(page)
    if charts is not None and charts.exists() and not charts.is_dir():
        raise InputError(f"{charts}: is a file; --charts takes a folder")
    with busy(err, "planning for several limits"):
        written = write_report(ready.findings(adopted=True), page, charts)
    if in_json:
        show(as_json.written(page, written))
    say(f"Wrote {', '.join(map(near, [page, *written]))}")


app.command("ledger")(ledger_command)
app.command("query")(query_command)
app.command("disclosed")(disclosed_command)
app.command("audit")(audit_command)
app.command("serve")(serve_command)
app.command("token")(token_command)
app.command("diff")(diff_command)
app.command("backup")(backup_command)
app.command("restore")(restore_command)
app.command("verify")(verify_command)


@app.command("case")
def case_command(
    file: Annotated[Path, typer.Argument(help="A case file, TOML or JSON.")],
    drawn: Annotated[
        Path | None,
        typer.Option("--picture", help="Draw what is compared, noise against limit: .png or .svg."),
    ] = None,
    in_json: AsJson = False,
) -> None:
    """Answer a case file: a belief, a mechanism, an adversary."""
    case = Case.read(file)
    if drawn is not None and not case.compares:
        raise InputError(
            f"{file}: --picture draws what `compare = {{limit = ...}}` in [ask] asks for"
        )
    write = None if drawn is None else to_draw(drawn)
    with busy(err, "looking at every answer") as tell:
        answers = case.answer(tell)
        if write is not None and answers.compared is not None:
            write(answers.compared.picture(lambda k, n: tell(f"drawing, {k} of {n} limits")))
    show(as_json.case(answers) if in_json else Group(*facts(str(answers))))
    if drawn is not None:
        say(f"Wrote {near(drawn)}")


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to write the demo.")] = Path("demo"),
    offices: Annotated[int, typer.Option(min=20, help="How many offices.")] = 120,
    days: Annotated[int, typer.Option(min=20, help="How many working days.")] = 250,
) -> None:
    """A simulated building of offices, from its table to a report."""
    demonstrate(folder, offices, days, out)


def main() -> None:
    """Run a command; what unspoken refuses is one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × or “ shows ? instead
    heed()
    code, signal = run(), ended_by()
    sys.exit(code if signal is None else SIGNALLED + signal)


def run(arguments: list[str] | None = None) -> int:
    """Run one command line, by default that of the program; its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    quietly(False)
    command = partial(app, given or ["--help"], prog_name="unspoken", standalone_mode=False)
    return running(command, "--json" in given)


if __name__ == "__main__":
    main()
