"""Numbers of equal arguments do not change from version to version, nor their refusals."""

import json
from pathlib import Path

import pytest

from tests.laws import frozen
from unspoken.core.numerics.roots import CLOSE

pytestmark = pytest.mark.slow

BEFORE = json.loads((Path(__file__).parents[1] / "vectors" / "frozen.json").read_text())


def _near(name: str) -> float:
    """A scale is found to CLOSE: where exp differs in its last digit, as between processors, the
    search stops elsewhere within it.
    """
    return CLOSE if name.startswith("calibrate") else 1e-12


def test_numbers_are_what_they_were() -> None:
    now = dict(frozen.numbers())
    assert sorted(now) == sorted(BEFORE)
    changed = {
        name: (before, now[name])
        for name, before in BEFORE.items()
        if now[name]
        != (before if isinstance(before, str) else pytest.approx(before, rel=_near(name)))
    }
    assert not changed
