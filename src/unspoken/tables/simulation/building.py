"""A building of offices that nobody had to be watched for: who comes when, and for how long.

The people of an office have habits, a day has its late trains and holidays, and each office-day is
a full one, half a one or a visit. Somebody comes, leaves the office empty now and then (lunch,
meetings, a coffee), and goes home. The four attributes are read off such days, so they depend on
one another the way days make them: who comes late is in less; who stays late is in more, and goes
out more often. On days somebody came, arrival and occupancy correlate at about -0.45, leaving and
occupancy at about +0.5, exits and leaving at about +0.5, as occupancy sensors in real offices show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Codes, Mask

__all__ = ["building"]

FIRST_DAY = "2026-01-05"  # a Monday
OPENS, CLOSES = 6.0, 22.0
CORE = (8.0, 17.0)  # mean_occupancy is the share of these hours
AT_ONCE = 50_000  # office-days simulated together
STAYS = 12  # times a day that somebody is in without leaving the office empty
FULL, MORNING, AFTERNOON = 0.65, 0.13, 0.13  # kinds of days; the rest are short visits
MINUTES = 60.0


@dataclass(frozen=True)
class Habits:
    """Of each office: when its people come and go, how likely they come, how often they go out."""

    comes: Array
    goes: Array
    likely: Array  # log odds that anybody comes
    restless: Array  # times an hour that the office is left empty

    @classmethod
    def drawn(cls, rng: np.random.Generator, offices: int) -> Habits:
        """Early and late ones, busy and nearly empty ones."""
        shift = rng.normal(0.0, 1.2, offices)
        return cls(
            comes=9.2 + shift + rng.normal(0.0, 0.3, offices),
            goes=18.6 + shift + rng.normal(0.0, 1.1, offices),
            likely=rng.normal(0.6, 0.9, offices),
            restless=0.29 * np.exp(rng.normal(0.0, 0.44, offices)),
        )


@dataclass(frozen=True)
class Weather:
    """Of each day: what all offices share. Now and then most stay at home; some days run late."""

    likely: Array
    late: Array

    @classmethod
    def drawn(cls, rng: np.random.Generator, days: int) -> Weather:
        """Each day by itself."""
        holidays = np.where(rng.random(days) < 0.06, 1.6, 0.0)
        return cls(rng.normal(0.1, 0.35, days) - holidays, rng.normal(0.0, 0.15, days))


def building(rng: np.random.Generator, offices: int = 120, days: int = 250) -> pa.Table:
    """Simulate ``offices`` on as many working ``days``; a row for each office and day.

    Columns: office, day (YYYY-MM-DD), first_arrival and last_leave (hours; NULL when nobody came),
    mean_occupancy (share of the hours 8 to 17 in which somebody was in), exits (how often the
    office became empty). The same generator state gives the same table.
    """
    if offices < 1 or days < 1:
        raise InputError(f"building: {offices} offices on {days} days; both are 1 or more")
    habits, weather = Habits.drawn(rng, offices), Weather.drawn(rng, days)
    dates = np.busday_offset(FIRST_DAY, np.arange(days), roll="forward")
    names = np.datetime_as_string(dates).astype("S10")
    parts = [
        _arrow(office, names[day], *_office_days(rng, habits, weather, office, day))
        for office, day in _blocks(offices, days)
    ]
    return pa.Table.from_batches(parts)


def _blocks(offices: int, days: int) -> Iterator[tuple[Codes, Codes]]:
    """The office and the day of each row, a bounded number of rows at a time."""
    rows = offices * days
    for start in range(0, rows, AT_ONCE):
        row = np.arange(start, min(start + AT_ONCE, rows))
        yield row // days, row % days


def _office_days(
    rng: np.random.Generator, habits: Habits, weather: Weather, office: Codes, day: Codes
) -> tuple[Mask, Array, Array, Array, Array]:
    """Whether anybody came, first arrival, last leave, occupancy and exits of each row."""
    came = rng.logistic(0.0, 1.0, len(day)) < habits.likely[office] + weather.likely[day]
    comes = habits.comes[office] + weather.late[day]
    first, home = _hours(rng, comes, habits.goes[office])
    # How long a stay lasts depends on the office, how long one is away on the day.
    away = 1.8 * np.exp(rng.normal(0.0, 0.54, len(day)))
    now, last = first, first
    inside, exits = np.zeros_like(first), np.zeros_like(first)
    for _ in range(STAYS):
        stays = now < home
        until = np.minimum(now + rng.exponential(1.0, len(day)) / habits.restless[office], home)
        within = np.minimum(until, CORE[1]) - np.maximum(now, CORE[0])
        inside += np.where(stays, np.maximum(within, 0.0), 0.0)
        exits += stays
        last = np.where(stays, until, last)
        # Whoever would come back after hours has gone home already.
        now = np.where(stays, until + 0.25 + away * rng.exponential(1.0, len(day)), now)
    last = np.maximum(last, first + 1 / MINUTES)
    return came, first, last, inside / (CORE[1] - CORE[0]), exits


def _hours(rng: np.random.Generator, comes: Array, goes: Array) -> tuple[Array, Array]:
    """When somebody first comes and means to go home, by the kind of day."""
    rows = len(comes)
    first = comes + rng.gamma(2.0, 0.67, rows) - 1.34
    late = np.where(rng.random(rows) < 0.4, rng.exponential(1.5, rows), 0.0)
    home = goes + rng.normal(0.0, 1.6, rows) + late
    kind = rng.random(rows)
    home = np.where(_within(kind, FULL, MORNING), rng.normal(12.6, 1.3, rows), home)
    first = np.where(_within(kind, FULL + MORNING, AFTERNOON), rng.normal(12.7, 1.5, rows), first)
    visit = kind >= FULL + MORNING + AFTERNOON
    first = np.where(visit, rng.uniform(8.0, 17.0, rows), first)
    home = np.where(visit, first + 0.1 + rng.exponential(1.0, rows), home)
    first = np.clip(first, OPENS, CLOSES - 1.0)
    return first, np.clip(home, first + 0.1, CLOSES)


def _within(kind: Array, start: float, share: float) -> Mask:
    chosen: Mask = (kind >= start) & (kind < start + share)
    return chosen


def _arrow(
    office: Codes,
    day: npt.NDArray[np.bytes_],
    came: Mask,
    first: Array,
    last: Array,
    occupancy: Array,
    exits: Array,
) -> pa.RecordBatch:
    """One block of rows, from buffers: pyarrow.array would import pandas where there is one."""
    rows = len(came)
    offsets = np.arange(0, 10 * (rows + 1), 10, dtype=np.int32)
    text = [None, pa.py_buffer(offsets), pa.py_buffer(day.tobytes())]
    columns = {
        "office": _column(pa.int64(), office.astype(np.int64) + 1),
        "day": pa.Array.from_buffers(pa.string(), rows, text),
        "first_arrival": _column(pa.float64(), _to_the_minute(first), came),
        "last_leave": _column(pa.float64(), _to_the_minute(last), came),
        "mean_occupancy": _column(pa.float64(), np.where(came, occupancy, 0.0).round(4)),
        "exits": _column(pa.int64(), np.where(came, exits, 0).astype(np.int64)),
    }
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _to_the_minute(hours: Array) -> Array:
    return np.round(np.round(hours * MINUTES) / MINUTES, 4)


def _column(kind: Any, values: npt.NDArray[Any], valid: Mask | None = None) -> Any:
    bits = None
    if valid is not None:
        values = np.where(valid, values, 0)
        bits = pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(values)])
