"""What the worst adversary learns, and what calibrated noise leaves: to the last digit, in exact
rationals over everybody there is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from tests import oracle
from tests.effort import EFFORT
from tests.laws.exact_cases import (
    MECHANISMS,
    Question,
    Shown,
    clouds_of,
    laplace_of,
    law_of,
    weights,
)
from tests.laws.exact_worlds import BELIEFS, World

pytestmark = pytest.mark.stress

SUPREMA: Any = ("max-log-ratio", "relative-entropy", "max-information")


def everybody(world: World, anything: bool = True) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every target, beside every set of others that may be known."""
    for target in range(len(world.names)):
        others = [v for v in range(len(world.names)) if v != target]
        for size in range(len(world.names) if anything else 1):
            yield from ((target, known) for known in itertools.combinations(others, size))


def truth(world: World, shown: Shown, measure: str, anything: bool = True) -> Any:
    """The most that anybody learns."""
    found, law = [], law_of(world, shown)
    for target, known in everybody(world, anything):
        adversary = unspoken.Adversary(world.names[target])
        clouds = clouds_of(law, target, known)
        found.append(Question(world, shown, adversary, clouds, ()).truth(measure))
    return max(found)


def holds(bound: unspoken.Bound, exact: Any) -> bool:
    near = bound.high - bound.low <= 1e-8 * max(1.0, bound.high) or not bound.exact
    return bool(mpmath.mpf(bound.low) <= exact <= mpmath.mpf(bound.high)) and near


@pytest.mark.parametrize("belief", BELIEFS)
def test_the_worst_adversary_learns_what_is_said(belief: str) -> None:
    names = "laplace", "geometric", "randomized-response"
    with mpmath.workdps(oracle.DIGITS):
        for number, seed in itertools.product(range(len(names)), range(EFFORT)):
            rng = np.random.default_rng([10, number, seed, *map(ord, belief)])
            world = BELIEFS[belief](rng)
            shown = MECHANISMS[names[number]](rng, world)
            for measure in (*SUPREMA, *(["mutual-information"] if shown.means else [])):
                found = unspoken.worst(world.belief, shown.mechanism, measure)
                exact = truth(world, shown, measure)
                assert holds(found.bound, exact), (names[number], seed, measure, float(exact))


@pytest.mark.parametrize("belief", BELIEFS)
def test_calibrated_noise_keeps_the_limit(belief: str) -> None:
    """And whoever asks what it leaves is not told a last digit more than the limit."""
    with mpmath.workdps(oracle.DIGITS):
        for seed, knows in itertools.product(range(EFFORT), ("nothing", "anything")):
            rng = np.random.default_rng([11, seed, len(knows), *map(ord, belief)])
            world = BELIEFS[belief](rng)
            own, limit = weights(rng, world, False), float(rng.uniform(0.05, 3))
            for measure in SUPREMA[:2]:
                found: Any = unspoken.calibrate(
                    world.belief, own, limit=limit, measure=measure, knows=knows
                )
                if not found.scale:
                    continue  # no noise at all
                shown = laplace_of(world, own, found.mechanism.scale)
                exact = truth(world, shown, measure, knows == "anything")
                assert exact <= limit
                assert holds(found.bound, exact), (seed, knows, measure, float(exact))
                assert found.bound.high <= limit
