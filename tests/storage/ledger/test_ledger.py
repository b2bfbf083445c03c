"""Events in, the same events out; a refusal leaves nothing behind; nothing is refunded."""

from __future__ import annotations

import contextlib
import gc
import math
import os
import sqlite3
import stat
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy

from tests.forked import FORKED
from tests.storage.ledger.sealed import charge, seal
from tests.within import HANG, wait_for_locks
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import OneSided
from unspoken.storage.ledger import Account, Ledger, Release, fold
from unspoken.storage.ledger.sqlite import reworded


def release(epoch: str = "2026", per_key: bool = False, **epsilon: float) -> Release:
    return Release(
        table="t", epoch=epoch, per_key=per_key, mechanism=OneSided(epsilon),
        readings={epoch: dict.fromkeys(epsilon, "00")},
        key="k", coins="unspoken-coin-1", limits={}, leakage={},
    )  # fmt: skip


def test_replay_is_state(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    events = [release(a=0.5), release(a=1.0, b=math.inf), release("2027", a=0.25)]
    for event in events:
        charge(ledger, event)
    assert Ledger(tmp_path / "l.sqlite").events() == events


def test_an_event_knows_its_readers(tmp_path: Path) -> None:
    everybody, some = release(a=0.5), replace(release(a=0.5), readers=("lighting",))
    assert Release.from_json(everybody.to_json()) == everybody
    assert Release.from_json(some.to_json()) == some
    ledger = Ledger(tmp_path / "l.sqlite")
    numbers = [charge(ledger, event) for event in (everybody, some, everybody, some)]
    assert numbers == [1, 2, 1, 2]


def test_an_event_knows_the_order_of_its_keys(tmp_path: Path) -> None:
    old, new = release(a=0.5), replace(release(a=0.5), keys=("office", "day"))
    assert [Release.from_json(one.to_json()) for one in (old, new)] == [old, new]
    ledger = Ledger(tmp_path / "l.sqlite")
    assert [charge(ledger, event) for event in (old, new, old, new)] == [1, 2, 1, 2]
    assert ledger.events() == [old, new]


def test_a_ledger_that_lost_everything_is_no_new_one(tmp_path: Path) -> None:
    """Cut off to nothing, by a full disk, say: a new account would be a fresh start."""
    path = tmp_path / "l.sqlite"
    charge(Ledger(path), release(a=1))
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"l\.sqlite: is empty, and would start a new account"):
        Ledger(path)
    assert path.read_bytes() == b""


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 4096, 5000, 8192])
def test_a_ledger_that_is_cut_off_is_refused(size: int, tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    for number in range(40):
        charge(Ledger(path), release(str(number), a=1))
    whole = path.read_bytes()
    assert len(whole) > 8192
    path.write_bytes(whole[:size])
    with pytest.raises(InputError, match=r"l\.sqlite: "):
        Ledger(path).events()


def test_a_refused_event_leaves_nothing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")

    def refuse(_account: Account) -> None:
        raise LimitExceeded("no")

    with pytest.raises(LimitExceeded):
        ledger.charge(release(a=1), refuse, seal(ledger))
    assert ledger.events() == []


def test_a_refused_event_holds_nothing(tmp_path: Path) -> None:
    """What the refusal is about goes when the error goes: an open reader of the table, say."""
    ledger = Ledger(tmp_path / "l.sqlite")

    def refuse(_account: Account) -> None:
        raise LimitExceeded("no")

    gone = weakref.ref(refuse)
    gc.disable()
    try:
        with contextlib.suppress(LimitExceeded):
            ledger.charge(release(a=1), refuse, seal(ledger))
        del refuse
        assert gone() is None
    finally:
        gc.enable()


def test_coins_nest_within_an_epoch_and_add_over_labels() -> None:
    def shown(*events: Release) -> object:
        return fold(events, {}).exponents()

    assert shown(release(a=0.5), release(a=0.3, b=1)) == {"a": 0.5, "b": 1}
    assert shown(release(a=0.5), release("2027", a=0.3)) == {"a": 0.8}
    by_month = "substr(day, 1, 7)"
    nested = [release(by_month, True, a=0.5), release(by_month, True, a=0.7)]
    assert shown(*nested) == {"a": 0.7}
    assert shown(*nested, release(a=0.1)) == {"a": pytest.approx(0.8)}


def test_the_file_is_the_holders_alone(tmp_path: Path) -> None:
    Ledger(tmp_path / "l.sqlite")
    assert stat.S_IMODE((tmp_path / "l.sqlite").stat().st_mode) == 0o600


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l.sqlite").write_text("hello " * 500)
    with pytest.raises(InputError, match="not a ledger"):
        Ledger(tmp_path / "l.sqlite")
    with pytest.raises(InputError, match="No such file"):
        Ledger(tmp_path / "nowhere" / "l.sqlite")


def test_the_same_event_again_is_that_event(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    events = [release(a=0.5), release(a=1.0), release(a=0.5, b=math.inf)]
    numbers = [charge(ledger, event) for event in [*events, *events]]
    assert numbers == [1, 2, 3, 1, 2, 3]
    assert ledger.events() == events

    def refuse(_account: Account) -> None:
        raise LimitExceeded("no")

    with pytest.raises(LimitExceeded):  # it is looked at all the same
        ledger.charge(events[0], refuse, seal(ledger))


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "photos.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as own:
        own.execute("CREATE TABLE photos (id)")
        own.commit()
    with pytest.raises(InputError, match=r"photos\.sqlite: not a ledger, but another database"):
        Ledger(path)
    with contextlib.closing(sqlite3.connect(path)) as own:
        assert own.execute("SELECT name FROM sqlite_master").fetchall() == [("photos",)]


def changed(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as own:
        own.execute(statement)
        own.commit()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE ledger SET value = '1' WHERE name = 'format'", "has format 1, .* reads 2; use"),
        ("UPDATE ledger SET value = 'x' WHERE name = 'format'", "has format x, .* reads 2"),
        ("DELETE FROM ledger WHERE name = 'format'", "has lost its format; restore"),
        ("DELETE FROM ledger WHERE name = 'name'", "has lost its name; restore"),
        ("UPDATE events SET body = '{'", "event 1 cannot be read; restore the ledger"),
        ("UPDATE events SET body = '{}'", "event 1 cannot be read; restore the ledger"),
        ("UPDATE events SET body = '[1]'", "event 1 cannot be read; restore the ledger"),
        (
            "UPDATE events SET body = replace(body, '\"format\": 1', '\"format\": 2')",
            "event 1 cannot be read; restore the ledger",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(statement: str, said: str, tmp_path: Path) -> None:
    charge(Ledger(tmp_path / "l.sqlite"), release(a=1))
    changed(tmp_path / "l.sqlite", statement)
    with pytest.raises(InputError, match=said):
        Ledger(tmp_path / "l.sqlite").events()


def test_a_ledger_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be used \(unable to open database file\)"):
        Ledger(tmp_path)
    path = tmp_path / "odd ?#%20name.sqlite"
    ledger = Ledger(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    changed(path, "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'x'); END")
    with pytest.raises(InputError, match=r"name\.sqlite: has the trigger full on events"):
        charge(ledger, release(a=1))
    assert ledger.events() == []


def test_a_disk_without_room_is_said_with_the_way_out(tmp_path: Path) -> None:
    said = r"cannot be used \(database or disk is full\); make room there, and run again"
    with sqlalchemy.create_engine("sqlite://").begin() as connection:
        connection.exec_driver_sql("CREATE TABLE x (y)")
        connection.exec_driver_sql("PRAGMA max_page_count = 4")
        with pytest.raises(InputError, match=said), reworded(tmp_path / "l.sqlite"):
            connection.exec_driver_sql("INSERT INTO x VALUES (zeroblob(1000000))")


@pytest.mark.slow
def test_many_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    workers = [FORKED.Process(target=_spend, args=(path, 3)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(HANG)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert len(Ledger(path).events()) == 12


def _spend(path: Path, count: int) -> None:
    def at_most_twenty(account: Account) -> None:
        if account.exposure(account.readers()).exponents().get("a", 0) >= 20:
            raise LimitExceeded("full")

    wait_for_locks()
    ledger = Ledger(path)
    for number in range(count):
        try:
            ledger.charge(release(f"{os.getpid()} {number}", a=1), at_most_twenty, seal(ledger))
        except LimitExceeded:
            return


@pytest.mark.slow
def test_writers_at_once_never_exceed_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    Ledger(path)
    workers = [FORKED.Process(target=_spend, args=(path, 10)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(HANG)
    assert len(Ledger(path).events()) == 20


def test_a_name_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    charge(Ledger(path), release(a=1))
    path.write_bytes(path.read_bytes().replace(b"tableevents", b"table\x84vents"))
    with pytest.raises(InputError, match=r"l\.sqlite: is damaged \(.*\); restore it from a copy"):
        Ledger(path)
