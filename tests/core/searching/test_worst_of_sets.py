"""The worst adversary where any of several beliefs may be true."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unspoken
from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.families import Ball, Beliefs, Box
from unspoken.core.measures import MeasureName
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching import Certificate

RNG = np.random.default_rng(20)
ONE, OTHER = (unspoken.Joint(RNG.dirichlet(np.ones(8)).reshape(2, 2, 2)) for _ in range(2))
MECHANISMS: list[Mechanism] = [
    unspoken.Laplace(1.3),
    unspoken.OneSided({"x0": 0.5, "x2": 0.9}, {"x0": [0], "x2": [0]}),
    unspoken.Together([unspoken.RandomizedResponse("x1", 1.1), unspoken.Laplace(2.0)]),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda own: type(own).__name__)
@pytest.mark.parametrize("measure", ["max-log-ratio", "mutual-information"])
def test_of_finitely_many_it_is_the_worst_of_them(
    mechanism: Mechanism, measure: MeasureName
) -> None:
    each = [unspoken.worst(belief, mechanism, measure).bound for belief in (ONE, OTHER)]
    found = unspoken.worst(Beliefs([ONE, OTHER]), mechanism, measure)
    assert found.bound.high == pytest.approx(max(own.high for own in each), rel=1e-9)
    assert found.bound.low == pytest.approx(max(own.low for own in each), rel=1e-9)


@pytest.mark.parametrize("family", [Box.within(ONE, 0.1), Ball(ONE, 0.1)], ids=["box", "ball"])
def test_of_a_set_it_is_the_worst_of_its_views(family: Belief) -> None:
    noise = unspoken.Laplace(1.3)
    names = ONE.domain.names
    everybody = [
        unspoken.leakage(family, noise, Adversary(target, knows=known))
        for target in names
        for k in range(3)
        for known in itertools.combinations([name for name in names if name != target], k)
    ]
    found = unspoken.worst(family, noise)
    assert found.bound.low == pytest.approx(max(own.low for own in everybody), rel=1e-12)
    assert found.bound.high <= max(own.high for own in everybody)  # the group bound may be less
    who = unspoken.leakage(family, noise, found.adversary or Adversary("x0"))
    assert found.bound.low == pytest.approx(who.low, rel=1e-12)


@pytest.mark.slow
def test_chains_that_may_be_true_take_their_intervals_only() -> None:
    chains = [unspoken.Chain([0.5, 0.5], [[a, 1 - a], [0.3, 0.7]], 9) for a in (0.8, 0.9)]
    looked: list[Certificate] = []
    found = unspoken.worst(Beliefs(chains), unspoken.Laplace(3.0), progress=looked.append)
    assert looked[-1].total == 9 * 10 * 11 // 6
    each = [unspoken.worst(chain, unspoken.Laplace(3.0)).bound.high for chain in chains]
    assert found.bound.high == pytest.approx(max(each), rel=1e-9)


def test_a_search_for_a_mean_that_is_stopped_says_no_more_than_there_is_to_know() -> None:
    looked: list[Certificate] = []
    unspoken.worst(ONE, unspoken.Laplace(0.01), "mutual-information", progress=looked.append)
    assert looked[0].high == pytest.approx(np.log(2))
    assert all(now.low <= now.high <= looked[0].high for now in looked)


def test_what_views_of_a_set_do_not_answer_is_refused_in_one_line() -> None:
    with pytest.raises(unspoken.UnspokenError, match=r"box: .* give Beliefs") as told:
        unspoken.worst(Box.within(ONE, 0.1), unspoken.Laplace(1.3), "guessing")
    assert "\n" not in str(told.value)
