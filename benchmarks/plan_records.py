"""The best release with one coin a record: shares, bounds, seconds, and what seconds are aimed at.

python -m benchmarks.plan_records           tables that are made up
python -m benchmarks.plan_records FOLDER    real ones, where benchmarks/tables.py finds them

Seconds are of the processor, on one core, one event, no bits unless said.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import unspoken
from benchmarks.tables import ADULT, adult, counted, days
from unspoken.tables.learning.intervals import confidence

INCOME = {"income": [">50K"]}
ROOMS = {"arrive": ["4"], "occ": ["0"]}


@dataclass(frozen=True)
class Task:
    """``aim``: seconds; ``box``: for every belief that the rows leave possible, at 95 %."""

    said: str
    belief: Any
    secrets: Mapping[str, Sequence[object]]
    aim: float
    more: Mapping[str, Any] = field(default_factory=dict)


def boxed(belief: unspoken.Joint, rows: int, secrets: Mapping[str, Sequence[object]]) -> Any:
    counts = np.rint(belief.table * rows).astype(np.int64)
    return confidence.box(counts, belief, secrets, rows=rows)


def made_up() -> Iterator[Task]:
    for sizes in ((4, 3, 5, 2), (4, 4, 5, 5, 2), (6, 5, 5, 4, 4, 2)):
        table = np.random.default_rng(1).gamma(0.3, size=sizes)
        belief = unspoken.Joint(np.where(table > 0.01, np.ceil(50 * table), 0.0))
        *reads, secret = belief.domain.names
        yield Task(f"made up {sizes}", belief, {secret: [1]}, 20.0, {"reads": reads})


def real(folder: Path) -> Iterator[Task]:
    for path in folder.rglob("space_day.csv.gz"):
        yield from _rooms(days(path))
    for path in folder.rglob("adult.csv.gz"):
        columns = adult(path)
        rows = len(columns["income"])
        eoh = ["education", "hours", "occupation"]
        for count, aim in ((5, 1.0), (6, 5.0), (8, 20.0), (10, 60.0), (12, 60.0)):
            belief = counted(columns, [*ADULT[:count], "income"])
            more = {"reads": ADULT[:count], "odds_cap": 4.0 if count == 12 else 2.0}
            yield Task(f"adult {count}", belief, INCOME, aim, more)
        for reads, aim in ((eoh, 1.0), (ADULT[:4], 10.0), (ADULT[:5], 60.0)):
            belief = counted(columns, [*reads, "income"])
            for cap in (2.0, 4.0):
                more = {"reads": reads, "odds_cap": cap}
                box = boxed(belief, rows, INCOME)
                yield Task(f"adult {len(reads)}, cap {cap:g}, box", box, INCOME, aim, more)
        belief = counted(columns, [*ADULT[:4], "income"])
        more = {"reads": ADULT[:4], "limit_bits": 0.05}
        yield Task("adult 4, .05 bit", belief, INCOME, 1.0, more)


def _rooms(columns: Mapping[str, Sequence[str]]) -> Iterator[Task]:
    belief = counted(columns, ["arrive", "occ", "leave", "exits"])
    yield Task("rooms", belief, ROOMS, 1.0, {"events": "attribute"})
    box = boxed(belief, len(columns["occ"]), ROOMS)
    yield Task("rooms, box", box, ROOMS, 1.0, {"events": "attribute"})
    yield Task("rooms, box, all events", box, ROOMS, 10.0)
    yield Task("rooms, .1 bit", belief, ROOMS, 1.0, {"events": "attribute", "limit_bits": 0.1})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", default="", help="tasks with this in their names")
    asked = parser.parse_args()
    print(f"{'':<28}{'share':>8}{'bound':>8}{'floor':>8}{'seconds':>9}{'aim':>6}{'MB':>7}")
    for task in made_up() if asked.folder is None else real(asked.folder):
        if asked.only not in task.said:
            continue
        start = time.process_time()
        plan = unspoken.plan(task.belief, by="record", sensitive=task.secrets, **task.more)
        seconds = time.process_time() - start
        cells = len(task.more.get("reads", task.belief.domain.names))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        floor = plan.floor.share if plan.floor and plan.floor.share else 0.0
        print(f"{task.said:<28}{plan.share:8.4f}{plan.bound.high / cells:8.4f}{floor:8.4f}"
              f"{seconds:9.2f}{task.aim:6.0f}{peak:7.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
