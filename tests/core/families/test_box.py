"""A box around a belief is as wide as it says, and a wider one allows more."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unspoken

TABLE = np.array([[0.2, 0.1], [0.1, 0.6]])


@pytest.mark.parametrize("eta", [0.0, 0.1, 0.4])
def test_every_cell_by_a_factor(eta: float) -> None:
    box = unspoken.Box.within(unspoken.Joint(TABLE), eta)
    assert box.ends.lower == pytest.approx(TABLE * math.exp(-eta), rel=1e-14)
    assert box.ends.upper == pytest.approx(TABLE * math.exp(eta), rel=1e-14)


def test_every_cell_by_a_number() -> None:
    box = unspoken.Box.around(unspoken.Joint(TABLE), 0.15)
    assert box.ends.lower == pytest.approx(np.clip(TABLE - 0.15, 0, 1))
    assert box.ends.upper == pytest.approx(TABLE + 0.15)
