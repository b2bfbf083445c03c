"""What one more key column would tell is measured, though no context declares it.

An answer that keeps its cap without the room or the weekday may not given them, and both stand in
the released file.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.assessment.test_in_context import answers, hidden_in_a_room
from tests.workflows.release.small import Attributes, small
from unspoken.core.types.bound import Estimate
from unspoken.workflows.release import prepare, release
from unspoken.workflows.release.undeclared import LEAST, Undeclared, undeclared

ATTRIBUTES: Attributes = {"x": {"sensitive": "x = 'ill'"}, "y": {}}
LIMITS: dict[str, Any] = {"limit_bits": 1.0, "odds_cap": 4.0}


def measured(path: Path) -> tuple[Undeclared, ...]:
    ready = prepare(path)
    found = ready.findings(curve=False)
    return undeclared(ready, found.planned, found.plan.mechanism)


@pytest.mark.slow
def test_the_room_in_the_file_is_found(tmp_path: Path) -> None:
    table = hidden_in_a_room()
    path = small(tmp_path, table, ATTRIBUTES, keys=("id", "room"), **LIMITS)
    ready = prepare(path)
    found = ready.findings(curve=False)
    (entry,) = undeclared(ready, found.planned, found.plan.mechanism)
    assert (set(entry.given), entry.about) == ({"room"}, "x")
    assert isinstance(entry.odds, Estimate)
    assert entry.without.odds.odds <= 4.0
    rows = list(zip(*(table.column(n).to_pylist() for n in ("room", "x", "y")), strict=True))
    largest, share = 0.0, 0.0
    for room in ("a", "b"):
        mine = [(x, y) for r, x, y in rows if r == room]
        weights: dict[tuple, list[float]] = {}
        for x, y in mine:
            seen = answers((x, y), ready.learned, found.plan.mechanism, ("x", "y"))
            for answer, p in seen:
                weights.setdefault(answer, [0.0, 0.0])[x == "ill"] += p
        ill = sum(x == "ill" for x, _ in mine)
        for outside, inside in weights.values():
            if outside + inside >= LEAST and inside:
                odds = math.inf if not outside else (inside / outside) / (ill / (len(mine) - ill))
                if odds > largest:
                    largest, share = odds, (outside + inside) / len(rows)
    assert entry.odds.value == pytest.approx(largest, rel=1e-9)
    assert entry.odds.value > 6.0
    assert entry.share == pytest.approx(share, rel=1e-9)


def by_weekday(kind: str, rows: int = 4000) -> pa.Table:
    """Who is late on a Monday is ill, and on other days is not; rows of hours."""
    rng = np.random.default_rng(4)
    start = datetime(2026, 1, 5)
    days = [start + timedelta(days=k // 10, hours=k % 10 + 8) for k in range(rows)]
    monday = np.array([day.weekday() == 0 for day in days])
    ill = rng.random(rows) < 0.2
    late = rng.random(rows) < np.where(monday, np.where(ill, 0.95, 0.05), 0.3)
    held = {
        "date": pa.array([day.date() for day in days], pa.date32()),
        "time": pa.array(days, pa.timestamp("us")),
        "text": pa.array([str(day) for day in days]),
    }[kind]
    return pa.table(
        {
            "id": [k % 10 for k in range(rows)],
            "day": held,
            "x": np.where(ill, "ill", "well").tolist(),
            "y": np.where(late, "late", "early").tolist(),
        }
    )


@pytest.mark.parametrize("kind", ["date", "time", "text"])
def test_functions_of_time_are_looked_at(tmp_path: Path, kind: str) -> None:
    table = by_weekday(kind)
    found = measured(small(tmp_path, table, ATTRIBUTES, keys=("id", "day"), **LIMITS))
    assert found[0].given == {"weekday of day": "Monday"}
    assert found[0].odds.value > 10.0
    assert [[*entry.given] for entry in found if entry.odds.value > 4.0] == [["weekday of day"]]


@pytest.mark.slow
@pytest.mark.parametrize("noise", [False, True], ids=["exact counts", "noisy counts"])
def test_a_declared_context_is_not_said_twice(tmp_path: Path, noise: bool) -> None:
    path = small(tmp_path, hidden_in_a_room(), ATTRIBUTES, keys=("id", "room"), **LIMITS)
    path.write_text(f'{path.read_text()}\n[context.place]\nof = "upper(room)"\n')
    if noise:
        path.write_text(path.read_text().replace('noise = "none"', "noise = 3.0"))
        release(path)
    assert measured(path) == ()


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "rooms"), [(1500, 50), (15_000, 20)])
def test_chance_is_no_evidence(tmp_path: Path, rows: int, rooms: int) -> None:
    """Groups of thirty rows show something extreme by chance, and the largest of twenty of 750."""
    rng = np.random.default_rng(8)
    table = pa.table(
        {
            "id": list(range(rows)),
            "room": [f"r{k % rooms}" for k in range(rows)],
            "x": np.where(rng.random(rows) < 0.3, "ill", "well").tolist(),
            "y": rng.choice(["late", "early"], rows).tolist(),
        }
    )
    assert measured(small(tmp_path, table, ATTRIBUTES, keys=("id", "room"), **LIMITS)) == ()


def crossed(rows: int = 8000) -> pa.Table:
    """Neither the room nor the shift tells anything of x by y; both together tell nearly all."""
    rng = np.random.default_rng(2)
    room, shift = rng.integers(2, size=rows), rng.integers(2, size=rows)
    ill = rng.random(rows) < 0.3
    like = np.where(room == shift, ill, ~ill)
    late = rng.random(rows) < np.where(like, 0.9, 0.1)
    return pa.table(
        {
            "id": list(range(rows)),
            "room": np.where(room, "a, b", "a").tolist(),
            "shift": np.where(shift, "c", "b, c").tolist(),
            "x": np.where(ill, "ill", "well").tolist(),
            "y": np.where(late, "late", "early").tolist(),
        }
    )


def largest_odds(table: pa.Table, keys: tuple[str, ...], ready: Any, mechanism: Any) -> float:
    """The largest factor on the odds of being ill given values of ``keys``, from the rows."""
    columns = [table.column(name).to_pylist() for name in (*keys, "x", "y")]
    rows = list(zip(*columns, strict=True))
    largest = 0.0
    for value in {row[:-2] for row in rows}:
        mine = [row[-2:] for row in rows if row[:-2] == value]
        weights: dict[tuple, list[float]] = {}
        for x, y in mine:
            for answer, p in answers((x, y), ready.learned, mechanism, ("x", "y")):
                weights.setdefault(answer, [0.0, 0.0])[x == "ill"] += p
        ill = sum(x == "ill" for x, _ in mine)
        for outside, inside in weights.values():
            if outside + inside >= LEAST and inside:
                odds = math.inf if not outside else (inside / outside) / (ill / (len(mine) - ill))
                largest = max(largest, odds)
    return largest


@pytest.mark.slow
def test_two_keys_that_tell_nothing_by_themselves_are_looked_at_together(tmp_path: Path) -> None:
    table = crossed()
    path = small(tmp_path, table, ATTRIBUTES, keys=("id", "room", "shift"), **LIMITS)
    ready = prepare(path)
    found = ready.findings(curve=False)
    (entry,) = undeclared(ready, found.planned, found.plan.mechanism)
    assert [*entry.given] == ["room", "shift"]
    assert entry.given["room"] in {"a", "a, b"}
    exact = largest_odds(table, ("room", "shift"), ready, found.plan.mechanism)
    assert entry.odds.value == pytest.approx(exact, rel=1e-9)
    alone = [largest_odds(table, (key,), ready, found.plan.mechanism) for key in ("room", "shift")]
    assert exact > 10.0 > 4.5 > max(alone)  # where the cap, without any key, is 4


def test_two_declared_together_are_not_said_twice(tmp_path: Path) -> None:
    path = small(tmp_path, crossed(), ATTRIBUTES, keys=("id", "room", "shift"), **LIMITS)
    path.write_text(f"{path.read_text()}\n[context.both]\nof = \"room || '/' || shift\"\n")
    assert measured(path) == ()


@pytest.mark.slow
def test_a_context_of_other_rows_declares_no_key(tmp_path: Path) -> None:
    """Rooms and halves of as many rows each: who knows the half does not know the room."""
    table = hidden_in_a_room()
    room = np.array(table.column("room").to_pylist())
    each = min((room == name).sum() for name in ("a", "b"))
    kept = np.sort(np.concatenate([np.flatnonzero(room == name)[:each] for name in ("a", "b")]))
    table = table.take(kept).append_column("half", pa.array(["c", "d"] * int(each)))
    path = small(tmp_path, table, ATTRIBUTES, keys=("id", "room", "half"), **LIMITS)
    alone = [[*entry.given] for entry in measured(path)]
    assert alone == [["room"]]
    path.write_text(f'{path.read_text()}\n[context.half]\nof = "half"\n')
    assert [[*entry.given] for entry in measured(path)] == alone


@pytest.mark.slow
def test_a_pair_is_held_against_what_a_declared_one_tells(tmp_path: Path) -> None:
    """The room tells by itself; a second key beside it, which tells nothing, adds nothing."""
    table = hidden_in_a_room()
    other = pa.array([str(k * 7 % 3) for k in range(table.num_rows)])
    path = small(
        tmp_path, table.append_column("desk", other), ATTRIBUTES,
        keys=("id", "room", "desk"), **LIMITS,
    )  # fmt: skip
    assert [[*entry.given] for entry in measured(path)] == [["room"]]
    path.write_text(f'{path.read_text()}\n[context.place]\nof = "upper(room)"\n')
    assert measured(path) == ()


@pytest.mark.slow
def test_columns_may_be_called_as_what_is_looked_at(tmp_path: Path) -> None:
    """A key like two others together, of too many values; and an attribute like a part."""
    table = crossed().append_column("room and shift", pa.array(map(str, range(8000))))
    keys = ("id", "room", "shift", "room and shift")
    (entry,) = measured(small(tmp_path, table, ATTRIBUTES, keys=keys, **LIMITS))
    assert [*entry.given] == ["room", "shift"]
    table = by_weekday("date").append_column("weekday of day", pa.array(["a", "b"] * 2000))
    path = small(tmp_path, table, ATTRIBUTES, keys=("id", "day"), **LIMITS)
    path.write_text(f'{path.read_text()}\n[attribute."weekday of day"]\n')
    assert measured(path)[0].given == {"weekday of day": "Monday"}


def test_certainty_is_seen(tmp_path: Path) -> None:
    """In one room all who are late are ill: no row says otherwise, and chance does not do that."""
    rng = np.random.default_rng(3)
    rows = 6000
    room = np.arange(rows) % 12
    ill = rng.random(rows) < np.where(room == 0, 0.6, 0.2)
    late = rng.random(rows) < np.where(room == 0, np.where(ill, 0.8, 0.0), 0.5)
    table = pa.table(
        {
            "id": list(range(rows)),
            "room": [f"r{k}" for k in room],
            "x": np.where(ill, "ill", "well").tolist(),
            "y": np.where(late, "late", "early").tolist(),
        }
    )
    (entry,) = measured(small(tmp_path, table, ATTRIBUTES, keys=("id", "room"), **LIMITS))
    assert entry.given == {"room": "r0"}
    assert entry.odds.value == math.inf


def test_a_key_is_not_taken_for_a_declared_one_of_as_many_rows(tmp_path: Path) -> None:
    """Rooms and shifts in a grid: four of each, of as many rows. Only the shift is declared."""
    rng = np.random.default_rng(1)
    rows = 8000
    room, shift = np.arange(rows) % 4, np.arange(rows) // 4 % 4
    ill = rng.random(rows) < 0.25
    late = rng.random(rows) < np.where(room == 0, np.where(ill, 0.98, 0.02), 0.3)
    table = pa.table(
        {
            "id": list(range(rows)),
            "room": [f"r{k}" for k in room],
            "shift": [f"s{k}" for k in shift],
            "x": np.where(ill, "ill", "well").tolist(),
            "y": np.where(late, "late", "early").tolist(),
        }
    )
    path = small(tmp_path, table, ATTRIBUTES, keys=("id", "room", "shift"), **LIMITS)
    path.write_text(f'{path.read_text()}\n[context.shift]\nof = "shift"\n')
    assert [entry.given for entry in measured(path)] == [{"room": "r0"}]
