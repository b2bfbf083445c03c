"""By how much one variable may move a likelihood: exactly, by the formula, and never less."""

import math

import numpy as np
import pytest

import unspoken
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching.certificate import epsilons

JOINT = unspoken.Joint(np.full((2, 3), 1 / 6), names=["A", "B"], values=[[0, 1], [0, 1, 5]])


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [
        (unspoken.Laplace(2.0, {"A": 3.0, "B": -1.0}), {"A": 1.5, "B": 2.5}),
        (unspoken.Laplace(2.0, {"A": [3.0, 1.0], "B": [0.0, 2.0]}), {"A": 2.0, "B": 5.0}),
        (unspoken.Geometric(0.5, {"B": 2}), {"A": 0.0, "B": 10 * math.log(2.0)}),
        (unspoken.RandomizedResponse("A", 0.7), {"A": 0.7, "B": 0.0}),
    ],
)
def test_a_variable_moves_its_weight_times_its_range_over_the_scale(
    mechanism: Mechanism, expected: dict[str, float]
) -> None:
    parts = mechanism.parts(JOINT.domain, unspoken.Adversary("A"))
    found = epsilons(JOINT.domain, parts)
    for name, epsilon in expected.items():
        assert epsilon <= found[name] <= epsilon * (1 + 1e-13)
