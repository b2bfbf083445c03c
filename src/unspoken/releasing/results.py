"""What a release did, or would do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.display import Shown
from unspoken.engines.syntax import one_line
from unspoken.errors import InputError
from unspoken.ledger import Release
from unspoken.planning import Plan
from unspoken.policy import Project
from unspoken.releasing.cautions import Caution
from unspoken.releasing.leaks import Leak
from unspoken.releasing.promise import Promise

__all__ = ["Rehearsed", "Released"]


@dataclass(frozen=True)
class Said:
    """What a message about a release says: limits as they were declared, nothing as measured.

    ``together``: which of them everything that was given out breaks, empty if none.
    """

    project: Project
    promise: Promise
    together: str
    cautions: Sequence[Caution]

    def facts(self) -> list[tuple[str, str]]:
        limits = self.project.limits
        bits = f", {limits.bits:g} bit about each attribute" if limits.bits < math.inf else ""
        kept = f"odds x {limits.odds_cap:g}{bits}, for each row"
        return [
            ("together", self.together or f"with all that was released before, at most {kept}"),
            *self.promise.facts(),
            *(("caution", caution.text) for caution in self.cautions),
        ]


@dataclass(frozen=True, repr=False)
class Released(Shown):
    """What a release wrote: the file, its manifest, and what it tells.

    ``p``: how often what may be shown is. ``again``: whether this very release was in the ledger;
    then nothing new is shown or charged.
    ``warnings``: what is odd about the predicates of the project.
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

    def facts(self) -> list[tuple[str, str]]:
        charge = "nothing: it was in the ledger before" if self.again else "to the ledger"
        return [
            ("file", f"{self.path}, {self.rows:,} rows; withheld cells are NULL"),
            ("manifest", str(self.manifest)),
            ("charged", charge),
            *_chances(self.p),
            *self.said.facts(),
        ]

    def to_arrow(self) -> pa.Table:
        """What was written, as the file has it now."""
        try:
            return pq.read_table(self.path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self.path}: cannot be read any more: {one_line(error)}") from error

    def to_frame(self) -> Any:
        """What was written, as a pandas DataFrame."""
        from unspoken.frames import opened

        opened()
        return self.to_arrow().to_pandas()


@dataclass(frozen=True, repr=False)
class Rehearsed(Shown):
    """What a release would let out and tell: it would be admitted, and nothing happened."""

    p: Mapping[str, float]
    plan: Plan
    leakage: Sequence[Leak]
    said: Said
    warnings: tuple[str, ...] = ()

    def facts(self) -> list[tuple[str, str]]:
        nothing = ("charged", "nothing, and nothing was written")
        return [nothing, *_chances(self.p), *self.said.facts()]


def _chances(p: Mapping[str, float]) -> list[tuple[str, str]]:
    """How often what is free is released."""
    return [(name, f"released with {chance:.1%}") for name, chance in p.items()]
