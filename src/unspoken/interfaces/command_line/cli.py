"""The command line. Results go to standard output, everything else to standard error.

Exit codes: 0 done, 2 bad input, 3 refused by a limit, or an attack beat one.
"""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import version
from typing import Annotated

import typer
from typer.main import get_command

from unspoken.interfaces.command_line.commands import giving, keeping, looking, trying
from unspoken.interfaces.command_line.commands.options import allow_other_hosts
from unspoken.interfaces.command_line.ending import ended_by, heed, over
from unspoken.interfaces.command_line.everywhere import Everywhere
from unspoken.interfaces.command_line.running import out, running, stopped
from unspoken.interfaces.command_line.standard_output import reserve_standard_output
from unspoken.interfaces.command_line.waiting import quietly

__all__ = ["app", "main"]

CONTAINERS = 50_000  # made before Python looks for garbage: what is loaded is none, in 0.1 s
SIGNALLED = 128  # + the number of the signal that ended it, as shells have it

app = typer.Typer(
    cls=Everywhere, no_args_is_help=True, pretty_exceptions_enable=False,
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
    help="What a release says about things that were not released, kept within a limit you set. "
    "Begin with: unspoken init TABLE (or, for a look around, unspoken demo).",
    epilog="Exit codes: 0 done, 2 something given is wrong, 3 refused by a limit; a bound beaten.",
)  # fmt: skip


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
    outside: Annotated[
        bool, typer.Option("--outside", callback=allow_other_hosts, expose_value=False,
                           help="Let the ledger be on another machine, as the project says.")
    ] = False,
) -> None:  # fmt: skip
    """What is asked of no command, before it or after it."""


COMMANDS: Mapping[str, Callable[..., None]] = {
    "init": looking.init_command,
    "check": looking.check_command,
    "learn": looking.learn_command,
    "leak": looking.leak_command,
    "plan": looking.plan_command,
    "release": giving.release_command,
    "report": giving.report_command,
    "ledger": keeping.ledger_command,
    "query": giving.query_command,
    "disclosed": giving.disclosed_command,
    "audit": trying.audit_command,
    "serve": giving.serve_command,
    "token": giving.token_command,
    "diff": keeping.diff_command,
    "backup": keeping.backup_command,
    "restore": keeping.restore_command,
    "verify": keeping.verify_command,
    "case": trying.case_command,
    "demo": trying.demo_command,
}
for name, command in COMMANDS.items():
    app.command(name)(command)


@cache
def _commands() -> Callable[..., int | None]:
    """All of them with their options, which are made of the functions once."""
    return get_command(app)


def main() -> None:
    """Run a command; what unspoken refuses is one line and an exit code."""
    gc.set_threshold(CONTAINERS)
    reserve_standard_output()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × or “ shows ? instead
    try:
        heed()
        code = run()
    except KeyboardInterrupt:  # before there was a command to hear of it
        code = stopped("--json" in sys.argv)
    over()
    signal = ended_by()
    sys.exit(code if signal is None else SIGNALLED + signal)


def run(arguments: list[str] | None = None) -> int:
    """Run one command line, by default that of the program; its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    quietly(False)
    command = partial(_commands(), given or ["--help"], prog_name="unspoken", standalone_mode=False)
    return running(command, "--json" in given)


if __name__ == "__main__":
    main()
