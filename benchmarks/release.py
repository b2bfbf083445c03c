"""How long a first release takes, and in how much memory, beside what the engine takes to sort.

python -m benchmarks.release            a table of five million rows, four kinds of it
python -m benchmarks.release --json     one record per line of it
python -m benchmarks.release --rows N   of so many rows
python -m benchmarks.release --quick    one of a thousand rows, to see that it runs
python -m benchmarks.release --wide     300 columns of which 6 are declared, beside those 6 alone

The rows lie shuffled in a Parquet file. Every line is five programs, each a process of its own, so
that seconds are of all it does and its peak memory is its own:

    copy     DuckDB's own COPY (SELECT the same columns ORDER BY key) TO a Parquet file
    null     our reader, threads and writer, with a kernel that does nothing
    first    unspoken release: the table is counted, the plan made and adopted, and all released
    plan     unspoken plan --adopt: the table is counted, and the plan made
    release  unspoken release: all of the first release by that plan
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from unspoken.storage.writing.publishing import laid_out
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import BATCH, Scan

QUICK, USUAL = 10**3, 5 * 10**6
PER_OFFICE = 250  # days
MEMORY = "1GB"  # what a project gives the engine
UNIT = 1 if sys.platform == "darwin" else 1024  # bytes of ru_maxrss
# What is installed is compiled: else each program would compile itself.
COMPILED = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CASES = [(attributes, keys) for attributes in (1, 4) for keys in ("integer", "text")]
KEYS = {"integer": ["id"], "text": ["office", "day"]}


def records(rows: int, cases: int) -> Iterator[dict[str, Any]]:
    """One record per kind of table."""
    if rows != QUICK:  # all is loaded once, and so compiled
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), QUICK, 1, "integer")
            measured(Path(folder))
    for attributes, keys in CASES[: 1 if rows == QUICK else cases]:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), rows, attributes, keys)
            yield {"rows": rows, "attributes": attributes, "keys": keys, **measured(Path(folder))}


def wide(rows: int) -> Iterator[dict[str, Any]]:
    """6 columns alone, then the same among 294 others."""
    for others in (0, 294):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), rows, 6, "integer", others)
            yield {"rows": rows, "columns": 7 + others, **measured(Path(folder))}


def measured(folder: Path) -> dict[str, Any]:
    """The five programs, one after the other."""
    (folder / "first").mkdir()
    for name in ("table.parquet", "unspoken.toml"):
        os.link(folder / name, folder / "first" / name)
    ours, own = [sys.executable, "-m", "unspoken"], [sys.executable, "-m", "benchmarks.release"]
    project = [str(folder)]
    found: dict[str, Any] = {}
    for name, program in {
        "copy": [*own, "--copy", str(folder)],
        "null": [*own, "--null", str(folder)],
        "first": [*ours, "release", str(folder / "first")],
        "plan": [*ours, "plan", *project, "--adopt"],
        "release": [*ours, "release", *project],
    }.items():
        seconds, cpu, peak = _run(program)
        found |= {f"{name} s": seconds, f"{name} cpu s": cpu, f"{name} MB": peak}
    ratios = {"x copy's MB": found["first MB"] / found["copy MB"]}
    for clock in ("s", "cpu s"):
        for what, than in itertools.product(("first", "release"), ("copy", "null")):
            ratios[f"{what} x {than}, {clock}"] = (
                found[f"{what} {clock}"] / found[f"{than} {clock}"]
            )
    return {**found, **ratios}


def copied(folder: Path) -> None:
    """The engine's own sorted copy of what a release reads."""
    keys, names = _columns(folder)
    con = duckdb.connect()
    con.execute(f"SET memory_limit = '{MEMORY}'")
    rows = f"SELECT {', '.join(keys + names)} FROM '{folder}/table.parquet'"
    con.execute(f"COPY ({rows} ORDER BY {', '.join(keys)}) TO '{folder}/copy.parquet'")


def passed(folder: Path) -> None:
    """What a release does with rows, but for all that it looks at."""
    keys, names = _columns(folder)
    table = DuckTable.open(folder / "table.parquet", keys=keys, memory=MEMORY, checked=False)
    batches = table.through(
        lambda each: each, Scan(keys + names, True, BATCH, dict.fromkeys(keys, ""))
    )
    first = next(batches)
    # Values, and no labels: a dictionary of them would take longer than all else.
    file = folder / "null.parquet"
    laid = laid_out(first.schema, keys) | {"use_dictionary": False}
    with pq.ParquetWriter(file, first.schema, store_schema=False, **laid) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def write(folder: Path, rows: int, attributes: int, keys: str, others: int = 0) -> None:
    """A table in pieces, and its project file."""
    rng, writer = np.random.default_rng(0), None
    names = [f"a{i}" for i in range(attributes)]
    for first in range(0, rows, 10**6):
        number = first + rng.permutation(min(10**6, rows - first))
        common = rng.random(len(number))
        columns = {name: (common + rng.random(len(number))) / 2 for name in names}
        columns |= {f"other{i}": common for i in range(others)}
        table = pa.table({**_keys(number, keys), **columns})
        writer = writer or pq.ParquetWriter(folder / "table.parquet", table.schema)
        writer.write_table(table)
    if writer:
        writer.close()
    text = f'format = 1\n[source]\ntable = "table.parquet"\nkeys = {json.dumps(KEYS[keys])}\n'
    text += f'memory = "{MEMORY}"\n[epoch]\nlabel = "1"\n'
    for name in names:
        text += f'[attribute.{name}]\nbins = [0.2, 0.5, 0.8]\nsensitive = "{name} > 0.8"\n'
    text += f'[application.all]\nreads = {json.dumps(names)}\n[plan]\nby = "cell"\n'
    (folder / "unspoken.toml").write_text(text + "[limit]\nlimit_bits = 0.5\n")


def _columns(folder: Path) -> tuple[list[str], list[str]]:
    """The keys of a table, and the attributes of its project."""
    names = pq.read_schema(folder / "table.parquet").names
    keys = next(keys for keys in KEYS.values() if {*keys} <= {*names})
    return keys, [name for name in names if name.startswith("a")]


def _keys(number: np.ndarray, keys: str) -> dict[str, Any]:
    if keys == "integer":
        return {"id": number}
    office, day = number // PER_OFFICE, number % PER_OFFICE
    days = np.datetime_as_string(np.datetime64("2026-01-01") + day)
    padded = pa.array(office + 10**6).cast(pa.string())
    return {"office": pa.compute.binary_join_element_wise("office", padded, "-"), "day": days}


def _run(program: list[str]) -> tuple[float, float, float]:
    """Seconds, of processors too, and the most memory in MB, of a program that has to end well."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(program, stdout=said, stderr=said, env=COMPILED)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(program)}: {said.read().decode()}")
    seconds = time.perf_counter() - begin
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * UNIT / 2**20


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--rows", type=int, default=USUAL, help="of the table")
    parser.add_argument("--quick", action="store_true", help="one of a thousand rows")
    parser.add_argument("--cases", type=int, default=len(CASES), help="how many kinds of it")
    parser.add_argument("--wide", action="store_true", help="300 columns of which 6 are declared")
    parser.add_argument("--copy", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--null", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.copy or chosen.null:
        copied(chosen.copy) if chosen.copy else passed(chosen.null)
        return
    rows = QUICK if chosen.quick else chosen.rows
    for record in wide(rows) if chosen.wide else records(rows, chosen.cases):
        if chosen.json:
            print(json.dumps(record), flush=True)
            continue
        shown = (f"{x:,.2f}" if isinstance(x, float) and x < 100 else x for x in record.values())
        words = (f"{x:,.0f}" if isinstance(x, int | float) else x for x in shown)
        print(", ".join(f"{name} {word}" for name, word in zip(record, words, strict=True)))


if __name__ == "__main__":
    main()
