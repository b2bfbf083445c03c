"""What a request may be: every word of it known, and of its type."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from unspoken.workflows.serve.request import LONGEST, Request

__all__ = [
    "PAGE", "After", "AnswerAsked", "CellsAsked", "Disclosed", "Format", "Most", "Wrong",
]  # fmt: skip

Format = Literal["arrow", "parquet", "jsonl"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST)]

PAGE = 1_000  # events that are given at once
Draw = Annotated[int, Field(ge=1, le=1_000_000)]
After = Annotated[int, Field(ge=0, lt=1 << 63)]  # the number of an event, as databases have it
Most = Annotated[int, Field(ge=1, le=PAGE)]


class Strict(BaseModel):
    """Nothing is converted, and nothing is ignored."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class CellsAsked(Strict):
    """Cells: of which attributes, of rows with which keys, of which epochs."""

    attributes: Annotated[list[Name], Field(max_length=1000)] = []
    where: Text | None = None
    epochs: Annotated[list[Name], Field(max_length=10_000)] = []
    before: bool = False
    dry_run: bool = False
    format: Format = "arrow"
    draw: Draw = 1

    @property
    def request(self) -> Request:
        names, epochs = tuple(self.attributes), tuple(self.epochs)
        return Request(names, self.where, epochs, self.before, self.draw)


class AnswerAsked(Strict):
    """A SELECT, to be answered with noise."""

    sql: Text
    epsilon: Annotated[float, Field(gt=0)] | None = None
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    draw: Draw = 1
    dry_run: bool = False


class Disclosed(Strict):
    """What became known otherwise: which attributes, of which epochs, to whom, and why."""

    attributes: Annotated[list[Name], Field(min_length=1, max_length=1000)]
    why: Text
    epochs: Annotated[list[Name], Field(max_length=10_000)] = []
    readers: Annotated[list[Name], Field(max_length=1000)] = []


class Wrong(BaseModel):
    """Why a request was not answered; ``fits``: what would be, if a limit stands in the way."""

    error: str
    fits: str = ""
