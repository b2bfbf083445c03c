"""What a terminal says of all releases together."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console

from unspoken import Suppression
from unspoken.interfaces.wording import history
from unspoken.storage.ledger import Release

COIN = Suppression({("u",): {("a",): 1 << 61}}, ["a"], [["u", "s"]], {"a": ["s"]})


def said(*labels: str) -> str:
    events = [
        ("2026-03-02T09:14", Release("t", e, False, COIN, {e: {"a": "x"}}, "k", "c", {}, {}))
        for e in labels
    ]
    return _printed(events)


def test_coins_of_two_labels_are_not_one_release() -> None:
    assert "no more than one release of a by one coin a record" in said("1")
    assert "by 2 coins, which tell more than one" in said("1", "2")
    assert "no more than one release" not in said("1", "2")


def test_epochs_that_were_charged_are_named() -> None:
    def charged(*epochs: str, draw: int = 1) -> str:
        read = {epoch: {"a": "x"} for epoch in epochs}
        event = Release("t", "substr(day, 1, 7)", True, COIN, read, "k", "c", {}, {}, draw=draw)
        return " ".join(_printed([("2026-03-02T09:14", event)]).replace("\u00a0", " ").split())

    assert " t 2026-01 a by one coin a record" in charged("2026-01")
    assert " t 2026-01, 2026-02 and 2026-03 a by" in charged("2026-02", "2026-01", "2026-03")
    assert " t 2026-01 to 2026-04 (4), draw 2 a by" in charged(
        "2026-03", "2026-01", "2026-04", "2026-02", draw=2
    )


def test_answers_without_a_release_are_not_nothing() -> None:
    assert history.NOTHING in _printed()
    answered: Any = ("2026-03-02T09:14", "an answer")
    text = _printed(answers=[answered])
    assert "No cells were released so far; answers were given: 2026-03-02" in text
    assert history.NOTHING not in text


def _printed(releases: Any = (), **given: Any) -> str:
    out = StringIO()
    Console(file=out, width=200).print(history.ledger(releases, **given))
    return " ".join(out.getvalue().split())
