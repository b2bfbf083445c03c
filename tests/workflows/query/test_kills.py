"""Killed anywhere: never an answer without a charge, never two answers, never a refund."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.forked import FORKED
from tests.within import HANG
from tests.workflows.query.wards import project
from tests.workflows.release.killed import after, alive, before, die, renaming
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Ledger
from unspoken.workflows.query import NoisyAnswer, flow, query
from unspoken.workflows.release.open_project import opened

pytestmark = pytest.mark.slow

TEXT = "SELECT disease, COUNT(*) FROM wards GROUP BY disease"
# What is put in the place of what; how often it was charged, and whether anything was kept.
POINTS: dict[str, tuple[Any, str, Callable[[], Any], int, bool]] = {
    "before the charge": (Ledger, "charge", lambda: die, 0, False),
    "before its head": (os, "replace", lambda: renaming(r"key\.head", die, alive), 1, False),
    "before the draw": (flow, "two_sided_noise", lambda: die, 1, False),
    "before it is kept": (Ledger, "charge", lambda: before(Ledger.charge, 2), 1, False),
    "before it is shown": (Ledger, "charge", lambda: after(Ledger.charge, 2), 1, True),
}


def asked_until(where: str, path: Path) -> None:
    owner, name, made, _, _ = POINTS[where]
    setattr(owner, name, made())
    query(path, TEXT)


def kept(path: Path) -> list[Any]:
    """What the ledger has of the answer."""
    held, found = Custody.there(opened(path)), list[Any]()
    assert held is not None
    events = held.ledger.answers()

    def look(account: Account) -> None:
        found.extend(account.asked(event.request) for _, event in events)

    held.ledger.look(look, held.seal)
    return [asked.answered for asked in found if asked.answered is not None]


@pytest.mark.parametrize("where", POINTS)
def test_killed(where: str, tmp_path: Path) -> None:
    path = project(tmp_path)
    run = FORKED.Process(target=asked_until, args=(where, path))
    run.start()
    run.join(HANG)
    assert run.exitcode == -signal.SIGKILL
    *_, charged, drawn = POINTS[where]
    ledger = Ledger(tmp_path / "ledger.sqlite")
    assert len(ledger.answers()) == charged
    held = kept(path)
    assert bool(held) == drawn
    done = query(path, TEXT)
    assert isinstance(done, NoisyAnswer)
    assert len(ledger.answers()) == 1
    assert not held or [list(row) for row in held[0].rows] == [list(row) for row in done.rows]
    assert query(path, TEXT).rows == done.rows  # type: ignore[union-attr]
