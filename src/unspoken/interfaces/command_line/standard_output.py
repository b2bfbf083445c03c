"""Standard output carries results and nothing else."""

from __future__ import annotations

import io
import os
import sys

__all__ = ["reserve_standard_output"]

OUTPUT, ERRORS = 1, 2  # the numbers of the files that every program begins with


def reserve_standard_output() -> None:
    """Send what libraries print by themselves to standard error, from here on.

    Compiled code writes to file 1 and not to ``sys.stdout``: a banner there would make ``--json``
    unreadable. So ``sys.stdout`` gets a copy of file 1, and file 1 becomes another name of standard
    error. This concerns the whole process, so only the program ``unspoken`` calls it, once, before
    it starts any thread; whoever imports the library keeps the standard output they have. Nothing
    happens where standard output or standard error is closed, or ``sys.stdout`` is not file 1.
    """
    ours = sys.stdout
    if ours is not sys.__stdout__ or not isinstance(ours, io.TextIOWrapper):
        return
    try:
        if ours.fileno() != OUTPUT:
            return
        ours.flush()
        copy = os.dup(OUTPUT)
        os.dup2(ERRORS, OUTPUT)
    except OSError:
        return
    buffering = 0 if isinstance(ours.buffer, io.RawIOBase) else -1  # 0: PYTHONUNBUFFERED
    sys.stdout = io.TextIOWrapper(
        open(copy, "wb", buffering),  # noqa: SIM115
        ours.encoding,
        ours.errors,
        line_buffering=ours.line_buffering,
        write_through=ours.write_through,
    )
    sys.__stdout__ = sys.stdout  # type: ignore[misc]  # the width of a terminal is asked of it
