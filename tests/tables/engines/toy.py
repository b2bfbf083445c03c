"""An engine of thirty lines: an Arrow table in memory. What is learned and released is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.tables.engines.protocol import ContributionBound, Scan, Tally, Work
from unspoken.tables.engines.sql import Expression


@dataclass(frozen=True)
class ToyTable:
    """As tables/engines/protocol.py has it; its rows come in batches of 100."""

    arrow: pa.Table
    keys: tuple[str, ...]
    title: str = "the toy"
    timezone: str = "UTC"
    files: Sequence[Path] = ()
    away: bool = False

    @cached_property
    def columns(self) -> Mapping[str, str]:
        read = duckdb.from_arrow(self.arrow)
        return dict(zip(read.columns, map(str, read.types), strict=True))

    @property
    def given(self) -> Mapping[str, pa.DataType]:
        return {key: self.arrow.schema.field(key).type for key in self.keys}

    def only(self, condition: Expression, true: bool) -> ToyTable:
        is_true = f"({condition.sql}) IS {'' if true else 'NOT '}TRUE"
        return replace(self, arrow=duckdb.from_arrow(self.arrow).filter(is_true).to_arrow_table())

    def count(self) -> int:
        return self.arrow.num_rows

    def values(self, name: str, most: int, where: str) -> pa.Array:
        held = set(self.arrow[name].to_pylist()) - {None}
        return pa.array(list(held)[:most], self.arrow.schema.field(name).type)

    def check(self, where: str) -> None:
        named, _ = self.groups(self.keys, where)
        assert named == self.arrow.num_rows, where

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        sizes = self.arrow.group_by(list(names)).aggregate([([], "count_all")])["count_all"]
        return len(sizes), max(sizes.to_pylist(), default=0)

    def tallies(self, names: Sequence[str], conditions: Mapping[str, Expression]) -> list[Tally]:
        whole, found = duckdb.from_arrow(self.arrow), list[Tally]()
        for condition in conditions.values():
            each = f"count(*) AS n, count(*) FILTER (WHERE {condition.sql}) AS k"
            groups = whole.aggregate(each, ", ".join(names))
            found.append(groups.aggregate("n, k, count(*)").fetchall())
        return found

    def totals(
        self, numbers: Sequence[Expression], groups: Sequence[Expression], where: str,
        chosen: ContributionBound | None = None,
    ) -> pa.Table:  # fmt: skip
        assert chosen is None, where
        same = [f"{group.sql} AS g{place}" for place, group in enumerate(groups)]
        sums = [f"sum({n.sql})::BIGINT AS n{place}" for place, n in enumerate(numbers)]
        added = duckdb.from_arrow(self.arrow).aggregate(", ".join([*same, *sums]))
        return added.order(
            ", ".join(f"g{place}" for place, _ in enumerate(groups)) or "1"
        ).to_arrow_table()

    def batches(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        ordered, among = scan.ordered, scan.among
        order = [(key, "ascending") for key in self.keys]
        found = self.arrow.sort_by(order) if ordered else self.arrow
        if among is not None:
            each = f"*, CAST({among.expression.sql} AS VARCHAR) AS among"
            named: pa.Table = duckdb.from_arrow(found).project(each).to_arrow_table()
            found = named
            if among.texts is not None:
                found = named.filter(pc.is_in(named["among"], pa.array([*among.texts])))
            found = found.sort_by([("among", "ascending"), *order]) if ordered else found
        yield from found.select(list(scan.names)).to_batches(100)

    def through(self, work: Work, scan: Scan) -> Iterator[pa.RecordBatch]:
        return work(self.batches(scan))
