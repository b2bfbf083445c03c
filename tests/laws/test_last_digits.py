"""The truth lies between the outer ends to its last digit: exact rationals, every measure."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import mpmath
import pytest

import unspoken
from tests.effort import EFFORT
from tests.laws.exact_cases import MECHANISMS, Question, questions
from tests.laws.exact_worlds import BELIEFS, DIGITS
from unspoken.core.measures import MEASURES

pytestmark = pytest.mark.stress

# Of each belief and mechanism: 10^5 in all where STRESS is 10.
CASES = 3 if EFFORT == 1 else 28 * EFFORT**2
NEAR = 1e-8


def holds(bound: unspoken.Bound, truth: Any) -> bool:
    low, high = mpmath.mpf(bound.low), mpmath.mpf(bound.high)
    return bool(low <= truth <= high)


def answers(question: Question) -> Iterator[tuple[str, Any, unspoken.Bound, unspoken.Bound]]:
    """Of every measure the truth, what is computed, and what is answered."""
    belief, mechanism = question.world.belief, question.shown.mechanism
    cloud: Any = unspoken.view(belief, mechanism, question.adversary)
    name: Any
    for name, measure in MEASURES.items():
        if measure.over == "sup" or question.shown.means:
            answered = unspoken.leakage(belief, mechanism, question.adversary, name)
            yield name, question.truth(name), measure.of(cloud), answered


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("belief", BELIEFS)
def test_the_truth_lies_between_the_ends(
    belief: str, mechanism: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And they are near to each other, but where rare evidence has cost the digits."""
    asked, wide = Counter[str](), list[str]()
    with mpmath.workdps(DIGITS):
        seed = [7, list(MECHANISMS).index(mechanism), *map(ord, belief)]
        for at, question in enumerate(questions(seed, belief, mechanism, CASES)):
            for name, truth, computed, answered in answers(question):
                case = f"{name} of {at}: {float(truth)} in [{answered.low}, {answered.high}]"
                assert computed.outer is None  # who does not ask does not pay
                assert holds(answered, truth), case
                assert computed.low <= computed.high, case
                none = 1.0 if answered.unit == "odds" else 0.0  # what is told is never less
                assert answered.low <= max(computed.low, none), case
                assert max(computed.high, none) <= answered.high, case
                apart = answered.low < answered.high - NEAR * max(1.0, answered.high)
                wide += [case] * apart
                asked[name] += 1
    assert len(wide) <= asked.total() / 1000, wide
    if EFFORT > 1:
        with capsys.disabled():
            print(f"{belief}, {mechanism}: {CASES:,} cases, {asked.total():,} held, wide: {wide}")


@pytest.mark.parametrize("mechanism", ["one-sided", "finite", "randomized-response"])
def test_so_do_the_odds_after_one_event(mechanism: str) -> None:
    with mpmath.workdps(DIGITS):
        for number, belief in enumerate(BELIEFS):
            for question in questions([8, number, len(mechanism)], belief, mechanism, 2 * EFFORT):
                for outcome in itertools.islice(next(iter(question.clouds.values())), 3):
                    said, truth = question.shown.words(outcome), question.event(outcome)
                    if said is not None and truth is not None:
                        shown = question.shown.mechanism
                        odds = unspoken.odds(question.world.belief, shown, question.adversary, said)
                        assert holds(odds, truth), (belief, outcome)


def test_what_is_not_moved_outward_misses_the_truth() -> None:
    """Else this file would say nothing: one float is no interval."""
    with mpmath.workdps(DIGITS):
        missed = 0
        for question in questions([9], "joint", "one-sided", 5):
            shown = question.shown.mechanism
            cloud: Any = unspoken.view(question.world.belief, shown, question.adversary)
            bound = MEASURES["mutual-information"].of(cloud)
            missed += not holds(bound, question.truth("mutual-information"))
        assert missed


@pytest.mark.parametrize("rare", [1e-60, 1e-150, 3.99104e-237])
@pytest.mark.parametrize("at", range(6))
def test_a_class_so_rare_that_a_lift_is_hundreds_of_nats(rare: float, at: int) -> None:
    """Its own logarithm is rounded by more than all that is behind it. Shown with 1 - e^-eps:
    maximal leakage is log(2 - e^-eps), and what a release shows is this class for certain.
    """
    eps = 0.0780415 + at / 64
    belief = unspoken.Joint([1.0 - rare, rare], names=["A"])
    shown = unspoken.OneSided({"A": eps}, {"A": [0]}, shows="bit")
    whom = unspoken.Adversary("A", secret=[0, 1])
    with mpmath.workdps(DIGITS):
        prior = mpmath.mpf(rare) / (mpmath.mpf(1.0 - rare) + mpmath.mpf(rare))
        truth = {
            "maximal-leakage": mpmath.log(2 - mpmath.exp(-mpmath.mpf(eps))),
            "relative-entropy": -mpmath.log(prior),
        }
        name: Any
        for name, exact in truth.items():
            bound = unspoken.leakage(belief, shown, whom, name)
            assert holds(bound, exact), name
