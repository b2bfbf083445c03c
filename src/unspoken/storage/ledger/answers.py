"""Answers with noise, as the ledger keeps them: the charge first, then what was drawn under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import Field

from unspoken.storage.ledger.event import Kept, Release

__all__ = ["AnswerEvent", "Answered"]


@dataclass(frozen=True)
class AnswerEvent(Release):
    """An answer was charged: of each record ``mechanism`` tells what it does, and nothing else.

    ``request`` names the question, with all it is answered by: whoever is given the same is given
    the same draw. ``query``: as people wrote it; ``times``: its noise is so many times as wide as
    one record moves each number. ``unit_epsilon``: no more than e^this it tells of all rows of one
    ``unit``; older events do not say it, and name no unit. ``epoch_epsilon``: of those in one
    epoch, where that is known to be less.
    """

    kind: ClassVar = "answer"

    request: str = ""
    query: str = ""
    times: Annotated[float, Field(gt=0)] = 1.0
    unit: tuple[str, ...] = ()
    unit_epsilon: Annotated[float, Field(ge=0)] = 0.0
    epoch_epsilon: Annotated[float, Field(ge=0)] = 0.0

    def __str__(self) -> str:
        whom = ", ".join(self.readers) or "everybody"
        return f"{self.table}: answered {whom} with noise: {self.query}"

    @property
    def given_again(self) -> str:
        return self.request

    @cached_property
    def noise(self) -> str:
        """Whoever is given an answer to the same question has the same noise."""
        return self.request

    @property
    def of_epoch(self) -> float:
        """No more than e^this it tells of the rows of one unit in any one epoch."""
        return self.epoch_epsilon or self.unit_epsilon


@dataclass(frozen=True)
class Answered(Kept):
    """What was drawn, once, under the charge that is event ``number``: all that anybody is shown.

    ``rows``: of the columns that ``titles`` name. ``numbers``: what they are made of: by group how
    many rows it has, then each number as it was drawn; older events do not say it.
    """

    kind: ClassVar = "answered"

    request: str
    number: Annotated[int, Field(strict=True, ge=1)]
    titles: Sequence[str]
    rows: Sequence[Sequence[Any]]
    key: str
    numbers: Sequence[Sequence[int]] = ()

    @property
    def body(self) -> dict[str, Any]:
        kept = super().body
        if not self.numbers:
            del kept["numbers"]
        return kept

    def __str__(self) -> str:
        return f"{self.table}: {len(self.rows):,} rows of answer drawn for event {self.number}"
