"""Sets of any beliefs, and of Gaussian ones: no member leaks more than the set says."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.families.families import REL, ROUNDING, X0, kind, leak, member
from tests.effort import examples
from unspoken import leakage
from unspoken.core.beliefs.gaussian import Gaussian
from unspoken.core.families import Ball, Beliefs, Box, GaussianBall, Rows
from unspoken.core.mechanisms import Geometric, Laplace, OneSided

# Finitely many beliefs.


@kind("theta_mixture")
def test_a_mixture_is_not_covered_by_its_ends(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    one, other = unspoken.Joint(v["P1"]), unspoken.Joint(v["P2"])
    both = leakage(Beliefs([one, other]), Laplace(1.0), X0)
    assert both.exact
    assert both.value == pytest.approx(max(expected["leak_P1"], expected["leak_P2"]), rel=REL)
    mixed = unspoken.Joint((one.table + other.table) / 2)
    assert leak(mixed) == pytest.approx(expected["leak_mixture"], rel=REL)
    assert leak(mixed) > 1.6 * both.value


def test_the_worst_of_some_beliefs_by_any_measure() -> None:
    rng = np.random.default_rng(1)
    members = [unspoken.Joint(rng.dirichlet(np.ones(4)).reshape(2, 2)) for _ in range(4)]
    mechanism = OneSided({"x1": 1.0}, {"x1": [0], "x0": [0]})
    for measure in ("max-log-ratio", "mutual-information", "odds", "maximal-leakage"):
        each = [leakage(own, mechanism, X0, measure) for own in members]
        found = leakage(Beliefs(members), mechanism, X0, measure)
        assert (found.high, found.unit) == (max(b.high for b in each), each[0].unit)
        assert found.low == max(b.low for b in each)
        assert found.nats == max(b.nats for b in each) if found.unit != "guess" else True


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("ask", ["sup", "mean", "impossible"])
def test_a_set_stands_on_its_weakest_premise(ask: str, order: int) -> None:
    """Also where the member that is sure leaks more, and where only it allows the event."""
    loud = unspoken.Joint([[9, 1], [1, 9]])
    quiet = unspoken.Joint([[0, 5], [0, 6]], premise="learned(11)")
    mechanism = OneSided({"x1": 2.0}, {"x0": [0], "x1": [0]})
    both = Beliefs([loud, quiet][::order])
    assert leak(loud, mechanism) > leak(quiet, mechanism)
    if ask == "impossible":
        shown = unspoken.odds(both, mechanism, X0, {"x1": 1})
    else:
        measure: Any = {"sup": "odds", "mean": "mutual-information"}[ask]
        shown = leakage(both, mechanism, X0, measure)
        assert shown.high == leakage(loud, mechanism, X0, measure).high
    assert shown.premise == both.premise == "learned(11)"
    assert Beliefs([loud]).premise == leakage(Beliefs([loud]), Laplace(1.0), X0).premise == "stated"


def test_an_event_that_some_beliefs_rule_out() -> None:
    possible, never = unspoken.Joint([[1, 3], [2, 2]]), unspoken.Joint([[0, 1], [0, 1]])
    mechanism = OneSided({"x1": 2.0}, {"x0": [0], "x1": [1]})
    one = unspoken.odds(possible, mechanism, X0, {"x1": 0})
    for members in ([possible, never], [never, possible]):
        assert unspoken.odds(Beliefs(members), mechanism, X0, {"x1": 0}).odds == one.odds
    assert unspoken.odds(Beliefs([never]), mechanism, X0, {"x1": 0}).status == "impossible"


def test_what_is_no_set_is_refused() -> None:
    wrong: Any
    for wrong in (
        [],
        3,
        [unspoken.Joint([1, 1]), 3],
        [unspoken.Joint([1, 1]), unspoken.Joint([[1]])],
    ):
        with pytest.raises(unspoken.UnspokenError, match="beliefs: ") as refused:
            Beliefs(wrong)
        assert "\n" not in str(refused.value)


# Balls.


@pytest.mark.slow
@pytest.mark.stress
@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_no_belief_in_a_ball_leaks_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = unspoken.Joint(rng.dirichlet(np.ones(8)).reshape(2, 2, 2))
    eta = float(rng.uniform(0.01, 0.5))
    ball, box = Ball(joint, eta), Box.within(joint, eta)
    mechanism, adversary = Laplace(1.0, [1, 1, 2]), unspoken.Adversary("x0", knows=["x1"])
    bound, finer = (
        leakage(ball, mechanism, adversary),
        leakage(box, mechanism, adversary),
    )
    assert bound.low == leakage(joint, mechanism, adversary).low
    for _ in range(10):
        table = member(rng, box)
        found = leak(unspoken.Joint(table / table.sum()), mechanism, adversary)
        assert found <= finer.high + ROUNDING
        assert finer.high <= bound.high + ROUNDING
    for other in (OneSided({"x1": 1.0, "x2": 0.5}, {"x1": [0], "x2": [1]}),):
        assert leak(unspoken.Joint(table / table.sum()), other) <= leakage(ball, other, X0).high


def test_the_four_of_a_ball_can_be_reached() -> None:
    """Rare x1 = 0 tells of x0; one row's share of it may be e^2eta more, the other's less."""
    joint = unspoken.Joint(np.array([[2e-5, 1 - 2e-5], [1e-5, 1 - 1e-5], [1.4e-5, 1 - 1.4e-5]]) / 3)
    mechanism = Laplace(0.05, [0, 1])
    ball = leakage(Ball(joint, 0.3), mechanism, X0)
    box = leakage(Box.within(joint, 0.3), mechanism, X0)
    assert ball.high - 0.01 < box.low <= box.high <= ball.high
    assert ball.high == pytest.approx(leak(joint, mechanism) + 1.2)


@kind("theta_gaussian_loewner")
def test_the_gaussian_ball_of_the_theory(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    centre = Gaussian(v["Sigma"], [1.0] * len(v["Sigma"]))
    known = [f"x{k}" for k in v["K"]]
    adversary = unspoken.Adversary(f"x{v['i']}", knows=known)
    mechanism = Laplace(1.0, v["w"])
    assert leak(centre, mechanism, adversary) == pytest.approx(expected["c_hat"], rel=REL)
    found = leakage(GaussianBall(centre, float(v["eta"])), mechanism, adversary)
    assert found.value == pytest.approx(expected["c_hat"] + expected["radius"], rel=REL)


@pytest.mark.slow
@pytest.mark.stress
@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_no_covariance_in_a_gaussian_ball_leaks_more(seed: int) -> None:
    """Members are L M L', with M of eigenvalues in [e^-eta, e^eta]; one of them reaches it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    root = rng.normal(size=(n, n)) + 2 * np.eye(n)
    ranges, weights = rng.uniform(0.5, 2, n), rng.normal(size=n)
    eta, scale = float(rng.uniform(0.01, 1)), float(rng.uniform(0.3, 3))
    known = [f"x{k}" for k in range(1, n) if rng.random() < 0.4]
    adversary, mechanism = unspoken.Adversary("x0", knows=known), Laplace(scale, weights.tolist())
    bound = leakage(GaussianBall(Gaussian(root @ root.T, ranges), eta), mechanism, adversary)
    for _ in range(5):
        turned = np.linalg.qr(rng.normal(size=(n, n)))[0] * np.exp(rng.uniform(-eta, eta, n) / 2)
        moved = root @ turned
        assert leak(Gaussian(moved @ moved.T, ranges), mechanism, adversary) <= bound.high + 1e-9


def test_the_gaussian_ball_is_reached() -> None:
    """In the plane of x0 and z = x1 - x0 / 2, of unit variances: M_00 = 1 / cosh, M_01 = tanh."""
    eta, z = 0.4, math.sqrt(0.75)
    turned = np.array([[1 / math.cosh(eta), math.tanh(eta)], [math.tanh(eta), 0.0]])
    turned[1, 1] = 2 * math.cosh(eta) - turned[0, 0]
    np.testing.assert_allclose(np.linalg.eigvalsh(turned), [math.exp(-eta), math.exp(eta)])
    root = np.array([[1, 0], [0.5, z]])
    extreme = Gaussian(root @ turned @ root.T, [1, 1])
    bound = leakage(GaussianBall(Gaussian([[1, 0.5], [0.5, 1]], [1, 1]), eta), Laplace(1.0), X0)
    assert leak(extreme) == pytest.approx(bound.value, rel=1e-12)


def test_what_is_no_ball_is_refused() -> None:
    gaussian = Gaussian([[1, 0.5], [0.5, 1]], [1, 1])
    for wrong in (-0.1, math.inf, math.nan, 10**400):
        with pytest.raises(unspoken.UnspokenError, match="eta"):
            Ball(unspoken.Joint([[1, 1]]), wrong)
        with pytest.raises(unspoken.UnspokenError, match="eta"):
            GaussianBall(gaussian, wrong)
    with pytest.raises(unspoken.UnspokenError, match="gaussian ball"):
        leakage(GaussianBall(gaussian, 0.1), Laplace(1.0, [[1, 0], [0, 1]]), X0)
    with pytest.raises(unspoken.UnspokenError, match="no whole numbers"):
        leakage(GaussianBall(gaussian, 0.1), Geometric(0.5), X0)


def test_how_far_a_belief_is_off_may_be_any_number() -> None:
    joint, gaussian = unspoken.Joint([[3, 1], [1, 1]]), Gaussian([[1, 0.5], [0.5, 1]], [1, 1])
    half: Any = Fraction(1, 2)
    for ball in (Ball(joint, half), GaussianBall(gaussian, half)):
        assert "e^0.5" in repr(ball)
    every = Box.around(joint, 10**400)
    assert (every.ends.lower.min(), every.ends.upper.max()) == (0.0, 1.0)


def test_what_a_set_has_not_is_refused_with_what_takes_it() -> None:
    box = Box.around(unspoken.Joint([[3, 1], [1, 1]]), 0.01)
    with pytest.raises(unspoken.UnspokenError, match=r"has no list of members; .* calibrate and"):
        unspoken.plan(box, limit_bits=0.1)
    with pytest.raises(unspoken.UnspokenError, match="has no joint table"):
        box.marginal(["x0"])
    assert unspoken.calibrate(box, limit=1.0).bound.high <= 1.0


def test_sets_show_themselves() -> None:
    joint = unspoken.Joint([[1, 1], [1, 1]])
    gaussian = Gaussian([[1, 0.5], [0.5, 1]], [1, 1])
    shown = [Beliefs([joint]), Box.around(joint, 0.1), Ball(joint, 0.1), GaussianBall(gaussian, 1)]
    for own in [*shown, Rows([[0.4, 0.4]], [[0.6, 0.6]], ["x0"])]:
        assert type(own).__name__ in repr(own)
    assert "up to 0.2 wide" in repr(shown[1])
