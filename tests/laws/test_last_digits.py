"""The truth lies between the outer ends to its last digit: exact rationals, every measure."""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
import pytest

import unspoken
from tests import oracle
from tests.effort import EFFORT
from tests.laws.exact_cases import MECHANISMS, Question, questions
from tests.laws.exact_worlds import BELIEFS
from unspoken.measures import MEASURES

pytestmark = pytest.mark.stress


def holds(bound: unspoken.Bound, truth: Any) -> bool:
    low, high = mpmath.mpf(bound.low), mpmath.mpf(bound.high)
    return bool(low <= truth <= high)


def beyond(question: Question) -> list[str]:
    """The measures whose outer ends do not hold the truth, or are far apart."""
    cloud: Any = unspoken.view(question.world.belief, question.shown.mechanism, question.adversary)
    found = []
    name: Any
    for name, measure in MEASURES.items():
        if measure.over == "mean" and not question.shown.means:
            continue
        bound, truth = measure.of(cloud), question.truth(name)
        assert bound.outer is None  # who does not ask does not pay
        outer = unspoken.leakage(
            question.world.belief, question.shown.mechanism, question.adversary, name
        )
        near = outer.high - outer.low <= 1e-8 * max(1.0, abs(outer.high)) or outer.high == outer.low
        around = outer.low <= bound.low <= bound.high <= outer.high
        if not (holds(outer, truth) and near and around):
            found.append(f"{name}: {float(truth)} in [{outer.low}, {outer.high}]")
    return found


@pytest.mark.parametrize("belief", BELIEFS)
def test_the_truth_lies_between_the_outer_ends(belief: str) -> None:
    with mpmath.workdps(oracle.DIGITS):
        for number, mechanism in enumerate(MECHANISMS):
            asked = questions([7, number, *map(ord, belief)], belief, mechanism, 3 * EFFORT)
            for at, question in enumerate(asked):
                assert beyond(question) == [], (belief, mechanism, at)


@pytest.mark.parametrize("mechanism", ["one-sided", "finite", "randomized-response"])
def test_so_do_the_odds_after_one_event(mechanism: str) -> None:
    with mpmath.workdps(oracle.DIGITS):
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
    with mpmath.workdps(oracle.DIGITS):
        missed = 0
        for question in questions([9], "joint", "one-sided", 5):
            shown = question.shown.mechanism
            cloud: Any = unspoken.view(question.world.belief, shown, question.adversary)
            bound = MEASURES["mutual-information"].of(cloud)
            missed += not holds(bound, question.truth("mutual-information"))
        assert missed
