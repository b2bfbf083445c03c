"""What every command has: two channels, exit codes, and one line for what is refused."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from unspoken.core.errors import LimitExceeded, UnspokenError, printable
from unspoken.interfaces.command_line.ending import interrupted
from unspoken.interfaces.wording import envelope

__all__ = ["BAD_INPUT", "REFUSED", "err", "out", "running", "say", "show", "stopped", "warn"]

DONE, BAD_INPUT, REFUSED, INTERRUPTED = 0, 2, 3, 130
CANCELLED = "Query interrupted"  # the RuntimeError of DuckDB when Ctrl-C comes during a query
# What typer raises for an option that does not exist; it lends no public name to it.
USAGE: type[Exception] = typer.BadParameter.__bases__[0]


class Printed(Console):
    """A terminal that shows what is printed and obeys none of it, whoever wrote the names."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)


out = Printed(highlight=False, markup=False, emoji=False)
err = Printed(stderr=True, highlight=False, markup=False, emoji=False)


def warn(warnings: Sequence[str]) -> None:
    """Each on a line of its own, where results do not go."""
    for warning in warnings:
        say(f"warning: {warning}")


def show(result: Any, warnings: Sequence[str] | None = None) -> None:
    """One JSON object, with these warnings beside those that it has, or the tables."""
    if isinstance(result, dict):
        if warnings is not None:
            result["warnings"] = [*result.get("warnings", ()), *warnings]
        sys.stdout.write(json.dumps(result, indent=2, allow_nan=False) + "\n")
        sys.stdout.flush()  # a reader that has gone is noticed here, not when Python ends
    else:
        out.print(result)


def say(line: str) -> None:
    """One line on standard error, however long."""
    err.print(line, soft_wrap=True)


def running(command: Callable[[], Any], in_json: bool) -> int:
    """Run a command; its exit code. What goes wrong is a line, and with --json an object too."""
    try:
        return _ran(command, in_json)
    except KeyboardInterrupt:  # in the command, or heard of while its mistakes were said
        return stopped(in_json)


def _ran(command: Callable[[], Any], in_json: bool) -> int:
    try:
        code = int(command() or DONE)
        return stopped(in_json) if code == INTERRUPTED else code  # typer says nothing of it
    except LimitExceeded as refusal:
        return _failed(REFUSED, refusal.place, refusal.text, in_json, f"refused: {refusal}")
    except UnspokenError as mistake:
        if interrupted():  # a query that was ended, say
            return stopped(in_json)
        return _failed(BAD_INPUT, mistake.place, mistake.text, in_json, str(mistake))
    except USAGE as mistake:
        said = " ".join(getattr(mistake, "format_message", mistake.__str__)().split())
        where = getattr(getattr(mistake, "ctx", None), "command_path", "unspoken")
        hint = f"{said} ({where} --help says what there is)"
        return _failed(BAD_INPUT, where, hint, in_json) if said else BAD_INPUT
    except BrokenPipeError:  # whoever read along has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        if interrupted():
            return stopped(in_json)
        place = str(error.filename or "system")
        said = " ".join(str(error.strerror or error).split())
        return _failed(BAD_INPUT, place, said, in_json)
    except typer.Abort:
        return stopped(in_json)
    except RuntimeError as error:
        if str(error) != CANCELLED:
            raise
        return stopped(in_json)


def _failed(code: int, place: str, text: str, in_json: bool, line: str = "") -> int:
    say(line or f"{place}: {text}")
    if in_json:
        show(envelope.error(place, text, code))
    return code


def stopped(in_json: bool) -> int:
    """Say so, if anybody is there to read it; its exit code."""
    with contextlib.suppress(OSError):
        _failed(INTERRUPTED, "unspoken", "interrupted", in_json, "interrupted")
    return INTERRUPTED
