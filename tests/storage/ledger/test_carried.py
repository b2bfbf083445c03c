"""A ledger that is written out and read in again is the same ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from tests.storage.ledger.charging import under
from tests.storage.ledger.histories import event, histories
from tests.storage.ledger.sealed import charge, passes, seal
from unspoken.core.errors import InputError
from unspoken.storage.ledger import KeyedRequest, Ledger, Release

pytestmark = pytest.mark.slow


def entries(ledger: Ledger) -> dict[Any, Any]:
    found: list[dict[Any, Any]] = []
    ledger.look(lambda account: found.append(dict(account._entries.below(()))), seal(ledger))
    return found[0]


@settings(max_examples=10)
@given(histories(most=5))
def test_the_account_is_the_same(events: list[Release]) -> None:
    with TemporaryDirectory() as folder:
        ledger, other = (Ledger(Path(folder) / name) for name in ("l.sqlite", "o.sqlite"))
        for one in events:
            charge(ledger, one)
        lines = [*ledger.exported(seal(ledger))]
        assert other.load(lines, seal(other), "l.jsonl") == ledger.verify(seal(ledger))
        assert entries(other) == entries(ledger)
        assert [*other.exported(seal(other))] == lines


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "l.sqlite")
    for number in range(3):
        own = KeyedRequest(f"request {number}", "x")
        ledger.charge(event(str(number), a=0.5), passes, seal(ledger), request=own)
    return ledger


def test_it_goes_on_where_it_was(ledger: Ledger, tmp_path: Path) -> None:
    """Under the same key elsewhere, where there was no head; requests are known again."""
    (tmp_path / "there").mkdir()
    other, own = Ledger(tmp_path / "there" / "o.sqlite"), under(tmp_path / "there")
    head = other.load(ledger.exported(seal(ledger)), own, "l.jsonl")
    assert own.kept() == head
    again = other.charge(event("9", a=0.5), passes, own, request=KeyedRequest("request 1", "x"))
    assert again.number == 2
    assert other.charge(event("9", a=0.5), passes, own).number == 4
    with pytest.raises(InputError, match="has events of its own; nothing is written over"):
        other.load(ledger.exported(seal(ledger)), own, "l.jsonl")


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[list[str]], list[str]]:
    def edit(lines: list[str]) -> list[str]:
        second = json.loads(lines[2])
        change(second["events"])
        return [*lines[:2], json.dumps(second), *lines[3:]]

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (edited(lambda e: e.update(body=e["body"].replace("0.5", "0.1"))), "event 2 is not as it"),
        (edited(lambda e: e.update(at="then")), "event 2 is not as it was charged"),
        (edited(lambda e: e.update(id=7)), "event 2 is not as it was charged"),
        (edited(lambda e: e.update(more=7)), "l.jsonl: line 3 is none of a ledger"),
        (lambda lines: [*lines[:2], *lines[3:]], "event 2 is not as it was charged, or one before"),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], "event 1 is not as it was"),
        (lambda lines: lines[:3], "l.jsonl: ends with event 2, and says that it has 3; take a"),
        (lambda lines: [lines[0], "{", *lines[1:]], "l.jsonl: line 2 is none of a ledger"),
        (lambda lines: lines[1:], "l.jsonl: is no ledger that `unspoken ledger --export` wrote"),
        (lambda lines: [], "l.jsonl: is no ledger that"),
        (lambda lines: [lines[0].replace('"name": "', '"name": "0'), *lines[1:]], "is no ledger"),
    ],
)
def test_an_edit_is_refused_and_leaves_nothing(
    edit: Callable[[list[str]], list[str]], said: str, ledger: Ledger, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    other, own = Ledger(tmp_path / "there" / "o.sqlite"), under(tmp_path / "there")
    with pytest.raises(InputError, match=said):
        other.load(edit([*ledger.exported(seal(ledger))]), own, "l.jsonl")
    assert other.empty
    assert own.kept() is None


def test_an_old_copy_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    """The head beside the key is of a later event."""
    old = [*ledger.exported(seal(ledger))]
    charge(ledger, event("3", a=0.5))
    other = Ledger(tmp_path / "o.sqlite")
    with pytest.raises(InputError, match=r"is of event 4, and ledger o\.sqlite has only 3: it was"):
        other.load(old, seal(other), "l.jsonl")
    assert other.empty
