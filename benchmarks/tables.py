"""Real tables, binned, for plans with one coin a record: where they are, what is secret in them.

The files are others': give the folder they are in. What is not there is left out.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import unspoken

__all__ = ["ADULT", "Columns", "Wanted", "adult", "counted", "days", "found"]

Columns = Mapping[str, Sequence[str]]

SCHOOL = {"Bachelors": 2, "Assoc-acdm": 2, "Assoc-voc": 2, "Masters": 3, "Doctorate": 3,
          "Prof-school": 3, "HS-grad": 1, "Some-college": 1}  # fmt: skip
ADULT = ["education", "hours", "sex", "occupation", "marital-status", "age", "workclass",
         "relationship", "race", "gain", "loss", "born"]  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What is read of a table, what is secret in it, and the cap."""

    name: str
    columns: Columns
    reads: Sequence[str]
    secrets: Mapping[str, Sequence[str]]
    cap: float

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.reads, *self.secrets]))

    @property
    def rows(self) -> int:
        return len(self.columns[self.names[0]])


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") as file:
        return [*csv.DictReader(file)]


def cut(rows: Sequence[Mapping[str, str]], name: str, at: Sequence[float]) -> list[str]:
    """The number of the bin, as a word; nothing is 0."""
    return np.digitize([float(row[name] or 0) for row in rows], at).astype(str).tolist()


def adult(path: Path) -> Columns:
    rows = read(path)
    named = {name: [row[name] for row in rows] for name in rows[0]}
    near = ("United-States", "Mexico")
    return {
        **named,
        "education": [str(SCHOOL.get(word, 0)) for word in named["education"]],
        "hours": cut(rows, "hours-per-week", [36, 45]),
        "age": cut(rows, "age", [25, 35, 45, 60]),
        "gain": cut(rows, "capital-gain", [1, 5000]),
        "loss": cut(rows, "capital-loss", [1, 5000]),
        "born": [word if word in near else "elsewhere" for word in named["native-country"]],
    }


def days(path: Path) -> Columns:
    """Late is after noon, low below a tenth."""
    rows = [row for row in read(path) if row["first_arrival_h"]]
    return {
        "arrive": cut(rows, "first_arrival_h", [9, 10, 11, 12]),
        "occ": cut(rows, "mean_occ_8_17", [0.1, 0.4, 0.7]),
        "leave": cut(rows, "last_leave_h", [12, 15, 17, 19]),
        "exits": cut(rows, "n_exits", [2, 4, 7]),
    }


def office(path: Path) -> Columns:
    """Minute by minute: light and air, and whether somebody is in."""
    rows = read(path)
    return {
        "light": cut(rows, "Light", [1, 300, 450]),
        "co2": cut(rows, "CO2", [450, 600, 900]),
        "warm": cut(rows, "Temperature", [20, 21, 22]),
        "inside": [row["Occupancy"] for row in rows],
    }


def room(path: Path) -> Columns:
    """Half minutes: is it more than two?"""
    rows = read(path)
    return {
        "light": cut(rows, "S1_Light", [1, 100, 150]),
        "sound": cut(rows, "S1_Sound", [0.1, 0.5]),
        "moves": cut(rows, "S6_PIR", [1]),
        "people": cut(rows, "Room_Occupancy_Count", [1, 3]),
    }


def minutes(path: Path) -> Columns:
    """One person in a room can be told who it is."""
    rows = read(path)
    return {
        "room": [row["room"] for row in rows],
        "time": np.digitize([int(row["time"][:2]) for row in rows], [6, 12, 18])
        .astype(str)
        .tolist(),
        "people": cut(rows, "count", [1, 2, 10]),
    }


def visits(path: Path) -> Columns:
    """The second most visited kind of place is secret."""
    rows = read(path)
    kinds = [kind for kind, _ in Counter(row["category"] for row in rows).most_common(7)]
    hours = np.array([int(row["hour_of_week"]) for row in rows])
    return {
        "time": np.digitize(hours % 24, [6, 12, 18]).astype(str),
        "weekend": (hours // 24 >= 5).astype(int).astype(str).tolist(),
        "what": [str(kinds.index(row["category"])) if row["category"] in kinds else "7"
                 for row in rows],
    }  # fmt: skip


def counted(columns: Columns, names: Sequence[str]) -> unspoken.Joint:
    """The shares of the rows."""
    values = {name: sorted({*columns[name]}) for name in names}
    codes = [np.searchsorted(values[name], columns[name]) for name in names]
    sizes = [len(values[name]) for name in names]
    cells, rows = np.unique(np.ravel_multi_index(tuple(codes), sizes), return_counts=True)
    table = np.zeros(int(np.prod(sizes)), np.uint32)
    table[cells] = rows
    return unspoken.Joint(table.reshape(sizes), names=names, values=values)


INCOME, ROOMS = {"income": [">50K"]}, {"arrive": ["4"], "occ": ["0"]}
Reader = Callable[[Path], Columns]
ASKED: list[tuple[str, str, Reader, str, Mapping[str, Sequence[str]], tuple[float, ...]]] = [
    ("adult, sex", "adult.csv.gz", adult, "education hours sex", INCOME, (2.0, 4.0)),
    ("adult, job", "adult.csv.gz", adult, "education hours occupation", INCOME, (2.0, 4.0)),
    ("days of rooms", "space_day.csv.gz", days, "arrive occ leave exits", ROOMS, (4.0,)),
    ("an office", "occupancy.csv.gz", office, "light co2 warm", {"inside": ["1"]}, (4.0,)),
    ("a room", "occupancy_estimation.csv.gz", room, "light sound moves", {"people": ["2"]}, (4.0,)),
    ("minutes", "counts_1min.csv.gz", minutes, "room time people", {"people": ["1"]}, (4.0,)),
    ("check-ins", "checkins.csv.gz", visits, "time weekend what", {"what": ["1"]}, (4.0,)),
]


def found(folder: Path) -> Iterator[Wanted]:
    """Every table that is there, with what is asked of it."""
    for name, file, reader, reads, secrets, caps in ASKED:
        for path in sorted(folder.rglob(file)):
            columns = reader(path)
            for cap in caps:
                yield Wanted(f"{name}, cap {cap:g}", columns, reads.split(), secrets, cap)
