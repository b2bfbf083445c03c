"""The best release with one coin a record: shares, bounds and seconds.

python -m benchmarks.plan_records                                tables that are made up
python -m benchmarks.plan_records adult.csv.gz                   education, hours, occupation, ...
python -m benchmarks.plan_records adult.csv.gz space_day.csv.gz  and days of rooms
"""

from __future__ import annotations

import csv
import gzip
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import unspoken
from unspoken.learning import confidence

Columns = Mapping[str, Sequence[str]]

SCHOOL = {"Bachelors": 2, "Assoc-acdm": 2, "Assoc-voc": 2, "Masters": 3, "Doctorate": 3,
          "Prof-school": 3, "HS-grad": 1, "Some-college": 1}  # fmt: skip
ADULT = ["education", "hours", "sex", "occupation", "marital-status", "age", "workclass"]


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") as file:
        return [*csv.DictReader(file)]


def adult(path: Path) -> Columns:
    rows = read(path)
    named = {name: [row[name] for row in rows] for name in rows[0]}
    hours = np.digitize([int(h) for h in named["hours-per-week"]], [36, 45]).astype(str).tolist()
    ages = np.digitize([int(a) for a in named["age"]], [25, 35, 45, 60]).astype(str).tolist()
    school = [str(SCHOOL.get(word, 0)) for word in named["education"]]
    return {**named, "hours": hours, "age": ages, "education": school}


def days(path: Path) -> Columns:
    """Late is after noon, low below a tenth."""
    rows = [row for row in read(path) if row["first_arrival_h"]]

    def cut(name: str, at: Sequence[float]) -> list[str]:
        numbers = [float(row[name] or 0) for row in rows]
        return np.digitize(numbers, at).astype(str).tolist()

    return {
        "arrive": cut("first_arrival_h", [9, 10, 11, 12]),
        "occ": cut("mean_occ_8_17", [0.1, 0.4, 0.7]),
        "leave": cut("last_leave_h", [12, 15, 17, 19]),
        "exits": cut("n_exits", [2, 4, 7]),
    }


def counted(columns: Columns, names: Sequence[str]) -> unspoken.Joint:
    values = {name: sorted({*columns[name]}) for name in names}
    codes = [np.searchsorted(values[name], columns[name]) for name in names]
    sizes = [len(values[name]) for name in names]
    flat = np.ravel_multi_index(tuple(codes), sizes)
    table = np.bincount(flat, minlength=int(np.prod(sizes))).reshape(sizes)
    return unspoken.Joint(table.astype(float), names=names, values=values)


def boxed(belief: unspoken.Joint, rows: int, secrets: Mapping[str, Sequence[object]],
          scale: float | None = None) -> unspoken.Intervals:  # fmt: skip
    """Every belief that the counts leave possible, at 95 %, with noise of this scale on each."""
    counts = np.rint(belief.table * rows).astype(np.int64)
    return confidence.box(counts, belief, secrets, rows=rows, scale=scale)


def made_up(sizes: Sequence[int]) -> unspoken.Joint:
    table = np.random.default_rng(1).gamma(0.3, size=tuple(sizes))
    return unspoken.Joint(np.where(table > 0.01, np.ceil(50 * table), 0.0))


def measure(said: str, belief: unspoken.Joint | unspoken.Intervals,
            sensitive: Mapping[str, Sequence[object]], **options: object) -> None:  # fmt: skip
    start = time.perf_counter()
    plan = unspoken.plan(belief, by="record", sensitive=sensitive, **options)  # type: ignore[arg-type]
    seconds = time.perf_counter() - start
    reads = options.get("reads", belief.domain.names)
    cells = len(reads)  # type: ignore[arg-type]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    floor = plan.floor.share if plan.floor and plan.floor.share else 0.0
    print(f"{said:<44}{plan.share:8.4f}{plan.bound.high / cells:8.4f}{floor:8.4f}"
          f"{seconds:8.2f} s{peak:7.0f} MB", flush=True)  # fmt: skip


def main(paths: Sequence[str]) -> None:
    print(f"{'':<44}{'share':>8}{'bound':>8}{'floor':>8}")
    for path in map(Path, paths):
        if "adult" in path.name:
            columns, secret = adult(path), {"income": [">50K"]}
            for names in (["education", "hours", "sex"], ["education", "hours", "occupation"],
                          ADULT[:4], ADULT[:5], ADULT[:6]):  # fmt: skip
                for cap in (2.0, 4.0):
                    belief = counted(columns, [*names, "income"])
                    measure(f"adult {len(names)} ({names[-1]}), cap {cap:g}", belief, secret,
                            odds_cap=cap, reads=names)  # fmt: skip
                    if len(names) < 6:
                        box = boxed(belief, len(columns["income"]), secret)
                        measure(f"adult {len(names)} ({names[-1]}), cap {cap:g}, box", box, secret,
                                odds_cap=cap, reads=names)  # fmt: skip
        else:
            columns = days(path)
            belief = counted(columns, ["arrive", "occ", "leave", "exits"])
            late = {"arrive": ["4"], "occ": ["0"]}
            for events in ("attribute", "default"):
                measure(f"{path.name.partition('.')[0]}, cap 4, {events}", belief, late,
                        events=events)  # fmt: skip
                box = boxed(belief, len(columns["occ"]), late)
                measure(f"{path.name.partition('.')[0]}, cap 4, {events}, box", box, late,
                        events=events)  # fmt: skip
    if not paths:
        for sizes in ((4, 3, 5, 2), (4, 4, 5, 5, 2), (6, 5, 5, 4, 4, 2)):
            name = f"x{len(sizes) - 1}"
            measure(f"made up {sizes}", made_up(sizes), {name: [1]},
                    reads=[f"x{i}" for i in range(len(sizes) - 1)])  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
