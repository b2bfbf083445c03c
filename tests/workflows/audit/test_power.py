"""A sample of the catalogue finds each planted fault: how many trials that takes is computed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from unspoken.workflows.audit.confusion import Confusion, scale_named
from unspoken.workflows.audit.judging import FAMILY, ClaimedBound, attacked
from unspoken.workflows.audit.power import _at_least, fewest, is_found
from unspoken.workflows.audit.scenario import catalogue
from unspoken.workflows.audit.trying import try_all

BROKEN = {each.name: each for each in catalogue() if each.expect == "broken"}
LONG = 500_000  # trials: left to `make audit`, which takes all there are
RECOMPUTED = (
    "hiding: an attribute's own blanks",
    "dependence: five signs, limited one by one",
    "a noisy sum: held to the epsilon of one row",
    "planted: a shared coin",
    "planted: sensitivity a sixth too small",
)


def test_every_planted_fault_needs_no_more_than_there_is() -> None:
    assert all(0 < each.needs <= each.trials for each in BROKEN.values())
    left_out = [name for name, each in BROKEN.items() if each.needs > LONG]
    assert left_out == ["planted: one secret in twenty shown by a cell"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, each in BROKEN.items() if each.needs <= LONG])
def test_the_smallest_sample_finds_it(name: str) -> None:
    (tried,) = try_all([BROKEN[name]], np.random.default_rng(11), 1e-6).tried
    assert tried.verdict.word == "fail", tried


@pytest.mark.parametrize("name", RECOMPUTED)
def test_what_it_needs_is_what_is_computed(name: str) -> None:
    """Of the event that all trials choose; no less is written down, and not twice as much."""
    scenario = BROKEN[name]
    world, each = scenario.world, FAMILY / sum(len(s.attacks) for s in catalogue())
    trials = world.draw(np.random.default_rng(12), scenario.trials)
    verdict = attacked(world.claim, world.known, trials, scenario.attacks, each)
    needed = fewest(verdict, 2 * scenario.trials, each)
    assert needed is not None
    assert needed <= scenario.needs <= 2 * needed


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.97])
@pytest.mark.parametrize("chance", [0.3, 1e-3])
def test_counts_are_seldom_less(rate: float, chance: float) -> None:
    """Against the binomial law in whole numbers."""
    total, p = 40, Fraction(rate)
    law = [math.comb(total, k) * p**k * (1 - p) ** (total - k) for k in range(total + 1)]
    most = max(k for k in range(total + 1) if sum(law[:k]) <= Fraction(chance))
    assert _at_least(total, rate, chance) == most


@pytest.mark.slow
def test_it_is_found_as_often_as_is_said() -> None:
    """By drawing: with the fewest trials that are said to do, and far seldomer with a third."""
    rng, missed, chance = np.random.default_rng(13), 0.05, 1e-3
    a, b, share = 0.5, 0.25, 0.4
    claim = ClaimedBound("odds", 0.2, share)
    once = Confusion(np.array([400_000]), 800_000, np.array([300_000]), 1_200_000, share)
    trials = next(n for n in range(100, 20_000, 20) if is_found(claim, once, n, chance, missed))

    def found(trials: int) -> float:
        secrets = rng.binomial(trials // 2, share, 500).tolist()
        beaten = 0
        for n in secrets:
            hits, false = rng.binomial(n, a), rng.binomial(trials // 2 - n, b)
            counted = Confusion(np.array([hits]), n, np.array([false]), trials // 2 - n, share)
            beaten += scale_named("odds")(counted, chance).low[0] > 0.2
        return beaten / len(secrets)

    assert found(trials) >= 1 - missed
    assert found(trials // 3) < 0.6
