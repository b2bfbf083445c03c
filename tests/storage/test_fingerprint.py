"""A source's fingerprint: blind to order and batches, to nothing else; mute without the key."""

import datetime
import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.numerics import reference
from unspoken.core.errors import InputError
from unspoken.storage.coins import MasterKey, encode_keys
from unspoken.storage.combinations import combined
from unspoken.storage.fingerprint import KeyNumbers, RowFingerprint

GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "coins.json").read_text("utf-8"))
MASTER = MasterKey(bytes.fromhex(GOLDEN["master"]))
Row = dict[str, Any]
SCHEMA = pa.schema(
    [
        ("office", pa.string()),
        ("day", pa.string()),
        ("value", pa.float64()),
        ("sensitive", pa.bool_()),
    ]
)
EMPTY: Row = {"office": "", "day": "", "value": 0.0, "sensitive": False}
ROWS: list[Row] = [
    {"office": office, "day": f"2026-03-{day:02d}", "value": value, "sensitive": sensitive}
    for office, day, value, sensitive in [
        ("A-1", 1, 9.25, False),
        ("A-1", 2, 11.5, True),
        ("B-22", 1, None, None),
        ("B-22", 2, 9.25, True),
        ("", 1, 0.0, False),
    ]
]


def digits(rows: list[Row], schema: pa.Schema = SCHEMA, sizes: int = 10**6) -> str:
    found = RowFingerprint(MASTER, "occupancy 2026", schema.names)
    for first in range(0, len(rows), sizes):
        found.add(pa.RecordBatch.from_pylist(rows[first : first + sizes], schema))
    return found.hexdigest()


ROW = st.fixed_dictionaries(
    {
        "office": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        "day": st.none() | st.text("ab\0", max_size=3),
        "value": st.none() | st.floats(),
        "sensitive": st.none() | st.booleans(),
    }
)
KEYED = st.fixed_dictionaries(
    {
        "office": st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        "day": st.text("ab\0", max_size=3),
        "value": st.none() | st.floats(),
        "sensitive": st.none() | st.booleans(),
    }
)


@pytest.mark.parametrize("vector", GOLDEN["fingerprints"], ids=lambda v: f"{len(v['rows'])} rows")
def test_golden_fingerprints(vector) -> None:
    assert vector["label"] == "occupancy 2026"
    assert digits(vector["rows"]) == vector["digits"]
    assert (
        reference.row_fingerprint(
            bytes.fromhex(GOLDEN["master"]), vector["label"], vector["rows"], EMPTY
        )
        == vector["digits"]
    )


@given(st.lists(ROW, max_size=20), st.randoms(use_true_random=False), st.integers(1, 7))
def test_order_and_batches_do_not_count(rows: list[Row], random, size: int) -> None:
    expected = reference.row_fingerprint(
        bytes.fromhex(GOLDEN["master"]), "occupancy 2026", rows, EMPTY
    )
    assert digits(rows) == expected
    assert digits(random.sample(rows, len(rows)), sizes=size) == expected


def test_the_order_of_columns_does_not_count_nor_do_others() -> None:
    found = RowFingerprint(MASTER, "occupancy 2026", SCHEMA.names[::-1])
    table = pa.Table.from_pylist(ROWS, SCHEMA).select([2, 0, 3, 1])
    for batch in table.append_column("other", pa.array(range(len(ROWS)))).to_batches():
        found.add(batch)
    assert found.hexdigest() == digits(ROWS)
    assert found.rows == len(ROWS)


# With keys beside the columns, which are counted in once for all that is fingerprinted.

KEYS = ["office", "day"]


def digits_beside(rows: list[Row], keys: list[str] = KEYS, sizes: int = 10**6) -> str:
    found = RowFingerprint(MASTER, "rows", ["value", "sensitive"])
    for first in range(0, len(rows), sizes):
        batch = pa.RecordBatch.from_pylist(rows[first : first + sizes], SCHEMA)
        found.add(batch, numbers_of_keys(batch, keys))
    return found.hexdigest()


def numbers_of_keys(batch: pa.RecordBatch, keys: list[str] = KEYS) -> Any:
    encoded = encode_keys([batch.column(key) for key in keys])
    return KeyNumbers(MASTER, "keys", keys).numbers(encoded)


@pytest.mark.parametrize("vector", GOLDEN["fingerprints beside keys"], ids=lambda v: v["digits"])
def test_golden_fingerprints_beside_keys(vector) -> None:
    kept = KeyNumbers(MASTER, "keys", KEYS).kept
    batch = pa.RecordBatch.from_pylist(vector["rows"], SCHEMA)
    assert digits_beside(vector["rows"]) == vector["digits"]
    assert [f"{number:016x}" for number in kept(numbers_of_keys(batch))] == vector["kept"]


def test_columns_beside_keys_are_not_those_alone() -> None:
    batch = pa.RecordBatch.from_pylist(ROWS, SCHEMA)
    alone = RowFingerprint(MASTER, "rows", ["value", "sensitive"])
    alone.add(batch)
    assert len({alone.hexdigest(), digits(ROWS), digits_beside(ROWS)}) == 3


@pytest.mark.slow
@given(st.lists(KEYED, max_size=20), st.randoms(use_true_random=False), st.integers(1, 7))
def test_beside_keys_order_and_batches_do_not_count(rows: list[Row], random, size: int) -> None:
    master = bytes.fromhex(GOLDEN["master"])
    expected, _ = reference.row_fingerprint_beside(master, ("rows", "keys"), KEYS, rows, EMPTY)
    assert digits_beside(rows) == expected
    assert digits_beside(random.sample(rows, len(rows)), sizes=size) == expected


@given(st.data(), st.integers(0, 3), st.sampled_from([pa.string(), pa.int64(), pa.float64()]))
def test_combinations_are_the_rows(data, offset: int, kind: pa.DataType) -> None:
    """What is worked out for each combination, and looked up, is that of the row itself."""
    listed = pa.array([1, 2, 3]).cast(kind)
    code, flag = st.none() | st.integers(0, 2), st.none() | st.booleans()
    # So many rows that combinations are worth it: 8 of each of 4 x 3.
    pairs = data.draw(st.lists(st.tuples(code, flag), min_size=5, max_size=9)) * 25
    indices = pa.array([code for code, _ in pairs], pa.int8())
    flags = pa.array([flag for _, flag in pairs], pa.bool_())
    columns = {"x": pa.DictionaryArray.from_arrays(indices, listed), "free": flags}
    plain = pa.record_batch({**columns, "x": columns["x"].cast(kind)}).slice(offset)
    few = pa.record_batch(columns).slice(offset)
    assert combined(few.columns) is not None
    assert combined(plain.columns) is None
    found = RowFingerprint(MASTER, "", ["x", "free"])
    assert found.numbers(few).tolist() == found.numbers(plain).tolist()


WORDS = [pa.array(texts) for texts in (["a", "b"], ["b", "a"], ["a", "b", "c"], ["ab", ""])]
NUMBERS = [pa.array([0.0, 1.0]), pa.array([-0.0, 1.0]), pa.array([0, 1]), pa.array([False, True])]


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from([*WORDS, *NUMBERS]), st.booleans()), max_size=6))
def test_what_was_worked_out_for_other_batches_is_not_taken_for_these(batches) -> None:
    """Nor do those that begin anew count what was counted."""
    kept, total = RowFingerprint(MASTER, "", ["x"]), 0
    for values, sliced in batches:
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None] * 20, pa.int8()), values)
        batch = pa.record_batch({"x": column}).slice(sliced)
        found, alone = kept.anew(), RowFingerprint(MASTER, "", ["x"])
        found.add(batch)
        alone.add(batch)
        assert (found.total, found.hexdigest()) == (alone.total, alone.hexdigest())
        kept.add(batch)
        total += alone.total
    assert kept.total == total % 2**128


def test_combinations_that_are_too_many() -> None:
    flags = pa.array([True, False] * 60)
    assert combined([flags] * 2) is not None
    assert combined([flags] * 3) is None  # 27, of 4 rows each
    assert combined([pa.array([True, False] * 10**5)] * 7) is None  # 3^7 > 1,024


# What must not go unseen.


def changed(row: int, **values: Any) -> list[Row]:
    return [{**one, **values} if i == row else one for i, one in enumerate(ROWS)]


def swapped(one: int, other: int, name: str) -> list[Row]:
    rows = changed(one, **{name: ROWS[other][name]})
    rows[other] = {**ROWS[other], name: ROWS[one][name]}
    return rows


CHANGES: dict[str, list[Row]] = {
    "a value": changed(0, value=9.5),
    "the last place of a value": changed(0, value=math.nextafter(9.25, 10)),
    "a flag": changed(0, sensitive=True),
    "a flag is missing": changed(0, sensitive=None),
    "a flag is known": changed(2, sensitive=False),
    "a value is missing": changed(4, value=None),
    "a value is known": changed(2, value=0.0),
    "a value is no number": changed(0, value=math.nan),
    "a text is missing": changed(4, office=None),
    "a key": changed(0, office="A-2"),
    "text moved over": changed(0, office="A-12", day="026-03-01"),
    "text filled up": changed(0, office="A-1\0"),
    "two rows swapped their values": swapped(0, 1, "value"),
    "two rows swapped their flags": swapped(2, 3, "sensitive"),
    "a row more": [*ROWS, {**ROWS[0], "office": "C"}],
    "a row less": ROWS[1:],
    "a row twice": [*ROWS, ROWS[0]],
    "a row three times": [*ROWS, ROWS[0], ROWS[0]],
    "every row twice": ROWS * 2,
    "no row": [],
}


def blind_spots(candidate: Callable[[list[Row]], Any]) -> list[str]:
    """The changes that a fingerprint does not see, and the pairs it takes for one another."""
    seen = {name: candidate(rows) for name, rows in {"none": ROWS, **CHANGES}.items()}
    names = list(seen)
    return [
        f"{name} / {other}"
        for i, name in enumerate(names)
        for other in names[:i]
        if seen[name] == seen[other]
    ]


def number(row: Row) -> int:
    return int(digits([row]), 16)


def by_exclusive_or(rows: list[Row]) -> int:
    total = 0
    for row in rows:
        total ^= number(row)
    return total


def by_column(rows: list[Row]) -> int:
    """Every column for itself: rows that swap a value are not seen."""
    return sum(
        number({**dict.fromkeys(SCHEMA.names), k: v}) for row in rows for k, v in row.items()
    )


def test_every_change_is_seen() -> None:
    assert blind_spots(digits) == []


def test_every_change_is_seen_beside_keys() -> None:
    """No key is missing; a change of any other column, and of which row has it, is seen."""

    def candidate(rows: list[Row]) -> str:
        return digits_beside(
            [
                {**row, "office": "missing" if row["office"] is None else row["office"]}
                for row in rows
            ]
        )

    assert blind_spots(candidate) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "planted",
    [
        by_exclusive_or,
        by_column,
        lambda rows: sum(number({**row, "value": row["value"] or 0.0}) for row in rows),
        lambda rows: sum(number({**row, "sensitive": None}) for row in rows),
        lambda rows: {number(row) for row in rows},
    ],
    ids=["exclusive or", "by column", "missing is 0", "no flags", "a set"],
)
def test_a_planted_blind_spot_is_found(planted) -> None:
    assert blind_spots(planted)


@given(st.lists(ROW, max_size=8), st.lists(ROW, max_size=8))
def test_only_equal_rows_are_equal(some: list[Row], others: list[Row]) -> None:
    def plain(row: Row) -> str:
        value = None if row["value"] is None else row["value"] + 0.0
        return repr([value, row["office"], row["day"], row["sensitive"]])

    alike = sorted(map(plain, some)) == sorted(map(plain, others))
    assert (digits(some) == digits(others)) == alike


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (5, 6, pa.int64()),
        (5.0, 5.5, pa.float32()),
        ("5", "6", pa.large_string()),
        ("5", "6", pa.string_view()),
        ("5", "6", pa.dictionary(pa.int8(), pa.string())),
        (True, False, pa.bool_()),
        (datetime.date(2026, 3, 1), datetime.date(2026, 3, 2), pa.date32()),
        (datetime.datetime(2026, 3, 1), datetime.datetime(2026, 3, 1, 1), pa.timestamp("us")),
        (datetime.time(8), datetime.time(9), pa.time64("us")),
        (datetime.timedelta(1), datetime.timedelta(2), pa.duration("us")),
        (Decimal("1.50"), Decimal("1.51"), pa.decimal128(9, 2)),
    ],
    ids=lambda value: str(value) if isinstance(value, pa.DataType) else None,
)
def test_every_kind_of_value_counts(one, other, kind) -> None:
    schema = pa.schema([("x", kind)])
    found = {digits([{"x": value}], schema) for value in (one, other, None)}
    assert len(found) == 3


def test_the_kind_counts_and_its_width_does_not() -> None:
    def of(value: Any, kind: pa.DataType) -> str:
        return digits([{"x": value}], pa.schema([("x", kind)]))

    assert of(5, pa.int8()) == of(5, pa.int64()) == of(5, pa.uint32())
    assert of(0.5, pa.float32()) == of(0.5, pa.float64())
    assert of("5", pa.string()) == of("5", pa.dictionary(pa.int32(), pa.string()))
    assert of(0.0, pa.float64()) == of(-0.0, pa.float64())
    kinds = [(1, pa.int64()), (1.0, pa.float64()), ("1", pa.string()), (True, pa.bool_())]
    assert len({of(*kind) for kind in kinds}) == 4


def test_seventy_columns() -> None:
    """More than one word of marks."""
    schema = pa.schema([(f"x{i}", pa.int64()) for i in range(70)])
    row: Row = {f"x{i}": 0 for i in range(70)}
    missing = [{**row, f"x{i}": None} for i in range(70)]
    assert len({digits([one], schema) for one in [row, *missing]}) == 71


# What it does not tell.


def test_another_key_label_or_column_has_nothing_in_common() -> None:
    def under(master: MasterKey, label: str, name: str) -> str:
        found = RowFingerprint(master, label, [name])
        found.add(pa.record_batch({name: pa.array([1, 2])}))
        return found.hexdigest()

    other = MasterKey(bytes(range(40, 72)))
    places = [(MASTER, "a", "x"), (other, "a", "x"), (MASTER, "b", "x"), (MASTER, "a", "y")]
    assert len({under(*place) for place in [*places, (MASTER, "ax", "")]}) == 5
    empty = {RowFingerprint(key, "a", ["x"]).hexdigest() for key in (MASTER, other)}
    assert len(empty) == 2


def test_the_same_row_added_to_two_sources_is_not_recognised() -> None:
    """The sum behind it would show just that."""
    row = {**ROWS[0], "office": "C"}
    grown = [
        (int(digits([*rows, row]), 16) - int(digits(rows), 16)) % 2**128
        for rows in (ROWS, ROWS[1:], [])
    ]
    assert len(set(grown)) == 3


def test_what_it_cannot_read_it_names() -> None:
    found = RowFingerprint(MASTER, "", ["value"])
    with pytest.raises(InputError, match=r'there is no "value"\. Did you mean "values"'):
        found.add(pa.record_batch({"values": pa.array([1])}))
    with pytest.raises(InputError, match=r"value is list.* make it text"):
        found.add(pa.record_batch({"value": pa.array([[1]])}))
    with pytest.raises(InputError, match=r"value \(uint64\) does not fit: make it text") as error:
        found.add(pa.record_batch({"value": pa.array([2**64 - 3], pa.uint64())}))
    assert "18446744073709551613" not in str(error.value)
    for columns in ([], ["a", "a"]):
        with pytest.raises(InputError, match="each once, at least one"):
            RowFingerprint(MASTER, "", columns)
