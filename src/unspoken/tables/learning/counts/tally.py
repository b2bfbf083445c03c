"""How often each combination of values occurs in a table whose columns have few values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.core.types.domain import Value
from unspoken.tables.engines.arrow import plain
from unspoken.tables.learning.counts.pairs import PairCounts

__all__ = ["Tally"]

# What a value may be; reals have too many, and nobody reads bytes.
VALUED = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_decimal,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_dictionary,
    pa.types.is_temporal,
    pa.types.is_null,
)


@dataclass(frozen=True)
class Tally:
    """``counts`` of the combinations that occur, each by the ``codes`` of its ``values``."""

    names: Sequence[str]
    values: Sequence[Sequence[Value]]
    codes: Sequence[Codes]
    counts: Counts

    @classmethod
    def of(
        cls, table: pa.Table, declared: Mapping[str, Sequence[Value]], grouped: bool = True
    ) -> Tally:
        """Of all columns; one whose values are not ``declared`` has its own, sorted.

        ``grouped``: combinations once, with how often each occurs; else as the rows have them.
        """
        names = table.column_names
        groups = pa.table({name: _valued(table.column(name), name) for name in names})
        counts = np.ones(groups.num_rows, np.int64)
        if grouped:
            groups = groups.group_by(names).aggregate([([], "count_all")])
            counts = _numbers(groups.column("count_all")).astype(np.int64)
        coded = [_coded(groups.column(name)) for name in names]
        for at, (name, (codes_found, found)) in enumerate(zip(names, coded, strict=True)):
            if name in declared:
                coded[at] = (
                    _among(declared[name], codes_found, found, counts, name),
                    [*declared[name]],
                )
        codes, values = zip(*coded, strict=True)
        return cls(names, values, codes, counts)

    @property
    def sizes(self) -> list[int]:
        return [len(values) for values in self.values]

    def joint(self) -> Counts:
        """Of every combination, those that do not occur too: axis i = column i."""
        at = np.ravel_multi_index(tuple(self.codes), self.sizes)
        counts = np.bincount(at, self.counts, math.prod(self.sizes)).reshape(self.sizes)
        return counts.astype(np.int64)

    def pairs(self) -> PairCounts:
        """Of every two columns."""
        pairs = PairCounts.none(self.names, self.sizes)
        alone = bool((self.counts == 1).all())
        pairs.add(self.codes, None if alone else self.counts.astype(np.float64))
        return pairs


def _valued(column: pa.ChunkedArray, name: str) -> pa.Array:
    if pa.types.is_floating(column.type):
        raise InputError(
            f"learn.columns: {name} has real numbers; give it bins first, in a project file"
        )
    if not any(fits(column.type) for fits in VALUED):
        raise InputError(
            f"learn.columns: {name} has {column.type} in its cells; make it text, or columns of "
            "single values"
        )
    return plain(column)


def _coded(column: pa.ChunkedArray) -> tuple[Codes, list[Any]]:
    """The position of each entry among the column's distinct values, and these, sorted."""
    distinct = pc.unique(column.drop_null())
    ordered = distinct.take(pc.sort_indices(distinct))
    known = pc.fill_null(pc.index_in(column, ordered), len(ordered))
    values = _python(ordered)
    return _numbers(known), [*values, None] if column.null_count else values


def _among(
    declared: Sequence[Value], codes: Codes, found: Sequence[Value], counts: Counts, name: str
) -> Codes:
    """The codes among declared values, of entries coded by those that were found."""
    position = {value: at for at, value in enumerate(declared)}
    code = np.array([position.get(value, -1) for value in found], dtype=np.intp)
    strange = code[codes] < 0
    if strange.any():
        rows = int(counts[strange].sum())
        raise InputError(
            f"learn.values: {rows:,} rows have a {name} that is not declared; "
            "declare it, or leave these rows out"
        )
    return code[codes]


def _python(values: pa.Array) -> list[Any]:
    """Values as Python has them; as text where it has them not, such as nanoseconds."""
    try:
        found: list[Any] = values.to_pylist()
    except (ValueError, OverflowError):
        found = []
    return found if len(set(found)) == len(values) else values.cast(pa.string()).to_pylist()


def _numbers(column: pa.ChunkedArray) -> Codes:
    numbers: Codes = column.to_numpy().astype(np.intp)
    return numbers
