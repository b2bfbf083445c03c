"""Intervals hold what they say: redrawn tables of known beliefs, with and without habits of units,
with and without noise, at three sizes. How often the truth is under the bound is put to a binomial
test, which lets a right one fail once in 10^5 times. Intervals that are too narrow, rows counted
one by one though a unit's are alike, and a design effect for a proof do fail it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import unspoken
from tests.effort import EFFORT
from unspoken.tables.learning.intervals.confidence import Clusters, box

pytestmark = [pytest.mark.slow, pytest.mark.stress]

REDRAWS = 50 * EFFORT
ALARM = 1e-5
ASKED = 3 * EFFORT
SHAPE, EVENT = (2, 3), {"x0": (0,)}
# Of three kinds of units, and P(x) for each: few of them are nearly always in one cell.
KINDS = np.array([0.06, 0.44, 0.5])
HABITS = np.array(
    [
        [0.95, 0.01, 0.01, 0.01, 0.01, 0.01],
        [0.01, 0.25, 0.14, 0.2, 0.2, 0.2],
        [0.01, 0.19, 0.2, 0.15, 0.2, 0.25],
    ]
)
TRUTH = KINDS @ HABITS
ROWS = 40  # of a unit
SCALE = 12.0  # of noise
WHO = unspoken.Adversary("x0", secret=[0], sees=["x1"])
SHOWN = unspoken.OneSided({"x1": 1.0}, {"x0": [0], "x1": [0]})


def leaks(belief: Any) -> float:
    return unspoken.leakage(belief, SHOWN, WHO, "odds").high


MOST = leaks(unspoken.Joint(TRUTH.reshape(SHAPE)))


@dataclass(frozen=True)
class Table:
    """``units``: the rows of each unit by cell; ``noisy``: of all, with noise on each count."""

    units: Any
    noisy: Any

    @classmethod
    def drawn(cls, rng: np.random.Generator, rows: int, habits: bool, noise: bool) -> Table:
        kinds = rng.choice(3, rows // ROWS, p=KINDS)
        units = rng.multinomial(ROWS, HABITS[kinds] if habits else np.tile(TRUTH, (len(kinds), 1)))
        noisy = units.sum(0)
        if noise:
            gone = -math.expm1(-1 / SCALE)
            noisy = noisy + rng.geometric(gone, 6) - rng.geometric(gone, 6)
        return cls(units, noisy)

    def held(self, rows: int, counts: Any = None, **asked: Any) -> unspoken.Intervals:
        shown = self.noisy if counts is None else counts
        plug_in = unspoken.Joint(np.clip(shown, 1, None).reshape(SHAPE))
        return box(np.asarray(shown).reshape(SHAPE), plug_in, EVENT, rows=rows, **asked)


Made = Callable[[Table, int], unspoken.Intervals]


def too_often(make: Made, rows: int, habits: bool, noise: bool) -> bool:
    """Whether 95 % can not be true of this way to make intervals."""
    rng = np.random.default_rng([rows, habits, noise])
    missed = 0
    for redraw in range(REDRAWS):
        held = make(Table.drawn(rng, rows, habits, noise), rows)
        inside = held.holds(TRUTH)
        missed += not inside
        if inside and redraw < ASKED:  # whatever is in a set is under its bounds
            assert leaks(held) >= MOST * (1 - 1e-12)
    return bool(binom.sf(missed - 1, REDRAWS, 0.05) < ALARM)


def by_row(table: Table, rows: int) -> unspoken.Intervals:
    return table.held(rows)


def by_row_with_noise(table: Table, rows: int) -> unspoken.Intervals:
    return table.held(rows, scale=SCALE)


def by_unit(table: Table, rows: int) -> unspoken.Intervals:
    return table.held(rows, units=Clusters(rows // ROWS, ROWS))


def by_unit_with_noise(table: Table, rows: int) -> unspoken.Intervals:
    return table.held(rows, units=Clusters(rows // ROWS, ROWS), scale=SCALE)


def narrow(table: Table, rows: int) -> unspoken.Intervals:
    """At 30 %, passed off as 95 %."""
    return table.held(rows, confidence=0.3)


def designed(table: Table, rows: int) -> unspoken.Intervals:
    """Korn and Graubard: as if there were fewer rows, by the variance between units, all cells'."""
    share = table.units.sum(0) / rows
    between = (table.units / ROWS).var(0, ddof=1).sum() / len(table.units)
    effect = max(1.0, between / float((share * (1 - share)).sum() / rows))
    fewer = np.floor(table.units.sum(0) / effect).astype(np.int64)
    return table.held(int(fewer.sum()), fewer)


@pytest.mark.parametrize("rows", [400, 4000, 40_000])
@pytest.mark.parametrize(
    ("make", "habits", "noise"),
    [
        (by_row, False, False),
        (by_row_with_noise, False, True),
        (by_unit, True, False),
        (by_unit_with_noise, True, True),
    ],
)
def test_the_truth_is_inside_as_often_as_stated(
    make: Made, habits: bool, noise: bool, rows: int
) -> None:
    assert not too_often(make, rows, habits, noise)


@pytest.mark.parametrize(
    ("make", "rows", "habits", "noise"),
    [
        (narrow, 4000, False, False),
        (by_row, 4000, True, False),  # rows of a unit are not independent
        (by_row, 400, False, True),  # nor are noisy counts exact
        (designed, 1600, True, False),
    ],
)
def test_what_proves_nothing_is_caught(make: Made, rows: int, habits: bool, noise: bool) -> None:
    assert too_often(make, rows, habits, noise)
