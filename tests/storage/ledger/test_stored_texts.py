"""Texts that a ledger keeps beside its events are those that the events were charged with."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.storage.ledger.charging import under
from tests.storage.ledger.histories import event
from tests.storage.ledger.sealed import passes, seal
from unspoken.core.errors import InputError
from unspoken.storage.ledger import Learning, Ledger

BELIEF, TERMS = '{"counts": [3, 4]}\n', '{"promise": "x 4"}'


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Event 1 was charged with a belief, event 2 with what its manifests say."""
    ledger = Ledger(tmp_path / "l.sqlite")
    learning = Learning(
        table="rows.parquet", fingerprint="f", digest=digest(BELIEF), epsilon=0.5, sensitivity=2,
        rows=7, history=None, key="k",
    )  # fmt: skip
    ledger.charge(learning, passes, seal(ledger), BELIEF)
    release = replace(event("2026", a=0.5), terms=digest(TERMS))
    ledger.charge(release, passes, seal(ledger), TERMS)
    return ledger


def test_texts_that_are_as_they_were(ledger: Ledger) -> None:
    assert ledger.verify(seal(ledger)).number == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (f"UPDATE beliefs SET text = replace(text, '3', '9') WHERE digest = '{digest(BELIEF)}'",
         "the belief of event 1 (rows.parquet) was changed; restore the ledger"),
        (f"UPDATE beliefs SET text = replace(text, '4', '9') WHERE digest = '{digest(TERMS)}'",
         "what the manifest of event 2 says was changed; restore the ledger"),
        (f"UPDATE beliefs SET text = CAST(text AS BLOB) WHERE digest = '{digest(BELIEF)}'",
         "the belief of event 1 (rows.parquet) was changed; restore the ledger"),
        (f"DELETE FROM beliefs WHERE digest = '{digest(BELIEF)}'",
         "the belief of event 1 (rows.parquet) is gone; restore the ledger"),
        (f"INSERT INTO beliefs VALUES ('{digest('more')}', 'more')",
         "keeps a text of which no event has the digest"),
        (f"UPDATE beliefs SET text = 'x', digest = '{digest('x')}' WHERE digest = "
         f"'{digest(BELIEF)}'", "keeps a text of which no event has the digest"),
    ],
)  # fmt: skip
def test_a_text_that_was_changed_is_found(ledger: Ledger, change: str, said: str) -> None:
    with sqlite3.connect(ledger.path) as own:
        assert own.execute(change).rowcount == 1
    with pytest.raises(InputError) as refused:
        ledger.verify(seal(ledger))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_text_that_was_changed_is_not_carried_over(ledger: Ledger, tmp_path: Path) -> None:
    lines = [*ledger.exported(seal(ledger))]
    changed = [line.replace('\\"counts\\": [3', '\\"counts\\": [9') for line in lines]
    assert changed != lines
    assert json.loads(changed[3])["beliefs"]["text"] != BELIEF
    (tmp_path / "there").mkdir()
    other, own = Ledger(tmp_path / "there" / "o.sqlite"), under(tmp_path / "there")
    with pytest.raises(InputError, match=r"l.jsonl: the belief of event 1 .* was changed"):
        other.load(changed, own, "l.jsonl")
    assert other.load(lines, own, "l.jsonl").number == 2
