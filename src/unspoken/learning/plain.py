"""A belief straight from a table whose columns have few values: no project file, no policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.beliefs import Joint, Tree
from unspoken.engines.arrow import plain
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.handed_in import Streams, arrow_table
from unspoken.errors import InputError, among, unknown
from unspoken.learning.chow_liu import ChowLiu
from unspoken.learning.learned import refuse_size
from unspoken.learning.pairs import Pairs
from unspoken.learning.smoothing import smoothed
from unspoken.numerics.numbers import number
from unspoken.policy.schema import FORMS
from unspoken.types.kinds import expect, items
from unspoken.types.premise import Premise

__all__ = ["learn"]

TINY = 1e-100  # rows of a prior: of fewer the probabilities are no floats

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


@overload
def learn(
    table: Streams | str | Path,
    columns: Sequence[str] | None = None,
    prior_rows: float | None = None,
    form: Literal["joint"] = "joint",
) -> Joint: ...
@overload
def learn(
    table: Streams | str | Path,
    columns: Sequence[str] | None = None,
    prior_rows: float | None = None,
    *,
    form: Literal["tree"],
) -> Tree: ...
def learn(
    table: Streams | str | Path,
    columns: Sequence[str] | None = None,
    prior_rows: float | None = None,
    form: str = "joint",
) -> Joint | Tree:
    """The belief over ``columns`` (all), each with its own distinct values; NULL is a value too.

    ``table``: of pandas, polars or the Arrow world, or the path of a Parquet or CSV file.

    Smoothed by ``prior_rows`` (the square root of the rows) in which the columns are independent:
    P(x) = (count(x) + m prod_i q_i(x_i)) / (n + m). The premise is learned(n): a plug-in.

    ``form``: "joint" (at most 2^20 combinations), or "tree", which keeps the strongest pairs only
    and may show far too little.
    """
    among("learn.form", form, FORMS)
    whole = _read(table)
    names = list(items(whole.column_names if columns is None else columns, "learn.columns"))
    for name in names:
        expect(name, str, "learn.columns", "give names of columns")
    for name in names:
        if name not in whole.column_names:
            raise unknown("learn.columns", name, whole.column_names)
        if names.count(name) > 1 or whole.column_names.count(name) > 1:
            raise InputError(f"learn.columns: {name} is there twice; name each column once")
    if not names or not whole.num_rows:
        raise InputError("learn: the table has no rows or no columns; there is nothing to learn")
    strength = math.sqrt(whole.num_rows) if prior_rows is None else number(prior_rows)
    if not (strength == 0 or TINY <= strength < math.inf):
        raise InputError(f"learn.prior_rows: {prior_rows} must be a finite number of 0 or more")
    valued = pa.table({name: _valued(whole.column(name), name) for name in names})
    groups = valued.group_by(names).aggregate([([], "count_all")])
    codes, values = zip(*(_coded(groups.column(name)) for name in names), strict=True)
    counts = _numbers(groups.column("count_all"))
    sizes = [len(held) for held in values]
    if form == "tree":
        pairs = Pairs.none(names, sizes)
        pairs.add(codes, counts.astype(np.float64))
        return ChowLiu.of(pairs, names, values, strength, {}).belief
    refuse_size(names, sizes)
    joint = np.zeros(sizes)
    np.add.at(joint, codes, counts)
    smooth = smoothed(joint, strength, np.zeros(sizes, dtype=bool))
    return Joint(smooth, names, values, Premise.learned(whole.num_rows))


def _read(table: Streams | str | Path) -> pa.Table:
    if isinstance(table, (str, Path)):
        opened = DuckTable.open(table, at=lambda _: "learn")
        return opened.batches(list(opened.columns), ordered=False).read_all()
    return arrow_table(table, "learn")


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


def _coded(column: pa.ChunkedArray) -> tuple[np.ndarray, list[Any]]:
    """The position of each entry among the column's distinct values, and these, sorted."""
    distinct = pc.unique(column.drop_null())
    ordered = distinct.take(pc.sort_indices(distinct))
    known = pc.fill_null(pc.index_in(column, ordered), len(ordered))
    values = _python(ordered)
    return _numbers(known), [*values, None] if column.null_count else values


def _python(values: pa.Array) -> list[Any]:
    """Values as Python has them; as text where it has them not, such as nanoseconds."""
    try:
        found: list[Any] = values.to_pylist()
    except (ValueError, OverflowError):
        found = []
    return found if len(set(found)) == len(values) else values.cast(pa.string()).to_pylist()


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    return np.array(column.to_pylist(), dtype=np.intp)
