"""The contraction in logs and on plain numbers is the same sum."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unsaid
from unsaid.beliefs import contraction

MEASURES = ("mutual-information", "max-information", "relative-entropy", "odds", "max-log-ratio")


@pytest.mark.parametrize("seed", range(40))
def test_logs_agree_with_plain_numbers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    belief = unsaid.Joint(rng.dirichlet(np.full(27, 0.4)).reshape(3, 3, 3), names="ABC")
    epsilon = dict(zip("ABC", rng.exponential(2.0, 3).tolist(), strict=True))
    mechanism = unsaid.OneSided(epsilon, {"A": [0], "B": [1], "C": []})
    adversary = unsaid.Adversary("A", knows=["C"] if seed % 2 else ())
    plain = [unsaid.leakage(belief, mechanism, adversary, name).value for name in MEASURES]
    monkeypatch.setattr(contraction, "LINEAR_RANGE", -1.0)
    logs = [unsaid.leakage(belief, mechanism, adversary, name).value for name in MEASURES]
    assert logs == pytest.approx(plain, rel=1e-11)


def test_far_beyond_the_floats() -> None:
    """e^-800 and e^-1600 are no floats; their logarithms are the answer."""
    belief = unsaid.Joint([[0.3, 0.0], [0.0, 0.7]], names="AB")
    mechanism = unsaid.OneSided({"A": 800.0, "B": 800.0}, {"A": [0], "B": [0]}, shows="bit")
    bound = unsaid.leakage(belief, mechanism, unsaid.Adversary("A"), "odds")
    assert math.isinf(bound.value)
    assert bound.nats == pytest.approx(1600.0, rel=1e-12)
    one = unsaid.leakage(belief, mechanism, unsaid.Adversary("B", sees=["A"]), "max-log-ratio")
    assert math.isinf(one.value)  # a release rules the secret out
