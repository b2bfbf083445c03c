"""Group privacy: the block that can move the answer furthest sets the noise."""

from __future__ import annotations

import pytest

import unspoken

HALF = [0.5, 0.5]


@pytest.mark.parametrize("weights", [{"A": 1.0, "B": 3.0}, {"A": 3.0, "B": 1.0}])
def test_the_furthest_block_counts(weights: dict[str, float]) -> None:
    belief = unspoken.Independent([HALF, HALF], names="AB")
    scale = unspoken.calibrate(belief, weights, limit=0.5, method="group", floor=False).scale
    assert scale == pytest.approx(3.0 / 0.5, rel=1e-12)


def test_a_block_moves_together() -> None:
    belief = unspoken.Joint([[0.4, 0.1], [0.1, 0.4]], names="AB")
    scale = unspoken.calibrate(belief, {"A": 1.0, "B": 3.0}, limit=0.5, method="group").scale
    assert scale == pytest.approx(4.0 / 0.5, rel=1e-12)
