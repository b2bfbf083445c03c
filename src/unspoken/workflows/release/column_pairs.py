"""Every two columns of a table, block by block: which tell what of which other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product

import numpy as np

from unspoken.assessment.table_scan import Finding
from unspoken.assessment.telling_cells import TellingCells, ValueCounts, telling_cells
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.types.premise import Premise
from unspoken.tables.engines.watching import advancing
from unspoken.workflows.release.coded_columns import CodedColumn
from unspoken.workflows.release.two_way import blocks_of, two_way_counts

__all__ = ["MOST_FINDINGS", "ColumnPairs", "Target"]

MOST_FINDINGS = 10_000  # that are kept


@dataclass(frozen=True)
class Target:
    """A secret: a column, which of its values are asked about, and the columns it is made of."""

    column: CodedColumn
    asked: tuple[int, ...]
    reads: frozenset[str]


@dataclass
class ColumnPairs:
    """``columns`` are compared with ``targets``, each with each but those that it is made of;
    without targets with one another.

    ``found``: of so many pairs a column tells something of a secret.
    """

    columns: Sequence[CodedColumn]
    targets: Sequence[Target]
    rows: int
    found: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def comparisons(self) -> int:
        """How many pairs of a value of a column and a value of a secret are compared."""
        if self.targets:
            return sum(
                len(target.asked) * len(column.values)
                for target, column in product(self.targets, self.columns)
                if column.name not in target.reads
            )
        sizes = [len(column.values) for column in self.columns]
        return (sum(sizes) ** 2 - sum(size**2 for size in sizes)) // 2  # either way it is one test

    def compare(self) -> None:
        """Count and judge all pairs, a block of columns at a time."""
        blocks = [
            [self.columns[k] for k in block]
            for block in blocks_of([len(column.values) for column in self.columns])
        ]
        every = [_every_value(column) for column in self.columns]
        if self.targets:
            todo = [(block, [*self.targets]) for block in blocks]
        else:
            about = {target.column.name: target for target in every}
            todo = [
                (block, [about[column.name] for column in other])
                for block, other in combinations_with_replacement(blocks, 2)
            ]
        for place, (block, targets) in enumerate(todo, start=1):
            advancing(f"part {place:,} of {len(todo):,} of all pairs of columns")
            self._compare(block, targets)
        self.findings = _first(self.findings)

    def _compare(self, block: Sequence[CodedColumn], targets: Sequence[Target]) -> None:
        told = [target.column for target in targets]
        counts = two_way_counts(*_codes(block), *_codes(told))
        self._judge(counts, block, targets)
        if not self.targets and block[0].name != told[0].name:
            self._judge(counts.T, told, [_every_value(column) for column in block])
        self.findings = _first(self.findings)

    def _judge(
        self, counts: Array, columns: Sequence[CodedColumn], targets: Sequence[Target]
    ) -> None:
        """What columns tell of targets, by the rows of every two of their values."""
        told = [target.column for target in targets]
        asked = np.array([_asked(column, targets) for column in columns])
        seen_by, told_of = _value_counts(columns, self.rows), _value_counts(told, self.rows)
        cells = telling_cells(counts, seen_by, told_of, asked, self.comparisons)
        self.found += len(cells.seen)
        most = cells.first(MOST_FINDINGS, seen_by.rows)
        self.findings += self._described(counts, columns, told, most)

    def _described(
        self,
        counts: Array,
        columns: Sequence[CodedColumn],
        told: Sequence[CodedColumn],
        cells: TellingCells,
    ) -> Iterator[Finding]:
        """The findings that these cells are."""
        first, second = _starts(columns), _starts(told)
        for seen, about, odds in zip(cells.seen, cells.about, cells.odds, strict=True):
            i = int(np.searchsorted(first, seen, side="right")) - 1
            j = int(np.searchsorted(second, about, side="right")) - 1
            column, target = columns[i], told[j]
            x, s = int(seen - first[i]), int(about - second[j])
            pair = counts[first[i] :, second[j] :][: len(column.values), : len(target.values)]
            nats, most = _information(pair / self.rows)
            yield Finding(
                who=column.name,
                value=column.values[x],
                about=target.name,
                secret=target.values[s],
                before=float(target.rows[s]) / self.rows,
                after=float(counts[seen, about]) / float(column.rows[x]),
                records=int(column.rows[x]),
                factor=float(odds),
                nats=nats,
                share_learned=min(1.0, nats / most),
                premise=Premise.learned(self.rows),
            )


def _every_value(column: CodedColumn) -> Target:
    """Each value of a column as a secret in turn."""
    return Target(column, tuple(range(len(column.values))), frozenset({column.name}))


def _first(findings: list[Finding]) -> list[Finding]:
    """The most revealing, largest odds first; of those alike the ones of more records."""
    return sorted(findings, key=lambda finding: (-finding.factor, -finding.records))[:MOST_FINDINGS]


def _asked(column: CodedColumn, targets: Sequence[Target]) -> Mask:
    """Which values of the targets a column is compared with."""
    asked = [
        [place in target.asked and column.name not in target.reads for place in range(size)]
        for target in targets
        for size in [len(target.column.values)]
    ]
    return np.concatenate([np.array(each) for each in asked])


def _codes(columns: Sequence[CodedColumn]) -> tuple[list[np.ndarray], list[int]]:
    return [column.codes for column in columns], [len(column.values) for column in columns]


def _starts(columns: Sequence[CodedColumn]) -> np.ndarray:
    """Where the values of each column begin, where all stand side by side."""
    return np.concatenate([[0], np.cumsum([len(column.values) for column in columns])[:-1]])


def _value_counts(columns: Sequence[CodedColumn], rows: int) -> ValueCounts:
    sizes = [len(column.values) for column in columns]
    held = np.concatenate([column.rows for column in columns])
    return ValueCounts(np.repeat(np.arange(len(columns)), sizes), held, rows)


def _information(law: Array) -> tuple[float, float]:
    """I(X; Y) of the law [x, y] in nats, and H(Y), which is all there is to tell."""
    there, first, second = law > 0, law.sum(1), law.sum(0)
    independent = np.outer(first, second)
    nats = float((law[there] * np.log(law[there] / independent[there])).sum())
    return max(0.0, nats), float(-(second * np.log(second)).sum())
