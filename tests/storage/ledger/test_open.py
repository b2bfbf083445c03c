"""A ledger that stays open: it knows what it has seen, and looks at what came since."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from tests.storage.ledger.histories import event
from tests.storage.ledger.sealed import charge, passes, seal
from tests.within import HANG
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Account, KeyedRequest, Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """With two events, which it has seen."""
    ledger = Ledger(tmp_path / "l.sqlite")
    for label in "12":
        charge(ledger, event(label, a=0.5))
    return ledger


def changed(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as own:
        own.execute(statement)
        own.commit()


def shown(ledger: Ledger) -> float:
    """All that it counts of one attribute."""
    found: list[float] = []
    ledger.look(lambda a: found.append(a.exposure(a.readers()).exponents()["a"]), seal(ledger))
    return found[0]


@pytest.mark.slow
def test_it_counts_what_others_charged(ledger: Ledger) -> None:
    assert charge(Ledger(ledger.path), event("3", a=0.5)) == 3
    assert shown(ledger) == 1.5
    assert charge(ledger, event("4", a=0.5)) == 4
    assert shown(ledger) == shown(Ledger(ledger.path)) == 2.0


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET body = replace(body, '0.5', '0.0') WHERE id = 2", "event 2 is not as"),
        ("UPDATE events SET at = 'then' WHERE id = 2", "event 2 is not as it was charged"),
        ("DELETE FROM events WHERE id = 2", "is of event 2, and ledger l.sqlite has only 1"),
        ("DELETE FROM events", "is of event 2, and ledger l.sqlite has only 0"),
        ("INSERT INTO events SELECT 3, at, \"table\", kind, body, code FROM events WHERE id = 2",
         "event 3 is not as it was charged"),
    ],
)  # fmt: skip
def test_a_tail_that_was_changed_is_refused(statement: str, said: str, ledger: Ledger) -> None:
    changed(ledger.path, statement)
    for _ in range(2):
        with pytest.raises(InputError, match=said):
            charge(ledger, event("3", a=0.5))
        with pytest.raises(InputError, match=said):
            ledger.look(passes, seal(ledger))


def test_what_it_counts_is_what_it_checked(ledger: Ledger) -> None:
    """An event that is changed behind its back opens no account, and is found on opening."""
    changed(ledger.path, "UPDATE events SET body = replace(body, '0.5', '0.0') WHERE id = 1")
    assert shown(ledger) == 1.0
    assert charge(ledger, event("3", a=0.5)) == 3
    with pytest.raises(InputError, match="event 1 is not as it was charged"):
        ledger.verify(seal(ledger))
    with pytest.raises(InputError, match="event 1 is not as it was charged"):
        charge(Ledger(ledger.path), event("4", a=0.5))


def test_another_file_in_its_place_is_followed_from_the_first_event(ledger: Ledger) -> None:
    """It has the same last event; what is charged goes into it, and not into the one removed."""
    other = ledger.path.with_name("other.sqlite")
    shutil.copy(ledger.path, other)
    changed(other, "UPDATE events SET body = replace(body, '0.5', '0.0') WHERE id = 1")
    whole = ledger.path.read_bytes()
    os.replace(other, ledger.path)
    with pytest.raises(InputError, match="event 1 is not as it was charged"):
        charge(ledger, event("3", a=0.5))
    other.write_bytes(whole)
    os.replace(other, ledger.path)
    assert charge(ledger, event("3", a=0.5)) == 3
    assert len(Ledger(ledger.path).events()) == 3


def test_after_a_failure_it_looks_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unspoken.storage.ledger.store.refuse_changed", lambda *_: None)
    changed(
        ledger.path,
        "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'x'); END",
    )
    with pytest.raises(InputError, match=r"not a ledger \(x\)"):
        charge(ledger, event("3", a=0.5))
    changed(ledger.path, "DROP TRIGGER full")
    assert shown(ledger) == 1.0
    assert charge(ledger, event("3", a=0.5)) == 3


def test_a_request_is_charged_once(ledger: Ledger) -> None:
    own = seal(ledger)
    first, other = KeyedRequest("one", "digest"), KeyedRequest("two", "digest")

    def full(_account: Account) -> None:
        raise LimitExceeded("no")

    made = ledger.charge(event("3", a=0.5), passes, own, request=first)
    for each in (ledger, Ledger(ledger.path)):
        assert each.charge(event("4", a=0.5), full, own, request=first) == made
        with pytest.raises(LimitExceeded):
            each.charge(event("4", a=0.5), full, own, request=other)
        with pytest.raises(InputError, match="request 'one': was another request; give each a key"):
            each.charge(event("4", a=0.5), passes, own, request=KeyedRequest("one", "another"))
    assert ledger.charge(event("4", a=0.5), passes, own, request=other).number == 4
    changed(ledger.path, "UPDATE requests SET number = 1 WHERE key = 'two'")
    with pytest.raises(InputError, match="request 'two': is not as it was kept"):
        ledger.charge(event("5", a=0.5), passes, own, request=other)


def test_threads_at_once_never_exceed_the_cap(ledger: Ledger) -> None:
    """64 of them, of which 18 find room; what each is told is what is there."""
    told = dict[int, str]()

    def at_most(account: Account) -> None:
        if account.exposure(account.readers()).exponents()["a"] >= 10:
            raise LimitExceeded("full")

    def spend(number: int) -> None:
        with contextlib.suppress(LimitExceeded):
            told[charge(ledger, event(f"of {number}", a=0.5), at_most)] = f"of {number}"

    threads = [threading.Thread(target=spend, args=(n,)) for n in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert not ledger.verify(seal(ledger)).number - 20
    events = dict(enumerate(Ledger(ledger.path).events(), start=1))
    assert told == {number: events[number].epoch for number in range(3, 21)}


def test_a_check_must_not_ask_its_own_ledger(ledger: Ledger) -> None:
    with pytest.raises(RuntimeError, match="a check asks the ledger that waits for it"):
        ledger.look(lambda _: ledger.look(passes, seal(ledger)), seal(ledger))
    assert shown(ledger) == 1.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_a_fork_has_connections_of_its_own(ledger: Ledger) -> None:
    child = os.fork()
    if not child:
        os._exit(charge(ledger, event("3", a=0.5)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert charge(ledger, event("4", a=0.5)) == 4
    assert shown(ledger) == 2.0
