"""The kernel's marks are those that SQL would give, whatever the columns hold."""

from __future__ import annotations

import datetime
import json
import math
import pickle
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from unspoken.tables.engines.arrow import numbers
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.learning.marks.marking import Marker
from unspoken.tables.learning.marks.of_value import FEW, OfValue

EDGES = [-3.0, -0.5, 0.0, 0.1, 0.3, 1.5, 7.0]
NEAR = [0.1, 0.3, -0.0, 0.0, 1.5, 7.0, 10.0, 17.0, -3.0, 2.0**53, 1e300]
ODD = [math.nan, math.inf, -math.inf]
REAL = st.sampled_from([*NEAR, *(math.nextafter(x, 9) for x in NEAR), *ODD])
TEXT = st.sampled_from(["", "a", "A", "ä", "a ", "it's", "东京", "missing"]) | st.text(max_size=3)
DATES = st.dates() | st.sampled_from([datetime.date(2026, 1, 5), datetime.date(1, 1, 1)])
DECIMALS = st.integers(-(10**17), 10**17).map(lambda n: Decimal(n).scaleb(-3)) | st.sampled_from(
    [Decimal("0.1"), Decimal("0.3"), Decimal("7"), Decimal("-0.5")]
)


def whole(bits: int, signed: bool = True) -> st.SearchStrategy[int]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    near = [n for n in (low, -3, -1, 0, 1, 7, 10, 17, 2**53 + 1, high) if low <= n <= high]
    return st.sampled_from(near) | st.integers(low, high)


TYPES: dict[Any, st.SearchStrategy[Any]] = {
    pa.int8(): whole(8),
    pa.int16(): whole(16),
    pa.int32(): whole(32),
    pa.int64(): whole(64),
    pa.uint8(): whole(8, signed=False),
    pa.uint64(): whole(64, signed=False),
    pa.float32(): REAL.map(lambda x: float(np.float32(min(x, 3e38)))),
    pa.float64(): REAL,
    pa.decimal128(4, 1): st.integers(-9999, 9999).map(lambda n: Decimal(n).scaleb(-1)),
    pa.decimal128(38, 3): DECIMALS,
    pa.string(): TEXT,
    pa.large_string(): TEXT,
    pa.string_view(): TEXT,
    pa.dictionary(pa.int32(), pa.string()): TEXT,
    pa.bool_(): st.booleans(),
    pa.date32(): DATES,
}
NUMERIC = [kind for kind in TYPES if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
NUMERIC += [kind for kind in TYPES if pa.types.is_decimal(kind)]
PREDICATES = [
    "NULL",
    "x IS NULL",
    "moment > TIMESTAMP '2026-01-01 12:00:00'",
    "hour(zoned) >= 12",
    "kind LIKE 'a%' OR x IS NULL",
    "list_contains(['a', 'ä'], kind)",
    "amount * 3 > 0.9",
]
# Of its value alone, which are asked of few values in place of all rows.
OWN = {
    "integer": ["x > 7", "x IN (0, 7) OR x < -3.5", "x % 2 = 0", "sqrt(abs(x::DOUBLE)) > 3"],
    "number": ["x > 0.3", "x BETWEEN -0.5 AND 0.1", "x IS NULL OR x >= 1.5", "x <> 0", "x + 1 > 1"],
    "text": ["x = 'a'", "length(x) > 1", "x IS NULL OR x < 'b'"],
    "boolean": ["x", "NOT x OR x IS NULL"],
    "date": ["x > DATE '2026-01-01'", "month(x) = 1"],
}
MOMENTS = st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2050, 1, 1))


def reference(cells: CellRule, kind: str) -> str:
    """The mark of x as SQL over the row."""
    shown = {"date": "CAST(x AS VARCHAR)", "number": "CAST(x AS DOUBLE)"}.get(kind, "x")
    if cells.edges is not None:
        tests = (f"WHEN CAST(x AS DOUBLE) < CAST('{e}' AS DOUBLE) THEN {i}" for i, e in
                 enumerate(cells.edges))  # fmt: skip
        cell = f"CASE {' '.join(tests)} ELSE {len(cells.edges)} END"
    else:
        tests = (f"WHEN {constant(value)} THEN {i}" for i, value in enumerate(cells.values))
        cell = f"CASE {shown} {' '.join(tests)} END" if cells.values else "NULL"
    free = "TRUE" if cells.sensitive is None else f"({cells.sensitive.sql} IS FALSE)"
    if cells.missing == "public":
        free = f"(x IS NULL OR {free})"
    number = f"CASE WHEN x IS NULL THEN {cells.absent} ELSE coalesce({cell}, {cells.strange}) END"
    return f"2 * CAST({number} AS BIGINT) + CAST(NOT {free} AS INTEGER)"


def constant(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"CAST('{value}' AS DOUBLE)" if isinstance(value, float) else str(value)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(1, 30))
    kind = draw(st.sampled_from(list(TYPES)))

    def column(type_: Any, values: st.SearchStrategy[Any]) -> pa.Array:
        listed = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        plain = pa.types.is_dictionary(type_)
        made = pa.array(listed, pa.string() if plain else type_)
        return made.dictionary_encode() if plain else made

    return pa.table(
        {
            "x": column(kind, TYPES[kind]),
            "kind": column(pa.string_view(), TEXT),
            "amount": column(pa.decimal128(38, 3), DECIMALS),
            "moment": column(pa.timestamp("us"), MOMENTS),
            "zoned": column(pa.timestamp("us", "UTC"), MOMENTS),
        }
    )


def listed(table: pa.Table, kind: str, most: int) -> tuple[Any, ...]:
    """Values as they may be declared, some of those of the column among them."""
    own = [value for value in table["x"].cast(pa.string()).to_pylist() if value is not None]
    to: Any = {"integer": int, "number": float, "boolean": lambda v: v == "true"}.get(kind, str)
    more: dict[str, list[Any]] = {
        "integer": [0, 7, 2**70],
        "number": [0.0, 0.1, 5],
        "boolean": [True, False],
    }
    values = [value for value in (to(text) for text in own[::2]) if value not in ODD]
    values = [value for value in values if value == value]
    return tuple(dict.fromkeys([*values, *more.get(kind, ["a", "2026-01-05"])]))[:most]


@examples(120)
@given(
    tables(),
    st.booleans(),
    st.sampled_from([2, FEW, FEW + 1, 100]),
    st.none() | st.sampled_from(PREDICATES) | st.integers(0, 9),
    st.sampled_from(["never", "value", "public"]),
)
def test_marks_are_those_of_sql(
    table: pa.Table, binned: bool, many: int, predicate: str | int | None, missing: Any
) -> None:
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        read = con.from_arrow(table)
        columns = dict(zip(read.columns, map(str, read.types), strict=True))
        row = RowSQL(columns, "t")
        kind = kind_of(columns["x"])
        if isinstance(predicate, int):
            predicate = OWN[kind][predicate % len(OWN[kind])]
        hidden = None if predicate is None else row.read(predicate, "", condition=True)
        edges, values = None, listed(table, kind, many)
        if binned and kind in ("integer", "number"):
            edges, values = tuple(sorted([*EDGES, *range(10, 3 + many)][:many])), ()
        count = len(values) if edges is None else len(edges) + 1
        names = tuple(map(str, range(count + (missing != "never"))))
        cells = CellRule("x", edges, values, names, missing, hidden)
        expected = [mark for (mark,) in read.project(reference(cells, kind)).fetchall()]
        marker = Marker([cells], columns, {})
        found = [mark for batch in table.to_batches() for mark in marker.marks(batch)[0].tolist()]
        assert found == expected


@pytest.mark.parametrize("count", [1, FEW, FEW + 1, 300])
@pytest.mark.parametrize("kind", [pa.int16(), pa.uint64(), pa.float32(), pa.float64()])
def test_few_and_many_are_told_apart_alike(kind: Any, count: int) -> None:
    batch = pa.record_batch({"x": pa.array([*range(count + 2), None], kind)})
    columns = {"x": str(duckdb.from_arrow(batch).types[0])}
    listed = tuple(range(1, count + 1))
    names = tuple(map(str, range(count + 2)))
    edges = CellRule("x", tuple(map(float, listed)), (), names, "value", None)
    values = CellRule("x", None, listed[::-1], names[1:], "value", None)
    bins, places = Marker([edges, values], columns, {}).marks(batch)
    assert (bins // 2).tolist() == [*range(count + 1), count, count + 1]
    strange = values.strange
    assert (places // 2).tolist() == [strange, *range(count)[::-1], strange, count]


@pytest.mark.parametrize("binned", [True, False])
def test_integers_of_more_than_64_bits(binned: bool, tmp_path: Path) -> None:
    values = (3, 2**64 + 1, -(2**99), 10**38 - 1)
    listed = ", ".join(f"({i}, '{value}'::HUGEINT)" for i, value in enumerate((*values, 8)))
    (tmp_path / "none.csv").write_text("a\n1\n")
    query = f"SELECT id, x FROM (VALUES {listed}, (9, NULL)) t(id, x)"
    table = DuckTable.open(sql=query, keys=["id"], folder=tmp_path)
    assert table.columns["x"] == "HUGEINT"
    edges = (0.0, 2.0**64) if binned else None
    cells = CellRule("x", edges, () if binned else values, ("a", "b", "c", "d", "-"), "value", None)
    (marks,) = next(iter(_marks(table, cells)))
    assert marks.tolist() == ([2, 4, 0, 4, 2, 8] if binned else [0, 2, 4, 6, 12, 8])


@pytest.mark.parametrize(
    ("kind", "edges", "predicate", "found"),
    [
        (pa.int64(), (0.0, 7.5), "x > 5", True),
        (pa.int32(), None, "x % 3 = 0", True),
        (pa.int64(), (0.0, 7.5), "CAST(if(x = 0, '', '1') AS INT) > 2 - x", False),  # 0 has no
        (pa.date32(), (0, 3 * 86_400_000_000), "x > DATE '1970-01-02'", True),
        (pa.float64(), (0.1, 7.5), "x > 0.3 OR x <= -3", True),
        (pa.float32(), (0.1, 7.5), "x > 0.3", True),
        (pa.float64(), (0.1, 7.5), "x * 3 > 0.9", False),
        (pa.float64(), (0.1, 7.5), "NOT x", False),  # at 0
        (pa.float32(), (0.1, 7.5), "x = true OR x > 5", False),  # at 1
        (pa.float64(), (0.1, 7.5), "x NOT BETWEEN 0.1 AND 0.3 AND x NOT IN (1, 2)", True),
        (pa.string(), None, "x LIKE 'a%'", True),
    ],
)
def test_what_is_found_once_is_what_each_row_is_asked(
    kind: Any, edges: Any, predicate: str, found: bool
) -> None:
    near = [math.nextafter(x, y) for x in (0.0, 0.1, 0.3, 1.0, -3.0, 7.5) for y in (-9, x, 9)]
    wide = np.array([*near, *np.random.default_rng(1).normal(0, 5, 3000)])
    if pa.types.is_string(kind):
        wide = np.array(["a", "b", "ab", "ba"])[np.random.default_rng(1).integers(0, 4, 3000)]
    elif not pa.types.is_floating(kind):
        wide = np.where(wide.astype(np.int32) == 0, 9, wide.astype(np.int32))
    column = pa.array(wide, mask=np.arange(len(wide)) % 7 == 0).cast(kind)
    batch = pa.record_batch({"x": column})
    columns = {"x": str(duckdb.from_arrow(batch).types[0])}
    hidden = RowSQL(columns, "t").read(predicate, "", condition=True)
    values = () if edges is not None else ("a", "ab") if pa.types.is_string(kind) else (9, 2, -4)
    names = (*"abc"[: 3 if edges else len(values)], "-")
    cells = CellRule("x", edges, values, names, "value", hidden)
    marker = Marker([cells], columns, {})
    (asked,) = marker._marks(batch, [cells], [None], {"x"})
    assert marker.marks(batch)[0].tolist() == asked.tolist()
    assert marker.marks(batch.slice(5))[0].tolist() == asked[5:].tolist()
    assert (marker._of_values[0].marks(column) is not None) == found


@pytest.mark.parametrize(
    "mark",
    [lambda x: ~(x <= 5), lambda x: x > 1],
    ids=["elsewhere, NaN as the largest", "NaN not as the largest"],
)
def test_what_turns_elsewhere_than_it_can_is_asked_of_every_row(mark) -> None:
    of = OfValue(lambda asked: mark(numbers(asked)).astype(np.intp), [1.0])
    assert of.marks(pa.array([0.5, 9.0])) is None


def test_the_table_of_integers_grows_at_both_ends() -> None:
    asked: list[int] = []

    def ask(values: pa.Array) -> Any:
        asked.extend(values.to_pylist())
        return np.array([x % 7 for x in values.to_pylist()], np.intp)

    of = OfValue(ask, None)
    for low, high in ((5, 8), (2, 6), (7, 12), (3, 11)):
        column = pa.array(range(low, high), pa.int16())
        known = of.marks(column)
        assert known is not None
        assert known.tolist() == [x % 7 for x in range(low, high)]
    assert sorted(asked) == list(range(2, 12))


def _marks(table: DuckTable, cells: CellRule) -> Any:
    marker = Marker([cells], table.columns, {})
    for batch in table.batches(Scan(marker.reads)):
        yield marker.marks(batch)


def test_a_labelling_is_plain_data() -> None:
    hidden = RowSQL({"x": "DOUBLE"}, "t").read("x > 3", "")
    cells = CellRule(
        "x", (2.0, 4.0), (), ("below 2", "2-4", "4 or more", "missing"), "value", hidden
    )
    labelling = Labelling.of(cells, {0: 3, 2: 1, 3: 1, 5: 2})
    assert labelling.names == ("below 2", "2-4", "2-4 (sensitive)", "4 or more", "missing")
    assert pickle.loads(pickle.dumps(labelling)) == labelling
    assert json.loads(json.dumps(asdict(labelling)))["cells"]["sensitive"]["columns"] == ["x"]
    assert hash(labelling) == hash(Labelling.of(cells, {0: 3, 2: 1, 3: 1, 5: 2}))
