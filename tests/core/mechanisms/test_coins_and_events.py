"""What coins say, asked once, again or of several releases, and which events can be seen at all."""

from __future__ import annotations

import math
from typing import Any

import pytest

import unspoken
from unspoken import RELEASED, WITHHELD

PAIR = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names="AB")
ALONE = unspoken.Independent([[0.3, 0.7], [1.0, 0.0]], names="AB")


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.7, math.inf])
def test_a_cell_is_released_with_one_minus_e_to_minus_eps(epsilon: float) -> None:
    once = unspoken.OneSided({"A": epsilon})
    fresh = unspoken.OneSided({"A": epsilon}, coins="fresh")
    assert once.release_probability("A") == -math.expm1(-epsilon)
    assert once.release_probability("A", asks=3) == -math.expm1(-epsilon)
    assert fresh.release_probability("A", asks=3) == pytest.approx(-math.expm1(-3 * epsilon))
    law = once.channel(PAIR.domain, "A").law
    assert law[1, 0] == pytest.approx(math.exp(-epsilon))  # the value 1, withheld
    assert law[0].tolist() == [1.0, 0.0]  # the sensitive value 0, always


def odds(mechanism: Any, asks: int = 1, **seen: Any) -> float:
    adversary = unspoken.Adversary("B", asks=asks)
    return unspoken.odds(PAIR, mechanism, adversary, seen).value


def test_a_coin_that_persists_is_looked_at_again_for_nothing() -> None:
    once = odds(unspoken.OneSided({"A": 0.5}), A=WITHHELD)
    assert odds(unspoken.OneSided({"A": 0.5}), asks=7, A=WITHHELD) == once
    fresh = unspoken.OneSided({"A": 0.5}, coins="fresh")
    again = odds(fresh, asks=3, A=WITHHELD)
    assert again == pytest.approx(odds(unspoken.OneSided({"A": 1.5}), A=WITHHELD), rel=1e-12)


def test_several_releases_look_at_one_coin() -> None:
    """Withheld by both is withheld by the larger epsilon; fresh coins add theirs."""
    small, large = unspoken.OneSided({"A": 0.3}), unspoken.OneSided({"A": 0.9})
    both = unspoken.Together([small, large])
    assert odds(both, A=WITHHELD) == pytest.approx(odds(large, A=WITHHELD), rel=1e-12)
    fresh = [unspoken.OneSided({"A": e}, coins="fresh") for e in (0.3, 0.9)]
    added = odds(unspoken.OneSided({"A": 1.2}), A=WITHHELD)
    assert odds(unspoken.Together(fresh), A=WITHHELD) == pytest.approx(added, rel=1e-12)


def test_what_only_the_smaller_release_shows_cannot_be() -> None:
    both = unspoken.Together([unspoken.OneSided({"A": 0.3}), unspoken.OneSided({"A": 0.9})])
    view = unspoken.view(PAIR, both, unspoken.Adversary("B"))
    assert {point.outcome["A"] for point in view.outcomes()} == {
        (WITHHELD, WITHHELD),
        (WITHHELD, 1),
        (1, 1),
    }


@pytest.mark.parametrize(
    ("adversary", "outcome"),
    [
        ({"target": "A"}, {"B": RELEASED}),  # B is always 0, which is never shown
        ({"target": "A"}, {"B": RELEASED, "A": WITHHELD}),
        ({"target": "A", "knows": {"B": 0}}, {"B": 1}),
        ({"target": "A"}, {"A": 0}),
    ],
)
def test_events_that_cannot_happen_have_no_number(adversary: Any, outcome: Any) -> None:
    mechanism = unspoken.OneSided({"A": 1.0, "B": 1.0})
    found = unspoken.odds(ALONE, mechanism, unspoken.Adversary(**adversary), outcome)
    assert found.status == "impossible"
    assert math.isnan(found.value)


def test_events_that_tell_nothing_are_possible() -> None:
    mechanism = unspoken.OneSided({"A": 1.0, "B": 1.0})
    found = unspoken.odds(ALONE, mechanism, unspoken.Adversary("A"), {"B": WITHHELD})
    assert found.value == 1.0


@pytest.mark.slow
def test_many_releases_by_one_coin_show_what_one_of_them_shows() -> None:
    """Of 2^22 outputs two can be seen: they are neither listed nor refused."""
    one, about = unspoken.OneSided({"A": 0.5}, {"A": [0]}), unspoken.Adversary("B")
    many = unspoken.Together([one] * 22)
    for measure in ("odds", "mutual-information"):
        alone = unspoken.leakage(PAIR, one, about, measure)
        assert unspoken.leakage(PAIR, many, about, measure).value == pytest.approx(alone.value)
