"""What a release did, or would do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.assessment.cautions import Caution
from unspoken.assessment.leaks import Leak
from unspoken.assessment.promise import Promise
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.lending import presenter
from unspoken.planning import Plan
from unspoken.storage.ledger import Release
from unspoken.tables.engines.syntax import one_line
from unspoken.tables.policy import Project

__all__ = ["EpochOutcomes", "Rehearsed", "Released", "Said"]

FEW = 3  # epochs that are named


@dataclass(frozen=True)
class Said:
    """What a message about a release says: limits as they were declared, nothing as measured.

    ``together``: which of them everything that was given out breaks, empty if none. ``measured``:
    what the rows show to be above one, for the holder alone.
    """

    project: Project
    promise: Promise
    together: str
    cautions: Sequence[Caution]
    measured: Sequence[str] = ()

    def facts(self) -> list[tuple[str, str]]:
        together = [("together", self.together)] if self.together else self.promise.facts()
        return [
            *together,
            *(("caution", caution.text) for caution in self.cautions),
        ]


@dataclass(frozen=True)
class EpochOutcomes:
    """What became of the epochs of a folder; for the holder alone, since it counts rows.

    ``new``: released for the first time; ``late``: rows that came late to old ones; ``again``: old
    ones whose files were gone; ``left``: how many are as they were. ``changed``: records that are
    not what they were when they were first read; ``gone``: records that are not there any more;
    ``unknown``: epochs that differ from what they were, and the file, not there, that says in what;
    ``lost``: epochs that miss a file, which cannot be written again. ``extended``: old ones of
    which more is shown, beside what was out, in the place of their file; ``stay``: those of
    which no more is, since rows came late to them; ``absent``: those of which the source has no row
    any more. ``undrawn``: those of which no other draw is made, since their rows are not those that
    were first read; ``otherwise``: those of which nothing is released, since something else was
    given out of other rows.
    """

    new: tuple[str, ...]
    late: Mapping[str, int]
    again: tuple[str, ...]
    left: int
    changed: Mapping[str, int]
    gone: Mapping[str, int]
    unknown: Mapping[str, str]
    lost: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()
    stay: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()

    def said(self) -> list[str]:
        """In words, all that is no refusal."""
        late = [f"{rows:,} {_rows(rows)} that came late to {e}" for e, rows in self.late.items()]
        gone = [
            f"{rows:,} {_rows(rows)} of {epoch} not in the source any more: the file stays"
            for epoch, rows in self.gone.items()
        ]
        return [
            f"{_named(self.new) or 'none'} new"
            + (f", {self.left:,} left as they were" if self.left else ""),
            *([f"more is shown of {_named(self.extended)}"] if self.extended else []),
            *(
                [
                    f"no more is shown of {_named(self.stay)}, to which rows came late: what is "
                    "out of them stays as it is; later epochs show more"
                ]
                if self.stay
                else []
            ),
            *late,
            *gone,
            *(
                [f"no row of {_named(self.absent)} in the source any more: what is out stays"]
                if self.absent
                else []
            ),
            *([f"written again, at no cost: {_named(self.again)}"] if self.again else []),
            *(
                [
                    f"files of {_named(self.lost)} are gone, and cannot be written again, since "
                    "not all their rows are there as they were; restore them from a copy"
                ]
                if self.lost
                else []
            ),
        ]

    def refused(self) -> list[str]:
        """What was not released, and what to do."""
        changed = [
            f"epoch {epoch}: {n:,} {'record' if n == 1 else 'records'} changed since first read "
            "(values, or what is sensitive), and not released again: a cell answered from two "
            "readings shows the change. What was given out stays as it is; to be told of it no "
            "more, put the old records back, or leave those out, with [source] sql"
            for epoch, n in self.changed.items()
        ]
        unknown = [
            f"epoch {epoch}: changed since first read, and what came late cannot be told from what "
            f"changed: {file} is not there, or not what was charged. Nothing of this epoch was "
            "released again; restore that file from a copy, or leave this epoch out, with [source] "
            "sql"
            for epoch, file in self.unknown.items()
        ]
        undrawn = (
            f"{_epochs(self.undrawn)}: not drawn anew, since rows came late or changed, and a cell "
            "answered from two readings shows the change. Its first draw stays as it is; ask for "
            "draws of an epoch before rows come late to it"
        )
        otherwise = (
            f"{_epochs(self.otherwise)}: not released, since rows came late or changed after "
            "something else was given out of them (an answer with noise, or a release to somebody "
            "else), and a cell answered from two readings shows the change. Put the old records "
            "back, or leave this out, with [source] sql; release an epoch before rows come late "
            "to it"
        )
        return [
            *changed,
            *unknown,
            *([undrawn] if self.undrawn else []),
            *([otherwise] if self.otherwise else []),
        ]


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"


def _epochs(epochs: Sequence[str]) -> str:
    return f"epoch{'' if len(epochs) == 1 else 's'} {_named(epochs)}"


def _by_number(epoch: str) -> list[str | int]:
    """Its text and its numbers, in turn."""
    parts = re.split(r"([0-9]+)", epoch)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _named(epochs: Sequence[str]) -> str:
    """A few of them by name, numbers in their order: 2 before 10."""
    few = ", ".join(sorted(epochs, key=_by_number)[:FEW])
    return few if len(epochs) <= FEW else f"{few} and {len(epochs) - FEW:,} more"


@dataclass(frozen=True, repr=False)
class Released(Shown):
    """What a release wrote: the file, its manifest, and what it tells.

    ``p``: how often what may be shown is. ``again``: whether this very release was in the ledger;
    then nothing new is shown or charged.
    ``warnings``: what is odd about the predicates of the project. ``path`` and ``manifest`` may be
    folders; then ``rows`` are those of the files that were written now, and ``epochs`` says more.
    """

    path: Path
    manifest: Path
    rows: int
    plan: Plan
    leakage: Sequence[Leak]
    event: Release
    p: Mapping[str, float]
    again: bool
    said: Said
    warnings: tuple[str, ...] = ()
    epochs: EpochOutcomes | None = None

    def facts(self) -> list[tuple[str, str]]:
        charge = "nothing: it was in the ledger before" if self.again else "to the ledger"
        return [
            ("file", f"{self.path}, {self.rows:,} rows; withheld cells are NULL"),
            ("manifest", str(self.manifest)),
            ("charged", charge),
            *_of_epochs(self.epochs),
            *_chances(self.p),
            *self.said.facts(),
        ]

    def to_arrow(self) -> pa.Table:
        """What was written, as the file or the files of the folder have it now."""
        try:
            return _together(self.path) if self.path.is_dir() else pq.read_table(self.path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.path}: cannot be read any more: {one_line(error)}") from error

    def to_frame(self) -> Any:
        """What was written, as a pandas DataFrame."""
        return presenter("arrow_to_frame")(self.to_arrow())


@dataclass(frozen=True, repr=False)
class Rehearsed(Shown):
    """What a release would let out and tell: it would be admitted, and nothing happened."""

    p: Mapping[str, float]
    plan: Plan
    leakage: Sequence[Leak]
    said: Said
    warnings: tuple[str, ...] = ()
    epochs: EpochOutcomes | None = None

    def facts(self) -> list[tuple[str, str]]:
        nothing = ("charged", "nothing, and nothing was written")
        return [nothing, *_of_epochs(self.epochs), *_chances(self.p), *self.said.facts()]


def _together(folder: Path) -> pa.Table:
    """The files of all epochs: those of later plans may have more columns."""
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise InputError(f"{folder}: has no file any more; release again")
    return pa.concat_tables(map(pq.read_table, files), promote_options="default")


def _of_epochs(epochs: EpochOutcomes | None) -> list[tuple[str, str]]:
    if epochs is None:
        return []
    return [
        *(("epochs", line) for line in epochs.said()),
        *(("refused", line) for line in epochs.refused()),
    ]


def _chances(p: Mapping[str, float]) -> list[tuple[str, str]]:
    """How often what is free is released."""
    return [(name, f"released with {chance:.1%}") for name, chance in p.items()]
