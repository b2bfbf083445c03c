"""No core dump of a process that holds a key: a crash would write the key into a file.

Keys are in objects of Python and in copies that a cipher makes, so no page of memory can be named
that has them all. The process as a whole is kept from being dumped, from when it has a key to its
end.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache

try:
    import resource
except ImportError:  # not on every system; there no file is written when a process crashes
    resource = None  # type: ignore[assignment]

__all__ = ["forbid_core_dumps"]

PR_SET_DUMPABLE = 4  # of Linux, <linux/prctl.h>


@cache  # which a process that is forked has from this one, as it has these settings
def forbid_core_dumps() -> None:
    """Let nobody have a core dump of this process, nor look into it unless they are the superuser.

    The limit on the size holds for programs that this one starts, too. Linux does not apply it
    where dumps are handed to a program, and so is told that this process is none to dump.
    """
    if resource is not None:
        with suppress(OSError, ValueError):
            _, most = resource.getrlimit(resource.RLIMIT_CORE)
            resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, *[ctypes.c_ulong(0)] * 4)
