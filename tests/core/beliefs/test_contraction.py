"""The contraction in logs and on plain numbers is the same sum."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

import unspoken
from unspoken.core.beliefs import contraction
from unspoken.core.measures import MeasureName

MEASURES = ("mutual-information", "max-information", "relative-entropy", "odds", "max-log-ratio")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_logs_agree_with_plain_numbers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    belief = unspoken.Joint(rng.dirichlet(np.full(27, 0.4)).reshape(3, 3, 3), names="ABC")
    epsilon = dict(zip("ABC", rng.exponential(2.0, 3).tolist(), strict=True))
    mechanism = unspoken.OneSided(epsilon, {"A": [0], "B": [1], "C": []})
    adversary = unspoken.Adversary("A", knows=["C"] if seed % 2 else ())
    plain = [
        unspoken.leakage(belief, mechanism, adversary, name).value for name in get_args(MeasureName)
    ]
    monkeypatch.setattr(contraction, "RANGE", -1.0)
    logs = [
        unspoken.leakage(belief, mechanism, adversary, name).value for name in get_args(MeasureName)
    ]
    assert logs == pytest.approx(plain, rel=1e-11)


def test_far_beyond_the_floats() -> None:
    """e^-800 and e^-1600 are no floats; their logarithms are the answer."""
    belief = unspoken.Joint([[0.3, 0.0], [0.0, 0.7]], names="AB")
    mechanism = unspoken.OneSided({"A": 800.0, "B": 800.0}, {"A": [0], "B": [0]}, shows="bit")
    bound = unspoken.leakage(belief, mechanism, unspoken.Adversary("A"), "odds")
    assert math.isinf(bound.value)
    assert bound.nats == pytest.approx(1600.0, rel=1e-12)
    one = unspoken.leakage(belief, mechanism, unspoken.Adversary("B", sees=["A"]), "max-log-ratio")
    assert math.isinf(one.value)  # a release rules the secret out
