"""Trees too large to look at everybody: never too little noise, and hardly too much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import unspoken
from unspoken.noise.calibration import calibrate
from unspoken.noise.calibration.exact.branched import Branched
from unspoken.noise.calibration.exact.threats import least
from unspoken.noise.calibration.exact.worst_adversary import _searched
from unspoken.noise.calibration.problem import NoiseProblem

pytestmark = pytest.mark.slow

FAIR = [0.5, 0.5]


def tree(parents: Sequence[int], flip: float) -> unspoken.Tree:
    return unspoken.Tree(parents, FAIR, [[1 - flip, flip], [flip, 1 - flip]])


def binary(variables: int, flip: float = 0.1) -> unspoken.Tree:
    return tree([-1, *((v - 1) // 2 for v in range(1, variables))], flip)


@pytest.mark.parametrize("flip", [0.1, 0.4])
def test_on_small_trees_it_needs_hardly_more(flip: float) -> None:
    rng = np.random.default_rng(5)
    for weights, above in (
        (None, 1.05),
        ([1.0, 1.0, 2.0, 0.0, 1.0, 1.0, 3.0, 1.0], 1.05),
        ([1.0, -1.0, 2.0, 0.0, 1.0, -1.0, 3.0, 1.0], 1.5),  # signs are not looked at
    ):
        own = tree([-1, *(int(rng.integers(0, v)) for v in range(1, 8))], flip)
        whole = calibrate(own, weights, limit=1.0).scale
        bounded, _ = least(Branched(NoiseProblem(own, weights, 1.0)), 1.0, 0.1, 1.0)
        assert whole * (1 - 1e-9) <= bounded <= above * whole


@pytest.mark.parametrize("variables", [31, 2000])
@pytest.mark.parametrize("limit", [0.1, 1.0, 3.0])
def test_large_trees(variables: int, limit: float) -> None:
    found = calibrate(binary(variables), limit=limit)
    group = calibrate(binary(variables), limit=limit, method="group").scale
    nobody = {31: 15.81, 2000: 290.0}[variables]  # what knows="nothing" needs, limit 1
    if limit == 1.0:
        assert nobody < found.scale < 1.02 * nobody
    assert found.scale < group
    assert 0.85 * limit < found.bound.low < found.bound.high <= limit
    assert found.bound.high == pytest.approx(limit, rel=1e-9)
    assert found.bound.why.startswith("x1, to somebody who knows nothing else; from above by one")


def test_the_floor_is_kept() -> None:
    found = calibrate(binary(40, 0.499), limit=0.5)
    assert found.scale == pytest.approx(2.0, rel=0.02)
    assert found.scale >= 2.0
    heavy = calibrate(binary(40, 0.499), [100.0, *[1e-6] * 39], limit=0.5)
    assert heavy.scale == pytest.approx(200.0, rel=1e-6)
    assert heavy.bound.low == pytest.approx(0.5, rel=1e-6)


def test_several_answers_and_whole_noise() -> None:
    own = binary(40)
    rows = {name: [1.0, float(k % 2)] for k, name in enumerate(own.domain.names)}
    one, two = calibrate(own, limit=1.0), calibrate(own, rows, limit=1.0)
    assert one.scale < two.scale < 2 * one.scale
    assert two.bound.high <= 1.0
    whole = calibrate(own, limit=1.0, noise="geometric")
    assert whole.scale == pytest.approx(one.scale, rel=1e-9)
    assert whole.bound.high <= 1.0


def test_other_measures_are_refused_as_before() -> None:
    with pytest.raises(unspoken.UnspokenError, match='say knows="nothing"'):
        calibrate(binary(40), limit=1.0, measure="mutual-information")


def test_a_long_chain_that_never_forgets() -> None:
    """No window helps; everybody's bound is the whole chain's then."""
    turning = unspoken.Chain(FAIR, [[0.0, 1.0], [1.0, 0.0]], 1500)
    found = calibrate(turning, [1.0] * 1500, limit=1.0)
    assert found.scale == pytest.approx(1500.0, rel=1e-9)


def test_weights_of_nothing_need_no_noise() -> None:
    assert calibrate(binary(40), [0.0] * 40, limit=1.0).scale == 0.0


def test_without_a_floor() -> None:
    """Nor is a bound ever taken for what one adversary learns."""
    floored, free = (calibrate(binary(40), limit=1.0, floor=own).scale for own in (True, False))
    assert free == pytest.approx(floored, rel=1e-9)
    with pytest.raises(unspoken.UnspokenError, match="too little noise to look at everybody"):
        _searched(NoiseProblem(binary(40), None, 1.0), 100.0)
