"""Temporal budgets: the limit reached and never passed, and the outside numbers read backward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.conversion import reference
from tests.core.conversion.test_temporal import ABSORBED, PAIR, SYMMETRIC, chains
from tests.effort import examples
from unspoken import Chain
from unspoken.core.conversion.temporal_budget import temporal_budget
from unspoken.core.conversion.temporal_leakage import Temporal, temporal
from unspoken.core.errors import InputError

MATRICES: dict[str, Any] = {
    "symmetric": SYMMETRIC,
    "3": reference.striped(3),
    "30": reference.striped(30),
}
# sup BPL at epsilon .1 and at 1, from outside (tests/core/conversion/test_temporal.py).
SUPREMA = {
    "symmetric": (0.248771834966, 1.98074737052),
    "3": (0.203544671851, 2.30869408264),
    "30": (0.155273785795, 1.54777771144),
}


def forever(step: Any, limit: float) -> Temporal:
    return temporal_budget(Chain(None, step, 2), limit, any_length=True)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("name", MATRICES)
def test_outside_numbers(name: str, epsilon: float) -> None:
    """Forward runs the matrix itself: where it settles, the epsilon asked for comes back."""
    limit = temporal(Chain(None, MATRICES[name], 2), epsilon).supremum.value
    found = forever(MATRICES[name], limit)
    assert found.epsilon == pytest.approx([epsilon], rel=1e-11)
    assert found.forward == pytest.approx([SUPREMA[name][epsilon == 1.0]], rel=1e-10)
    assert found.suprema is not None
    assert found.supremum.value <= limit
    assert found.at(0).value == found.supremum.value


def test_outside_numbers_of_one_that_is_absorbed() -> None:
    """In the law it settles in nothing leaks backward, so the limit is the forward supremum."""
    found = forever(ABSORBED, 0.645906616058)
    assert found.epsilon == pytest.approx([0.1], rel=1e-10)
    assert forever(ABSORBED, 50.0).epsilon == pytest.approx([-math.log(0.8)], rel=1e-9)


@pytest.mark.slow
@examples(40)
@given(st.floats(0.15, 0.85), st.floats(0.15, 0.85), st.floats(0.05, 3.0), st.integers(40, 60))
def test_every_step_is_at_the_limit(stay: float, come: float, limit: float, length: int) -> None:
    """alpha_B, eps, ..., eps, alpha_F; wherever a step gets 1e-6 more, it is above the limit."""
    matrix = [[stay, 1 - stay], [come, 1 - come]]
    result = temporal_budget(Chain(None, matrix, length), limit)
    again = temporal(Chain(None, matrix, length), result.epsilon)
    assert (again.total == result.total).all()
    assert again.total.max() <= limit
    back, forth, own = result.epsilon[0], result.epsilon[-1], float(result.epsilon[1])
    assert again.total.min() >= limit * (1 - 1e-9)
    assert result.epsilon[1:-1] == pytest.approx(own)
    assert back + forth - own == pytest.approx(limit, rel=1e-9)
    assert again.backward[:-1] == pytest.approx(back, rel=1e-9)
    assert again.forward[1:] == pytest.approx(forth, rel=1e-9)
    assert own == pytest.approx(float(forever(matrix, limit).epsilon[0]), rel=1e-9)
    for step in (0, 1, length // 2, length - 1):
        more = result.epsilon.copy()
        more[step] *= 1 + 1e-6
        assert temporal(Chain(None, matrix, length), more).total[step] > limit


@pytest.mark.parametrize("name", MATRICES)
def test_the_equations(name: str) -> None:
    """eps = alpha_B - L_B(alpha_B) = alpha_F - L_F(alpha_F), of more values than two."""
    result = temporal_budget(Chain(None, MATRICES[name], 50), 0.8)
    back, own, forth = result.epsilon[[0, 1, -1]]
    crossed = temporal(Chain(None, MATRICES[name], 50), result.epsilon)
    assert crossed.total == pytest.approx(np.full(50, 0.8), rel=1e-9)
    assert crossed.total.max() <= 0.8
    assert crossed.backward[1] - own == pytest.approx(back - own, rel=1e-9)
    assert back + forth - own == pytest.approx(0.8, rel=1e-9)


@pytest.mark.slow
@given(st.sampled_from([0.7, 0.9, 0.99, 0.9999]), st.integers(2, 30), st.floats(0.05, 2.0))
def test_of_two_allocations_the_one_with_less_noise(keep: float, length: int, limit: float) -> None:
    matrix = [[keep, 1 - keep], [1 - keep, keep]]
    result = temporal_budget(Chain(None, matrix, length), limit)
    assert result.total.max() <= limit
    steady = float(forever(matrix, limit).epsilon[0])
    end = (limit + steady) / 2  # alpha, the same backward and forward
    held = 2 / end**2 + (length - 2) / steady**2
    noise = float((result.epsilon**-2.0).sum())
    assert noise <= held * (1 + 1e-9)
    assert noise <= length**3 / limit**2 * (1 + 1e-9)  # the limit shared out: what adding up says
    assert result.total.max() >= limit * (1 - 1e-9)
    if noise < held * (1 - 1e-9):
        assert np.ptp(result.epsilon) == 0
        assert (
            temporal(Chain(None, matrix, length), result.epsilon * (1 + 1e-9)).total.max() > limit
        )


def test_keeping_its_value_a_chain_shares_the_limit_out() -> None:
    result = temporal_budget(Chain([0.2, 0.3, 0.5], np.eye(3), 7), 1.0)
    assert result.epsilon == pytest.approx(np.full(7, 1 / 7), rel=1e-14)
    assert result.total.max() <= 1.0
    assert result.total == pytest.approx(np.ones(7), rel=1e-14)
    cycle = np.roll(np.eye(3), 1, axis=1)
    assert temporal_budget(Chain(None, cycle, 4), 1.0).epsilon == pytest.approx(np.full(4, 0.25))
    assert forever(cycle, 1.0).epsilon == pytest.approx([0.0], abs=1e-300)


def test_forgetting_its_value_every_step_has_the_limit() -> None:
    rows = [[0.3, 0.7], [0.3, 0.7]]
    for length in (2, 9):
        result = temporal_budget(Chain(None, rows, length), 0.4)
        assert result.epsilon == pytest.approx(np.full(length, 0.4), rel=1e-12)
        assert result.total.max() <= 0.4
    assert forever(rows, 0.4).epsilon == pytest.approx([0.4], rel=1e-12)


@examples(60)
@given(chains(), st.floats(0.01, 4.0))
def test_of_any_chain_and_start(chain: Any, limit: float) -> None:
    """One epsilon, the largest; and randomised response with it, enumerated, leaks no more."""
    start, kernels, _ = chain
    result = temporal_budget(Chain(start, kernels), limit)
    again = temporal(Chain(start, kernels), result.epsilon)
    assert again.total.max() <= limit
    assert again.total.max() >= limit * (1 - 1e-9)
    assert (result.epsilon >= limit / len(result.epsilon) * (1 - 1e-12)).all()
    joint = reference.every_path(start, kernels)
    mechanism = reference.responses(joint.shape, result.epsilon.tolist())
    for t in range(joint.ndim):
        assert reference.inferential(joint, mechanism, t) <= limit * (1 + 1e-12)


@examples(15)
@given(st.floats(0.55, 0.95), st.floats(0.55, 0.95), st.floats(0.1, 2.0), st.integers(2, 5))
def test_randomised_response_by_exact_views(
    zero: float, one: float, limit: float, length: int
) -> None:
    """Two values, positively dependent: what a step leaks is its total, at most the limit."""
    matrix = np.array([[zero, 1 - zero], [1 - one, one]])
    result = temporal_budget(Chain(None, matrix, length), limit)
    law = np.array([1 - one, 1 - zero]) / (2 - zero - one)
    belief = unspoken.Chain(law, matrix, length)
    names = belief.domain.names
    pairs = zip(names, result.epsilon.tolist(), strict=True)
    seen = unspoken.Together([unspoken.RandomizedResponse(name, own) for name, own in pairs])
    for t, name in enumerate(names):
        true = unspoken.leakage(belief, seen, unspoken.Adversary(name))
        assert true.high <= limit * (1 + 1e-12)
        assert true.high == pytest.approx(float(result.total[t]), rel=1e-8)


def test_at_the_ends() -> None:
    for limit in (0.0, math.inf):
        assert (forever(SYMMETRIC, limit).epsilon == limit).all()
        for length in (2, 5):
            chain = Chain(None, SYMMETRIC, length)
            assert (temporal_budget(chain, limit).epsilon == limit).all()
    tiny = temporal_budget(Chain(None, SYMMETRIC, 30), 1e-12)
    assert tiny.total.max() <= 1e-12
    assert tiny.total.min() >= 1e-12 * (1 - 1e-9)
    huge = temporal_budget(Chain(None, SYMMETRIC, 30), 900.0)
    assert huge.total.max() <= 900.0
    assert huge.total.min() >= 900.0 * (1 - 1e-9)


def test_shown() -> None:
    assert "any number" in repr(forever(SYMMETRIC, 0.4))
    assert "any number" not in repr(temporal_budget(Chain(None, SYMMETRIC, 20), 0.4))


def test_one_value_by_itself_has_the_limit() -> None:
    assert temporal_budget(Chain([0.5, 0.5], SYMMETRIC, 1), 0.4).epsilon == pytest.approx([0.4])


@pytest.mark.parametrize(
    ("chain", "limit", "any_length", "says"),
    [
        (PAIR, -0.1, False, "limit: -0.1 must be 0 or more"),
        (PAIR, math.nan, True, "limit: nan must be 0 or more"),
        (SYMMETRIC, 0.1, True, "temporal_budget: needs a Chain, not list"),
        (
            Chain([0.9, 0.1], SYMMETRIC, 4),
            0.1,
            True,
            "any_length needs a chain in the law it keeps",
        ),
        (
            Chain([0.5, 0.5], [SYMMETRIC, ABSORBED]),
            0.1,
            True,
            "any_length needs a chain in the law",
        ),
    ],
)
def test_bad_input_is_one_line(chain: Any, limit: float, any_length: bool, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        temporal_budget(chain, limit, any_length=any_length)
    assert "\n" not in str(caught.value)
