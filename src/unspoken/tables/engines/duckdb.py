"""A table to read with DuckDB: Parquet, CSV, a table of a DuckDB file, or SQL over those.

It knows no privacy. It knows that keys must name rows, that every error is one line with its place,
and that a table larger than memory is read as a stream.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.column import ColumnInfo
from unspoken.tables.engines.column_info import column_info, kind_of
from unspoken.tables.engines.files import PARQUET
from unspoken.tables.engines.handed_in import INDEX
from unspoken.tables.engines.keys import check_keys, marked_once
from unspoken.tables.engines.named_once import once
from unspoken.tables.engines.opening import Opened, opened
from unspoken.tables.engines.protocol import ContributionBound, Scan, Tally, Work
from unspoken.tables.engines.row_sql import ROW
from unspoken.tables.engines.session import MEMORY, OURS
from unspoken.tables.engines.source import Place, TableSource
from unspoken.tables.engines.sql import Expression, identifier, literal
from unspoken.tables.engines.threads import worked
from unspoken.tables.engines.watching import advancing, passing, watched

__all__ = ["COPIED", "DuckTable"]

ROWS = f"{OURS}.rows"
COPIED = 2**25  # values that are copied at once
HEAP = 10**6  # of so many numbers DuckDB keeps no heap
LOST = ("BIT", "TIME WITH TIME ZONE")


@dataclass(frozen=True)
class DuckTable:
    """``title`` is what the holder calls it; ``columns``: {name: type}, types are DuckDB's.

    ``given``: the keys, which name its rows, with the Arrow types that they had. A date among them
    is read as text, YYYY-MM-DD.
    """

    title: str
    given: Mapping[str, pa.DataType]
    columns: Mapping[str, str]
    timezone: str
    _home: Opened = field(repr=False, compare=False)
    _place: str = field(repr=False, compare=False)  # what a message about the rows begins with
    _rows: str = ROWS  # or a query of some of them
    _threads: int | None = None

    @classmethod
    def open(
        cls,
        table: str | Path | pa.Table | None = None,
        *,
        database: str | Path | None = None,
        sql: str | None = None,
        keys: Sequence[str] = (),
        preferences: str | Path | None = None,
        folder: Path = Path(),
        title: str = "",
        at: Place = "source.{}".format,
        memory: str = MEMORY,
        timezone: str = "UTC",
        threads: int | None = None,
        nan_missing: bool = False,
        checked: bool = True,
        texts: Collection[str] = (),
    ) -> DuckTable:
        """Open ``table`` (a file, a table of ``database``, or an Arrow table) or ``sql``.

        Paths are from ``folder``. ``preferences``: a file with one row for each value of the keys
        it shares with the table; its columns stand beside those of the table, NULL where it has no
        row. Without ``keys`` nothing is asked of the rows but that there are some. ``at`` gives the
        place that a message about one of these parameters begins with. ``timezone``: whose hours
        and days moments have. ``memory``: beyond it DuckDB spills; ``threads``: of its own.
        ``nan_missing``: NaN is NULL, wherever it is read.
        ``checked``: whether keys name the rows; else `check` says so later. ``texts``: columns of
        a CSV that are read as they are written, whatever they look like.
        """
        if (table is None) == (sql is None):
            raise InputError(f"{at('table')}: give either table or sql")
        named = title or (str(table) if table is not None else "the query")
        asked = (table, database, sql, tuple(keys), preferences, named, at, nan_missing, texts)
        source = TableSource(*asked)
        with opened(folder, memory, timezone, threads) as opening:
            given, columns = source.views(opening)
            place = source.place
            opened_table = cls(named, given, columns, timezone, opening, place, _threads=threads)
            if checked:
                opened_table.check(at("keys"))
        return opened_table

    def only(self, condition: Expression, true: bool) -> DuckTable:
        """As the protocol has it."""
        is_true = f"({condition.sql}) IS {'' if true else 'NOT '}TRUE"
        return replace(self, _rows=f"(SELECT * FROM {self._rows} AS {ROW} WHERE {is_true})")

    def computed(self, columns: Mapping[str, str], where: str) -> DuckTable:
        """The same rows with these columns, SQL over the row, beside its own or in their place;
        ``where`` begins what is wrong with them.
        """
        mine = [identifier(name) for name in self.columns if name not in columns]
        made = [f"{sql} AS {identifier(name)}" for name, sql in columns.items()]
        rows = f"(SELECT {', '.join([*mine, *made])} FROM {self._rows} AS {ROW})"
        with self._home.reworded(where):
            found = self._home.con.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        types = {name: kind for name, kind, *_ in found}
        in_order = {name: types[name] for name in [*self.columns, *types]}
        return replace(self, columns=in_order, _rows=rows, _place=where)

    def check(self, where: str) -> None:
        """Refuse keys that do not name each row; ``where`` begins the message."""
        check_keys(self._home, self._rows, self.keys, self.title, where)

    @property
    def away(self) -> bool:
        return False

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.given)

    def count(self) -> int:
        """How many rows there are."""
        return int(self._one(f"SELECT count(*) FROM {self._rows}", self.title)[0])

    @property
    def files(self) -> list[Path]:
        """The files that it is read from; what a database has not yet taken in lies beside it."""
        paths = [file.path for file in self._home.files]
        logs = (path.with_name(f"{path.name}.wal") for path in paths)
        return [*paths, *(log for log in logs if log.exists())]

    def values(self, name: str, most: int, where: str) -> pa.Array:
        """As the protocol has it."""
        query = f"SELECT DISTINCT {identifier(name)} AS x FROM {self._rows}"
        query = f"SELECT x FROM ({query}) WHERE x IS NOT NULL LIMIT {most}"
        with self._home.reworded(where):
            return self._home.cursor().sql(query).to_arrow_table()["x"].combine_chunks()

    def groups(self, names: Sequence[str], where: str) -> tuple[int, int]:
        """As the protocol has it."""
        same = ", ".join(map(identifier, names))
        query = f"SELECT count(*) AS n FROM {self._rows} GROUP BY {same}"
        groups, largest = self._one(f"SELECT count(*), coalesce(max(n), 0) FROM ({query})", where)
        return int(groups), int(largest)

    def tallies(
        self, names: Sequence[str], conditions: Mapping[str, Expression]
    ) -> Sequence[Tally]:
        """As the protocol has it: rows are grouped once for all conditions."""
        found: list[list[tuple[int, int, int]]] = [[] for _ in conditions]
        if not found:
            return []
        try:
            with self._home.reworded(next(iter(conditions))):
                query = self._tallied([*map(identifier, names)], [*conditions.values()])
                for place, *tally in self._home.cursor().execute(query).fetchall():
                    found[place].append((tally[0], tally[1], tally[2]))
        except InputError:
            if len(found) > 1:  # whose it is
                for where, condition in conditions.items():
                    self.tallies(names, {where: condition})
            raise
        return found

    def _tallied(self, columns: Sequence[str], conditions: Sequence[Expression]) -> str:
        """SQL of a condition's place, rows of a group, in how many it is true, and the groups."""
        group, groups, true = f"GROUP BY {', '.join(columns)}", "1", "count_if(({}) IS TRUE)"
        rows = "count(*)"
        if any(marked_once(self._home, self._rows, name) for name in columns):  # row by row
            group, groups, true, rows = "GROUP BY ALL", "count(*)", "if({}, 1, 0)", "1"
        counts = (f"{true.format(each.sql)} AS k{i}" for i, each in enumerate(conditions))
        asked = f"SELECT {rows} AS n, {groups} AS groups, {', '.join(counts)}"
        alike = (
            f"SELECT {i} AS place, n, k{i} AS k, sum(groups)::BIGINT FROM g GROUP BY n, k{i}"
            for i in range(len(conditions))
        )
        asked = f"WITH g AS MATERIALIZED ({asked} FROM {self._rows} AS {ROW} {group})"
        return f"{asked} {' UNION ALL '.join(alike)} ORDER BY place, n, k"

    def totals(
        self,
        numbers: Sequence[Expression],
        groups: Sequence[Expression],
        where: str,
        chosen: ContributionBound | None = None,
    ) -> pa.Table:
        """As the protocol has it."""
        same = [f"{group.sql} AS g{place}" for place, group in enumerate(groups)]
        sums = [
            f"coalesce(sum({number.sql}), 0)::BIGINT AS n{place}"
            for place, number in enumerate(numbers)
        ]
        used = dict.fromkeys(name for each in (*numbers, *groups) for name in each.columns)
        query = f"SELECT {', '.join([*same, *sums])} FROM {self._chosen(chosen, [*used])} AS {ROW}"
        query += " GROUP BY ALL ORDER BY ALL" if same else ""
        secret = [] if chosen is None else [chosen.secret]
        with self._home.reworded(where):
            return self._home.cursor().sql(query, params=secret).to_arrow_table()

    def _chosen(self, chosen: ContributionBound | None, used: Sequence[str]) -> str:
        """The rows, or so many of each unit: those whose hash is among the least of it.

        A heap of hashes for each unit; a window would sort, and hold, all rows.
        """
        if chosen is None:
            return self._rows
        key = ", ".join(f"CAST({identifier(name)} AS VARCHAR)" for name in self.keys)
        hashed = f"sha256(concat_ws(chr(0), ?, {key}))"
        unit, hash_ = [*map(identifier, chosen.unit)], identifier(f"{OURS} hash")
        kept = ", ".join(map(identifier, dict.fromkeys([*chosen.unit, *used])))
        if chosen.rows >= HEAP:
            place = f"row_number() OVER (PARTITION BY {', '.join(unit)} ORDER BY {hashed})"
            return f"(SELECT {kept} FROM {self._rows} QUALIFY {place} <= {chosen.rows})"
        same = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in unit)
        return (
            f"(WITH a AS MATERIALIZED (SELECT {kept}, ('0x' || left({hashed}, 16))::UBIGINT"
            f" AS {hash_} FROM {self._rows}), b AS (SELECT {', '.join(unit)},"
            f" list_max(min({hash_}, {chosen.rows})) AS {hash_} FROM a GROUP BY ALL)"
            f" SELECT a.* FROM a JOIN b ON {same} WHERE a.{hash_} <= b.{hash_})"
        )

    def batches(self, scan: Scan) -> pa.RecordBatchReader:
        """As the protocol has it: streams are independent of one another."""
        handed_on, among = ", ".join(map(self._handed_on, scan.names)), scan.among
        text = [] if among is None else [f"CAST({among.expression.sql} AS VARCHAR)"]
        where = ""
        if among is not None and among.texts is not None:
            where = f" WHERE {text[0]} IN ({', '.join(map(literal, among.texts))})"
        order = ", ".join([*text, *map(identifier, self.keys)]) if scan.ordered else ""
        query = f"SELECT {handed_on} FROM {self._rows} AS {ROW}{where}"
        query += f" ORDER BY {order}" if order else ""
        explain = partial(self._explain, scan)
        cursor = self._home.cursor()
        try:
            reader = cursor.sql(query).to_arrow_reader(scan.rows)
        except (duckdb.Error, OSError) as error:
            raise explain(error) from error
        # A generator on the consumer's side, so that its errors arrive as what they are.
        handed = passing(_read(cursor, reader, explain), self._listed() if watched() else None)
        return pa.RecordBatchReader.from_batches(reader.schema, handed)

    def through(self, work: Work, scan: Scan) -> Iterator[pa.RecordBatch]:
        """As the protocol has it."""
        batches: Iterator[pa.RecordBatch] = self.batches(scan)
        if scan.ordered:
            batches = once(batches, self.keys, self.title, scan.places)
        return worked(work, batches, self._threads)

    def _listed(self) -> int | None:
        """How many rows there are, where the files list it; else that takes a reading."""
        plain = all(path.suffix in PARQUET for path in self.files)
        return self.count() if plain else None

    def describe(self, names: Collection[str] | None = None) -> list[ColumnInfo]:
        """These columns, or every one but the numbers that pandas gives to rows, as a starter for a
        project file wants to know it.

        Each is scanned several times: a copy, so that text is parsed once; of a wide table some
        columns after others, as many as there is room for.
        """
        known = [name for name in self.columns if not INDEX.fullmatch(name)]
        asked = known if names is None else [name for name in self.columns if name in names]
        some = max(1, COPIED // max(1, self.count())) if len(asked) > 1 else 1
        return [
            column
            for first in range(0, len(asked), some)
            for column in self._described(asked[first : first + some])
        ]

    def _described(self, names: Sequence[str]) -> list[ColumnInfo]:
        """What these columns hold, by a copy of them."""
        copy, some = identifier(f"{OURS} copy"), ", ".join(map(identifier, names))
        with self._home.reworded(self._place):
            self._home.con.execute(
                f"CREATE OR REPLACE TEMP TABLE {copy} AS SELECT {some} FROM {self._rows}"
            )
        described = []
        for name in names:
            advancing(f"column {name}")
            described.append(column_info(self._home, copy, name, kind_of(self.columns[name])))
        self._home.con.execute(f"DROP TABLE {copy}")
        return described

    def share(self) -> DuckTable:
        """The same table for another thread, by a session of its own."""
        return replace(self, _home=self._home.share())

    @property
    def current_files(self) -> list[Path] | None:
        """The files that it would be read from if it were opened now; None: that is not known
        without opening it.
        """
        return self._home.current_files

    def close(self) -> None:
        """Close the files. A stream that is still open ends with an error."""
        self._home.close()

    def _handed_on(self, name: str) -> str:
        """A column in SQL; as text where Arrow would lose what it is."""
        column = identifier(name)
        if self.columns[name] not in LOST:
            return column
        return f"CAST({column} AS VARCHAR) AS {column}"

    def _one(self, query: str, where: str) -> tuple[Any, ...]:
        with self._home.reworded(where):
            row = self._home.cursor().execute(query).fetchone()
        return row or ()

    def _explain(self, scan: Scan, error: Exception) -> InputError:
        """The error as one line that says which column it was: each is tried on its own."""
        for name in scan.names:
            with self._home.reworded(scan.places.get(name, name)):
                query = f"SELECT count({identifier(name)}) FROM {self._rows}"
                self._home.cursor().execute(query).fetchone()
        try:
            with self._home.reworded(self._place):
                raise error
        except InputError as line:
            return line


def _read(cursor: duckdb.DuckDBPyConnection, reader: Any, explain: Any) -> Iterator[Any]:
    try:
        yield from reader
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        raise explain(error) from error
    finally:
        cursor.close()
