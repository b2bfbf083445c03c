"""How long a belief takes to learn, a policy to close, and a table to be read with its labels.

python -m benchmarks.learning                    a table
python -m benchmarks.learning --json             one record per line of it
python -m benchmarks.learning --rows 20000000    what DuckDB takes to group the same, beside it

A simulated building of as many rows, four attributes; each time is the median of three. "group by"
is what DuckDB takes to count the same bins of the same file: the aim is to learn in twice that.
With --rows it is a table of texts, integers, reals and moments, and the least of two times, of the
processor, too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq

from unspoken.planning import closure
from unspoken.tables.engines.protocol import Scan, Table
from unspoken.tables.learning import Labeller, Learned, table_of
from unspoken.tables.policy import Project
from unspoken.tables.simulation import building

SIZES = ((120, 250), (4_000, 250), (10_000, 1_000))  # offices, days
REPEATS = 3
PROJECT = """format = 1
[source]
table = "occupancy.parquet"
keys = ["office", "day"]
unit = ["office"]
[epoch]
label = "1"
[attribute.first_arrival]
bins = [8, 9, 10, 10.5, 12]
sensitive = "first_arrival > 10.5"
missing = "value"
[attribute.mean_occupancy]
bins = [0.1, 0.3, 0.5, 0.7]
sensitive = "mean_occupancy < 0.3"
[attribute.last_leave]
bins = [12, 15, 17, 19]
missing = "value"
[attribute.exits]
bins = [1, 2, 3, 5]
[application.everybody]
reads = ["first_arrival", "mean_occupancy", "last_leave", "exits"]
[limit]
limit_bits = 0.1
"""


def records(most_rows: int = 10**9) -> Iterator[dict[str, float]]:
    """One record per size: rows, and seconds of each step."""
    for offices, days in SIZES:
        if offices * days > most_rows:
            continue
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            table = building(np.random.default_rng(1), offices, days)
            simulated = time.perf_counter() - begin
            pq.write_table(table, f"{folder}/occupancy.parquet")
            yield {"rows": table.num_rows, "simulate": simulated, **_steps(Path(folder))}


def _steps(folder: Path) -> dict[str, float]:
    project = Project.parse(PROJECT, folder / "unspoken.toml")
    opened = partial(table_of, project)
    table = opened()
    learned = Learned.of(project, table)
    cap = project.limits.odds_cap
    return {
        "open": _seconds(opened),
        "learn": _seconds(lambda: Learned.of(project, table)),
        "group by": _seconds(partial(_grouped, project, folder / "occupancy.parquet")),
        "close": _seconds(lambda: closure(learned.belief, learned.sensitive, cap)),
        "read labels": _seconds(lambda: _read(learned, table, ordered=False)),
        "read sorted": _seconds(lambda: _read(learned, table, ordered=True)),
    }


MIXED = """format = 1
[source]
table = "mixed.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.kind]
sensitive = "kind = 'a'"
[attribute.place]
[attribute.age]
bins = [18, 30, 40, 50, 60, 70, 80]
[attribute.visits]
sensitive = "visits > 7"
[attribute.weight]
bins = [50, 60, 70, 80, 90]
sensitive = "weight > 90"
missing = "value"
[attribute.moment]
bins = [2026-04-01, 2026-07-01, 2026-10-01]
[application.everybody]
reads = ["kind", "place", "age", "visits", "weight", "moment"]
[limit]
limit_bits = 0.1
"""
LISTED = ("kind", "place", "visits")


def mixed(rows: int) -> Iterator[dict[str, float | str]]:
    """What learning takes beside a GROUP BY: of all attributes, and of those with few values."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        file = Path(folder) / "mixed.parquet"
        con.execute("SELECT setseed(0.5)")
        con.execute(
            f"""COPY (SELECT i AS id, chr(97 + (random() * 7)::INT) AS kind,
            'place ' || (random() * 5)::INT AS place, (random() * 99)::INT AS age,
            (random() * random() * 9)::INT AS visits,
            CASE WHEN random() > 0.01 THEN 50 + random() * 50 END AS weight,
            TIMESTAMP '2026-01-01' + to_seconds((random() * 31e6)::INT) AS moment
            FROM range({rows}) t(i)) TO '{file}'"""
        )
        whole = Project.parse(MIXED, Path(folder) / "unspoken.toml")
        for what, names in (("six", list(whole.attributes)), ("listed", LISTED)):
            own = {name: whole.attributes[name] for name in names}
            project = replace(whole, attributes=own)
            table = table_of(project)
            learn, group = (
                _least(step)
                for step in (partial(Learned.of, project, table), partial(_grouped, project, file))
            )
            yield {
                "what": what, "rows": rows, "learn": learn[0], "group by": group[0],
                "ratio": learn[0] / group[0], "processor": learn[1] / group[1],
            }  # fmt: skip


def _least(step: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and of the processor: the least of two times of each."""
    times = []
    for _ in range(2):
        begin, spent = time.perf_counter(), time.process_time()
        step()
        times.append((time.perf_counter() - begin, time.process_time() - spent))
    first, second = zip(*times, strict=True)
    return min(first), min(second)


def _grouped(project: Project, file: Path) -> None:
    """How many rows have each combination of bins."""
    bins = [
        " + ".join(f"({name} >= '{edge}')::INT" for edge in rule.bins or ()) or name
        for name, rule in project.attributes.items()
    ]
    with duckdb.connect() as connection:
        connection.execute(
            f"SELECT {', '.join(bins)}, count(*) FROM '{file}' GROUP BY ALL"
        ).fetchall()


def _read(learned: Learned, table: Table, ordered: bool) -> None:
    """The keys and labels of every row."""
    labeller = Labeller(list(learned.labelling.values()), table.columns)
    for batch in table.batches(Scan([*table.keys, *labeller.reads], ordered)):
        labeller.codes(batch)


def _seconds(step: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--rows", type=int, help="of a table of six kinds of columns")
    chosen = parser.parse_args()
    if chosen.rows:
        for found in mixed(chosen.rows):
            print(json.dumps(found), flush=True)
        return
    for number, record in enumerate(records()):
        if chosen.json:
            print(json.dumps(record), flush=True)
            continue
        if not number:
            print("".join(f"{name:>13}" for name in record))
        rows, *seconds = record.values()
        print(f"{rows:13,.0f}" + "".join(f"{s:13.3f}" for s in seconds), flush=True)


if __name__ == "__main__":
    main()
