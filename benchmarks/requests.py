"""What a request to the service costs, with the table kept open between requests and without.

python -m benchmarks.requests [--quick]

Each kind of request is asked in pairs, one after the other in one run: by a curator that keeps the
table open, and by one that opens it for each, as it does for a database. For queries that are
refused by a name the second one is what `unspoken query` does: it opens the table, and then looks
at names. Numbers are milliseconds of processor time, of all threads; medians.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from unspoken.core.errors import UnspokenError
from unspoken.tables.policy import Project
from unspoken.workflows.query import query
from unspoken.workflows.release import adopt_plan
from unspoken.workflows.release.open_project import OpenProject
from unspoken.workflows.serve import Curator
from unspoken.workflows.serve.open_source import OpenSource
from unspoken.workflows.serve.request import Request

PROJECT = """\
format = 1
[source]
table = "{}"
keys = ["office", "day"]
[epoch]
of = "day // 100"
[attribute.arrival]
values = ["early", "late"]
sensitive = "arrival = 'late'"
[application.lighting]
reads = ["arrival"]
[limit]
odds_cap = 4.0
"""
UNKNOWN = "SELECT COUNT(*) FROM visits WHERE nothing = 1"
REFUSED = "SELECT arrival FROM visits"
COUNT = "SELECT COUNT(*) FROM visits WHERE arrival = 'late'"
OFFICE = Request((), "office = 1")
TIMES = 11


class OpenedEachTime(OpenSource):
    """Keeps nothing."""

    def read(self, project: Project) -> OpenProject:
        return OpenProject.of(project)


def visits(offices: int) -> pa.Table:
    days, drawn = 100, np.random.default_rng(1)
    late = drawn.random(offices * days) < 0.2
    return pa.table(
        {
            "office": np.repeat(np.arange(offices), days),
            "day": np.tile(np.arange(days), offices),
            "arrival": np.where(late, "late", "early"),
        }
    )


def milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    with suppress(UnspokenError):
        work()
    return 1000 * (time.process_time() - start)


def compare(what: str, kept: Callable[[], object], each: Callable[[], object]) -> None:
    """Both, in pairs, whose order is drawn."""
    took = dict[Callable[[], object], list[float]]({kept: [], each: []})
    for _ in range(TIMES):
        for work in random.sample([kept, each], 2):
            took[work].append(milliseconds(work))
    before, after = statistics.median(took[each]), statistics.median(took[kept])
    print(f"  {what:26s} {before:9.1f} {after:9.1f}")


def measure(path: Path) -> None:
    """Every kind of request to this project, whose plan is adopted."""
    kept, each = Curator.of(path), Curator.of(path)
    each._source = OpenedEachTime()
    kept.catalogue("lighting")
    for what, text in (("an unknown column", UNKNOWN), ("a refused statement", REFUSED)):
        compare(
            what,
            partial(kept.answer, "lighting", text),
            partial(query, each.project, text, "lighting"),
        )
    works: dict[str, Callable[[Curator], object]] = {
        "a catalogue": lambda curator: curator.catalogue("lighting"),
        "a dry run of cells": lambda curator: curator.rehearse("lighting", OFFICE),
        "a dry run of an answer": lambda curator: curator.answer("lighting", COUNT, dry_run=True),
    }
    for what, work in works.items():
        compare(what, partial(work, kept), partial(work, each))


def main(offices: int) -> None:
    table = visits(offices)
    for name, write in (("visits.parquet", pq.write_table), ("visits.csv", pyarrow.csv.write_csv)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "unspoken.toml")
            path.write_text(PROJECT.format(name))
            write(table, Path(folder, name))
            time.sleep(3)  # what was just written is not kept open
            adopt_plan(path, by="a steward", why="a benchmark")
            print(f"{name}, {table.num_rows:,} rows: opened for each, kept open")
            measure(path)


if __name__ == "__main__":
    main(500 if "--quick" in sys.argv else 10_000)
