"""Theorem 2 and Corollary 4: never exceeded, reached, and turned round to the safe side."""

from __future__ import annotations

import math
from typing import Any, cast

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.conversion import reference
from tests.effort import examples
from unspoken.core.conversion import (
    bound_from_dp,
    bound_from_mechanism,
    dp_budget,
    k_max,
    mechanism_distances,
    relative_entropy_from_inferential,
    relative_entropy_from_information,
    sigma_max,
)
from unspoken.core.errors import InputError

K = st.integers(1, 2000)
SIGMA = st.one_of(st.floats(1e-9, 1.0), st.floats(1e-12, 1e-3), st.sampled_from([0.0, 1.0]))
EPSILON = st.one_of(
    st.just(0.0), st.floats(1e-9, 5.0), st.floats(1e-12, 1e-6), st.floats(5.0, 900.0)
)


def exactly(epsilon: float, k: int, sigma: float) -> Any:
    with mpmath.workdps(60):
        e, s = mpmath.mpf(epsilon), mpmath.mpf(sigma)
        nats = e + mpmath.log1p(s * mpmath.expm1((k - 1) * e))
        return nats * (1 - mpmath.mpf(10) ** -50)  # less what these digits leave open


@examples(400)
@given(EPSILON, K, SIGMA)
def test_rounded_up(epsilon: float, k: int, sigma: float) -> None:
    expected, got = exactly(epsilon, k, sigma), bound_from_dp(epsilon, k=k, sigma=sigma).value
    assert expected <= got <= float(expected) * (1 + 2e-12)


@examples(400)
@given(st.one_of(st.floats(1e-9, 10.0), st.floats(10.0, 900.0)), K, SIGMA)
def test_budget_keeps_the_limit(limit: float, k: int, sigma: float) -> None:
    """In exact arithmetic; and a budget larger by 1e-11 would not."""
    budget = dp_budget(limit, k=k, sigma=sigma)
    assert exactly(budget, k, sigma) <= limit
    assert limit / k * (1 - 1e-15) <= budget <= limit
    assert budget == limit or exactly(budget * (1 + 1e-11), k, sigma) > limit


@given(st.floats(1e-6, 20.0), SIGMA)
def test_budget_for_two_in_closed_form(limit: float, sigma: float) -> None:
    """e^eps0 is the root of s y^2 + (1 - s) y = e^limit."""
    with mpmath.workdps(60):
        s = mpmath.mpf(sigma)
        room = mpmath.sqrt((1 - s) ** 2 + 4 * s * mpmath.exp(mpmath.mpf(limit)))
        root = mpmath.log(2 * mpmath.exp(mpmath.mpf(limit)) / (1 - s + room))
    assert dp_budget(limit, k=2, sigma=sigma) == pytest.approx(float(root), rel=1e-11)


@examples(200)
@given(st.floats(1e-6, 50.0), st.floats(0.001, 1.0), K, SIGMA)
def test_inverses_keep_the_limit(limit: float, part: float, k: int, sigma: float) -> None:
    epsilon = part * limit
    strongest = sigma_max(limit, epsilon=epsilon, k=k)
    assert exactly(epsilon, k, strongest) <= limit
    more = min(1.0, strongest * (1 + 1e-6) + 1e-13)
    assert strongest == 1.0 or part > 1 - 1e-12 or exactly(epsilon, k, more) > limit
    most = k_max(limit, epsilon=epsilon, sigma=sigma)
    if math.isinf(most):
        assert sigma == 0.0
    else:
        assert exactly(epsilon, int(most), sigma) <= limit
        assert exactly(epsilon, int(most) + 1, sigma) > limit * (1 - 1e-11)


def test_the_ends() -> None:
    assert bound_from_dp(0.0, k=9, sigma=1.0).value == 0.0
    assert bound_from_dp(math.inf, k=9, sigma=0.5).value == math.inf
    assert bound_from_dp(0.3, k=1, sigma=1.0).value == 0.3
    assert bound_from_dp(0.3, k=9, sigma=0.0).value == 0.3
    assert dp_budget(0.0, k=9, sigma=0.5) == 0.0
    assert dp_budget(math.inf, k=9, sigma=0.5) == math.inf
    assert dp_budget(1.0, k=2, sigma=1.0) == 0.5
    assert k_max(1.0, epsilon=0.0, sigma=1.0) == k_max(1.0, epsilon=1.0, sigma=0.0) == math.inf
    assert k_max(1.0, epsilon=1.0, sigma=0.5) == 1.0
    assert sigma_max(1.0, epsilon=0.5, k=2) == 1.0
    assert sigma_max(1.0, epsilon=1.0, k=2) == 0.0
    # The rule that combines the bounds, not their exponentials, allows ten times too much.
    assert dp_budget(1.0, k=100, sigma=0.01) == pytest.approx(0.0512, abs=5e-5)


@st.composite
def settings(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A belief and a mechanism on two or three small variables."""
    sizes = tuple(draw(st.lists(st.integers(2, 3), min_size=2, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    joint = rng.dirichlet(np.full(math.prod(sizes), draw(st.sampled_from([0.1, 0.5, 3.0]))))
    spread = draw(st.sampled_from([0.1, 1.0, 3.0]))
    mechanism = np.exp(rng.uniform(-spread, spread, (*sizes, draw(st.integers(2, 4)))))
    return joint.reshape(sizes), mechanism / mechanism.sum(-1, keepdims=True)


@examples(200)
@given(settings())
def test_no_belief_and_mechanism_exceed_it(setting: tuple[np.ndarray, np.ndarray]) -> None:
    joint, mechanism = setting
    epsilon = float(mechanism_distances(mechanism)[1])
    for target, sigma in enumerate(reference.total_variations(joint)):
        sigma = min(1.0, sigma * (1 + 1e-12) + 1e-15)
        true = reference.inferential(joint, mechanism, target)
        finer = bound_from_mechanism(mechanism, target, sigma=sigma).value
        bound = bound_from_dp(epsilon, k=joint.ndim, sigma=sigma).value
        assert true <= finer * (1 + 1e-12) + 1e-14
        assert finer <= bound * (1 + 1e-12)


@pytest.mark.parametrize("n", [2, 4, 7])
@pytest.mark.parametrize("sigma", [0.01, 0.3, 1.0])
def test_some_belief_and_mechanism_reach_it(n: int, sigma: float) -> None:
    """M says c e^(-eps Hamming(x, x*)); a is x*'s value, with probability sigma all others' too."""
    epsilon = 0.7
    rest = np.zeros((2, *(2,) * (n - 1)))
    rest[(0, *(0,) * (n - 1))] = 0.5
    rest[(1, *(0,) * (n - 1))] = 0.5 * (1 - sigma)
    rest[(1, *(1,) * (n - 1))] += 0.5 * sigma
    mechanism = reference.towards((2,) * n, (1,) * n, epsilon, 0.2)
    assert mechanism_distances(mechanism)[1] == pytest.approx(epsilon, rel=1e-12)
    bound = bound_from_dp(epsilon, k=n, sigma=sigma).value
    assert reference.inferential(rest, mechanism, 0) == pytest.approx(bound, rel=1e-12)


def test_max_information_comes_as_near_as_one_likes() -> None:
    """Of a rare value: I_inf compares with the average, which is then the other value's."""
    bound, short = bound_from_dp(0.5, k=5, sigma=0.2).value, []
    mechanism = reference.towards((2,) * 5, (1,) * 5, 0.5, 0.2)
    for rare in (1e-2, 1e-6, 1e-13):
        joint = np.zeros((2,) * 5)
        joint[(0,) * 5] = 1 - rare
        joint[(1, 0, 0, 0, 0)], joint[(1,) * 5] = 0.8 * rare, 0.2 * rare
        short.append(bound - reference.max_information(joint, mechanism, 0))
    assert short[0] > short[1] > short[2] > -1e-12
    assert short[2] < 1e-12


@examples(200)
@given(settings())
def test_relative_entropy(setting: tuple[np.ndarray, np.ndarray]) -> None:
    """max over outputs of D(X | y || X), from how far outputs move odds, and from how far lifts."""
    joint, mechanism = setting
    prior, rows = reference.channel(joint, mechanism, (0,))
    lift = rows / (prior @ rows)
    told = float((prior[:, None] * lift * np.log(lift)).sum(0).max())
    apart = reference.inferential(joint, mechanism, 0)
    off = float(np.abs(np.log(lift)).max())
    assert told <= relative_entropy_from_inferential(apart).value + 1e-14
    assert told <= relative_entropy_from_information(off).value + 1e-14


@pytest.mark.parametrize("e", [1e-12, 1e-9, 1e-4, 0.1, 1.9, 2.1, 30.0, 800.0])
def test_relative_entropy_keeps_its_digits(e: float) -> None:
    with mpmath.workdps(60):
        u = mpmath.mpf(e) / -mpmath.expm1(-mpmath.mpf(e))
        expected = u - 1 - mpmath.log(u)
    got = relative_entropy_from_inferential(e).value
    assert expected <= got <= float(expected) * (1 + 1e-13)
    assert relative_entropy_from_inferential(0.0).value == 0.0
    assert relative_entropy_from_inferential(math.inf).value == math.inf


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bound_from_dp(-1.0, k=2, sigma=0.5), "epsilon: -1.0 must be 0 or more"),
        (lambda: bound_from_dp(math.nan, k=2, sigma=0.5), "epsilon: nan must be 0 or more"),
        (lambda: bound_from_dp(cast(Any, "x"), k=2, sigma=0.5), "epsilon: 'x' is no number"),
        (lambda: bound_from_dp(1.0, k=0, sigma=0.5), "k: 0 must be a whole number"),
        (lambda: bound_from_dp(1.0, k=cast(Any, 1.5), sigma=0.5), "k: 1.5 must be a whole number"),
        (
            lambda: bound_from_dp(1.0, k=cast(Any, math.nan), sigma=0.5),
            "k: nan must be a whole number",
        ),
        (lambda: bound_from_dp(1.0, k=10**400, sigma=0.5), "must be a whole number"),
        (lambda: bound_from_dp(1.0, k=2, sigma=1.5), r"sigma: 1.5 must be in \[0, 1\]"),
        (lambda: bound_from_dp(1.0, k=2, sigma=math.nan), r"sigma: nan must be in \[0, 1\]"),
        (lambda: bound_from_dp(1.0, k=cast(Any, "2"), sigma=0.5), "k: '2' must be a whole"),
        (lambda: bound_from_dp(1.0, k=2, sigma=cast(Any, "1")), r"sigma: '1' must be in \[0, 1\]"),
        (lambda: dp_budget(-1.0, k=2, sigma=0.5), "limit: -1.0 must be 0 or more"),
        (lambda: sigma_max(1.0, epsilon=2.0, k=3), "epsilon: 2 alone is more than the limit 1"),
        (lambda: k_max(1.0, epsilon=2.0, sigma=0.3), "epsilon: 2 alone is more than the limit 1"),
        (lambda: mechanism_distances([[0.5, 0.6], [0.5, 0.5]]), "row 0: sums to 1.1"),
        (lambda: mechanism_distances([[1.5, -0.5], [0.5, 0.5]]), "has a negative entry"),
        (lambda: mechanism_distances([0.5, 0.5]), "every x with two values"),
        (lambda: mechanism_distances([[0.5, 0.5]]), "every x with two values"),
        (lambda: mechanism_distances([[1.0], [0.5, 0.5]]), "equal row lengths"),
        (lambda: bound_from_mechanism([[1.0], [1.0]], 1, sigma=0.1), "target: 1 must be one of"),
        (
            lambda: bound_from_mechanism([[1.0], [1.0]], cast(Any, 0.5), sigma=0.1),
            "target: 0.5 must be one of",
        ),
    ],
)
def test_bad_input_is_one_line(call: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)
