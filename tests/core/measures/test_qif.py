"""Measures of plain channels against libqif 1.6, on channels anybody can write down again.

The numbers of C1 are its outputs (bits unless stated), so that they hold even without it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.core.measures.plain import bound_of, formula_channel, formula_prior
from unspoken.core.measures import capacity

qif: Any = pytest.importorskip("qif", reason="compares with libqif, which is not installed")

REL = 1e-9
# rows, columns: Bayes posterior, min-entropy leakage, multiplicative capacity, H(X|Y), I(X;Y),
# guesses after, Shannon capacity, smallest epsilon (discrete metric)
C1 = {
    (3, 4): (
        *(0.658102766798419, 0.270853910293093, 1.49555335968379, 1.16765443162611),
        *(0.154524913890357, 1.43280632411067, 0.165612575773, 2.15466496291742),
    ),
    (8, 8): (
        *(0.305139607785959, 0.338167435213721, 1.65923635164110, 2.57987535829283),
        *(0.156526759754384, 2.88044841706764, 0.217356845534, 2.41894868199620),
    ),
    (16, 24): (
        *(0.164207088431103, 0.563513312742964, 1.75308922898572, 3.61187985465209),
        *(0.166013562895643, 5.32264280710862, 0.187986171911, 2.45270350929337),
    ),
}


def entropy(prior: np.ndarray) -> float:
    held = prior[prior > 0]
    return float(-(held * np.log(held)).sum())


def guesses(prior: np.ndarray) -> float:
    return float(np.sort(prior)[::-1] @ np.arange(1, len(prior) + 1))


@pytest.mark.parametrize("size", C1, ids=str)
def test_the_recorded_numbers(size: tuple[int, int]) -> None:
    bayes, min_entropy, multiplied, left, told, guess, most, smallest = C1[size]
    prior, matrix = formula_prior(size[0]), formula_channel(*size)
    bits = {n: bound_of(prior, matrix, n).bits for n in ("bayes-leakage", "mutual-information")}
    assert bits["bayes-leakage"] == pytest.approx(min_entropy, rel=1e-12)
    assert prior.max() * 2 ** bits["bayes-leakage"] == pytest.approx(bayes, rel=1e-12)
    assert bits["mutual-information"] == pytest.approx(told, rel=1e-12)
    assert entropy(prior) / math.log(2) - told == pytest.approx(left, rel=1e-12)
    # Maximal leakage is the same for every prior that rules nothing out.
    assert bound_of(prior, matrix, "maximal-leakage").odds == pytest.approx(multiplied, rel=1e-12)
    fewer = bound_of(prior, matrix, "guessing").value
    assert guesses(prior) - fewer == pytest.approx(guess, rel=1e-12)
    assert bound_of(prior, matrix, "max-log-ratio").value == pytest.approx(smallest, rel=1e-12)
    assert capacity(matrix, 1e-13).bits == pytest.approx(most, abs=1e-12)


CHANNELS = {
    "bsc .1": (
        np.array([[0.9, 0.1], [0.1, 0.9]]),
        {"capacity": 0.531004406411, "multiplied": 1.8, "smallest": 2.19722457733622},
    ),
    "bsc .25": (
        np.array([[0.75, 0.25], [0.25, 0.75]]),
        {"capacity": 0.188721875541, "multiplied": 1.5, "smallest": 1.09861228866811},
    ),
    "z .7": (
        np.array([[1.0, 0.0], [0.3, 0.7]]),
        {"capacity": 0.503691933485, "multiplied": 1.7, "smallest": math.inf},
    ),
    "randomized response": (
        np.full((5, 5), 1 / (math.e + 4)) + np.eye(5) * (math.e - 1) / (math.e + 4),
        {"capacity": 0.157564149627, "multiplied": 5 * 0.404609675191690, "smallest": 1.0},
    ),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_named_channels(name: str) -> None:
    matrix, expected = CHANNELS[name]
    fair = np.full(len(matrix), 1 / len(matrix))
    assert capacity(matrix, 1e-13).bits == pytest.approx(expected["capacity"], abs=1e-12)
    multiplied = bound_of(fair, matrix, "maximal-leakage").odds
    assert multiplied == pytest.approx(expected["multiplied"], rel=1e-12)
    smallest = bound_of(fair, matrix, "max-log-ratio").value
    assert smallest == pytest.approx(expected["smallest"], rel=1e-12)


@pytest.mark.parametrize(
    ("eps", "told", "most", "multiplied"),
    [
        (0.1, 0.0357283276767726, 0.0520995278206, 1.09516258196404),
        (1.0, 0.326112875365387, 0.436401049673, 1.63212055882856),
        (2.0, 0.56746362396445, 0.706874140164, 1.86466471676339),
    ],
)
def test_one_sided_randomised_response(
    eps: float, told: float, most: float, multiplied: float
) -> None:
    matrix = np.array([[1.0, 0.0], [math.exp(-eps), -math.expm1(-eps)]])
    prior = [0.3, 0.7]
    assert bound_of(prior, matrix, "mutual-information").bits == pytest.approx(told, rel=1e-12)
    assert bound_of(prior, matrix, "maximal-leakage").odds == pytest.approx(multiplied, rel=1e-12)
    assert bound_of(prior, matrix, "exclusion").value == pytest.approx(math.inf)
    assert bound_of([0.5, 0.5], matrix, "bayes-leakage").odds == pytest.approx(multiplied)
    assert capacity(matrix, 1e-13).bits == pytest.approx(most, abs=1e-12)


def compare(prior: np.ndarray, matrix: np.ndarray) -> None:
    """Every measure both programs have."""
    measure = qif.measure
    ours = {
        name: bound_of(prior, matrix, name)
        for name in ("mutual-information", "bayes-leakage", "guessing", "max-log-ratio")
    }
    told = ours["mutual-information"]
    assert told.bits == pytest.approx(measure.shannon.add_leakage(prior, matrix), rel=REL)
    left = (entropy(prior) - told.value) / math.log(2)
    assert left == pytest.approx(measure.shannon.posterior(prior, matrix), rel=REL)
    right = prior.max() * ours["bayes-leakage"].odds
    assert right == pytest.approx(measure.bayes_vuln.posterior(prior, matrix), rel=REL)
    gain = measure.bayes_vuln.min_entropy_leakage(prior, matrix)
    assert ours["bayes-leakage"].bits == pytest.approx(gain, rel=REL, abs=1e-12)
    after = guesses(prior) - ours["guessing"].value
    assert after == pytest.approx(measure.guessing.posterior(prior, matrix), rel=REL)
    fair = np.full(len(prior), 1 / len(prior))
    most = measure.bayes_vuln.mult_capacity(matrix)
    assert bound_of(fair, matrix, "maximal-leakage").odds == pytest.approx(most, rel=REL)
    assert bound_of(fair, matrix, "bayes-leakage").odds == pytest.approx(most, rel=REL)
    apart = measure.d_privacy.smallest_epsilon(matrix, qif.metric.discrete(qif.uint))
    assert ours["max-log-ratio"].value == pytest.approx(apart, rel=REL)


@pytest.mark.parametrize("size", [(3, 4), (8, 8), (16, 24), (60, 40)], ids=str)
def test_formula_channels(size: tuple[int, int]) -> None:
    compare(formula_prior(size[0]), formula_channel(*size))


@pytest.mark.parametrize("seed", range(40))
def test_random_channels(seed: int) -> None:
    """Of 2 to 12 inputs and outputs, even or uneven."""
    rng = np.random.default_rng(seed)
    inputs, outputs = rng.integers(2, 13, size=2)
    even = rng.choice([0.3, 1.0, 20.0])
    matrix = rng.dirichlet(np.full(outputs, even), inputs)
    compare(rng.dirichlet(np.ones(inputs)), matrix)


@pytest.mark.parametrize("seed", range(10))
def test_capacities(seed: int) -> None:
    """libqif stops at a gap of 1e-7 bits by default; its value is the lower end of one."""
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(int(rng.integers(2, 9))), int(rng.integers(2, 9)))
    theirs, _ = qif.measure.shannon.add_capacity(matrix, 1e-11)
    ours = capacity(matrix, 1e-11)
    assert theirs == pytest.approx(ours.bits, abs=1e-9)


def test_mechanisms() -> None:
    """A geometric mechanism's corner and its capacity, theirs and as recorded."""
    matrix = np.asarray(qif.mechanism.d_privacy.geometric(5, 1.0))
    assert matrix[0, 0] == pytest.approx(0.731058578630005, rel=1e-12)
    fair = np.full(5, 0.2)
    most = bound_of(fair, matrix, "maximal-leakage").odds
    assert most == pytest.approx(2.84846862904004, rel=1e-12)
    smallest = bound_of(fair, matrix, "max-log-ratio").value
    assert smallest == pytest.approx(4.0, rel=1e-12)  # one unit apart: 1; four units: 4
