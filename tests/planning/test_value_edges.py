"""Plans on the account "value" at the edges: odd input, rare values, large domains."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unspoken
from tests.planning.test_values import plan_of
from unspoken.core.errors import InputError
from unspoken.planning import coalitions

pytestmark = pytest.mark.slow

INF = math.inf


def test_a_value_listed_twice_is_one_value() -> None:
    """Added up twice, half of all cells would be all of them: never shown, so harmless."""
    belief = unspoken.Joint([[40, 10], [10, 40]])
    twice = plan_of(belief, {"x0": (0, 0), "x1": (0, 0)}, limit=0.1)
    once = plan_of(belief, {"x0": (0,), "x1": (0,)}, limit=0.1)
    assert twice.p.tolist() == once.p.tolist()
    assert twice.information["x0"].high <= 0.1
    assert twice.p.max() < 1


def test_what_is_next_to_never_released_is_not_harmless() -> None:
    """x0 is 1 in one of 1e17 cells, and then x1 is 0: shown, it would be a confession."""
    belief = unspoken.Joint([[0.5 - 1e-17, 0.5], [1e-17, 0.0]])
    found = plan_of(belief, {"x0": (0,), "x1": (0,)}, odds_cap=4.0)
    assert found.p[0] == 0.0
    assert ("x0", 1, INF) in {(one.name, one.value, one.factor) for one in found.telling}


def test_an_infinite_weight_is_refused() -> None:
    belief = unspoken.Joint([[40, 10], [10, 40]])
    with pytest.raises(InputError, match=r"^plan.weights of x1: inf must be finite$"):
        plan_of(belief, {"x0": (0,)}, weights={"x1": INF})


@pytest.mark.parametrize("odds_cap", [4.0, INF])
def test_a_tree_whose_joint_is_too_large_to_fill_in(
    odds_cap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """6 variables of 16 values, 15 of them sensitive: few answers, but 16^6 cells behind them."""
    monkeypatch.setattr(coalitions, "WORK", 0.0)  # only a quick search
    rng = np.random.default_rng(0)
    laws = rng.dirichlet(np.full(16, 9.0), (5, 16))
    belief = unspoken.Tree([-1, *[0] * 5], np.full(16, 1 / 16), [None, *laws])
    hidden = dict.fromkeys(belief.domain.names, tuple(range(15)))
    found = plan_of(belief, hidden, limit=0.1, odds_cap=odds_cap)
    assert 0 < found.objective <= found.upper
    assert all(bound.high <= 0.1 for bound in found.information.values())
    assert found.odds.high <= odds_cap * (1 + 2e-12)


@pytest.mark.parametrize("exceed", [1e-100, 1e-17])
def test_a_high_cap_beside_the_least_exemption(exceed: float) -> None:
    """A quotient of the two is no float; the cuts behind the plan are."""
    belief = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]])
    found = plan_of(belief, {"x0": (0,), "x1": (0,)}, odds_cap=1.7e308, exceed=exceed)
    assert 0 < found.objective <= found.upper


def test_a_limit_of_minus_zero_bits_is_a_limit_of_zero() -> None:
    """Divided by -0.0, what is too much would be far below it."""
    belief = unspoken.Joint([[40, 10], [10, 40]])
    for account in ("value", "bit"):
        found, zero = (
            unspoken.plan(belief, limit_bits=bits, sensitive={"x0": (0,)}, account=account)
            for bits in (-0.0, 0.0)
        )
        assert found == zero
