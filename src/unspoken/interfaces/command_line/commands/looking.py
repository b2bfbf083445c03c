"""The commands that look: at a table, at a project file, at what answers tell, at plans."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.commands.options import AsJson, Fresh, ProjectFile
from unspoken.interfaces.command_line.running import BAD_INPUT, err, say, show, warn
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording import envelope
from unspoken.interfaces.wording.terminal import near

__all__ = ["check_command", "init_command", "leak_command", "learn_command", "plan_command"]

# What is called what, of a table, in messages about it.
OF_TABLE = {"table": "TABLE", "database": "--database", "secret": "--secret", "keys": "TABLE"}
OF_TABLE |= {"columns": "--columns"}
BESIDE = "beside the answers that were given a release is refused now"
IGNORED = ", and lines of .gitignore that keep key, ledger and counts of the table out of git"


def init_command(
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
    from unspoken.interfaces.command_line.starting import begin

    with busy(err, f"looking at {table}"):
        started = begin(table, database, keys, project)
    written = started.project
    if in_json:
        show(envelope.started(project, written.source.keys, tuple(written.attributes)))
    where = "" if project.name == "unspoken.toml" and project.parent == Path() else f" {project}"
    first = f"what names a row ({started.doubt}), " if started.doubt else ""
    also = IGNORED if started.ignored else ""
    say(
        f"Wrote {project}{also}. Say in {project.name} {first}what is sensitive and who reads "
        f"what, then: unspoken leak{where}"
    )


def check_command(
    project: ProjectFile = Path(),
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of project files, for editors.")
    ] = False,
    in_json: AsJson = False,
) -> None:
    """Everything that is wrong with a project file, at once."""
    if schema:
        from unspoken.tables.policy.described import json_schema

        return show(json_schema())
    from unspoken.workflows.release.checking import check

    with busy(err, "looking at the project"):
        found = check(project)
    for fault in found.faults:
        say(str(fault))
    for why in found.unread:
        say(f"not looked at: {why}")
    if in_json:
        show(envelope.checked(found.path, found.table, found.faults, found.unread))
    elif not found.faults:
        beside = (
            "nor with the columns of its table; whether values occur in rows, unspoken leak says"
            if found.table
            else "as far as can be said without its table"
        )
        say(f"{near(found.path)}: nothing is wrong with it, {beside}")
    if found.faults:
        raise typer.Exit(BAD_INPUT)


def learn_command(
    project: ProjectFile = Path(),
    again: Annotated[
        bool, typer.Option("--again", help="Count once more, at the same cost: for new rows.")
    ] = False,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Count the table once, with noise; say what it shows."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.output_files import room_for
    from unspoken.workflows.release.open_project import OpenProject

    given = declared(project)
    room_for(given.files.belief, given.files.key, given.files.ledger)
    with busy(err, "reading the table"), OpenProject.looked_at(given) as read:
        from unspoken.interfaces.wording import as_json  # loaded while keys are looked at
        from unspoken.interfaces.wording import results as tables
        from unspoken.workflows.release import learn_project

        ready = learn_project(read, fresh=fresh, again=again)
    warn(ready.warnings)
    show(as_json.learned(ready) if in_json else tables.learned(ready), ready.warnings)


def leak_command(
    project: Annotated[
        Path,
        typer.Argument(help="The project; or a table: a file, or one of --database."),
    ] = Path(),
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret",
            help="Of a table: what to keep secret, as SQL: \"x = 'a'\", or a column; repeatable.",
        ),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Of a table: the columns to look at, such as age,town.")
    ] = None,
    database: Annotated[str | None, typer.Option(help="A DuckDB file that has the table.")] = None,
    drawn: Annotated[
        Path | None, typer.Option("--picture", help="Draw what a table tells: .png or .svg.")
    ] = None,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Who would learn what; of a table: which column tells what."""
    from unspoken.interfaces.command_line.projects import prepared
    from unspoken.tables.policy.paths import is_table

    if database is not None or is_table(project):
        _of_table(str(project), database, secrets or [], columns, drawn, in_json)
        return
    for option, given in {"--secret": secrets, "--columns": columns, "--picture": drawn}.items():
        if given:
            raise InputError(f"{option}: is for a table; a project says what is `sensitive`")
    ready = prepared(project, fresh)
    from unspoken.interfaces.wording import as_json  # once keys were looked at
    from unspoken.interfaces.wording import results as tables
    from unspoken.workflows.release.undeclared import undeclared

    with busy(err, "looking at every answer"):
        found = ready.openly()
        keys = undeclared(ready, found.everything)
    show(as_json.leak(found, keys) if in_json else tables.leak(found, keys), ready.warnings)


def _of_table(
    table: str,
    database: str | None,
    secrets: Sequence[str],
    columns: str | None,
    drawn: Path | None,
    in_json: bool,
) -> None:
    """Which column of a table tells what of which other."""
    from unspoken.interfaces.command_line.starting import columns_listed
    from unspoken.interfaces.output_files import to_draw
    from unspoken.interfaces.wording import as_json, first_minute
    from unspoken.workflows.release.leaking import scan_table

    write = None if drawn is None else to_draw(drawn)
    with busy(err, f"looking at {table}"):
        chosen = None if columns is None else columns_listed(columns, "--columns")
        scan = scan_table(table, database, secrets, chosen, OF_TABLE.__getitem__)
        if write is not None:
            write(scan.plot().described)
    named = [table, *([] if database is None else ["--database", database])]
    begin = shlex.join(["unspoken", "init", *named])
    show(as_json.table_scan(scan) if in_json else first_minute.in_words(scan, begin))
    if drawn is not None:
        say(f"Wrote {near(drawn)}")


def plan_command(
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
    from unspoken.interfaces.command_line.projects import declared, prepared
    from unspoken.interfaces.output_files import to_draw
    from unspoken.workflows.release.open_project import OpenProject

    write = None if drawn is None else to_draw(drawn)
    if adopt:
        given = declared(project).closing(close)
        with busy(err, "counting and planning"), OpenProject.looked_at(given) as read:
            from unspoken.workflows.release import adopt_plan  # loaded while keys are looked at

            ready = adopt_plan(read, by=by, why=why, extend=extend, fresh=fresh)
    else:
        ready = prepared(project, fresh, protecting=True).closing(close)
        ready = ready.extending() if extend else ready
    from unspoken.interfaces.command_line.announcing import Announcement
    from unspoken.interfaces.wording import as_json
    from unspoken.interfaces.wording import results as tables
    from unspoken.workflows.query import offers, refused_beside, undeclared_values
    from unspoken.workflows.release.undeclared import undeclared

    with busy(err, "planning"):
        findings = ready.findings(curve=False)
        if write is not None:
            write(ready.by_cap().plot().described)
        keys = undeclared(ready, findings.planned, findings.plan.mechanism)
        offered, others = offers(ready, findings), undeclared_values(ready)
        refused = refused_beside(ready.project)
        announced = Announcement.of(ready, findings.plan.mechanism)
    beside = [f"{BESIDE}: {refused}"] if refused else []
    warn(beside)
    found = (
        {**as_json.plan(findings, keys, offered, others), **announced.as_json()}
        if in_json
        else tables.plan(findings, keys, [*offered, *others, *announced.lines()])
    )
    show(found, [*ready.warnings, *beside])
    if drawn is not None:
        say(f"Wrote {near(drawn)}")
