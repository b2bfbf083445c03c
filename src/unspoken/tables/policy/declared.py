"""What a project file declares, table by table, as plain records."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from unspoken.tables.policy.bin_edges import Edge

__all__ = [
    "Attribute",
    "Context",
    "DeclaredBelief",
    "DeclaredLimits",
    "DeclaredPlan",
    "DeclaredQuery",
    "Epoch",
    "Files",
    "Missing",
    "Source",
    "DeclaredApplication",
]

Missing = Literal["public", "value", "never"]


@dataclass(frozen=True)
class Source:
    """Where the rows are. ``table`` is a file (then an absolute path) or a table of ``database``;
    otherwise ``sql`` is given. ``name`` is what messages call it, ``timezone`` whose hours and days
    its moments have; ``memory`` and ``threads`` are those of the ``engine``; ``rows_per_unit``: at
    most. ``catalog``: the table is one of Spark's catalog.
    """

    table: str | None
    database: Path | None
    sql: str | None
    keys: tuple[str, ...]
    unit: tuple[str, ...]
    preferences: Path | None
    name: str
    timezone: str = "UTC"
    memory: str = "1GB"
    threads: int | None = None
    nan_missing: bool = False
    rows_per_unit: int | None = None
    engine: Literal["duckdb", "spark"] = "duckdb"
    catalog: bool = False

    @property
    def file(self) -> Path | None:
        """The table, if it is a file of its own."""
        inside = self.database is not None or self.catalog
        return None if self.table is None or inside else Path(self.table)

    @property
    def stem(self) -> str | None:
        """What a query calls that file: `visits`, of `visits.csv.gz` too."""
        file = self.file
        return None if file is None else file.stem.removesuffix(".csv").removesuffix(".tsv")


@dataclass(frozen=True)
class Epoch:
    """What is read and coined once for ever: a declared label, or SQL over key columns."""

    label: str | None
    of: str | None


@dataclass(frozen=True)
class Attribute:
    """A column: how its values are told apart, when one is sensitive, what a missing one means.

    ``exact``: every value that occurs is told apart, and released as it is, bins or not. Otherwise
    of what has bins the bin is released. ``none_yet``: that no row is sensitive yet is known.
    ``static``: whether it is the same in all rows of one unit; None: nobody said.
    """

    name: str
    bins: tuple[Edge, ...] | None
    values: tuple[str, ...] | tuple[float, ...] | tuple[bool, ...] | None
    sensitive: str | None
    missing: Missing
    exact: bool = False
    none_yet: bool = False
    static: bool | None = None

    @property
    def grouped(self) -> bool:
        """Whether its values are told apart by bins, and released as them."""
        return self.bins is not None and not self.exact


@dataclass(frozen=True)
class Context:
    """What anybody may know of a row beside what is released of it: one of three.

    ``of``: SQL over its keys; ``previous``: the label of this attribute in the row before it of its
    unit; ``habit``: the class, by ``edges``, of the share of the unit's other rows in which this
    attribute is sensitive.
    """

    name: str
    of: str | None = None
    previous: str | None = None
    habit: str | None = None
    edges: tuple[float, ...] = ()


@dataclass(frozen=True)
class DeclaredBelief:
    """How the belief is learned: ``form`` is one of FORMS, None: joint; ``noise`` is the eps of its
    counts, None: they are exact; ``confidence`` is the level of what is said beside them.
    ``history``: SQL over keys, the rows that are counted and never released; None: all are both.
    """

    form: str | None = None
    noise: float | None = None
    confidence: float | None = None
    history: str | None = None


@dataclass(frozen=True)
class DeclaredPlan:
    """How what is released is decided. ``by``: one coin a record, or one a cell; ``approve``:

    whether somebody must adopt a plan before anything is released; ``odds_cap`` and ``limit_bits``:
    what plans keep to, where that is less than the limits. Of record coins: ``given``: the context

    whatever of which is known; ``events``
    whose odds are limited; ``own_reads``: a blank depends on what its reader reads, alone;
    ``unbiased``: a value is shown as often whatever else its record has; ``floor``: the eps that
    holds for every belief (planning/records).
    """

    by: Literal["record", "cell"] = "record"
    approve: bool = False
    odds_cap: float | None = None
    limit_bits: float | None = None
    given: str | None = None
    events: Literal["default", "attribute"] = "default"
    own_reads: bool = False
    unbiased: bool = False
    floor: float | None = None


@dataclass(frozen=True)
class DeclaredQuery:
    """Of noisy answers: at most so many rows of a unit enter one (None: all), and between which
    ``bounds`` the numbers of an attribute are added up.
    """

    rows_per_unit: int | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class DeclaredApplication:
    """Of an application: the attributes that it ``knows`` of its own, the worth of a cell it is
    shown, and the least ``share`` of those it reads that is of use to it. ``disclosed``: what is
    known to it since, which no file declares.
    """

    knows: tuple[str, ...] = ()
    weight: float = 1.0
    share: float = 0.0
    disclosed: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """All that it has of a row from elsewhere."""
        return tuple(sorted({*self.knows, *self.disclosed}))


@dataclass(frozen=True)
class DeclaredLimits:
    """How much all that is released may say: ``bits`` on average, ``odds_cap`` for every answer.

    ``unit_bits``: of a habit, by all rows of a unit; ``bits`` and ``targets`` are a row's share of
    it where that is less. ``unit_epsilon``: of all rows of a unit, by all answers with noise;
    ``epoch_epsilon``: of those in one epoch, where secrets go from epoch to epoch by a chain of
    this matrix at most.
    ``cap_all``: the cap for who knows every other row, too; None: none is declared.
    ``pooled_cap``: that of odds for who pools what coalitions keep to themselves; infinite: none.
    """

    bits: float
    odds_cap: float
    exceed: float
    close: bool
    targets: Mapping[str, float]
    coalitions: tuple[tuple[str, ...], ...]
    unit_bits: float | None = None
    unit_epsilon: float = math.inf
    epoch_epsilon: float = math.inf
    epoch_chain: tuple[tuple[float, ...], ...] = ()
    cap_all: float | None = None
    pooled_cap: float = math.inf

    def within(self, odds_cap: float | None, bits: float | None) -> DeclaredLimits:
        """The same, and no more than this; who pools what is kept apart is held as much closer."""
        cap = self.odds_cap if odds_cap is None else min(self.odds_cap, odds_cap)
        most = math.inf if bits is None else bits
        pooled = self.pooled_cap * (cap / self.odds_cap) if cap < self.odds_cap else self.pooled_cap
        return replace(
            self,
            odds_cap=cap,
            pooled_cap=max(1.0, pooled),
            bits=min(self.bits, most),
            targets={name: min(about, most) for name, about in self.targets.items()},
        )

    def capped(self, odds_cap: float) -> DeclaredLimits:
        """Another cap; that for who pools what is apart goes with it, unless it has its own."""
        pooled = odds_cap if self.pooled_cap == self.odds_cap else self.pooled_cap
        return replace(self, odds_cap=odds_cap, pooled_cap=pooled)

    @property
    def on_average(self) -> bool:
        """Whether what all answers tell on average is limited at all."""
        return min([self.bits, *self.targets.values()]) < math.inf

    def about(self, target: str) -> float:
        """The limit, in bits, about one target."""
        return self.targets.get(target, self.bits)


@dataclass(frozen=True)
class Files:
    """What a project keeps and writes; absolute paths. ``release`` and ``manifest`` are two files,
    or two folders of a file for each epoch. ``database``: the address of the ledger, if it is in
    one; then ``ledger`` is what stands for it beside the key.
    """

    key: Path
    ledger: Path
    release: Path
    manifest: Path
    report: Path
    belief: Path
    database: str | None = field(default=None, repr=False)

    @property
    def paths(self) -> tuple[Path, ...]:
        """All that are files or folders."""
        return self.key, self.ledger, self.release, self.manifest, self.report, self.belief

    @property
    def charged(self) -> Path | str:
        """Where the ledger is: a file, or an address."""
        return self.database or self.ledger

    @property
    def by_epoch(self) -> bool:
        """Whether each epoch has a file of its own."""
        return not self.release.suffix

    def serving(self, reader: str) -> Files:
        """The same, with a release and a manifest of this reader's own beside the usual ones."""
        return self._beside(reader)

    def drawn(self, draw: int) -> Files:
        """The same, with those of a draw beside those of the first."""
        return self._beside(f"draw-{draw}")

    def _beside(self, word: str) -> Files:
        release, manifest = (_with_word(path, word) for path in (self.release, self.manifest))
        return replace(self, release=release, manifest=manifest)


def _with_word(path: Path, word: str) -> Path:
    """released.manifest.json becomes released-lighting.manifest.json."""
    head, dot, tail = path.name.partition(".")
    return path.with_name(f"{head}-{word}{dot}{tail}")
