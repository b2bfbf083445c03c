"""What is told of events is what reading all of them says, whenever it was looked at before."""

from __future__ import annotations

from pathlib import Path

import pytest

from unspoken.storage.ledger.page import Page
from unspoken.workflows.serve import Curator, Request
from unspoken.workflows.serve.history import History
from unspoken.workflows.serve.overview import overview
from unspoken.workflows.serve.standing import Standings

COUNT = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
ROOM = "odds_cap = 9.0"  # above what the plan was adopted for


def test_looks_in_between_change_nothing(path: Path) -> None:
    path.write_text(path.read_text().replace("odds_cap = 4.0", ROOM))
    curator = Curator.of(path)
    steps = [
        lambda: curator.cells("lighting", Request(epochs=("0",))),
        lambda: curator.answer("planning", "SELECT COUNT(*) FROM visits"),  # public: no event
        lambda: curator.answer("lighting", COUNT, epsilon=0.1),
        lambda: curator.answer("lighting", COUNT, epsilon=0.1, draw=2),
        lambda: curator.cells("planning", Request()),
        lambda: curator.disclosed(["use"], by="anna", why="a laptop"),
    ]
    seen = 0
    for step in steps:
        step()
        found = overview(curator)
        anew = Curator.of(path)
        assert found.history == History().happened(anew.ledger)
        assert curator.account("lighting") == History().entries(anew.ledger, "lighting")
        assert curator.standings() == Standings().of(*anew.current())
        assert len(found.history) >= seen
        seen = len(found.history)
    kinds = [each.kind for each in found.history]
    assert kinds[2:] == ["release", "answer", "answer", "release", "disclosure"]
    assert [each.number for each in found.history] == [*range(1, len(kinds) + 1)]


@pytest.mark.slow
def test_what_was_read_is_not_read_again(path: Path) -> None:
    path.write_text(path.read_text().replace("odds_cap = 4.0", ROOM))
    curator = Curator.of(path)
    curator.cells("lighting", Request(epochs=("0",)))
    curator.history()
    asked = list[int]()
    page = curator.ledger.page

    def counted(after: int = 0, most: int | None = None) -> Page:
        found = page(after, most)
        asked.append(len(found.kept))
        return found

    curator.ledger.page = counted  # type: ignore[method-assign]
    curator.account("lighting")
    assert asked == [0]
    curator.answer("lighting", COUNT, epsilon=0.1)
    assert len(curator.history()) == 4
    assert asked == [0, 2]  # what was charged, and what was drawn


@pytest.mark.slow
def test_who_said_so_and_why_is_said_once(path: Path) -> None:
    """What was counted, adopted and disclosed, to whom; by whom and why stand beside it."""
    curator = Curator.of(path)
    curator.disclosed(["use"], readers=["lighting"], epochs=["0"], by="anna", why="a laptop")
    counted, adopted, known = curator.history()
    assert counted.what == "1,500 rows, with noise of eps 0.5"
    assert (adopted.what, adopted.by, adopted.why) == ("a plan", "a steward", "a test")
    assert (known.what, known.who) == ("use of epoch 0", ("lighting",))
    assert (known.by, known.why) == ("anna", "a laptop")
