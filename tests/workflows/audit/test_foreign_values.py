"""Values that only a release has, ranges or numbers with noise, tell what they stand for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.audit.test_released_file import (
    ROWS,
    Table,
    drawn,
    hidden,
    only,
    original,
    written,
)
from unspoken.workflows.audit.released_file import audit_file

pytestmark = pytest.mark.slow

__all__ = ["original"]  # a fixture


def shown_as(kind: str) -> Table:
    """Visits that go with illness, made coarser, or numbers with noise: no value is as it was."""
    table = drawn()
    many = np.array(table["visits"]) == "many"
    noise = np.random.default_rng(6).laplace(0, 0.1, ROWS)
    made = {"ranges": np.where(many, "5 or more", "below 5"), "noise": np.round(many + noise, 4)}
    return {"who": table["who"], "visits": made[kind].tolist()}


@pytest.mark.parametrize("kind", ["ranges", "noise"])
def test_values_that_the_original_has_not_tell_too(tmp_path: Path, kind: str) -> None:
    table = drawn()
    if kind == "noise":
        table["visits"] = [int(visits == "many") for visits in table["visits"]]
    original = written(tmp_path / "original.csv", table)
    coarse = written(tmp_path / "coarse.csv", shown_as(kind))
    found = only(audit_file(coarse, original, ["who"], "state = 'ill'", 1.5))
    assert found.verdict.word == "fail"  # many visits multiply the odds by 0.8 / 0.3
    assert found.control.best is not None
    assert found.control.best.low <= 0


def test_values_of_several_releases_are_told_apart(original: Path, tmp_path: Path) -> None:
    """The one shows half the rows as ranges, the other the rest in other words."""
    first = np.arange(ROWS) % 2 == 0
    table = shown_as("ranges")
    words = [str(v).replace("5", "five") for v in table["visits"]]
    parts = [
        hidden(table, "visits", ~first),
        hidden({**table, "visits": [*words]}, "visits", first),
    ]
    files = [written(tmp_path / f"{k}.csv", part) for k, part in enumerate(parts)]
    assert only(audit_file(files, original, ["who"], "state = 'ill'", 1.5)).verdict.word == "fail"
