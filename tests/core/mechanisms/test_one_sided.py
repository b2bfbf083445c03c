"""The laws of a mechanism: mass 1, sampler as likelihood, n uses together as n one by one."""

from __future__ import annotations

import math
from collections import Counter
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from unspoken.core.types.domain import RELEASED, WITHHELD, Domain

DOMAIN = Domain.of([4], ["v"])
EPSILON = st.one_of(st.sampled_from([0.0, 1e-12, 50.0, 800.0, math.inf]), st.floats(0, 5))
HIDDEN = st.lists(st.integers(0, 3), unique=True).map(tuple)


def mechanism(
    epsilon: float, hidden: tuple[int, ...], shows: Literal["bit", "value"] = "value"
) -> unspoken.OneSided:
    return unspoken.OneSided({"v": epsilon}, {"v": hidden}, shows=shows, coins="fresh")


@given(EPSILON, HIDDEN, st.sampled_from(["bit", "value"]), st.integers(1, 5))
def test_mass_is_one_and_nothing_sensitive_shows(
    epsilon: float, hidden: tuple[int, ...], shows: Literal["bit", "value"], asks: int
) -> None:
    channel = mechanism(epsilon, hidden, shows).channel(DOMAIN, "v", asks)
    assert channel.law.sum(1) == pytest.approx(np.ones(4), abs=1e-15)
    for value in hidden:
        assert channel.law[value, channel.outputs.index(WITHHELD)] == pytest.approx(1, abs=1e-15)
    assert not set(hidden) & set(channel.outputs)


@given(st.floats(0, 3), HIDDEN, st.integers(1, 6))
def test_n_uses_together_are_n_one_by_one(epsilon: float, hidden: tuple[int, ...], n: int) -> None:
    once = mechanism(epsilon, hidden, "bit").channel(DOMAIN, "v", 1)
    often = mechanism(epsilon, hidden, "bit").channel(DOMAIN, "v", n)
    never = once.law[:, once.outputs.index(WITHHELD)] ** n
    assert often.law[:, often.outputs.index(WITHHELD)] == pytest.approx(never, rel=1e-12)
    assert often.law[:, often.outputs.index(RELEASED)] == pytest.approx(1 - never, abs=1e-12)


@pytest.mark.parametrize("shows", ["bit", "value"])
def test_the_sampler_agrees_with_the_likelihood(shows: Literal["bit", "value"]) -> None:
    one = mechanism(0.7, (1,), shows)
    rng = np.random.default_rng(11)
    rows = 40_000
    channel = one.channel(DOMAIN, "v", 2)
    for value in range(4):
        drawn = one.sample(DOMAIN, np.full((rows, 1), value), rng, asks=2)["v"]
        counts = Counter(drawn)
        for k, output in enumerate(channel.outputs):
            p = float(channel.law[value, k])
            assert abs(counts[output] - rows * p) <= 5 * math.sqrt(rows * p * (1 - p)) + 1e-9
