"""What is carried on beside the events is what they say, whatever happened in between."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from tests.forked import FORKED
from tests.storage.ledger.histories import event, histories
from tests.storage.ledger.sealed import charge, seal
from tests.within import HANG
from unspoken.core.errors import LimitExceeded
from unspoken.core.mechanisms import Laplace
from unspoken.storage.ledger import Account, Ledger, Release, chain
from unspoken.storage.ledger.entries import Entries


def asks(account: Account) -> None:
    account.exposure([("r",)])


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written from the first event on."""
    monkeypatch.setattr(chain, "FEW", 0)


# What is not of the events alone, but of who asked.
ASKED = {"sum", "audiences", "last"}


def kept(path: Path) -> tuple[Any, Any]:
    """The account in a file, and that of its events."""
    found: list[dict[tuple[str, ...], Any]] = []

    def look(account: Account) -> None:
        for audience in (account.readers(), [("r",)], []):
            assert account.exposure(audience) == replayed.exposure(audience)
        found.append(dict(account._entries.below(())))

    ledger = Ledger(path)
    events = dict.fromkeys(map(Release.to_json, ledger.events()))
    replayed = Account.of([Release.from_json(text) for text in events])
    ledger.look(look, seal(ledger))
    entries = replayed._entries
    assert isinstance(entries, Entries)
    return (
        {key: value for key, value in found[0].items() if key[0] not in ASKED},
        {key: value for key, value in entries.entries.items() if key[0] not in ASKED},
    )


def same(path: Path) -> bool:
    one, other = kept(path)
    return bool(one == other)


@pytest.mark.slow
@settings(max_examples=20)
@given(histories(most=6))
def test_the_checkpoint_is_the_replay(events: list[Release]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "l.sqlite"
        for one in events:
            charge(Ledger(path), one, asks)
            assert same(path)


EVENTS = [event("1", a=0.5), event("2", a=0.25, b=0.1), event("month", a=1.0)]


@pytest.fixture(scope="module")
def charged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger of these events, each charged by another object."""
    folder = tmp_path_factory.mktemp("charged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "FEW", 0)
        for one in EVENTS:
            charge(Ledger(folder / "l.sqlite"), one)
    return folder


@pytest.fixture
def path(charged: Path, tmp_path: Path) -> Path:
    """That ledger in a copy of the folder."""
    shutil.copytree(charged, tmp_path, dirs_exist_ok=True)
    return tmp_path / "l.sqlite"


def changed(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as own:
        own.execute(statement)
        own.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE account",
        "DELETE FROM account",
        "DELETE FROM account WHERE key = '[\"last\"]'",
        "UPDATE account SET value = '[1, 3, \"\"]' WHERE key = '[\"last\"]'",  # another format
        "UPDATE account SET value = json_set(value, '$[1]', 2) WHERE key = '[\"last\"]'",
        "UPDATE account SET value = '{}' WHERE key LIKE '[\"label\"%'",  # nothing was ever shown
        'UPDATE account SET key = \'["x"]\' WHERE key LIKE \'["cell"%"1"]\'',
        "DELETE FROM account WHERE key LIKE '[\"sum\"%'",
        'INSERT INTO account VALUES (\'["cell", "[]", "x"]\', \'{}\')',
        "UPDATE account SET value = 'no JSON' WHERE key = '[\"last\"]'",
        "UPDATE account SET value = x'00' WHERE key LIKE '[\"coins\"%'",
        "UPDATE account SET value = 'no JSON'",
        "REPLACE INTO account SELECT key, '{}' FROM account WHERE key LIKE '[\"epoch\"%'",
    ],
)
def test_one_that_is_not_of_these_events_is_made_again(statement: str, path: Path) -> None:
    changed(path, statement)
    assert same(path)
    assert charge(Ledger(path), EVENTS[1]) == 2


def test_a_refusal_leaves_the_account_as_it_was(path: Path) -> None:
    ledger = Ledger(path)

    def refuse(account: Account) -> None:
        account.exposure([("r",), ()])
        raise LimitExceeded("no")

    with pytest.raises(LimitExceeded):
        charge(ledger, event("9", a=9.0), refuse)
    assert charge(ledger, event("9", a=1.0)) == 4
    assert same(path)


def test_it_is_written_now_and_then_and_what_came_since_is_folded(tmp_path: Path) -> None:
    """By who opens it at 1, 3 and 7 events: the more, the rarer."""
    path, marks = tmp_path / "l.sqlite", []
    for number in range(1, 9):
        charge(Ledger(path), event(str(number), a=0.1))
        assert same(path)
        marks += marked(path)
    assert marks == [1, 1, 3, 3, 3, 3, 7, 7]


def test_no_charge_waits_for_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    for number in range(8):
        charge(ledger, event(str(number), a=0.1))
    assert marked(ledger.path) == []


def marked(path: Path) -> list[int]:
    """Of how many events the account is that was written; none: it was not."""
    with contextlib.closing(sqlite3.connect(path)) as own:
        rows = own.execute("SELECT value FROM account WHERE key = '[\"last\"]'").fetchall()
    return [json.loads(mark)[1] for (mark,) in rows]


def _killed(path: Path) -> None:
    def die(*_given: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    Account.add = die  # type: ignore[assignment, method-assign]
    charge(Ledger(path), event("9", a=9.0))


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
def test_killed_between_the_event_and_the_account(path: Path) -> None:
    """They are written together or not at all."""
    worker = FORKED.Process(target=_killed, args=(path,))
    worker.start()
    worker.join(HANG)
    assert worker.exitcode == -signal.SIGKILL
    assert len(Ledger(path).events()) == 3
    assert same(path)


def test_noise_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    one = event("1", a=0.5)
    noisy = Release(
        "t", "1", False, Laplace(2.0), one.readings, "k", "c", {}, {}, readers=("r",)
    )  # fmt: skip
    charge(Ledger(path), noisy)
    charge(Ledger(path), one)
    assert same(path)
