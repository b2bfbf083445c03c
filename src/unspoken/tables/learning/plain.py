"""A belief straight from a table whose columns have few values: no project file, no policy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.beliefs import Joint, Tree
from unspoken.core.errors import InputError, among, shown, unknown
from unspoken.core.families import Box, Intervals
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items, labels_by_name
from unspoken.core.types.premise import Premise
from unspoken.noise.discrete_laplace import scale_of, with_noise
from unspoken.tables.engines.arrow import boolean
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.handed_in import ArrowStream, arrow_table
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning.counts.tally import Tally
from unspoken.tables.learning.intervals.confidence import Clusters, box, cells_box, chance_to_miss
from unspoken.tables.learning.intervals.consistent import consistent
from unspoken.tables.learning.learned import refuse_size
from unspoken.tables.learning.trees.chow_liu import ChowLiu
from unspoken.tables.policy.schema import FORMS

__all__ = ["learn"]

MOST = 1_000_000_000  # rows of one unit
NOTHING = "learn: the table has no rows or no columns; there is nothing to learn"

TableOrPath = ArrowStream | str | Path
Values = Mapping[str, Sequence[Value]]
Contexts = list[tuple[float, Joint | Intervals | Box]]


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
@overload
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    secrets: Values | None = None,
    noise: float | None = None,
    confidence: float | None = None,
    contexts: Sequence[str],
    unit: Sequence[str] = (),
    rows_per_unit: int | None = None,
) -> Contexts: ...
def learn(
    table: TableOrPath,
    columns: Sequence[str] | None = None,
    *,
    values: Values | None = None,
    secrets: Values | None = None,
    noise: float | None = None,
    confidence: float | None = None,
    contexts: Sequence[str] = (),
    unit: Sequence[str] = (),
    rows_per_unit: int | None = None,
    form: str = "joint",
) -> Joint | Tree | Intervals | Box | Contexts:
    """The belief over ``columns`` (all that are not of the unit or ``contexts``), counted:
    P(x) = count(x) / n.

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

    Values that a row has and nobody declared are no public ones: the premise then says so, and
    nothing is certified by it.

    ``contexts``: columns that anybody may know of a row, such as its weekday. Then there is a
    belief of each combination of their values, in the order of these: [(rows, belief), ...], as
    `plan` takes them; sets hold together, at this ``confidence``.

    ``form``: "joint" (at most 2^20 combinations), or "tree", which keeps the strongest pairs only
    and may show far too little.
    """
    among("learn.form", form, FORMS)
    asked = _Asked(_noise(noise), confidence, secrets, form == "tree")
    there = _opened(table)
    given = _named(there.names, contexts, "learn.contexts")
    units = _named(there.names, unit, "learn.unit")
    beside = [name for name in there.names if name not in {*given, *units}]
    names = _named(there.names, beside if columns is None else columns, "learn.columns")
    twice = [name for name in given if name in names]
    if twice:
        raise InputError(f"learn.contexts: {twice[0]} is a context and a column; name it once")
    declared = _declared(names, {} if values is None else values, noise)
    if not names:
        raise InputError(NOTHING)
    whole = there.read(list(dict.fromkeys([*names, *given, *units])))
    of = _Units.of(whole, units, rows_per_unit)
    if form == "tree":
        asked.refuse_tree(bool(given), of)
        tally = _tally(whole, names, declared, grouped=False)
        return ChowLiu.of(tally.pairs(), tally.names, tally.values).belief
    tally = _tally(whole, names, declared)
    refuse_size(tally.names, tally.sizes)
    undeclared = len(declared) < len(names)
    if not given:
        return asked.belief(tally, whole.num_rows, of, undeclared)
    every = dict(zip(tally.names, tally.values, strict=True))
    parts = _parts(whole, given)
    return [
        (
            float(part.num_rows),
            asked.belief(
                Tally.of(part.select(names), every),
                part.num_rows,
                of.among(part),
                undeclared,
                len(parts),
            ),
        )
        for part in parts
    ]


@dataclass(frozen=True)
class _Asked:
    """What is to be made of counts."""

    noise: float | None
    confidence: float | None
    secrets: Values | None
    tree: bool

    def belief(
        self, tally: Tally, rows: int, of: _Units, undeclared: bool, sets: int = 1
    ) -> Joint | Intervals | Box:
        """The belief, or the set: one of so many that hold together.

        ``undeclared``: values are those that rows have.
        """
        counts, scale = tally.joint(), None
        share: np.ndarray = counts
        if self.noise is not None:
            sensitivity = 2 * of.most
            scale = scale_of(sensitivity, self.noise)
            counts = with_noise(counts, sensitivity, self.noise)
            share = consistent(counts, rows) / rows
        belief = Joint(share, tally.names, tally.values, Premise.learned(rows))
        hidden = _hidden(belief.domain, self.secrets)
        if self.confidence is None:
            if hidden:
                raise InputError("learn.secrets: are for intervals; give confidence=0.95 too")
            return belief
        missed = chance_to_miss(self.confidence)
        known: dict[str, Any] = {
            "rows": rows,
            "scale": scale,
            "confidence": 1.0 - missed / sets,
            "units": of.units,
            "premise": Premise.box(self.confidence, declared=not undeclared),
        }
        if not hidden:
            return cells_box(counts, belief, **known)
        return box(counts, belief, hidden, **known)

    def refuse_tree(self, contexts: bool, of: _Units) -> None:
        """What is asked for is done, or refused."""
        for name, given in {
            "noise": self.noise is not None,
            "confidence": self.confidence is not None,
            "secrets": bool(self.secrets),
            "unit": of.units is not None,
            "contexts": contexts,
        }.items():
            if given:
                raise InputError(
                    f"learn.form: a tree has no noise, confidence or contexts, so that {name} is "
                    "for nothing; leave it out"
                )


def _noise(noise: object) -> float | None:
    """None, or an epsilon."""
    if noise is None:
        return None
    epsilon = math.nan if isinstance(noise, bool | np.bool_) else number(noise)
    if not 0 < epsilon < math.inf:
        raise InputError(
            f"learn.noise: {shown(noise)}; is an epsilon, a number that must be positive and "
            "finite, such as 0.5; None: counts are exact"
        )
    return epsilon


def _parts(whole: pa.Table, contexts: Sequence[str]) -> list[pa.Table]:
    """The rows of each combination of values of these columns, in the order of these."""
    tally = Tally.of(whole.select(contexts), {}, grouped=False)
    where = np.ravel_multi_index(tuple(tally.codes), tally.sizes)
    return [whole.filter(boolean(where == place)) for place in np.unique(where)]


@dataclass(frozen=True)
class _Units:
    """The columns ``names`` that name the units, and how many ``units`` there are, if any."""

    names: Sequence[str]
    units: Clusters | None

    @property
    def most(self) -> int:
        """Rows that one unit may have; without units each row is one."""
        return 1 if self.units is None else self.units.rows

    def among(self, table: pa.Table) -> _Units:
        """Those that have some of these rows."""
        if self.units is None:
            return self
        groups = table.select(self.names).group_by(self.names).aggregate([]).num_rows
        return _Units(self.names, Clusters(max(1, groups), self.units.rows))

    @classmethod
    def of(cls, table: pa.Table, names: Sequence[str], most: int | None) -> _Units:
        if bool(names) != (most is not None):
            raise InputError(
                "learn.unit: columns that name units and how many rows each may have go together; "
                'write unit=["person"], rows_per_unit=30'
            )
        if most is None:
            return cls(names, None)
        most = _whole(most)
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
        return cls(names, Clusters(max(1, groups.num_rows), most))


def _whole(given: object) -> int:
    """A number of rows, of whatever library; no truth value, and none that is not whole."""
    try:
        most = 0 if isinstance(given, bool | np.bool_) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        most = 0
    if not 1 <= most <= MOST:
        raise InputError(
            f"learn.rows_per_unit: {shown(given)}; is a whole number, from 1 to {MOST:,}"
        )
    return most


def _tally(whole: pa.Table, names: Sequence[str], declared: Values, grouped: bool = True) -> Tally:
    if not whole.num_rows:
        raise InputError(NOTHING)
    return Tally.of(whole.select(names), declared, grouped)


def _named(there: Sequence[str], columns: Sequence[str], where: str) -> list[str]:
    """Some of the columns that are there, each once."""
    names = list(items(columns, where))
    for name in names:
        expect(name, str, where, "give names of columns")
    for name in names:
        if name not in there:
            raise unknown(where, name, there)
        if names.count(name) > 1 or there.count(name) > 1:
            raise InputError(f"{where}: {name} is there twice; name each column once")
    return names


def _hidden(domain: Domain, secrets: Values | None) -> Values:
    """The values of each variable that nobody is to learn: some, and not all."""
    if secrets is None:
        return {}
    hidden = labels_by_name(secrets, "learn.secrets", 'write secrets={"late": ["yes"]}')
    for name, each in hidden.items():
        there = domain.values_of(name, "learn.secrets")
        codes = {*domain.codes(name, each, "learn.secrets")}
        if not 0 < len(codes) < len(there):
            raise InputError(f"learn.secrets of {name}: list some of its values, not all of them")
    return hidden


def _declared(names: Sequence[str], values: Values, noise: float | None) -> Values:
    declared = labels_by_name(values, "learn.values", 'write values={"late": ["no", "yes"]}')
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


@dataclass(frozen=True)
class _There:
    """The columns that a table has; ``read`` gives some of them."""

    names: Sequence[str]
    read: Callable[[Sequence[str]], pa.Table]


def _opened(table: TableOrPath) -> _There:
    if isinstance(table, (str, Path)):
        opened = DuckTable.open(table, at=lambda _: "learn")
        return _There(
            list(opened.columns),
            lambda names: opened.batches(Scan(names, ordered=False)).read_all(),
        )
    whole = arrow_table(table, "learn")
    return _There(whole.column_names, whole.select)
