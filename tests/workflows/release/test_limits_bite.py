"""Limits bite where they are, not beyond; and coins of different cells are different coins."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import planned, small
from unspoken.core.errors import LimitExceeded
from unspoken.workflows.release import rehearse, release

ROWS = 4_000
VALUES = np.random.default_rng(11).integers(0, 3, (3, ROWS))
HALF = math.log(2)
ONE: dict[str, dict[str, Any]] = {"a": {"values": [0, 1, 2], "sensitive": "a = 2"}}
FREE: dict[str, dict[str, Any]] = {name: {"values": [0, 1, 2]} for name in "abc"}
TABLE = pa.table({"id": np.arange(ROWS), **dict(zip("abc", VALUES, strict=True))})


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("limit", ["limit_bits", "odds_cap"])
def test_a_limit_one_percent_below_refuses_and_above_lets_pass(
    limit: str, labels: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, and on top of what was released under another label."""

    def project(**limits: Any) -> Path:
        return small(tmp_path, TABLE, ONE, epoch=f'label = "{labels}"', **limits)

    planned(monkeypatch, a=labels * HALF)  # what all labels show together
    (leak,) = rehearse(project()).leakage
    reached = {"limit_bits": leak.information.bits, "odds_cap": leak.odds.odds}[limit]
    planned(monkeypatch, a=HALF)
    for earlier in range(1, labels):
        release(small(tmp_path, TABLE, ONE, epoch=f'label = "{earlier}"'))
    with pytest.raises(LimitExceeded, match="at most this would fit: a"):
        rehearse(project(**{limit: reached / 1.01}))
    rehearse(project(**{limit: reached * 1.01}))


def test_every_cell_has_a_coin_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each attribute, and of each label: what is shown of one tells nothing of another."""
    planned(monkeypatch, **dict.fromkeys("abc", HALF))
    shown = []
    for label in ("1", "2"):
        got = pq.read_table(release(small(tmp_path, TABLE, FREE, epoch=f'label = "{label}"')).path)
        shown += [np.asarray(got[name].is_valid()) for name in "abc"]
    for mask in shown:
        assert mask.mean() == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(ROWS))
    for one, other in itertools.combinations(shown, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / math.sqrt(ROWS)
