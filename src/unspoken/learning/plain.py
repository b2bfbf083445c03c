"""A belief straight from a table whose columns have few values: no project file, no policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.beliefs import Joint, Tree
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.handed_in import Streams, arrow_table
from unspoken.errors import InputError, among, shown, unknown
from unspoken.families import Box, Intervals
from unspoken.learning.chow_liu import ChowLiu
from unspoken.learning.confidence import Units, box, cells_box
from unspoken.learning.consistent import consistent
from unspoken.learning.learned import refuse_size
from unspoken.learning.tally import Tally
from unspoken.numerics.noise import scale_of, with_noise
from unspoken.numerics.numbers import number
from unspoken.policy.schema import FORMS
from unspoken.types.domain import Domain, Value
from unspoken.types.kinds import expect, items, labels
from unspoken.types.premise import Premise

__all__ = ["learn"]

MOST = 1_000_000_000  # rows of one unit

TableOrPath = Streams | str | Path
Values = Mapping[str, Sequence[Value]]


@overload
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    noise: float | None = None,
    unit: Sequence[str] = (),
    rows_per_unit: int | None = None,
    form: Literal["joint"] = "joint",
) -> Joint: ...
@overload
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    form: Literal["tree"],
) -> Tree: ...
@overload
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    secrets: Values | None = None,
    noise: float | None = None,
    confidence: float,
    unit: Sequence[str] = (),
    rows_per_unit: int | None = None,
) -> Intervals | Box: ...
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    secrets: Values | None = None,
    noise: float | None = None,
    confidence: float | None = None,
    unit: Sequence[str] = (),
    rows_per_unit: int | None = None,
    form: str = "joint",
) -> Joint | Tree | Intervals | Box:
    """The belief over ``columns`` (all but the unit's), counted: P(x) = count(x) / n.

    ``table``: of pandas, polars or the Arrow world, or the path of a Parquet or CSV file.
    ``values``: {name: those that its cells may have}; of a column without, its own distinct ones;
    NULL is a value too. The premise is learned(n), a plug-in.

    ``noise``: an epsilon. Discrete Laplace noise is drawn for every count, so that whoever knows
    all other rows learns of one by a factor of e^epsilon at most; values have to be declared.

    ``confidence``: 0.95, say. Then it is the set of all beliefs that the counts do not rule out at
    this level, among beliefs about these values (one that no row has has to be declared, or counts
    as impossible): `Intervals` given each of the ``secrets``, {name: values}, or, without any, a
    `Box`.
    Rows count as independent unless there is a ``unit``: the columns that name whose rows they are,
    of ``rows_per_unit`` at most each, both public. Noise then hides all rows of a unit.

    ``form``: "joint" (at most 2^20 combinations), or "tree", which keeps the strongest pairs only
    and may show far too little.
    """
    among("learn.form", form, FORMS)
    whole = _read(table)
    of = _Units.of(whole, unit, rows_per_unit)
    tally = _tally(whole, columns, values, of.names, noise, grouped=form != "tree")
    if form == "tree":
        if noise is not None or confidence is not None:
            raise InputError("learn.form: a tree has no noise and no confidence; leave it out")
        return ChowLiu.of(tally.pairs(), tally.names, tally.values).belief
    refuse_size(tally.names, tally.sizes)
    counts, rows, scale = tally.joint(), whole.num_rows, None
    share: np.ndarray = counts
    if noise is not None:
        epsilon, sensitivity = number(noise), 2 * of.most
        scale, counts = scale_of(sensitivity, epsilon), with_noise(counts, sensitivity, epsilon)
        share = consistent(counts, rows) / rows
    belief = Joint(share, tally.names, tally.values, Premise.learned(rows))
    hidden = _hidden(belief.domain, secrets)
    if confidence is None:
        if hidden:
            raise InputError("learn.secrets: are for intervals; give confidence=0.95 too")
        return belief
    if not hidden:
        return cells_box(
            counts, belief, rows=rows, scale=scale, confidence=confidence, units=of.units
        )
    return box(
        counts, belief, hidden, rows=rows, scale=scale, confidence=confidence, units=of.units
    )


@dataclass(frozen=True)
class _Units:
    """The columns ``names`` that name the units, and how many ``units`` there are, if any."""

    names: Sequence[str]
    units: Units | None

    @property
    def most(self) -> int:
        """Rows that one unit may have; without units each row is one."""
        return 1 if self.units is None else self.units.rows

    @classmethod
    def of(cls, table: pa.Table, unit: Sequence[str], most: int | None) -> _Units:
        names = _named(table, unit, "learn.unit")
        if bool(names) != (most is not None):
            raise InputError(
                "learn.unit: columns that name units and how many rows each may have go together; "
                'write unit=["person"], rows_per_unit=30'
            )
        if most is None:
            return cls(names, None)
        if type(most) is not int or not 1 <= most <= MOST:
            raise InputError(
                f"learn.rows_per_unit: {shown(most)}; is a whole number, from 1 to {MOST:,}"
            )
        groups = table.select(names).group_by(names).aggregate([([], "count_all")])
        rows = groups.column("count_all")
        above = pc.sum(pc.greater(rows, most)).as_py() or 0
        if above:
            raise InputError(
                f"learn.rows_per_unit: {above:,} units have more than {most} rows, one has "
                f"{pc.max(rows).as_py():,}; raise it, or leave rows out before"
            )
        for name in names:
            if groups.column(name).null_count:
                raise InputError(f"learn.unit: some rows have no {name}; leave them out")
        return cls(names, Units(max(1, groups.num_rows), most))


def _tally(
    whole: pa.Table,
    columns: Sequence[str] | None,
    values: Values | None,
    unit: Sequence[str],
    noise: float | None,
    grouped: bool,
) -> Tally:
    beside = [name for name in whole.column_names if name not in unit]
    names = _named(whole, beside if columns is None else columns, "learn.columns")
    if not names or not whole.num_rows:
        raise InputError("learn: the table has no rows or no columns; there is nothing to learn")
    declared = _declared(names, {} if values is None else values, noise)
    return Tally.of(whole.select(names), declared, grouped)


def _named(table: pa.Table, columns: Sequence[str], where: str) -> list[str]:
    """Columns of the table, each once."""
    names = list(items(columns, where))
    for name in names:
        expect(name, str, where, "give names of columns")
    for name in names:
        if name not in table.column_names:
            raise unknown(where, name, table.column_names)
        if names.count(name) > 1 or table.column_names.count(name) > 1:
            raise InputError(f"{where}: {name} is there twice; name each column once")
    return names


def _hidden(domain: Domain, secrets: Values | None) -> Values:
    """The values of each variable that nobody is to learn: some, and not all."""
    if secrets is None:
        return {}
    expect(secrets, Mapping, "learn.secrets", 'write secrets={"late": ["yes"]}')
    hidden = {name: labels(each, f"learn.secrets of {name}") for name, each in secrets.items()}
    for name, each in hidden.items():
        there = domain.values_of(name, "learn.secrets")
        codes = {domain.code(name, value, "learn.secrets") for value in each}
        if not 0 < len(codes) < len(there):
            raise InputError(f"learn.secrets of {name}: list some of its values, not all of them")
    return hidden


def _declared(names: Sequence[str], values: Values, noise: float | None) -> Values:
    expect(values, Mapping, "learn.values", 'write values={"late": ["no", "yes"]}')
    declared = {name: labels(each, f"learn.values of {name}") for name, each in values.items()}
    for name, each in declared.items():
        if name not in names:
            raise unknown("learn.values", name, names)
        if not each or len(set(each)) < len(each):
            raise InputError(
                f"learn.values: of {name} there are none, or one twice; list each once"
            )
    missing = [name for name in names if name not in declared]
    if noise is not None and missing:
        shown_as = ", ".join(f'"{name}": [...]' for name in missing)
        raise InputError(
            "learn.values: with noise all values are declared, since those that a table has are "
            f"data; write values={{{shown_as}}}"
        )
    return declared


def _read(table: TableOrPath) -> pa.Table:
    if isinstance(table, (str, Path)):
        opened = DuckTable.open(table, at=lambda _: "learn")
        return opened.batches(list(opened.columns), ordered=False).read_all()
    return arrow_table(table, "learn")
