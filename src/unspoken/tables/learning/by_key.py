"""Rows by each key, by what a key says of time, and by two of these: contexts nobody declared.

Counts of a table as it is, for the holder alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from unspoken.tables.engines.of_keys import OfKeys, columns_of
from unspoken.tables.engines.protocol import Scan, Table
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import identifier
from unspoken.tables.learning.counts.contexts import ContextCounts, Contexts, contexts_of
from unspoken.tables.learning.counts.counting import Combinations
from unspoken.tables.learning.counts.rows import count
from unspoken.tables.learning.learned import CELLS, Learned
from unspoken.tables.policy import Project

__all__ = ["ByKey", "by_key"]

VALUES = 2**12  # a key of more, such as a moment, is no group that has much in common
FIRST = 1000  # rows by which it is seen whether a text is a time
TIMES = {"weekday": "dayname({})", "month": "monthname({})", "hour": "CAST(hour({}) AS VARCHAR)"}


@dataclass(frozen=True)
class ByKey:
    """What rows say ``given`` one or two ``parts`` of their key; ``declared``: as a context does.

    ``values``: what each value of `given` says of each part.
    """

    parts: tuple[str, ...]
    given: ContextCounts
    declared: bool
    values: dict[str, tuple[str, ...]]


def by_key(project: Project, table: Table, learned: Learned, least: int) -> Iterator[ByKey]:
    """By each part of the keys, then by each two; of values that ``least`` rows have.

    In one pass. Left out is what has one value or more than VALUES.
    """
    labels = [learned.labelling[name] for name in project.attributes]
    joint = Combinations([labelling.cells.marks for labelling in labels])
    parts = {what: (key, sql) for key, what, sql in _functions(table)}
    names = _names(parts, project.attributes)
    named = {
        name: OfKeys.read(parts[of[0]][1], table, "a context", of[0], "it says nothing")
        for name, of in names.items()
        if len(of) == 1
    }
    single = {names[name][0]: name for name in named}
    pairs = {
        name: (single[of[0]], single[of[1]]) for name, of in names.items() if name not in named
    }
    counted = Contexts(named, joint, VALUES, dropping=True, pairs=pairs)
    count(project, [labelling.cells for labelling in labels], table, joint.add, counted)
    room = CELLS // math.prod(len(labelling.names) for labelling in labels)
    declared = [
        (context, len(learned.contexts[name].values))
        for name, context in contexts_of(project, table).items()
        if name in learned.contexts
    ]
    for name, within in counted.held().items():
        frequent = within.frequent(least, room)
        if len(within.values) < 2 or not frequent.values:
            continue
        given = ContextCounts.of(
            name, frequent, dict(zip(project.attributes, labels, strict=True)), CELLS
        )
        values: dict[str, tuple[str, ...]] = {value: (value,) for value in given.values}
        if name in pairs:
            words = counted.values_of(name)
            values = {value: words[int(value)] for value in given.values}
        those = [named[one] for one in pairs.get(name, (name,))]
        again = any(
            size == len(within.values) and _parted_alike(those, context, table)
            for context, size in declared
        )
        yield ByKey(names[name], given, again, values)


def _parted_alike(parts: Sequence[OfKeys], context: OfKeys, table: Table) -> bool:
    """Whether rows agree in all the parts just where they agree in the context.

    That both have as many groups, of as many rows each, does not show it: grids of keys do.
    """
    all_of = {str(k): each for k, each in enumerate((*parts, context))}
    seen = set[tuple[str, ...]]()
    for batch in table.batches(Scan(columns_of(all_of.values()), ordered=False)):
        words = pa.table(OfKeys.words(batch, all_of)).unify_dictionaries()
        different = words.group_by([*all_of]).aggregate([]).to_pylist()
        seen.update(tuple(row[k] for k in all_of) for row in different)
    return len(seen) == len({row[:-1] for row in seen}) == len({row[-1] for row in seen})


def _names(
    parts: Mapping[str, tuple[str, str]], attributes: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """{a name that no attribute has: one part, or two}: columns may be called like any of these."""
    each: list[tuple[str, ...]] = [(what,) for what in parts]
    each += [
        (one, other)
        for one, other in itertools.combinations(parts, 2)
        if parts[one][0] != one or parts[other][0] != one  # a key says its own weekday
    ]
    free = (name for name in map("given {}".format, itertools.count()) if name not in attributes)
    return {next(free): of for of in each}


def _functions(table: Table) -> Iterator[tuple[str, str, str]]:
    """Each key, and weekday, month and hour of what is a time: of which key, what, and in SQL."""
    row = RowSQL(table.columns, table.title, table.timezone)
    first = next(iter(table.batches(Scan(list(table.keys), ordered=False, rows=FIRST))), None)
    for key in table.keys:
        yield key, key, identifier(key)
        for moment, says in () if first is None else _moments(table, key):
            if _all(row, first, f"{moment} IS NOT NULL"):
                for what in says:
                    yield key, f"{what} of {key}", f"coalesce({TIMES[what].format(moment)}, '')"
                break


def _moments(table: Table, key: str) -> Iterator[tuple[str, Collection[str]]]:
    """A key as a time, in SQL, and what that says; NULL where it is none. A number is no time."""
    kind, column = table.columns[key], identifier(key)
    if kind == "VARCHAR":
        yield f"TRY_CAST({column} AS TIMESTAMP)", TIMES
        yield f"TRY_CAST({column} AS TIME)", ["hour"]
    elif kind.startswith("TIME"):
        yield column, ["hour"] if kind == "TIME" else TIMES


def _all(row: RowSQL, batch: pa.RecordBatch, sql: str) -> bool:
    asked = {"x": row.read(sql, "keys")}
    return bool(pc.all(row.over(batch, asked)["x"]).as_py())
