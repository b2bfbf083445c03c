"""A cloud looked at in blocks is the same cloud."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.views import finite


@pytest.mark.parametrize("pairs", [1, 30, 200])
def test_blocks_change_nothing(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they cut through contexts or outcomes."""
    rng = np.random.default_rng(1)
    belief = unspoken.Joint(rng.dirichlet(np.full(36, 0.5)).reshape(3, 3, 4), names="ABC")
    mechanism = unspoken.OneSided({"A": 1.0, "B": 0.5}, {"A": [0], "B": [1]})
    clouds: list[Any] = [
        unspoken.view(belief, mechanism, unspoken.Adversary("C", knows=knows))
        for knows in ((), ["B"], {"A": 1})
    ]
    for cloud in clouds:
        whole = [measure.of(cloud) for measure in MEASURES.values()]
        with monkeypatch.context() as patch:
            patch.setattr(finite, "PAIRS", pairs)
            for measure, truth in zip(MEASURES.values(), whole, strict=True):
                bound = measure.of(cloud)
                assert bound.value == pytest.approx(truth.value, rel=1e-13, abs=1e-16)
                assert bound.why == truth.why
