"""Finite channels, randomised response, and coins that several releases share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed
from unspoken import RELEASED, WITHHELD
from unspoken.core.mechanisms import MECHANISMS, Finite, OneSided, RandomizedResponse, Together
from unspoken.core.mechanisms.parts import Toss, shared_coin
from unspoken.core.types.domain import Domain

PAIR = unspoken.Joint([[2, 1], [1, 6]], names=["A", "B"])
ABOUT_B = unspoken.Adversary("B", secret=[0])
RAGGED: Any = [[1], [1, 2]]
EPSILON = st.one_of(st.sampled_from([0.0, 1e-12, 50.0, 800.0, math.inf]), st.floats(0, 5))


def test_every_mechanism_shows_itself() -> None:
    one_variable = {"finite", "geometric", "laplace", "one-sided", "randomized-response"}
    assert set(MECHANISMS) == {
        *one_variable, "extension", "one-sided-noise", "record-counts", "suppression", "together"
    }  # fmt: skip
    both = Together([RandomizedResponse("A", 1.0), Finite("A", [[1, 0], [0, 1]])])
    assert repr(both) == "Together\n  RandomizedResponse\n  Finite"
    assert "eps  1" in repr(RandomizedResponse("A", 1.0))
    assert "2 values, 2 outputs" in repr(Finite("A", [[1, 0], [0, 1]]))


@given(EPSILON, st.integers(2, 6))
def test_randomised_response(epsilon: float, d: int) -> None:
    channel = RandomizedResponse("v", epsilon).channel(Domain.of([d], ["v"]))
    assert channel.law.sum(1) == pytest.approx(np.ones(d), abs=1e-15)
    assert channel.heads == pytest.approx(
        -math.expm1(-epsilon) / (1 + (d - 1) * math.exp(-epsilon)), rel=1e-12
    )
    log = channel.log_common[0] if epsilon < math.inf else -math.inf
    truth = np.logaddexp(log, np.log(channel.excess[0, 0])) if channel.excess[0, 0] else log
    assert truth - log == pytest.approx(epsilon, rel=1e-9, abs=1e-15) or epsilon == math.inf


@given(st.lists(EPSILON, min_size=1, max_size=4), st.integers(0, 3))
def test_a_shared_coin_is_one_uniform_draw(epsilons: list[float], hidden: int) -> None:
    """Each release alone is as it was; and whoever is shown more is shown whatever others are."""
    domain = Domain.of([4], ["v"])
    tosses = [OneSided({"v": e}, {"v": [hidden]}).toss(domain, "v") for e in epsilons]
    channel = shared_coin(tosses)
    assert channel.law.sum(1) == pytest.approx(np.ones(4), abs=1e-15)
    for k, (toss, epsilon) in enumerate(zip(tosses, epsilons, strict=True)):
        alone = toss.channel()
        for x, output in np.ndindex(4, len(alone.outputs)):
            shown = alone.outputs[output]
            share = sum(
                channel.law[x, y]
                for y, seen in enumerate(channel.outputs)
                if (seen if len(tosses) == 1 else seen[k]) == shown  # type: ignore[index]
            )
            assert share == pytest.approx(alone.law[x, output], rel=1e-12, abs=1e-15)
        for j, more in enumerate(epsilons):
            if more >= epsilon and len(tosses) > 1:
                for y, seen in enumerate(channel.outputs):
                    if seen[k] is not WITHHELD and seen[j] is WITHHELD:  # type: ignore[index]
                        assert channel.law[:, y].max() == 0


def test_a_coin_shared_by_different_secrets() -> None:
    """One release hides 0, the other 1: seeing neither is silence, seeing one says which it is."""
    tosses = [
        Toss(1.0, (WITHHELD, RELEASED), np.array([[1.0, 0.0], [0.0, 1.0]])),
        Toss(2.0, (WITHHELD, RELEASED), np.array([[0.0, 1.0], [1.0, 0.0]])),
    ]
    channel = shared_coin(tosses)
    p, q = -math.expm1(-1), -math.expm1(-2)
    expected = {
        (WITHHELD, WITHHELD): [1 - q, 1 - p],
        (WITHHELD, RELEASED): [q, 0],
        (RELEASED, WITHHELD): [0, p],  # nobody sees both, which is no output
    }
    assert channel.outputs == tuple(expected)
    for law, probabilities in zip(channel.law.T, expected.values(), strict=True):
        assert law == pytest.approx(probabilities, abs=1e-15)


def test_fresh_coins_are_not_shared() -> None:
    once = OneSided({"A": 1.0}, {"A": [0]}, coins="fresh")
    twice = OneSided({"A": 2.0}, {"A": [0]}, coins="fresh")
    for measure in ("odds", "mutual-information"):
        both = unspoken.leakage(PAIR, Together([once, once]), ABOUT_B, measure).value
        assert both == pytest.approx(
            unspoken.leakage(PAIR, twice, ABOUT_B, measure).value, rel=1e-12
        )
    kept = OneSided({"A": 1.0}, {"A": [0]})
    both = computed(PAIR, Together([kept, kept]), ABOUT_B, "odds").value
    assert both == computed(PAIR, kept, ABOUT_B, "odds").value


def test_what_any_of_them_hides_is_secret() -> None:
    domain = PAIR.domain
    both = Together([OneSided({"A": 1.0}, {"A": [0]}), OneSided({"A": 2.0}, {"A": [1], "B": [1]})])
    assert both.sensitive_values(domain, "A") == (0, 1)
    assert both.sensitive_values(domain, "B") == (1,)
    assert Together([RandomizedResponse("A", 1.0)]).sensitive_values(domain, "A") is None


def test_outputs_have_the_names_given() -> None:
    own = Finite("A", [[3, 1], [0, 4]], outputs=["quiet", "alarm"])
    point = unspoken.view(PAIR, own, ABOUT_B).outcomes()[0]
    assert point.outcome == {"A": "quiet"}
    ruled_out = unspoken.odds(PAIR, own, unspoken.Adversary("A", secret=[1]), {"A": "quiet"})
    assert ruled_out.value == 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Finite("A", [[0.5, 0.6], [0.5, 0.5]]), "row 0: sums to 1.1"),
        (lambda: Finite("A", np.array([[-1, 2], [0.5, 0.5]])), "row 0: has a negative entry -1"),
        (lambda: Finite("A", np.array([0.5, 0.5])), "each row a law"),
        (lambda: Finite("A", np.eye(2), ["a", "a"]), "1 different outputs for 2"),
        (lambda: Finite("A", np.eye(2), [["a"], ["b"]]), "words or numbers"),  # type: ignore[list-item]
        (lambda: RandomizedResponse("A", -0.5), "-0.5 must be 0 or more"),
        (lambda: RandomizedResponse("A", math.nan), "nan must be 0 or more"),
        (lambda: Together([]), "at least one mechanism"),
        (lambda: Together(RandomizedResponse("A", 1.0)), "at least one mechanism"),  # type: ignore[arg-type]
        (lambda: Together([3]), "at least one mechanism"),  # type: ignore[list-item]
    ],
)
def test_mistakes(make: Any, says: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=says):
        make()


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        (Finite("A", [[1, 0]]), "1 rows for 2 values"),
        (Finite("C", [[1, 0], [0, 1]]), 'there is no "C"'),
        (RandomizedResponse("C", 1.0), 'there is no "C"'),
        (Together([RandomizedResponse("C", 1.0)]), 'there is no "C"'),
    ],
)
def test_mistakes_about_the_belief(mechanism: Any, says: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=says):
        unspoken.leakage(PAIR, mechanism, ABOUT_B)


def test_too_many_draws_to_list() -> None:
    for asks in (40, math.inf):
        adversary = unspoken.Adversary("B", asks=asks)  # type: ignore[arg-type]
        with pytest.raises(unspoken.UnspokenError, match="asks of A"):
            unspoken.leakage(PAIR, RandomizedResponse("A", 1.0), adversary)
