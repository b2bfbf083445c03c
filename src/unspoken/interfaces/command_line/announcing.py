"""What is said before a release is charged: columns that say nothing, what queries have left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unspoken.assessment.blank_columns import BlankColumn, blank_columns
from unspoken.core.mechanisms import Mechanism
from unspoken.workflows.query import RoomForAnswers
from unspoken.workflows.release.preparing import Prepared

__all__ = ["Announcement"]


@dataclass(frozen=True)
class Announcement:
    """Of what ``mechanism`` would show a reader, or everybody."""

    columns: Sequence[BlankColumn]
    room: RoomForAnswers

    @classmethod
    def of(cls, ready: Prepared, mechanism: Mechanism, reader: str | None = None) -> Announcement:
        reads = ready.project.serving(reader).reads if reader else ready.project.reads
        columns = blank_columns(mechanism, ready.learned.belief, reads)
        return cls(columns, RoomForAnswers.beside(ready, mechanism, reader))

    def lines(self) -> list[str]:
        """Sentences, each with what to do."""
        return [f"{line}." for line in (*map(str, self.columns), str(self.room)) if line]

    def as_json(self) -> dict[str, Any]:
        return {
            "blank_columns": [
                {"column": each.column, "label": each.label} for each in self.columns
            ],
            "left_for_queries": self.room.as_json(),
        }
