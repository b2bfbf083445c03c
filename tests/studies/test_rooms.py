"""Attributes of a day of presence, minute by minute, and the law of the two that are hidden."""

import math

import numpy as np
import pytest

from studies.p001.offices import law
from studies.p001.rooms import RoomDays, attributes
from unspoken.core.numerics.arrays import Mask

pytestmark = pytest.mark.slow


def by_minute(present: Mask) -> tuple[float, float, int, float]:
    """One minute after the other: who is gone for 15 minutes or longer has left."""
    first, last, exits, worked = math.nan, math.nan, 0, 0
    for minute in range(360, 1320):
        before = [m for m in range(360, minute + 1) if present[m]]
        after = [m for m in range(minute, 1320) if present[m]]
        if present[minute]:
            first = first if exits or first == first else minute / 60
            last = (minute + 1) / 60
            exits += len(after) == 1 or after[1] - minute > 15
        inside = bool(before) and bool(after) and after[0] - before[-1] <= 15
        worked += inside and 480 <= minute < 1020
    return first, last, exits, worked / 540


@pytest.mark.parametrize("seed", range(6))
def test_attributes_minute_by_minute(seed: int) -> None:
    rng = np.random.default_rng(seed)
    present = rng.random(1440) < rng.choice([0.01, 0.05, 0.2])
    assert attributes(present) == pytest.approx(by_minute(present))


def test_ends_of_a_day() -> None:
    nobody = np.zeros(1440, dtype=bool)
    assert [str(each) for each in attributes(nobody)] == ["nan", "nan", "0", "0.0"]
    by_night = nobody.copy()
    by_night[[100, 1400]] = True
    assert attributes(by_night)[2] == 0
    short = nobody.copy()
    short[[540, 555, 571]] = True  # 15 minutes later is still there, 16 is not
    assert attributes(short) == (9.0, 572 / 60, 2, 17 / 540)


def test_law_of_late_and_low() -> None:
    day = RoomDays(
        first_arrival=np.array([10.0, 9.9, 12.0, 8.0]),
        last_leave=np.full(4, 17.0),
        exits=np.ones(4),
        mean_occupancy=np.array([0.1, 0.1, 0.2, 0.5]),
    )
    assert law(day).tolist() == [[0.25, 0.25], [0.25, 0.25]]
