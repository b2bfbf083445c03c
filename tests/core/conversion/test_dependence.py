"""k and sigma: by their definitions, by blankets and blocks, and for Gaussians in closed form."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.conversion import reference
from tests.effort import examples
from unspoken import Chain
from unspoken.core.conversion import bound_from_dp, dependence, dp_budget, gaussian_sigmas
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.types.premise import Premise

SEED = st.integers(0, 2**32 - 1)


def random_chain(seed: int, steps: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(d, 0.7), size=(steps, d))
    return reference.every_path(rng.dirichlet(np.ones(d)), list(laws))


@examples(60)
@given(SEED, st.integers(1, 3), st.integers(2, 3))
def test_a_blanket_is_enough(seed: int, steps: int, d: int) -> None:
    table = random_chain(seed, steps, d)
    expected = reference.total_variations(table)
    for belief in (reference.Line(table), reference.Plain(table)):
        told = dependence(belief)
        assert list(told.sigmas.values()) == pytest.approx(expected, rel=1e-9, abs=1e-13)
        assert told.k == steps + 1
        assert told.sigma == max(told.sigmas.values())


def test_blocks() -> None:
    pair, single = np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.5, 0.3, 0.2])
    belief = reference.Apart(np.multiply.outer(pair, single), names=["a1", "a2", "b"])
    told = dependence(belief)
    assert told.sizes == {"a1": 2, "a2": 2, "b": 1}
    assert told.sigmas["b"] == 0.0
    assert told.sigmas["a1"] == pytest.approx(0.6, rel=1e-13)
    bound = told.bound(0.5)
    assert bound.value == bound_from_dp(0.5, k=2, sigma=told.sigma).value
    assert bound.why.startswith("a")
    assert told.budget(1.0) == dp_budget(1.0, k=2, sigma=told.sigma)
    assert "k 2, sigma 0.6" in repr(told)


def test_the_variable_worst_off() -> None:
    """Many weakly dependent ones against two strongly dependent ones: which is worse turns."""
    weak = reference.with_background(6, 0.002, 0.5)
    strong = np.array([[0.45, 0.05], [0.05, 0.45]])
    belief = reference.Apart(
        np.multiply.outer(weak, strong), names=[f"w{i}" for i in range(6)] + ["s0", "s1"]
    )
    told = dependence(belief)
    assert (told.k, told.sizes["s0"]) == (6, 2)
    assert told.bound(0.1).why.startswith("s")
    assert told.bound(4.0).why.startswith("w")
    for limit in (0.1, 1.0, 9.0):
        assert told.bound(told.budget(limit)).value <= limit * (1 + 1e-12)


def test_values_that_cannot_occur_do_not_count() -> None:
    belief = reference.Plain(np.array([[0.5, 0.0], [0.3, 0.2], [0.0, 0.0]]))
    assert dependence(belief).sigmas["x0"] == pytest.approx(0.4, rel=1e-13)


def test_premise_is_the_beliefs() -> None:
    belief = reference.Plain(np.array([[3, 1], [1, 3]]), premise=Premise.learned(8))
    assert dependence(belief).premise == "learned(8)"
    assert dependence(belief).bound(1.0).premise == "learned(8)"


def test_many_variables_are_refused() -> None:
    class Vast(reference.Plain):
        def cells(self, names: Any) -> int:
            return 10**12

    with pytest.raises(TooLarge, match="dependence of x0"):
        dependence(Vast(np.full((2, 2), 0.25)))


@examples(60)
@given(SEED, st.integers(2, 5), st.floats(-9.0, 0.0))
def test_gaussians_keep_their_digits(seed: int, n: int, weak: float) -> None:
    """Against the formula in 60 digits, down to correlations of 1e-9."""
    rng = np.random.default_rng(seed)
    loose = rng.uniform(-1, 1, (n, n)) * 10.0**weak / n
    correlation = np.triu(loose, 1) + np.triu(loose, 1).T + np.eye(n)
    scale = 10.0 ** rng.uniform(-3, 3, n)
    covariance, ranges = correlation * np.outer(scale, scale), scale * rng.uniform(0.1, 5, n)
    expected = []
    with mpmath.workdps(60):
        precision = mpmath.matrix(covariance.tolist()) ** -1
        for i in range(n):
            more = precision[i, i] - 1 / mpmath.mpf(float(covariance[i, i]))
            root = mpmath.mpf(float(ranges[i])) * mpmath.sqrt(more)
            expected.append(mpmath.erf(root / mpmath.sqrt(8)))
    for got, exact in zip(gaussian_sigmas(covariance, ranges), expected, strict=True):
        assert float(got) == pytest.approx(float(exact), rel=1e-9, abs=0.0)


def test_gaussians_that_stand_apart() -> None:
    assert gaussian_sigmas(np.diag([1.0, 4.0]), [1.0, 9.0]).tolist() == [0.0, 0.0]
    assert gaussian_sigmas([[1, 0.999999], [0.999999, 1]], [9, 9])[0] == 1.0


@pytest.mark.parametrize(
    ("covariance", "ranges", "says"),
    [
        ([[1, 2], [2, 1]], [1, 1], "not positive definite"),
        ([[1, 0.5], [0.4, 1]], [1, 1], "not symmetric"),
        ([[1, 0.5]], [1], "give a square table"),
        ([[1, math.nan], [math.nan, 1]], [1, 1], "give a square table"),
        ([[1, 0.5], [0.5, 1]], [1], "a number for each variable"),
        ([[1, 0.5], [0.5, 1]], [1, -1], "a number for each variable"),
    ],
)
def test_bad_input(covariance: Any, ranges: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        gaussian_sigmas(covariance, ranges)


def test_a_belief_says_its_own_numbers() -> None:
    chain = Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 5, premise="learned(7)")
    found = dependence(chain)
    bound = bound_from_dp(0.3, chain)
    assert bound.value == bound_from_dp(0.3, k=found.k, sigma=found.sigma).value
    assert bound.premise == "learned(7)"
    assert dp_budget(1.0, chain) == dp_budget(1.0, k=found.k, sigma=found.sigma)
    assert bound_from_dp(dp_budget(1.0, chain), chain).value == pytest.approx(1.0)
    for call in (bound_from_dp, dp_budget):
        with pytest.raises(InputError, match="a belief says k and sigma itself"):
            call(0.3, chain, k=2)
        with pytest.raises(InputError, match="give a belief, or both k and sigma"):
            call(0.3, k=2)
