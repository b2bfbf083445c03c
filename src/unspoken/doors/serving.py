"""The commands of a service: serve a project, and say who may ask."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unspoken.doors.projects import declared
from unspoken.doors.running import err, out, say, show
from unspoken.doors.service.routes import PLAIN, Bounds
from unspoken.doors.terminal import rows_of
from unspoken.doors.waiting import busy
from unspoken.errors import InputError
from unspoken.serving.tokens import Tokens

__all__ = ["serve_command", "token_command"]

USUAL = Bounds()
ProjectFile = Annotated[
    Path, typer.Argument(help="The project file, or the folder that has unspoken.toml.")
]


class Doing(StrEnum):
    """What is done about tokens."""

    new = "new"
    list = "list"
    revoke = "revoke"


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
    from unspoken.doors.service.running import run, service

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
    say(f"Serving {given.path.name} on http://{host}:{port}; Ctrl-C ends it")
    run(made, host, port)


def token_command(
    doing: Annotated[Doing, typer.Argument(metavar="DOING", help="new, list or revoke.")],
    name: Annotated[
        str, typer.Argument(help="Of whom; of an application, as declared. To revoke: or an id.")
    ] = "",
    project: Annotated[
        Path, typer.Option(help="The project file, or the folder that has unspoken.toml.")
    ] = Path(),
    role: Annotated[
        str, typer.Option(help="application, steward (accounts, refusals) or auditor (events).")
    ] = "application",
    expires: Annotated[
        float | None, typer.Option(help="In so many days; never, if left out.")
    ] = None,
    in_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Who may ask the service: tokens, each printed once."""
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
