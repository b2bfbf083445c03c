"""The commands that give something out, or say that something became known."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.commands.options import (
    AsJson,
    Fresh,
    ProjectFile,
    ProjectOption,
)
from unspoken.interfaces.command_line.running import err, out, say, show, warn
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.service.bounds import PLAIN, Bounds
from unspoken.interfaces.wording import envelope
from unspoken.interfaces.wording.terminal import near, rows_of

if TYPE_CHECKING:
    from unspoken.interfaces.command_line.announcing import Announcement
    from unspoken.workflows.query import Promised
    from unspoken.workflows.release.asked import Asked

__all__ = [
    "disclosed_command",
    "query_command",
    "release_command",
    "report_command",
    "serve_command",
    "token_command",
]

USUAL = Bounds()


class Doing(StrEnum):
    """What is done about tokens."""

    new = "new"
    list = "list"
    revoke = "revoke"


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
    draw: Annotated[
        int, typer.Option(help="2 tosses coins of its own, into other files; charged anew.")
    ] = 1,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Charge the ledger; write the released table and its manifest."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.output_files import room_for
    from unspoken.storage.writing.leftovers import remove_leftovers
    from unspoken.workflows.release.open_project import OpenProject

    given = declared(project)
    files = given.files if draw == 1 else given.files.drawn(draw)
    room_for(files.release, files.manifest, files.key, files.ledger)
    if not dry_run:
        remove_leftovers(given)  # though the table may be gone, and nothing be released
    what = "planning" if dry_run else "planning, charging and releasing"
    with busy(err, what), OpenProject.looked_at(given) as read:
        from unspoken.interfaces.wording import as_json  # loaded while keys are looked at
        from unspoken.interfaces.wording import results as tables
        from unspoken.workflows.release import rehearse, release

        told: list[Announcement] = []

        def tell(asked: Asked) -> None:
            from unspoken.interfaces.command_line.announcing import (
                Announcement,  # not where nothing is new
            )

            told.append(Announcement.of(asked.ready, asked.mechanism, reader))
            for line in told[-1].lines():
                say(line)

        if dry_run:
            trial = rehearse(read, scale, reader, fresh=fresh, draw=draw, tell=tell)
            found = as_json.rehearsed(trial) if in_json else tables.rehearsed(trial)
            warnings = trial.warnings
        else:
            done = release(read, scale, reader, fresh=fresh, draw=draw, tell=tell)
            found = as_json.released(done) if in_json else tables.released(done)
            warnings = done.warnings
    warn(warnings)
    if isinstance(found, dict) and told:
        found |= told[-1].as_json()
    show(found, warnings)


def report_command(
    project: ProjectFile = Path(),
    charts: Annotated[
        Path | None, typer.Option(help="A folder for each chart as PNG and SVG, too.")
    ] = None,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Write the page that can be shown to those concerned."""
    from unspoken.interfaces.command_line.projects import prepared
    from unspoken.interfaces.output_files import room_for
    from unspoken.interfaces.report.page import require_report_extra, write_report

    require_report_extra()
    ready = prepared(project, fresh)
    page = ready.project.files.report
    room_for(page)
    if charts is not None and charts.exists() and not charts.is_dir():
        raise InputError(f"{charts}: is a file; --charts takes a folder")
    with busy(err, "planning for several limits"):
        written = write_report(ready.findings(adopted=True), page, charts)
    if in_json:
        show(envelope.written(page, written))
    say(f"Wrote {', '.join(map(near, [page, *written]))}")


def query_command(
    sql: Annotated[
        str, typer.Argument(help='A query, such as "SELECT AVG(x) FROM the_table GROUP BY key".')
    ],
    project: ProjectFile = Path(),
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
    draw: Annotated[
        int, typer.Option(help="Which of several answers, each with noise of its own, charged.")
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how far off it may be; charge and draw nothing.")
    ] = False,
    fresh: Fresh = False,
    in_json: AsJson = False,
) -> None:
    """Answer a query with noise: charge it, draw once, keep that."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.output_files import room_for
    from unspoken.interfaces.wording.querying import as_data, in_words
    from unspoken.workflows.query import query

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
            draw=draw,
            dry_run=dry_run,
            fresh=fresh,
            tell=None if dry_run else tell,
        )
    show(as_data(found) if in_json else in_words(found))


def disclosed_command(
    attributes: Annotated[list[str], typer.Argument(help="What became known of rows.")],
    why: Annotated[str, typer.Option(help="What happened; kept in the ledger for good.")],
    by: Annotated[str, typer.Option(help="Who says so; kept in the ledger.")] = "",
    to: Annotated[
        list[str] | None,
        typer.Option(help="The application that knows; again for each. Everybody, if left out."),
    ] = None,
    epoch: Annotated[
        list[str] | None,
        typer.Option(help="Of the rows of this epoch; again for each. Of all, if left out."),
    ] = None,
    project: ProjectOption = Path(),
    in_json: AsJson = False,
) -> None:
    """Say what became known otherwise, by a breach or by force."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.wording.disclosing import in_words
    from unspoken.workflows.serve.disclosing import disclosed

    given = declared(project)
    with busy(err, "looking at what was given, for who knows this"):
        found = disclosed(given, attributes, readers=to or (), epochs=epoch or (), by=by, why=why)
    say(f"Kept as event {found.number}: {found.event}")
    show(found.as_json() if in_json else in_words(found))


def serve_command(
    project: ProjectFile = Path(),
    host: Annotated[
        str, typer.Option(help="Where to listen: this machine alone, unless told.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8750,
    rows: Annotated[int, typer.Option(min=1, help="The most rows of one answer.")] = USUAL.rows,
    seconds: Annotated[
        float, typer.Option(min=1, help="The longest that a request may take.")
    ] = USUAL.seconds,
    at_once: Annotated[
        int, typer.Option(min=1, max=256, help="The most requests at once.")
    ] = USUAL.at_once,
) -> None:
    """Let applications ask over HTTP for what is released to them."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.service.running import listening, require_service_extra, run, service

    require_service_extra()
    given = declared(project)
    bounds = Bounds(rows=rows, seconds=seconds, at_once=at_once)
    with busy(err, "opening the project"):
        made = service(given, bounds)
    if not any(token.role == "application" for token in made.tokens.all()):
        say("warning: no application has a token yet: unspoken token new NAME")
    if host not in PLAIN:
        say(
            f"warning: {host} is reached from elsewhere, and tokens travel as they are: put a "
            "proxy with TLS before it (docs/service.md)"
        )
    with listening(host, port) as own:
        where = f"[{host}]" if ":" in host else host
        say(f"Serving {given.path.name} on http://{where}:{own.getsockname()[1]}; Ctrl-C ends it")
        run(made, own)


def token_command(
    doing: Annotated[Doing, typer.Argument(metavar="DOING", help="new, list or revoke.")],
    name: Annotated[
        str, typer.Argument(help="Of whom; of an application, as declared. To revoke: or an id.")
    ] = "",
    project: ProjectOption = Path(),
    role: Annotated[
        str, typer.Option(help="application, steward (accounts, refusals) or auditor (events).")
    ] = "application",
    expires: Annotated[
        float | None, typer.Option(help="In so many days; never, if left out.")
    ] = None,
    in_json: AsJson = False,
) -> None:
    """Who may ask the service: tokens, each printed once."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.workflows.serve.tokens import Tokens

    tokens = Tokens(declared(project))
    if doing is Doing.list:
        known = [token.as_json() for token in tokens.all()]
        titles = ["id", "name", "role", "created", "expires", "revoked"]
        listed = [[str(each[title] or "") for title in titles] for each in known]
        show({"unspoken": "tokens", "tokens": known} if in_json else rows_of(titles, listed))
        return
    if not name:
        raise InputError(f"token {doing.value}: say whose: unspoken token {doing.value} NAME")
    if doing is Doing.revoke:
        gone = tokens.revoke(name)
        show({"unspoken": "tokens", "revoked": [each.as_json() for each in gone]}) if in_json else (
            say(f"Revoked {len(gone)}: {', '.join(each.id for each in gone) or 'none was valid'}")
        )
        return
    made, secret = tokens.new(name, role, expires)
    until = f"until {made.expires}" if made.expires else "until it is revoked"
    say(f"Token {made.id} for {made.name} ({made.role}), {until}. It is shown this once:")
    show({"unspoken": "token", "token": secret, **made.as_json()}) if in_json else out.print(
        secret, soft_wrap=True
    )
