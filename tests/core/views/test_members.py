"""The view of several beliefs: the worst of them counts, on the weakest premise, wherever it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES, MeasureName

STRONG = unspoken.Joint([[0.45, 0.05], [0.05, 0.45]], "AB", premise="stated")
WEAK = unspoken.Joint([[0.3, 0.2], [0.2, 0.3]], "AB", premise="learned(10)")
MIDDLE = unspoken.Joint([[0.38, 0.12], [0.12, 0.38]], "AB", premise="box(95 %)")
MECHANISM = unspoken.OneSided({"A": 1.0}, {"A": [0]})
ADVERSARY = unspoken.Adversary("B", secret=[0])


@pytest.mark.parametrize("order", list(itertools.permutations([STRONG, WEAK, MIDDLE])))
@pytest.mark.parametrize("name", MEASURES)
def test_the_worst_on_the_weakest_premise(
    order: tuple[unspoken.Joint, ...], name: MeasureName
) -> None:
    alone = [unspoken.leakage(each, MECHANISM, ADVERSARY, name) for each in order]
    found = unspoken.leakage(unspoken.Beliefs(order), MECHANISM, ADVERSARY, name)
    assert found.high == max(bound.high for bound in alone)
    assert found.low == max(bound.low for bound in alone)
    assert found.premise == "learned(10)"
    assert unspoken.leakage(STRONG, MECHANISM, ADVERSARY, name).value == found.value


def test_an_event_one_belief_rules_out_counts_for_the_others() -> None:
    never = unspoken.Joint([[0.5, 0.5], [0.0, 0.0]], "AB")
    both = unspoken.Beliefs([never, STRONG])
    found = unspoken.odds(both, MECHANISM, ADVERSARY, {"A": 1})
    assert found.value == unspoken.odds(STRONG, MECHANISM, ADVERSARY, {"A": 1}).value
    nobody = unspoken.Beliefs([never, never])
    assert unspoken.odds(nobody, MECHANISM, ADVERSARY, {"A": 1}).status == "impossible"


def test_the_worst_outcome_is_the_worst_beliefs() -> None:
    def first(after: object) -> np.ndarray:
        return np.asarray(after)[..., 0]

    view = unspoken.view(unspoken.Beliefs([WEAK, STRONG]), MECHANISM, ADVERSARY)
    outcome = view.worst(first)
    assert outcome is not None
    assert outcome.posterior[0] == pytest.approx(view.sup(first).value)
