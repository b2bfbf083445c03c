"""What the steward has to know, and no account counts: who was refused, and that rows have changed.

A file beside the key, for its owner only, to which lines are added and nothing else. Nobody is told
by it what they may have; so losing it loses no protection, and it is not chained or charged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from unspoken.tables.files import PRIVATE
from unspoken.tables.policy import Project

__all__ = ["Kind", "Notice", "Notices"]

Kind = Literal["limit", "held", "drift"]
LONGEST = 2_000  # characters of why
LATEST = 1 << 20  # bytes from the end that are read
LARGEST = 1 << 24  # bytes of a file, which then is kept beside, and another one begun


@dataclass(frozen=True)
class Notice:
    """``kind``: a limit stood in the way, something else did, or rows differ from those counted;
    ``why``: the whole of it, for the steward alone.
    """

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    at: str
    kind: Kind
    who: str
    what: str
    why: str

    @classmethod
    def now(cls, kind: Kind, who: str, what: str, why: str) -> Notice:
        return cls(datetime.now(UTC).isoformat(timespec="seconds"), kind, who, what, why)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


_NOTICE = TypeAdapter(Notice)


@dataclass(frozen=True)
class Notices:
    """The notices of a project, kept over restarts."""

    path: Path

    @classmethod
    def of(cls, project: Project) -> Notices:
        """Who was refused."""
        return cls(_beside(project.files.key, "notices"))

    @classmethod
    def alarms(cls, project: Project) -> Notices:
        """That rows have changed: in a file that nobody fills by asking what is refused."""
        return cls(_beside(project.files.key, "alarms"))

    def add(self, notice: Notice) -> None:
        """One line more, at once whole: what writes at an end of a file writes in one piece.

        A disk that is full does not stand in the way of what is said to whoever asks.
        """
        body = {**asdict(notice), "why": notice.why[:LONGEST]}
        line = json.dumps(body, ensure_ascii=True).encode() + b"\n"
        with suppress(OSError):
            if self.path.exists() and self.path.stat().st_size > LARGEST:
                self.path.replace(_beside(self.path, "before"))
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
            try:
                os.write(file, line)
            finally:
                os.close(file)

    def latest(self) -> Sequence[Notice]:
        """Those that were added last, oldest first; a line that cannot be read is left out."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - LATEST))
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return []
        found = list[Notice]()
        for line in lines:
            with suppress(ValidationError):
                found.append(_NOTICE.validate_json(line))
        return found


def _beside(path: Path, name: str) -> Path:
    return path.with_name(f"{path.name}.{name}")
