"""A small building whose days arrive, with two applications that may pool what they get."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PROJECT = """\
format = 1
[source]
table = "visits.parquet"
keys = ["office", "day"]
unit = ["office"]
[epoch]
of = "day // 30"
[attribute.arrival]
values = ["early", "late"]
sensitive = "arrival = 'late'"
[attribute.use]
values = ["low", "high"]
[application.lighting]
reads = ["arrival"]
[application.planning]
reads = ["use"]
{application}
[belief]
noise = 0.5
confidence = "none"
history = "day < 0"
[limit]
{limit}
"""


def rows(first: int, last: int, offices: int = 25) -> pa.Table:
    """Days of the building: the same whenever they are asked for."""
    held: dict[str, list[Any]] = {"office": [], "day": [], "arrival": [], "use": []}
    for day in range(first, last):
        drawn = random.Random(day)
        for office in range(offices):
            late = drawn.random() < 0.2
            held["office"].append(office)
            held["day"].append(day)
            held["arrival"].append("late" if late else "early")
            held["use"].append("low" if drawn.random() < (0.6 if late else 0.3) else "high")
    return pa.table(held)


def arrived(folder: Path, last: int, first: int = -60) -> None:
    """The table as it is on a day; what is before day 0 was counted, and is never released."""
    pq.write_table(rows(first, last), folder / "visits.parquet")


def project(folder: Path, limit: str = "odds_cap = 4.0", application: str = "") -> Path:
    arrived(folder, 45)
    path = folder / "unspoken.toml"
    path.write_text(PROJECT.format(limit=limit, application=application))
    return path


def copied(folder: Path, to: Path) -> Path:
    """A project of one's own, as it was made."""
    shutil.copytree(folder, to, dirs_exist_ok=True)
    return to / "unspoken.toml"
