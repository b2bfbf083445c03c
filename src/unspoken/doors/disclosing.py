"""The command that says what became known otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType

from unspoken.doors.projects import declared
from unspoken.doors.running import err, say, show
from unspoken.doors.terminal import Prose
from unspoken.doors.waiting import busy
from unspoken.serving.disclosing import Consequences, disclosed

__all__ = ["disclosed_command"]


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
    project: Annotated[
        Path, typer.Option(help="The project file, or the folder that has unspoken.toml.")
    ] = Path(),
    in_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Say what became known otherwise, by a breach or by force."""
    given = declared(project)
    with busy(err, "looking at what was given, for who knows this"):
        found = disclosed(given, attributes, readers=to or (), epochs=epoch or (), by=by, why=why)
    say(f"Kept as event {found.number}: {found.event}")
    show(found.as_json() if in_json else _in_words(found))


def _in_words(found: Consequences) -> RenderableType:
    said = [f"Broken by what was given before: {each}" for each in found.broken]
    unknown = [each for each in found.standings if each.odds is None]
    said += [f"Not known of {', '.join(each.coalition)}: {each.why}" for each in unknown]
    if not said:
        said.append("All that was given keeps its limits for who knows this, too.")
    if found.plan:
        said.append(
            f"The adopted plan shows nothing more of these rows: {found.plan}. Adopt one that is "
            "made for it: unspoken plan --adopt"
        )
    return Group(*map(Prose, [*said, "What was given before is given again as it was."]))
