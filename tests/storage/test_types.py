"""What is released has the types it had: keys that were dates or small numbers join again."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import Attributes, planned, small
from unspoken.core.errors import InputError
from unspoken.core.numerics.coin_thresholds import released, threshold
from unspoken.storage.coins import MasterKey, attribute_keys, draw, encode_keys
from unspoken.workflows.release import prepare, release

pytestmark = pytest.mark.slow

ROWS = 48
START = datetime(2026, 3, 28, 20)
HOURS = [START + timedelta(hours=hour) for hour in range(ROWS)]
ATTRIBUTES: Attributes = {"a": {"sensitive": "a = 'x'"}, "b": {"values": ["u", "v"]}}
KEYS = {
    "date32": (pa.array([date(2026, 1, 1) + timedelta(day) for day in range(ROWS)]), pa.date32()),
    "int16": (pa.array(range(ROWS), pa.int16()), pa.int16()),
    "uint64": (pa.array(range(ROWS), pa.uint64()), pa.uint64()),
    "dictionary": (pa.array([f"{n:02}" for n in range(ROWS)]).dictionary_encode(), pa.string()),
    "timestamp": (pa.array(HOURS, pa.timestamp("us")), pa.timestamp("us")),
    "nanoseconds": (pa.array(HOURS, pa.timestamp("ns")), pa.timestamp("ns")),
    "times of day": (
        pa.array([time(n // 2, 30 * (n % 2), 0, n) for n in range(ROWS)]),
        pa.time64("us"),
    ),
    "zoned": (pa.array(HOURS, pa.timestamp("us", "UTC")), pa.timestamp("us", "UTC")),
    "any year": (
        pa.array([datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999), *HOURS[2:]]),
        pa.timestamp("us"),
    ),
    "zoned nanoseconds": (
        pa.array(HOURS, pa.timestamp("ns", "UTC")),
        pa.timestamp("ns", "UTC"),
    ),
    "times of day in nanoseconds": (
        pa.array([n * 1_800_000_001_000 for n in range(ROWS)], pa.time64("ns")),
        pa.time64("ns"),
    ),
}


def table(keys: pa.Array) -> pa.Table:
    return pa.table({"id": keys, "a": ["x", "y", "y"] * 16, "b": (["u"] * 5 + ["v"] * 3) * 6})


@pytest.mark.parametrize("kind", KEYS)
def test_a_released_key_is_of_the_type_it_was(tmp_path: Path, kind: str) -> None:
    keys, expected = KEYS[kind]
    done = release(small(tmp_path, table(keys), ATTRIBUTES))
    got = pq.read_table(done.path)
    assert got.schema.field("id").type == expected
    columns = json.loads(done.manifest.read_text())["release"]["columns"]
    assert columns == {field.name: str(field.type) for field in got.schema}
    source = table(keys.cast(expected))
    joined = got.join(source, "id", right_suffix=" source", join_type="inner")
    assert joined.num_rows == ROWS
    shown = joined.filter(pc.is_valid(joined["b"]))
    assert shown["b"].to_pylist() == shown["b source"].to_pylist()


@pytest.mark.parametrize("kind", KEYS)
def test_others_read_the_same_keys(tmp_path: Path, kind: str) -> None:
    """Steps of whole numbers are among what Parquet has, and every engine undoes them."""
    keys, expected = KEYS[kind]
    path = release(small(tmp_path, table(keys), ATTRIBUTES)).path
    encodings = pq.ParquetFile(path).metadata.row_group(0).column(0).encodings
    assert ("DELTA_BINARY_PACKED" in encodings) == (kind != "dictionary")
    ours = pq.read_table(path)["id"]
    assert pl.read_parquet(path)["id"].to_arrow().cast(expected) == ours.combine_chunks()
    query = duckdb.read_parquet(str(path)).project("id").to_arrow_table()
    assert query["id"].cast(expected) == ours


def test_coins_of_dates_are_tossed_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On text, YYYY-MM-DD, whatever type the release has."""
    planned(monkeypatch, b=0.7)
    days, _ = KEYS["date32"]
    done = release(small(tmp_path, table(days), ATTRIBUTES))
    eps = done.event.mechanism.exponents()["b"]
    master = MasterKey.read(tmp_path / "unspoken.key")
    coins = draw(attribute_keys(master, "b", "1"), encode_keys([days.cast(pa.string())]))
    shown = pq.read_table(done.path)["b"].is_valid()
    assert shown.to_pylist() == released(coins, threshold(eps)).tolist()
    assert 0 < sum(shown.to_pylist()) < ROWS


def test_moments_fall_into_bins_of_the_projects_days(tmp_path: Path) -> None:
    """29 March begins at 23:00 UTC in Brussels, 30 March at 22:00: clocks are put forward."""
    seen = pa.array(HOURS, pa.timestamp("us", "UTC"))
    rows = pa.table({"id": range(ROWS), "seen": seen, "b": ["u", "v"] * 24})
    bins = {"bins": ["2026-03-29", "2026-03-30"]}
    source = 'table = "table.parquet"\ntimezone = "Europe/Brussels"'
    path = small(tmp_path, rows, {"seen": bins, "b": {}}, source=source)
    learned = prepare(path).learned
    names = ("before 2026-03-29", "2026-03-29 to 2026-03-30", "2026-03-30 or later")
    assert learned.labels["seen"] == names
    assert learned.counts["seen"] == (3, 23, 22)
    assert {*pq.read_table(release(path).path)["seen"].to_pylist()} - {None} == {*names}
    utc = small(tmp_path, None, {"seen": bins, "b": {}})
    assert prepare(utc).learned.counts["seen"] == (4, 24, 20)
    naive = rows.set_column(1, "seen", pa.array(HOURS, pa.timestamp("us")))
    assert prepare(small(tmp_path, naive, {"seen": bins, "b": {}})).learned.counts["seen"] == (
        4,
        24,
        20,
    )


@pytest.mark.parametrize("edge", ["1969-07-20T20:17:40", "1970-01-01", "2026-03-29"])
def test_nanoseconds_fall_into_the_bin_that_they_are_in(tmp_path: Path, edge: str) -> None:
    """However near its edge, and at the ends of time: none is rounded into the next one."""
    at = int(np.datetime64(edge, "ns").astype(np.int64))
    near = np.array([0, 1, 400, 500, 600, 999, 1000, 1001, 86_400 * 10**9])
    held = np.iinfo(np.int64)  # beyond these two ends are NULL, and times without end
    moments = np.array([held.min + 2, *(at - near[1:]), *(at + near), held.max - 1])
    rows = pa.table(
        {
            "id": range(len(moments)),
            "seen": pa.array(moments, pa.timestamp("ns")),
            "b": (["u", "v"] * len(moments))[: len(moments)],
        }
    )
    path = small(tmp_path, rows, {"seen": {"bins": [edge]}, "b": {}})
    assert prepare(path).learned.counts["seen"] == (len(near), len(near) + 1)
    got = pq.read_table(release(path).path)
    assert pq.read_schema(tmp_path / "table.parquet").field("seen").type == pa.timestamp("ns")
    labels = prepare(path).learned.labels["seen"]
    for row in got.to_pylist():
        later = moments[row["id"]] >= at
        assert row["seen"] in (None, labels[int(later)])
    assert got["seen"].null_count < len(moments)


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        (["2026-03-29T00:00:00+01:00"], "without a time zone; write edges without"),
        ([1, 2], "holds dates with times; write its edges as dates with times, such as [2026"),
        (["2026-03-29", 2], "mixes dates and numbers"),
        (["soon"], "item 1 must be a number, or a date"),
        (["2026-03-29", "2026-03-28"], "must increase, but 2026-03-28 follows 2026-03-29"),
    ],
)
def test_edges_that_are_no_moments_of_a_column(
    tmp_path: Path, bins: list[object], said: str
) -> None:
    rows = pa.table({"id": range(ROWS), "seen": pa.array(HOURS), "b": ["u", "v"] * 24})
    with pytest.raises(InputError) as refused:
        prepare(small(tmp_path, rows, {"seen": {"bins": bins}, "b": {}}))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (pa.timestamp("ns"), "less than a microsecond; round"),
        (pa.timestamp("ns", "UTC"), "id holds what is no whole number of microseconds"),
        (pa.time64("ns"), "id holds what is no whole number of microseconds"),
    ],
)
def test_a_key_finer_than_its_coin_is_refused(tmp_path: Path, kind: pa.DataType, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prepare(small(tmp_path, table(pa.array(range(ROWS), kind)), ATTRIBUTES))


def test_a_whole_number_beyond_64_bits_is_no_key(tmp_path: Path) -> None:
    keys = pa.array([2**63, *range(ROWS - 1)], pa.uint64())
    said = "id of table.parquet has 1 that are no whole number of 64 bits with a sign; make the"
    with pytest.raises(InputError, match=said):
        prepare(small(tmp_path, table(keys), ATTRIBUTES))


def test_nanoseconds_are_what_microseconds_are(tmp_path: Path) -> None:
    """In predicates, bins and lists: a frame brings them where nobody meant so fine a time."""
    counts = []
    for unit, one in (("us", 1), ("ns", 1000)):
        seen = [one * 3_600_000_000 * n for n in range(-5, ROWS - 5)]
        clock = [one * 3_600_000_000 * (8 + n % 3) for n in range(ROWS)]
        rows = pa.table(
            {
                "id": range(ROWS),
                "seen": pa.array(seen, pa.timestamp(unit, "UTC")),
                "clock": pa.array([None, *clock[1:]], pa.time64(unit)),
                "b": ["u", "v"] * 24,
            }
        )
        attributes: Attributes = {
            "seen": {"bins": ["1970-01-01", "1970-01-02"], "sensitive": "hour(seen) = 5"},
            "clock": {"sensitive": "clock > TIME '09:30'", "missing": "value"},
            "b": {},
        }
        learned = prepare(small(tmp_path, rows, attributes)).learned
        counts.append((learned.labels, learned.counts))
    assert counts[0] == counts[1]


def test_twice_the_same_moment_is_refused_without_it(tmp_path: Path) -> None:
    keys = pa.array([START, *HOURS[:-1]], pa.timestamp("us", "UTC"))
    with pytest.raises(InputError, match=r"2 rows of table\.parquet have the same id; name") as no:
        prepare(small(tmp_path, table(keys), ATTRIBUTES))
    assert "2026" not in str(no.value)


def test_a_time_of_day_is_a_value_like_others(tmp_path: Path) -> None:
    """Listed as it is written, as a key or an attribute; predicates see a time."""
    hours = pa.array([time(8 + n % 3, 30) for n in range(ROWS)])
    rows = pa.table({"id": range(ROWS), "arrive": hours, "b": ["u", "v"] * 24})
    sensitive = {"sensitive": "arrive >= TIME '10:00'"}
    path = small(tmp_path, rows, {"arrive": sensitive, "b": {}}, limit_bits=5.0, odds_cap=1e6)
    assert prepare(path).learned.labels["arrive"] == ("08:30:00", "09:30:00", "10:30:00")
    got = pq.read_table(release(path).path)["arrive"]
    assert got.type == pa.time64("us")
    assert time(10, 30) not in {*got.to_pylist()}
    declared = {"values": ["08:30:00", "09:30:00", "10:30:00"], **sensitive}
    assert prepare(small(tmp_path, rows, {"arrive": declared, "b": {}})).learned.rows == ROWS
    with pytest.raises(InputError, match="holds times of day"):
        prepare(small(tmp_path, rows, {"arrive": {"bins": [8, 9]}, "b": {}}))
