"""What many commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "Fresh", "ProjectFile", "ProjectOption", "allow_other_hosts"]

_FILE = "The project file, or the folder that has unspoken.toml."
ProjectFile = Annotated[Path, typer.Argument(help=_FILE)]
ProjectOption = Annotated[Path, typer.Option(help=_FILE)]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Read all rows again, though counts of them are kept.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


def allow_other_hosts(context: typer.Context, asked: bool) -> None:
    """Let the ledger be on another machine until the command ends, if it was asked for."""
    if asked:
        from unspoken.storage.ledger.database_host import other_hosts_allowed

        context.with_resource(other_hosts_allowed())
