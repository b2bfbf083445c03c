"""From raw presence to paper 001's attributes (Fig. 1), and the rooms of KETI's motion sensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from studies import data
from unspoken.core.numerics.arrays import Array, Mask

__all__ = ["DATA", "RoomDays", "attributes", "rooms"]

DATA = "occupancy_keti_sdh"
HOUR, DAY = 60, 24 * 60
BEHIND_UTC = 7 * HOUR  # of Berkeley in August
FROM, TO = 6 * HOUR, 22 * HOUR  # cleaners and guards come at night
WORK = slice(8 * HOUR, 17 * HOUR)
BRIDGED = 15  # a shorter absence is none: people sit still
SEEN = 0.9  # the share of a day's minutes that have a sample


@dataclass(frozen=True)
class RoomDays:
    """Working days on which somebody was in a room: hours of the day, a number, a share."""

    first_arrival: Array
    last_leave: Array
    exits: Array
    mean_occupancy: Array


def attributes(present: Mask) -> tuple[float, float, int, float]:
    """First arrival and last leave in hours, exits, the share of 8 to 17 h somebody was there.

    ``present``: the minutes of a day. NaN where nobody came.
    """
    there = np.zeros(DAY, dtype=bool)
    at = np.flatnonzero(present[FROM:TO]) + FROM
    if not len(at):
        return float("nan"), float("nan"), 0, 0.0
    last = np.flatnonzero(np.append(np.diff(at) > BRIDGED, True))
    first = np.append(0, last[:-1] + 1)
    for come, leave in zip(at[first], at[last], strict=True):
        there[come : leave + 1] = True
    return at[0] / HOUR, (at[-1] + 1) / HOUR, len(last), float(there[WORK].mean())


@cache
def rooms() -> RoomDays:
    """Every room and working day of which nearly all minutes were sampled."""
    table = data.columns(DATA, "pir_minute.csv.gz")
    local = np.array(table.pop("epoch_minute"), dtype=np.int64) // 60 - BEHIND_UTC
    found = list[tuple[float, float, int, float]]()
    for told in table.values():
        cells = np.array(told)
        for day in np.unique(local // DAY):
            if (day + 3) % 7 > 4:  # the first of 1970 was a Thursday
                continue
            own = local // DAY == day
            minutes = local[own] % DAY
            if len(np.unique(minutes[cells[own] != ""])) < SEEN * DAY:
                continue
            present = np.zeros(DAY, dtype=bool)
            present[minutes[cells[own] == "1"]] = True
            found.append(attributes(present))
    return RoomDays(*np.array([row for row in found if row[2]]).T)
