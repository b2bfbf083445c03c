"""Guesses: the best one, how many it takes, and what becomes of the digits of a tiny gain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.core.measures.plain import bound_of, view_of
from unspoken.core.measures import MEASURES


def test_a_whole_secret_told() -> None:
    """The best guess was right with 1/2, is right now; it took 1.75 guesses, takes one."""
    prior, matrix = [0.5, 0.25, 0.25], np.eye(3)
    assert bound_of(prior, matrix, "bayes-leakage").value == pytest.approx(math.log(2), rel=1e-15)
    assert bound_of(prior, matrix, "guessing").value == pytest.approx(0.75, rel=1e-15)
    assert bound_of(prior, matrix, "guessing").unit == "guess"
    told = bound_of(prior, matrix, "maximal-leakage").value
    assert told == pytest.approx(math.log(3), rel=1e-15)


def test_a_guess_that_stays_gains_nothing() -> None:
    """Exactly 0, not the rounding of two sums: the first guess is the same after every answer."""
    prior, matrix = [0.6, 0.3, 0.1], [[0.5, 0.5], [0.4, 0.6], [0.45, 0.55]]
    assert bound_of(prior, matrix, "bayes-leakage").value == 0
    assert bound_of(prior, matrix, "guessing").value == 0
    assert bound_of(prior, matrix, "mutual-information").value > 0


@pytest.mark.parametrize("bend", [1e-3, 1e-8, 1e-12, 1e-15])
def test_tiny_gains_keep_their_digits(bend: float) -> None:
    """Four classes alike beforehand, two answers that differ by the bend: all by hand."""
    half = 0.5
    up, down = half + half * bend, half - half * bend
    x = (up - down) / 2 / half  # the bend as it is in floats
    matrix = [[up, down], [up, down], [down, up], [down, up]]
    prior = [0.25] * 4
    best = bound_of(prior, matrix, "bayes-leakage").value
    assert best == pytest.approx(math.log1p(x), rel=1e-9)
    most = bound_of(prior, matrix, "maximal-leakage").value
    assert most == pytest.approx(math.log1p(x), rel=1e-9)
    # Two classes at (1+x)/4, two at (1-x)/4: 2.5 guesses less 4 pairs' x/4 each.
    assert bound_of(prior, matrix, "guessing").value == pytest.approx(x, rel=1e-9)
    assert bound_of(prior, matrix, "delta").value == pytest.approx(x, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_guesses_by_sorting_each_posterior(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs, outputs = rng.integers(2, 9, size=2)
    prior = rng.integers(1, 4, size=inputs) / 1.0
    prior /= prior.sum()
    matrix = rng.dirichlet(np.ones(outputs), inputs)
    joint = prior[:, None] * matrix
    rank = np.arange(1, inputs + 1)
    after = (-np.sort(-joint, axis=0) * rank[:, None]).sum()
    before = (-np.sort(-prior) * rank).sum()
    fewer = bound_of(prior, matrix, "guessing").value
    assert fewer == pytest.approx(before - after, rel=1e-12, abs=1e-15)
    gain = bound_of(prior, matrix, "bayes-leakage").value
    assert gain == pytest.approx(math.log(joint.max(0).sum() / prior.max()), rel=1e-12, abs=1e-15)


def test_exclusion_looks_at_secrets_only() -> None:
    """A release that rules the secret out is no exclusion attack; a withheld cell may be one."""
    matrix = [[1.0, 0.0], [math.exp(-1.0), -math.expm1(-1.0)]]
    assert bound_of([0.3, 0.7], matrix, "max-log-ratio").value == math.inf
    withheld: Any = view_of([0.3, 0.7], matrix, secret=[0])
    released: Any = view_of([0.3, 0.7], matrix, secret=[1])
    assert MEASURES["exclusion"].of(withheld).value == pytest.approx(1.0, rel=1e-12)
    assert MEASURES["exclusion"].of(released).value == math.inf


def test_two_sided_counts_what_is_ruled_out() -> None:
    matrix = [[1.0, 0.0], [0.5, 0.5]]
    assert bound_of([0.5, 0.5], matrix, "max-information").value < math.inf
    assert bound_of([0.5, 0.5], matrix, "max-information-two-sided").value == math.inf
