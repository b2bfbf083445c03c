"""Lifts of events and of odds are what Bayes' rule gives, near 1 and far from it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unspoken.core.types.posteriors import Posteriors


def cloud(prior: list[float], law: np.ndarray, secret: list[bool]) -> Posteriors:
    """One context; outcomes are the columns of law[s, y]."""
    pi = np.array(prior)
    with np.errstate(divide="ignore"):
        log_lift = np.log(law / (pi @ law)).T
    return Posteriors(pi[None, None, :], log_lift[None], np.array(secret))


LAW = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.6, 0.4, 0.0], [0.2, 0.3, 0.5]])
PRIOR = [0.1, 0.2, 0.3, 0.4]
EVENTS = [[True, False, False, False], [True, True, False, False], [False, True, True, True]]


@pytest.mark.parametrize("event", EVENTS)
def test_the_lift_of_an_event(event: list[bool]) -> None:
    after = cloud(PRIOR, LAW, [True] * 4)
    inside, pi = np.array(event), np.array(PRIOR)
    truth = (pi[inside] @ LAW[inside]) / pi[inside].sum() / (pi @ LAW)
    assert np.exp(after.log_lift_of(inside))[0] == pytest.approx(truth, rel=1e-14)


@pytest.mark.parametrize("event", EVENTS)
def test_the_factor_on_odds(event: list[bool]) -> None:
    after = cloud(PRIOR, LAW, [True] * 4)
    inside, pi = np.array(event), np.array(PRIOR)
    with np.errstate(divide="ignore"):
        posterior = (pi[inside] @ LAW[inside]) / (pi[~inside] @ LAW[~inside])
    truth = posterior / (pi[inside].sum() / pi[~inside].sum())
    assert np.exp(after.log_odds_factor(inside))[0] == pytest.approx(truth, rel=1e-14)


def test_a_tiny_move_keeps_its_digits() -> None:
    """Likelihoods 1 : 1 + d of two equally likely classes: the lift is 1 -+ d / 2."""
    d = 1e-13
    after = Posteriors(
        np.array([[[0.25, 0.25, 0.5]]]),
        np.log1p(np.array([[[-d, -d, d]]])),
        np.array([True, True, False]),
    )
    assert after.log_lift_of(np.array([True, True, False]))[0, 0] == pytest.approx(-d, rel=1e-9)
    assert after.moved[0, 0, 2] == pytest.approx(d / 2, rel=1e-9)


def test_what_is_certain_or_ruled_out_has_no_odds() -> None:
    after = Posteriors(np.array([[[0.0, 1.0]]]), np.array([[[0.0, 0.0]]]), np.array([True, False]))
    for event in ([True, False], [False, True], [True, True]):
        assert after.log_odds_factor(np.array(event))[0, 0] == 0.0
    assert after.possible.tolist() == [[[False, True]]]


@pytest.mark.parametrize(
    ("secret", "events"),
    [
        ([False, False, False], []),
        ([False, True, False], [[1]]),
        ([True, False, True], [[0], [2], [0, 2]]),
    ],
)
def test_any_of_the_secrets_is_an_event_too(secret: list[bool], events: list[list[int]]) -> None:
    after = Posteriors(np.ones((1, 1, 3)) / 3, np.zeros((1, 1, 3)), np.array(secret))
    assert [np.flatnonzero(event).tolist() for event in after.events()] == events


def test_the_posterior_itself() -> None:
    after = cloud(PRIOR, LAW, [True] * 4)
    joint = np.array(PRIOR)[:, None] * LAW
    assert np.asarray(after)[0] == pytest.approx((joint / joint.sum(0)).T, rel=1e-14)
    assert np.exp(after.standing)[0] == pytest.approx((joint / joint.sum(0)).T / 0.4, rel=1e-14)
    assert math.isinf(after.standing[0, 2, 2])


def test_an_event_that_was_ruled_out_has_no_lift() -> None:
    after = Posteriors(np.array([0.0, 0.4, 0.6]), np.array([0.0, 0.3, -0.3]), np.array([True] * 3))
    assert after.log_lift_of(np.array([True, False, False])) == 0.0
