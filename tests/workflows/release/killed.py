"""A release in a process of its own, which is killed on the way."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet as pq

from unspoken.storage.coins import MasterKey
from unspoken.storage.ledger import Ledger
from unspoken.storage.writing import publishing
from unspoken.workflows.release import release

__all__ = ["GROUP", "released_until"]

GROUP = 1_000


def die(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def before(own: Callable[..., Any], times: int) -> Callable[..., Any]:
    left = [times]

    def run(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        return own(*given, **named) if left[0] else die()

    return run


def after(own: Callable[..., Any], times: int = 1) -> Callable[..., Any]:
    left = [times]

    def run(*given: Any, **named: Any) -> Any:
        result = own(*given, **named)
        left[0] -= 1
        return result if left[0] else die()

    return run


def renaming(name: str, first: Callable[[], Any], then: Callable[[], Any]) -> Callable[..., None]:
    own = os.replace

    def run(place: Any, to: Any) -> None:
        meant = re.search(f"{name}$", str(to))
        if meant:
            first()
        own(place, to)
        if meant:
            then()

    return run


def alive() -> None:
    """Go on."""


class Writer(pq.ParquetWriter):  # type: ignore[misc]
    write_table = after(pq.ParquetWriter.write_table, 2)


# What is put in the place of what.
POINTS: dict[str, tuple[Any, str, Callable[[], Any]]] = {
    "nowhere": (publishing, "GROUP", lambda: GROUP),
    "before the ledger": (os, "link", lambda: die),
    "after the ledger": (os, "link", lambda: after(os.link)),
    "before the key": (os, "link", lambda: before(os.link, 2)),
    "after the key": (MasterKey, "create", lambda: after(MasterKey.create)),
    "a second key": (os, "link", lambda: after(os.link, 2)),
    "before any head": (Ledger, "_recorded", lambda: die),
    "after a head": (Ledger, "_recorded", lambda: after(Ledger._recorded)),
    "before its head": (os, "replace", lambda: renaming(r"key\.head", die, alive)),
    "before the charge": (Ledger, "charge", lambda: die),
    "after the charge": (Ledger, "charge", lambda: after(Ledger.charge)),
    "while writing": (pq, "ParquetWriter", lambda: Writer),
    "before a manifest": (
        os, "replace", lambda: renaming(r"manifest\.\w{12}\.json", die, alive),
    ),
    "before the release": (os, "replace", lambda: renaming(r"released\.parquet", die, alive)),
    "after the release": (os, "replace", lambda: renaming(r"released\.parquet", alive, die)),
    "after the manifest": (os, "replace", lambda: renaming(r"manifest\.json", alive, die)),
    "before a first reading": (os, "replace", lambda: renaming(r"\.arrow", die, alive)),
    "after a first reading": (os, "replace", lambda: renaming(r"\.arrow", alive, die)),
    "before a late manifest": (
        os, "replace", lambda: renaming(r"2026-01\.2\.\w{12}\.json", die, alive),
    ),
    "after a late release": (os, "replace", lambda: renaming(r"2026-01\.2\.parquet", alive, die)),
    "after a new manifest": (os, "replace", lambda: renaming(r"2026-02\.json", alive, die)),
    "before a new release": (os, "replace", lambda: renaming(r"2026-02\.parquet", die, alive)),
}  # fmt: skip


def released_until(where: str, path: Path) -> None:
    """Release, and be killed at this point."""
    publishing.GROUP = GROUP
    owner, name, made = POINTS[where]
    setattr(owner, name, made())
    release(path)
