"""The account "bit" where secrets have several values, or a variable has none or nothing else."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from tests.planning.test_values import drawn, grid
from unspoken import Adversary
from unspoken.core.types.bound import LOG2
from unspoken.planning import Plan

pytestmark = pytest.mark.slow

INF = math.inf


class Bits(Enumerated):
    """Only whether a cell was released is seen."""

    def answers(self, p: npt.ArrayLike) -> np.ndarray:
        law: np.ndarray = np.ones((1, 1))
        for size, hidden, rate in zip(self.table.shape, self.sensitive, np.asarray(p), strict=True):
            shown = np.where(np.isin(np.arange(size), list(hidden)), 0.0, rate)
            law = np.kron(law, np.stack([1.0 - shown, shown], 1))
        return self.table.reshape(-1, 1) * law


def bits_drawn(seed: int, n: int) -> Bits:
    e = drawn(np.random.default_rng(seed), n, 3)
    return Bits(e.table, e.sensitive)


def plan_bits(belief: unspoken.Joint | unspoken.Pairwise, e: Bits, **asked: Any) -> Plan:
    hidden = {f"x{i}": own for i, own in enumerate(e.sensitive)}
    return unspoken.plan(belief, sensitive=hidden, account="bit", **asked)


@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.sampled_from([1.0, 1.3, 4.0]))
@examples(15)
def test_the_cap_holds_for_every_secret_value(seed: int, n: int, cap: float) -> None:
    e = bits_drawn(seed, n)
    found = plan_bits(unspoken.Joint(e.table), e, limit_bits=None, odds_cap=cap)
    assert e.keeps(list(found.p.values()), odds_cap=cap)
    assert found.odds.value <= cap
    points = grid(21 if n == 2 else 6, n)
    for k in np.flatnonzero(points @ e.free > found.bound.high * (1 + 1e-9) + 1e-15):
        assert not e.keeps(points[k], odds_cap=cap, slack=-1e-9), points[k]


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.3, 4.0]))
@examples(20)
def test_each_bit_alone_keeps_the_cap_where_only_pairs_are_known(seed: int, cap: float) -> None:
    e = bits_drawn(seed, 3)
    singles = [e.table.sum(axes) for axes in ((1, 2), (0, 2), (0, 1))]
    pairs = {("x0", "x1"): 2, ("x0", "x2"): 1, ("x1", "x2"): 0}
    tables = {pair: e.table.sum(axis) for pair, axis in pairs.items()}
    found = plan_bits(unspoken.Pairwise(singles, tables), e, limit_bits=None, odds_cap=cap)
    for alone in np.diag(list(found.p.values())):
        assert e.keeps(alone, odds_cap=cap)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1]))
@examples(20)
def test_a_limit_about_a_target_holds_for_its_secret(seed: int, limit: float) -> None:
    """Not only for the bit "is it sensitive", which may be constant."""
    e = bits_drawn(seed, 3)
    found = plan_bits(unspoken.Joint(e.table), e, limit_bits={"x0": limit / LOG2}, odds_cap=None)
    own = Bits(e.table, e.sensitive, [e.sensitive[0], (), ()])
    assert own.keeps(list(found.p.values()), limit=limit)


@pytest.fixture
def ward() -> unspoken.Joint:
    """A drug that is given, sensitive, for the first illness only."""
    return unspoken.Joint([[10, 0], [10, 5], [5, 70]], names=["illness", "drug"])


def test_every_illness_is_a_secret(ward: unspoken.Joint) -> None:
    """P(drug 1 | illness 2) / P(drug 1 | another) is 4.67: its bit must never be shown."""
    hidden = {"illness": [0, 1, 2], "drug": [0]}
    found = unspoken.plan(ward, limit_bits=None, sensitive=hidden, odds_cap=2.0, account="bit")
    assert found.p["drug"] == 0
    assert found.odds.value == pytest.approx(1.0)
    told = unspoken.plan(
        ward, limit_bits={"illness": 0.01 / LOG2}, sensitive=hidden, odds_cap=None, account="bit"
    )
    about = Adversary("illness")
    leaks = unspoken.leakage(ward, told.mechanism, about, "mutual-information").value
    assert 0.001 < leaks <= 0.01


def test_what_is_no_secret_may_be_learned(ward: unspoken.Joint) -> None:
    found = unspoken.plan(
        ward, limit_bits=None, sensitive={"drug": [0]}, odds_cap=2.0, account="bit"
    )
    assert found.odds.value <= 2.0
    assert "about drug" in found.odds.why


def test_a_bit_that_never_varies_is_free_at_any_cap() -> None:
    law = [0.18742471346384362, 0.8125752865361564]
    for belief in (unspoken.Joint(law), unspoken.Independent([law, law])):
        hidden = dict.fromkeys(belief.domain.names, (0, 1))
        found = unspoken.plan(
            belief,
            limit_bits=None,
            sensitive=hidden,
            odds_cap=1.0,
            account="bit",
            objective="epsilon",
            caps=dict.fromkeys(hidden, 0.05),
        )
        assert list(found.p.values()) == pytest.approx([-math.expm1(-0.05)] * len(hidden))
        assert found.gap < 1e-9


def test_values_and_bits_agree_where_each_value_is_its_bit() -> None:
    """Two values, one sensitive: what a release shows is that it was released."""
    rng = np.random.default_rng(3)
    for table in rng.dirichlet(np.ones(4), 5).reshape(-1, 2, 2):
        belief, e = unspoken.Joint(table), Bits(table, [(0,), (0,)])
        values = Enumerated(table, e.sensitive)
        for p in itertools.product([0.0, 0.3, 0.9], repeat=2):
            for shown, seen in zip(e.said(p), values.said(p), strict=True):
                assert shown[:2] == pytest.approx(seen[:2])
        bit = plan_bits(belief, e, limit_bits=None, odds_cap=3.0)
        value = unspoken.plan(belief, limit_bits=None, odds_cap=3.0)
        assert bit.objective == pytest.approx(value.objective, rel=2e-3)


@pytest.mark.parametrize(
    ("limit", "odds_cap", "binding"),
    [(0.1, 4.0, "limit"), (0.3, 2.0, "cap"), (0.2, 2.0, "both"), (9.0, None, "neither")],
)
def test_the_price_of_a_nat(limit: float, odds_cap: float | None, binding: str) -> None:
    """What more limit would buy, where nothing but the limit binds; never a price nobody pays."""
    belief = unspoken.Joint([[15, 5], [10, 70]])
    plans = [
        unspoken.plan(belief, limit_bits=nats / LOG2, odds_cap=odds_cap, account="bit")
        for nats in (limit, limit * 1.0001)
    ]
    gained = (plans[1].objective - plans[0].objective) / (0.0001 * limit)
    if binding == "both":
        assert math.isnan(plans[0].multiplier)
    else:
        assert plans[0].multiplier == pytest.approx(gained, rel=1e-3)
        assert (plans[0].multiplier > 0) == (binding == "limit")
        assert plans[0].gap < 1e-4
