"""Clocks that stand still: what a search finds must not depend on how fast the machine is."""

from __future__ import annotations

import pytest

from tests.core.searching.clocks import Ticking, give


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search runs out of time, unless a test gives it another clock."""
    give(Ticking(0.0), monkeypatch)
