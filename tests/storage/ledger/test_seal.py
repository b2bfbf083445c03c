"""Whoever changes a ledger without its key is found out, and so is whoever puts an old one back."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.ledger.histories import event
from tests.storage.ledger.sealed import charge, passes, seal
from unspoken.core.errors import InputError
from unspoken.storage.ledger import Head, Ledger, Seal
from unspoken.storage.prf import Key

EVENTS = [event("1", a=0.5), event("2", a=0.25, b=0.1), event("month", a=1.0), event("3", b=0.5)]


@pytest.fixture(scope="module")
def charged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger of four events, and a copy of it with the first two."""
    folder = tmp_path_factory.mktemp("charged")
    path = folder / "l.sqlite"
    for number, one in enumerate(EVENTS, start=1):
        assert charge(Ledger(path), one) == number
        if number == 2:
            shutil.copy(path, folder / "old.sqlite")
            shutil.copy(folder / "key.head", folder / "old.head")
    return folder


@pytest.fixture
def path(charged: Path, tmp_path: Path) -> Path:
    """The ledger with four events in a copy of that folder."""
    shutil.copytree(charged, tmp_path, dirs_exist_ok=True)
    return tmp_path / "l.sqlite"


def changed(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as own:
        for statement in statements:
            own.execute(statement)
        own.commit()


def refused(path: Path, match: str) -> None:
    """By everything that rests on the account; and the events stay as they are."""
    ledger, before = Ledger(path), rows(path)
    asked: list[Callable[[], object]] = [
        lambda: ledger.verify(seal(ledger)),
        lambda: ledger.look(passes, seal(ledger)),
        lambda: charge(ledger, event("4", a=0.1)),
        lambda: charge(ledger, EVENTS[0]),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=match) as refusal:
            ask()
        assert "\n" not in str(refusal.value)
    assert rows(path) == before


def rows(path: Path) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(path)) as own:
        return own.execute('SELECT id, at, "table", kind, body, code FROM events').fetchall()


def test_what_is_left_alone_holds(path: Path) -> None:
    ledger = Ledger(path)
    head = ledger.verify(seal(ledger))
    assert head == seal(ledger).kept()
    assert head.number == 4
    assert json.loads((path.parent / "key.head").read_text()) == head.as_json()
    assert charge(ledger, EVENTS[1]) == 2
    assert ledger.verify(seal(ledger)) == head


SWAP = [
    "UPDATE events SET id = 9 WHERE id = 2",
    "UPDATE events SET id = 2 WHERE id = 3",
    "UPDATE events SET id = 3 WHERE id = 9",
]
COPIED = (
    'INSERT INTO events (at, "table", kind, body, code) SELECT at, "table", kind, body, code '
    "FROM events WHERE id = 1"
)


@pytest.mark.parametrize(
    ("statements", "first"),
    [
        (["UPDATE events SET body = replace(body, '0.25', '-5.0') WHERE id = 2"], 2),
        (["UPDATE events SET body = replace(body, '0.25', '0.0') WHERE id = 2"], 2),
        (["UPDATE events SET body = replace(body, '0.25', '5e-324') WHERE id = 2"], 2),
        (["UPDATE events SET body = replace(body, '0.25', 'NaN') WHERE id = 2"], 2),
        (["UPDATE events SET body = body || ' ' WHERE id = 4"], 4),
        (["UPDATE events SET body = NULL || x'00' WHERE id = 1", "SELECT 1"], 0),
        (["UPDATE events SET body = CAST(body AS BLOB) WHERE id = 3"], 3),
        (["UPDATE events SET at = '1999-01-01T00:00:00+00:00' WHERE id = 1"], 1),
        (["UPDATE events SET \"table\" = 'other' WHERE id = 3"], 3),
        (["UPDATE events SET kind = 'other' WHERE id = 3"], 3),
        (["UPDATE events SET code = (SELECT code FROM events WHERE id = 1) WHERE id = 2"], 2),
        (["UPDATE events SET code = x'00' WHERE id = 2"], 2),
        (["DELETE FROM events WHERE id = 1"], 1),
        (["DELETE FROM events WHERE id = 2"], 2),
        (["UPDATE events SET id = id - 1"], 1),
        (["UPDATE events SET id = 7 WHERE id = 4"], 4),
        (SWAP, 2),
        ([COPIED], 5),
        (["UPDATE ledger SET value = replace(value, '0', '1') WHERE name = 'name'"], 1),
        (["UPDATE events SET at = '' WHERE id = 2"], 2),
    ],
)
def test_no_event_can_be_changed(statements: list[str], first: int, path: Path) -> None:
    if not first:
        with pytest.raises(sqlite3.IntegrityError):
            changed(path, *statements)
        return
    changed(path, *statements)
    refused(path, f"event {first} is not as it was charged, or one before it is gone; restore")


@pytest.mark.parametrize("last", [3, 1, 0])
def test_no_tail_can_be_cut_off(last: int, path: Path) -> None:
    changed(path, f"DELETE FROM events WHERE id > {last}")
    refused(path, f"key.head: is of event 4, and ledger l.sqlite has only {last}: it was rolled")


def test_an_old_copy_is_refused_and_a_new_one_is_taken(path: Path) -> None:
    shutil.copy(path, path.parent / "new.sqlite")
    shutil.copy(path.parent / "old.sqlite", path)
    refused(path, "has only 2: it was rolled back, replaced, or copied before this file")
    shutil.copy(path.parent / "new.sqlite", path)
    assert charge(Ledger(path), event("4", a=0.1)) == 5


def test_two_ledgers_of_one_key_are_not_each_other(path: Path) -> None:
    """An old copy that went on by itself, under the same key, with as many events."""
    fork = path.parent / "old.sqlite"
    shutil.copy(path.parent / "key.head", path.parent / "new.head")
    shutil.copy(path.parent / "old.head", path.parent / "key.head")
    for number in range(3):
        charge(Ledger(fork), event(f"other {number}", a=0.1))
    shutil.copy(path.parent / "new.head", path.parent / "key.head")
    refused(fork, "key.head: is of event 4, and ledger old.sqlite has another in its place")
    other = path.parent / "other.sqlite"
    refused(other, "is of event 4, and ledger other.sqlite has only 0")


def test_a_head_that_fell_behind_is_caught_up_with(path: Path) -> None:
    """As after a crash between the event and its head."""
    shutil.copy(path.parent / "old.head", path.parent / "key.head")
    ledger = Ledger(path)
    assert ledger.verify(seal(ledger)).number == 4
    assert charge(ledger, EVENTS[0]) == 1
    kept = seal(ledger).kept()
    assert kept is not None
    assert kept.number == 4


@pytest.mark.slow
def test_a_lost_head_is_said_and_can_be_written_again(path: Path) -> None:
    head = seal(Ledger(path)).kept()
    assert head is not None
    (path.parent / "key.head").unlink()
    refused(path, "key.head: is not there.*has lost events; restore it.*`charge` of your last")
    (path.parent / "key.head").write_text(json.dumps(head.as_json(), indent=8))
    assert charge(Ledger(path), EVENTS[0]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "7", '{"number": 4}', '{"number": "4", "head": "00"}', "[" * 100_000,
        '{"number": -1, "head": "CODE"}', '{"number": 1e3, "head": "CODE"}',
        '{"number": 1, "head": "CODE", "more": 1}', '{"number": NaN, "head": "CODE"}',
        '{"number": 4, "head": "zz"}', '{"number": %s, "head": "CODE"}', "\x00\x01", "\ud800",
    ],
)  # fmt: skip
def test_a_head_that_is_none(text: str, path: Path) -> None:
    text = text.replace("CODE", "0" * 64).replace("%s", "9" * 400)
    (path.parent / "key.head").write_bytes(text.encode("utf-8", "surrogatepass"))
    refused(path, "key.head: does not say which event of a ledger it is of; restore it")


def test_what_a_manifest_says_counts_too(path: Path) -> None:
    """With the head beside the key rolled back as well, what was given out still tells."""
    given = seal(Ledger(path)).kept()
    assert given is not None
    for name, old in (("l.sqlite", "old.sqlite"), ("key.head", "old.head")):
        shutil.copy(path.parent / old, path.parent / name)
    ledger, paper = Ledger(path), path.parent / "r.manifest.json"
    own = seal(ledger)
    assert ledger.verify(own).number == 2
    with pytest.raises(InputError, match=r"r\.manifest\.json: is of event 4, .*has only 2.*move"):
        ledger.verify(Seal(own.key, own.coin_key, own.file, {paper: given}))


def test_another_key_holds_nothing(path: Path) -> None:
    own = seal(Ledger(path))
    other = Key(bytes(32))
    with pytest.raises(InputError, match="event 1 is not as it was charged"):
        Ledger(path).verify(Seal(other, own.coin_key, own.file))
    with pytest.raises(InputError, match=r"key: is coin key x, .* used k; another key tosses"):
        Ledger(path).verify(Seal(other, "x", own.file))


@pytest.mark.slow
def test_the_chain_is_what_it_says(path: Path) -> None:
    """HMAC-SHA256 of the code before and the row, from the name of the ledger on."""
    own = seal(Ledger(path))
    with contextlib.closing(sqlite3.connect(path)) as opened:
        (code,) = opened.execute("SELECT value FROM ledger WHERE name = 'name'").fetchone()
    for number, *kept, written in rows(path):
        assert isinstance(number, int)
        message = bytes.fromhex(code) + json.dumps([number, *kept]).encode()
        code = own.key.code(message).hex()
        assert code == written
    assert Head(4, code) == own.kept()


def ends(content: bytes, page: int = 4096) -> dict[str, bytes]:
    """A ledger's file with something wrong behind its events, where no query of them looks."""
    return {
        "cut short": content[:-100],
        "grown": content + bytes(page),
        "its index": content[: 4 * page] + bytes(page) + content[5 * page :],
    }


@pytest.mark.parametrize("what", ["cut short", "grown", "its index"])
def test_a_damaged_file_does_not_hold_though_its_events_do(what: str, path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(ends(whole)[what])
    with pytest.raises(InputError, match=r"l\.sqlite: is damaged \(.*\); restore it from a copy"):
        Ledger(path).verify(seal(Ledger(path)))
    path.write_bytes(whole)
    assert Ledger(path).verify(seal(Ledger(path))).number == len(EVENTS)


def test_a_first_head_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"key\.head: cannot be written: No space left"):
        charge(ledger, event("1", a=0.5))
    assert ledger.empty
