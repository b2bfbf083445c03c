"""Leakages of paper 003 as fractions, against sums in floating point and against the library."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import unspoken
from studies.by_hand import leak
from studies.p002.resistance import drawn, leaked, private_answers
from studies.p003.by_hand import correlation
from studies.p003.fractions_by_hand import (
    Law,
    conditional_signs,
    covariance,
    exchangeable_bits,
    odds_factor,
    rows_in_parts,
    two_rows,
)

KNOWN = [(), (1,), (2,), (1, 2)]


def drawn_law(seed: int, shape: tuple[int, ...]) -> Law:
    rng = np.random.default_rng(seed)
    return {cell: Fraction(int(rng.integers(1, 30))) for cell in product(*map(range, shape))}


def table(law: Law) -> np.ndarray:
    found = np.zeros(tuple(max(cell[k] for cell in law) + 1 for k in range(len(next(iter(law))))))
    for cell, mass in law.items():
        found[cell] = float(mass)
    return found / found.sum()


@pytest.mark.parametrize("q", [Fraction(4, 3), Fraction(2), Fraction(7, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_fractions_are_the_leakages(seed: int, q: Fraction) -> None:
    law, scale = drawn_law(seed, (3, 2, 3)), 1 / math.log(q)
    names = ["x0", "x1", "x2"]
    for known in KNOWN:
        found = math.log(odds_factor(law, q, 0, known))
        assert found == pytest.approx(leak(table(law), [1, 1, 1], scale, 0, known), rel=1e-12)
        adversary = unspoken.Adversary("x0", knows=[names[k] for k in known])
        own = unspoken.leakage(unspoken.Joint(table(law)), unspoken.Laplace(scale), adversary)
        assert found == pytest.approx(own.value, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_signs_are_those_of_the_correlation(seed: int) -> None:
    law = drawn_law(seed, (2, 3))
    rho = correlation(table(law), [0, 1, 2])
    assert math.copysign(1, covariance(law, 0, 1, {})) == math.copysign(1, rho)
    assert conditional_signs(law) == {round(math.copysign(1, rho))}


def test_laws_that_are_written_out() -> None:
    assert conditional_signs(exchangeable_bits([1, 1, 1, 1])) == {0}
    assert conditional_signs(exchangeable_bits([1, 0, 0, 1])) == {0, 1}
    assert sum(two_rows((1, 2, 1), (3, 3, 3), apart=2).values()) == 1
    assert [*rows_in_parts(3, 4)] == [(1, 1, 2), (1, 2, 1), (2, 1, 1)]


def test_equation_11_is_a_prior_and_a_release() -> None:
    """Answers are private, and what they add is what they tell of the user, not less than 0."""
    answers = private_answers(0.7)
    assert answers.sum(1) == pytest.approx(1)
    assert np.log(answers.max(0) / answers.min(0)).max() == pytest.approx(0.7)
    for inde, de, _ in drawn()[:20]:
        told = unspoken.leakage(
            unspoken.Joint(de, names=["D"]),
            unspoken.Finite("D", answers),
            unspoken.Adversary("D"),
            "mutual-information",
        ).bits
        prior = float(de @ np.log2(de) - inde @ np.log2(inde))
        assert leaked(inde, de, answers) == pytest.approx(prior + told, abs=1e-9)
        assert 0 <= told <= 0.7 / math.log(2)
