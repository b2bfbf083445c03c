"""The examples everybody should know, with their numbers."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from unspoken import RELEASED, WITHHELD

MI: Final = "mutual-information"


def leak(
    belief: unspoken.Joint, mechanism: unspoken.OneSided, measure: Any, target: str, sees: str
) -> float:
    return unspoken.leakage(
        belief, mechanism, unspoken.Adversary(target, sees=list(sees)), measure
    ).value


def entropy(*shares: float) -> float:
    return -math.fsum(p * math.log(p) for p in shares if p > 0)


def xor() -> unspoken.Joint:
    """A and B are fair and independent, S is their xor: any two determine the third."""
    table = np.zeros((2, 2, 2))
    for a, b in np.ndindex(2, 2):
        table[a, b, a ^ b] = 0.25
    return unspoken.Joint(table, names="ABS")


@pytest.mark.parametrize("eps", [0.1, 1.0, 5.0, math.inf])
@pytest.mark.parametrize("shows", ["bit", "value"])
def test_xor(eps: float, shows: str) -> None:
    """Neither output alone says anything of S; together they do."""
    sensitive = {"A": [0], "B": [0], "S": [0]}
    mechanism = unspoken.OneSided({"A": eps, "B": eps}, sensitive, shows=shows)  # type: ignore[arg-type]
    for one in "AB":
        assert leak(xor(), mechanism, MI, "S", one) == pytest.approx(0, abs=1e-15)
        sees = unspoken.Adversary("S", sees=list(one))
        nothing = computed(xor(), mechanism, sees, "max-log-ratio")
        assert nothing.value == pytest.approx(0, abs=1e-15)
    both = leak(xor(), mechanism, MI, "S", "AB")
    assert both > 1e-6
    p = -math.expm1(-eps)
    event = unspoken.odds(xor(), mechanism, unspoken.Adversary("S"), {"A": RELEASED, "B": RELEASED})
    assert event.value == math.inf
    event = unspoken.odds(xor(), mechanism, unspoken.Adversary("S"), {"A": RELEASED, "B": WITHHELD})
    assert event.value == pytest.approx(1 - p, rel=1e-12)
    own = sum(leak(xor(), mechanism, MI, one, one) for one in "AB")
    if shows == "bit":
        assert both <= own


def test_an_always_sensitive_column_with_a_released_copy() -> None:
    """The column is never released, its bit is constant, and yet all is known of it."""
    shares = (0.2, 0.3, 0.5)
    belief = unspoken.Joint(np.diag(shares), names=["illness", "drug"])
    mechanism = unspoken.OneSided({"illness": 3.0, "drug": math.inf}, {"illness": [0, 1, 2]})
    assert leak(belief, mechanism, MI, "illness", "") == 0
    full = unspoken.Adversary("illness")
    assert unspoken.leakage(belief, mechanism, full, MI).value == pytest.approx(
        entropy(*shares), rel=1e-12
    )
    assert unspoken.leakage(belief, mechanism, full, "max-information").value == pytest.approx(
        -math.log(0.2)
    )
    assert unspoken.leakage(belief, mechanism, full, "odds").value == math.inf
    bits = unspoken.OneSided(mechanism.epsilon, mechanism.sensitive, shows="bit")
    assert unspoken.leakage(belief, bits, full, MI).value == 0
    half = unspoken.OneSided({"drug": math.log(2)}, {"illness": [0, 1, 2]})
    assert unspoken.leakage(belief, half, full, MI).value == pytest.approx(
        entropy(*shares) / 2, rel=1e-12
    )


@pytest.mark.parametrize("theta", [1e-3, 1e-9, 1e-15])
def test_a_rare_secret_leaks_few_bits_and_great_odds(theta: float) -> None:
    """I(X;M) <= H(theta) is tiny even if every missing value means "sensitive"."""
    belief = unspoken.Joint([theta, 1 - theta], names="A")
    mechanism = unspoken.OneSided({"A": math.inf}, {"A": [0]})
    adversary = unspoken.Adversary("A")
    told = unspoken.leakage(belief, mechanism, adversary, MI)
    assert told.value == pytest.approx(
        -theta * math.log(theta) - (1 - theta) * math.log1p(-theta), rel=1e-9
    )
    assert unspoken.odds(belief, mechanism, adversary, {"A": WITHHELD}).value == math.inf
    sup = unspoken.leakage(belief, mechanism, adversary, "max-information").value
    assert sup == pytest.approx(-math.log(theta), rel=1e-12)
    for eps in (1e-12, 0.5, 3.0, 30.0, 600.0, 800.0):
        weak = unspoken.OneSided({"A": eps}, {"A": [0]})
        bound = unspoken.odds(belief, weak, adversary, {"A": WITHHELD})
        assert bound.nats == pytest.approx(eps, rel=1e-9), eps


@pytest.mark.parametrize("eps", [0.2, 2.0])
def test_certain_dependence(eps: float) -> None:
    """A copy of the secret, released alone: what a person's own coin hides, the copy's shows again.

    Two coins that hide the same bit are one coin at twice the epsilon.
    """
    belief = unspoken.Joint([[0.3, 0], [0, 0.7]], names="AB")
    mechanism = unspoken.OneSided({"A": eps, "B": eps}, {"A": [0], "B": [0]})
    adversary = unspoken.Adversary("A")
    both = unspoken.odds(belief, mechanism, adversary, {"A": WITHHELD, "B": WITHHELD})
    assert both.value == pytest.approx(math.exp(2 * eps), rel=1e-12)
    twice = unspoken.OneSided({"A": 2 * eps}, {"A": [0]})
    alone = unspoken.Joint([0.3, 0.7], names="A")
    for measure in ("mutual-information", "max-information", "relative-entropy"):
        one = unspoken.leakage(alone, twice, adversary, measure).value
        assert unspoken.leakage(belief, mechanism, adversary, measure).value == pytest.approx(
            one, rel=1e-12
        )
    assert unspoken.odds(belief, mechanism, adversary, {"B": RELEASED}).value == 0
    impossible = unspoken.odds(
        belief, mechanism, unspoken.Adversary("A", knows={"B": 0}), {"A": RELEASED}
    )
    assert impossible.status == "impossible"


def test_nothing_left_to_learn_is_no_leak() -> None:
    """Who knows the copy knows the secret: no outcome can move them."""
    belief = unspoken.Joint([[0.3, 0], [0, 0.7]], names="AB")
    mechanism = unspoken.OneSided({"A": 1.0}, {"A": [0]})
    for knows in (["B"], {"B": 0}, {"B": 1}):
        adversary = unspoken.Adversary("A", knows=knows)
        assert unspoken.leakage(belief, mechanism, adversary).value == 0
        assert unspoken.leakage(belief, mechanism, adversary, MI).value == 0
        assert unspoken.leakage(belief, mechanism, adversary, "odds").value == 1


def test_the_weakest_adversary_can_be_the_worst() -> None:
    """Knowing more can mean being told less: with the copy known nothing is left to tell."""
    belief = unspoken.Joint([[0.3, 0], [0, 0.7]], names="AB")
    mechanism = unspoken.OneSided({"A": 1.0}, {"A": [0]})
    ignorant = unspoken.leakage(belief, mechanism, unspoken.Adversary("A"), MI).value
    informed = unspoken.leakage(belief, mechanism, unspoken.Adversary("A", knows=["B"]), MI).value
    assert ignorant > informed == 0


def test_secrets_that_hide_one_another() -> None:
    """Odds of "some secret" can move where those of each single secret do not move as far."""
    belief = unspoken.Joint([0.1, 0.1, 0.8], names="A")
    mechanism = unspoken.OneSided({"A": 1.0}, {"A": [0, 1]})
    adversary = unspoken.Adversary("A")
    any_secret = unspoken.odds(belief, mechanism, adversary, {"A": WITHHELD}).value
    assert any_secret == pytest.approx(math.e, rel=1e-12)
    assert unspoken.leakage(belief, mechanism, adversary, "odds").value == pytest.approx(
        math.e, rel=1e-12
    )
    released = (
        1 / (0.8 * -math.expm1(-1.0)) * -math.expm1(-1.0)
    )  # P(harmless | released) / P(harmless)
    withheld = 1 / (0.2 + 0.8 / math.e)  # P(secret | withheld) / P(secret)
    most = unspoken.leakage(belief, mechanism, adversary, "max-information").value
    assert most == pytest.approx(math.log(max(released, withheld)), rel=1e-12)


def test_an_empty_list_declares_nothing() -> None:
    """Where no value of the target is declared sensitive, every value is a secret of its own."""
    belief = unspoken.Joint([[0.3, 0.1], [0.1, 0.5]], names="AB")
    adversary = unspoken.Adversary("B")
    for measure in ("mutual-information", "max-log-ratio", "odds"):
        said, empty = (
            unspoken.leakage(
                belief, unspoken.OneSided({"A": 1.0}, sensitive), adversary, measure
            ).value
            for sensitive in ({"A": [0]}, {"A": [0], "B": []})
        )
        assert empty == said > 0
