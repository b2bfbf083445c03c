"""Commands about what a project keeps: all of it in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unspoken.doors import as_json
from unspoken.doors.projects import room_for
from unspoken.doors.running import say, show
from unspoken.doors.terminal import near
from unspoken.releasing import backup, restore

__all__ = ["backup_command", "restore_command"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


def backup_command(
    file: Annotated[Path, typer.Argument(help="The archive to write, such as unspoken.zip.")],
    project: Annotated[
        Path, typer.Argument(help="The project file, or the folder that has unspoken.toml.")
    ] = Path(),
    in_json: AsJson = False,
) -> None:
    """All there is to keep of a project, in one file."""
    room_for(file)
    done = backup(project, file)
    if in_json:
        show(as_json.backed_up(done))
    listed = ", ".join(path.name for path in done.kept.values())
    say(f"Wrote {near(file)}, for its owner only: {listed}; {_events(done.events)}")
    say(
        "warning: it has the master key: whoever has the file sees through every release. Keep it "
        "as you keep the key, and make a new one after each release"
    )


def restore_command(
    file: Annotated[Path, typer.Argument(help="The archive that `backup` wrote.")],
    folder: Annotated[Path, typer.Argument(help="Where the project is to be.")] = Path(),
    outside: Annotated[
        bool,
        typer.Option("--outside", help="Also where the project file names places elsewhere."),
    ] = False,
    in_json: AsJson = False,
) -> None:
    """Put back what `backup` wrote, over nothing that is there."""
    done = restore(file, folder, outside)
    if in_json:
        show(as_json.restored(done))
    listed = ", ".join(near(path) for path in done.written.values())
    say(f"Restored {listed}; {_events(done.events)}, as of {done.made[:16].replace('T', ' ')} UTC")
    say(
        "warning: of what was released since then this ledger knows nothing, nor of what another "
        "copy of it releases from now on: go on in one place only"
    )


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"
