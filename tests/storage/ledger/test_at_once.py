"""Many clients at once, and clients that are killed: no charge is lost, none is above the limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.effort import KILLS, parts
from tests.storage.ledger.charging import TIMES, at_once, kept_whatever_is_killed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX"),
]


@pytest.mark.stress
def test_64_clients(tmp_path: Path) -> None:
    assert at_once(tmp_path / "l.sqlite", tmp_path, 4, 16, TIMES) == 32 * TIMES


@pytest.mark.stress
@pytest.mark.parametrize(("part", "kills"), parts(KILLS))
def test_killed_at_any_moment(tmp_path: Path, part: int, kills: int) -> None:
    kept_whatever_is_killed(tmp_path / "l.sqlite", tmp_path, kills, part)
