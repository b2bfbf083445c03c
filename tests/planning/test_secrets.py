"""What is withheld may be more than what is protected: the rest of it may be learned."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from tests.planning.test_values import LIMITS, drawn, grid, is_kept, no_point_beats, plan_enumerated
from unspoken.core.errors import InputError
from unspoken.core.types.bound import LOG2
from unspoken.planning import closure

pytestmark = pytest.mark.slow

INF = math.inf


def apart(rng: np.random.Generator, n: int, d: int) -> Enumerated:
    """Some of what is withheld are secrets, sometimes none of a variable's."""
    e = drawn(rng, n, d)
    secrets = [tuple(value for value in own if rng.random() < 0.6) for own in e.sensitive]
    return replace(e, secrets=secrets)


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS))
@examples(12)
def test_two_variables_against_a_grid(seed: int, limits: dict[str, float]) -> None:
    e = apart(np.random.default_rng(seed), 2, 4)
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    no_point_beats(e, found, grid(26, 2), **limits)
    assert found.upper <= found.objective * 1.0011 + 1e-8


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:3]))
@examples(5)
def test_three_variables_against_a_grid(seed: int, limits: dict[str, float]) -> None:
    e = apart(np.random.default_rng(seed), 3, 3)
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    no_point_beats(e, found, grid(8, 3), **limits)


@given(st.integers(0, 2**32 - 1))
@examples(10)
def test_exempt_answers_against_a_grid(seed: int) -> None:
    e = apart(np.random.default_rng(seed), 2, 4)
    limits = {"limit": 0.2, "odds_cap": 3.0, "exceed": 0.05}
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    no_point_beats(e, found, grid(21, 2), **limits)


@given(st.integers(0, 2**32 - 1), st.sampled_from([{"limit": 0.05}, {"odds_cap": 3.0}]))
@examples(8)
def test_fewer_secrets_never_cost(seed: int, limits: dict[str, float]) -> None:
    """What keeps more secrets keeps fewer, but for the two search gaps."""
    e = apart(np.random.default_rng(seed), 2, 3)
    every = plan_enumerated(replace(e, secrets=None), **limits)
    few = plan_enumerated(e, **limits)
    # A merged class is a coarser secret, but its odds against the rest are not among the others'.
    pairs = zip(e.secrets or (), e.sensitive, strict=True)
    if all(set(own) in (set(), set(hidden)) for own, hidden in pairs):
        assert few.upper >= every.objective * (1 - 1e-9)


def test_all_that_is_withheld_is_secret_by_default() -> None:
    days = unspoken.Joint([[15, 5], [10, 70]], names=["a", "o"])
    hidden = {"a": [0], "o": [0]}
    assert repr(unspoken.plan(days, limit_bits=0.1, sensitive=hidden, secrets=hidden)) == repr(
        unspoken.plan(days, limit_bits=0.1, sensitive=hidden)
    )


def test_without_secrets_everything_that_may_be_is_released() -> None:
    days = unspoken.Joint([[15, 5], [10, 70]], names=["a", "o"])
    found = unspoken.plan(days, limit_bits=0.0, sensitive={"a": [0], "o": [0]}, secrets={})
    assert found.p == {"a": 1.0, "o": 1.0}
    assert found.information == {}


def test_the_plan_says_what_is_told_of_the_secrets() -> None:
    belief = unspoken.Joint([[5, 10, 5], [5, 10, 65]], names=["a", "o"])
    hidden, secrets = {"o": [0, 1]}, {"o": [0]}
    found = unspoken.plan(belief, limit_bits=0.02 / LOG2, sensitive=hidden, secrets=secrets)
    view = unspoken.view(belief, found.mechanism, unspoken.Adversary("o", secret=[0]))
    assert found.information["o"].high == pytest.approx(
        unspoken.leakage(
            belief, found.mechanism, unspoken.Adversary("o", secret=[0]), "mutual-information"
        ).high
    )
    assert set(view.outcomes()[0].prior) == {0, unspoken.NOT_SENSITIVE}
    more = unspoken.leakage(belief, found.mechanism, unspoken.Adversary("o"), "mutual-information")
    assert more.low > 0.02 >= found.information["o"].high


def test_known_in_pairs_and_wide() -> None:
    table = np.array([[0.1, 0.05], [0.1, 0.05], [0.1, 0.6]])
    belief = unspoken.Pairwise(
        {"A": [0.15, 0.15, 0.7], "B": [0.3, 0.7], "C": [0.15, 0.15, 0.7]},
        {("A", "B"): table, ("B", "C"): table.T},
    )
    hidden, secrets = {"A": [0, 1], "B": [0], "C": [0, 1]}, {"A": [0], "B": [0]}
    few = unspoken.plan(
        belief, limit_bits=0.05 / LOG2, sensitive=hidden, secrets=secrets, odds_cap=None
    )
    every = unspoken.plan(belief, limit_bits=0.05 / LOG2, sensitive=hidden, odds_cap=None)
    assert set(few.information) == {"A", "B"}
    assert all(bound.high <= 0.05 for bound in few.information.values())
    assert few.objective > every.objective


def test_closing_costs_less_than_making_secrets() -> None:
    """The same labels closed: once as more secrets, once as what they are."""
    belief = unspoken.Joint(
        [[[30, 1], [10, 9]], [[2, 1], [3, 44]]], names=["leave", "occupancy", "arrival"]
    )
    secrets = {"occupancy": [0]}
    closed = closure(belief, secrets, 4.0).sensitive
    as_secrets = unspoken.plan(belief, limit_bits=0.05 / LOG2, sensitive=closed)
    apart_ = unspoken.plan(belief, limit_bits=0.05 / LOG2, sensitive=closed, secrets=secrets)
    assert apart_.telling == ()
    assert apart_.objective > as_secrets.objective


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"secrets": {"o": [1]}}, "plan.secrets: o 1 may be released, so it is no secret"),
        ({"secrets": {"x": [0]}}, 'plan.secrets: there is no "x"'),
        ({"secrets": {"o": [7]}}, "plan.secrets"),
        ({"secrets": {"o": [0]}, "account": "bit"}, 'plan.secrets needs account="value"'),
    ],
)
def test_what_makes_no_sense_is_refused(given_: dict, said: str) -> None:
    days = unspoken.Joint([[15, 5], [10, 70]], names=["a", "o"])
    with pytest.raises(InputError) as refused:
        unspoken.plan(days, limit_bits=0.1, sensitive={"o": [0]}, **given_)
    assert said in str(refused.value)
