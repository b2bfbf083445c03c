"""What is drawn of exact answers, and that no digit of it tells what the answer was."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.mechanisms import Geometric, Laplace
from unspoken.core.types.domain import Domain
from unspoken.noise.drawing import draw, on_grid

DOMAIN = Domain.of([3, 2], ["A", "B"], [["red", "green", "blue"], [0, 2.5]])
HISTOGRAM = {"A": {"red": [1, 0], "blue": [0, 1]}}


def test_each_number_has_noise_of_its_own() -> None:
    drawn = np.array([draw(Geometric(0.9, terms=HISTOGRAM), DOMAIN, [50, -7]) for _ in range(300)])
    assert np.abs(drawn.mean(0) - [50, -7]).max() < 6 * 13 / math.sqrt(300)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.35
    assert (drawn[:, 0] - 50 != drawn[:, 1] + 7).any()


@pytest.mark.parametrize("answers", [[1], [1, 2, 3], []])
def test_one_exact_answer_for_each(answers: list[int]) -> None:
    with pytest.raises(InputError, match="for 2 noisy ones"):
        draw(Geometric(0.5, terms=HISTOGRAM), DOMAIN, answers)


def test_what_is_not_noise_on_whole_numbers() -> None:
    with pytest.raises(NotKnown, match="on_grid"):
        draw(Laplace(1.0, terms=HISTOGRAM), DOMAIN, [1, 2])
    both = unspoken.Together([Geometric(0.5, {"B": 2}), unspoken.OneSided({"A": 1.0})])
    with pytest.raises(InputError, match="a mechanism that is noise"):
        draw(both, DOMAIN, [1])
    with pytest.raises(InputError, match="added to integers"):
        draw(Geometric(0.5, terms=HISTOGRAM), DOMAIN, [1, 2.0])  # type: ignore[list-item]


def test_a_grid_names_what_is_drawn() -> None:
    """Terms at the nearest steps, and a scale that is no less in steps than it was."""
    asked = Laplace(3.0, {"B": 1.0}, {"A": {"red": 0.26, "blue": -1.0}})
    found = on_grid(asked, DOMAIN, 0.1)
    assert found.terms == {
        "A": {"red": (3.0,), "green": (0.0,), "blue": (-10.0,)},
        "B": {0: (0.0,), 2.5: (25.0,)},
    }
    assert -0.1 / math.log(found.alpha) >= 3.0
    assert -0.1 / math.log(found.alpha) == pytest.approx(3.0)
    belief = unspoken.Independent([[1, 1, 1], [1, 1]], DOMAIN.names, DOMAIN.values)
    told = unspoken.leakage(belief, found, unspoken.Adversary("A"))
    assert told.high == pytest.approx(1.3 / 3.0)
    assert draw(found, DOMAIN, [40]) != draw(found, DOMAIN, [40]) or draw(found, DOMAIN, [0])


def test_a_grid_that_is_too_coarse() -> None:
    with pytest.raises(InputError, match="nearer to 0 than to a step"):
        on_grid(Laplace(3.0, terms={"A": {"red": 0.26}}), DOMAIN, 10.0)
    with pytest.raises(InputError, match="the step"):
        on_grid(Laplace(3.0, terms={"A": {"red": 0.26}}), DOMAIN, 0.0)


# The attack of Mironov (2012): scale times the logarithm of a float is one of few floats, so that
# what is left of an answer when a candidate is taken off is possible noise, or is not.
SCALE, ROWS = 10.0, 1500


def naive(exact: float, rng: np.random.Generator) -> float:
    """Laplace noise as textbooks write it, by a uniform float."""
    uniform = rng.integers(1, 2**53) * 2.0**-53
    sign = -1.0 if rng.random() < 0.5 else 1.0
    return exact + sign * SCALE * math.log(uniform)


def snapped(exact: float, rng: np.random.Generator) -> float:
    """The same question answered here: in steps, by OpenDP."""
    step = 2.0**-10
    mechanism = Geometric(math.exp(-step / SCALE), {"x": 1})
    domain = Domain.of([2], ["x"], [[0, 1]])
    return draw(mechanism, domain, [round(exact / step)])[0] * step


def can_be(answer: float, candidate: float) -> bool:
    """Whether some uniform float leads from the candidate to this very answer."""
    near = math.exp(-abs(answer - candidate) / SCALE) * 2.0**53
    for offset in range(-6, 7):
        uniform = (math.floor(near) + offset) * 2.0**-53
        if 0 < uniform < 1:
            noise = SCALE * math.log(uniform)
            if answer in (candidate + noise, candidate - noise):
                return True
    return False


def told_apart(sampler: Callable[[float, np.random.Generator], float]) -> float:
    """How much more often the one answer, of 0 and 1, that is possible is the truth than not."""
    rng, found = np.random.default_rng(2012), 0
    for _ in range(ROWS):
        truth = float(rng.integers(2))
        answer = sampler(truth, rng)
        found += can_be(answer, truth) - can_be(answer, 1.0 - truth)
    return found / ROWS


def test_the_attack_on_the_last_digits_finds_naive_noise() -> None:
    assert told_apart(naive) > 0.3


@pytest.mark.slow
def test_the_attack_on_the_last_digits_finds_nothing_here() -> None:
    """All digits there are say no more than the noise allows: tanh(1 / 2 SCALE), and chance."""
    rng = np.random.default_rng(1)
    answers = [snapped(truth, rng) for truth in (0.0, 1.0) for _ in range(100)]
    assert all(answer * 2**10 == int(answer * 2**10) for answer in answers)
    assert told_apart(snapped) < math.tanh(0.5 / SCALE) + 6 / math.sqrt(ROWS)
