"""What a terminal says of all releases together."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console

from unspoken import Suppression
from unspoken.doors import history
from unspoken.ledger import Release

COIN = Suppression({("u",): {("a",): 1 << 61}}, ["a"], [["u", "s"]], {"a": ["s"]})


def said(*labels: str) -> str:
    events = [
        ("2026-03-02T09:14", Release("t", e, False, COIN, {e: {"a": "x"}}, "k", "c", {}, {}))
        for e in labels
    ]
    out = StringIO()
    Console(file=out, width=200).print(history.ledger(events))
    return " ".join(out.getvalue().split())


def test_coins_of_two_labels_are_not_one_release() -> None:
    assert "as much as one release of a by one coin a record" in said("1")
    assert "by 2 coins, which tell more than one" in said("1", "2")
    assert "as much as one release" not in said("1", "2")


def test_answers_without_a_release_are_not_nothing() -> None:
    assert history.NOTHING in _printed()
    answered: Any = ("2026-03-02T09:14", "an answer")
    text = _printed(answers=[answered])
    assert "No cells were released so far; answers were given: 2026-03-02" in text
    assert history.NOTHING not in text


def _printed(**given: Any) -> str:
    out = StringIO()
    Console(file=out, width=200).print(history.ledger([], **given))
    return " ".join(out.getvalue().split())
