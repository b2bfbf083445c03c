"""What a release costs on Spark, beside a `mapInArrow` that does nothing; and that it is the same.

.venv-servers/bin/python -m benchmarks.spark               a million rows
.venv-servers/bin/python -m benchmarks.spark --rows 10000000 --same
.venv-servers/bin/python -m benchmarks.spark --quick       a thousand rows, to see that it runs

Both in one session of two threads, in turns, each at its best of --runs: the columns that the
release reads, sorted by key, through `mapInArrow`, and written by Spark as Parquet, or not at all;
and the release from the command on, once its plan is adopted. --same: one digest of the sorted
output, from DuckDB and from Spark with the rows parted in five ways.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from benchmarks.release import CASES, KEYS, write
from unspoken.workflows.release import release

THREADS = 2
MEMORY = "2g"


def session() -> Any:
    """As `unspoken` begins one."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{THREADS},4]")
    local = {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1", "ui.enabled": "false"}
    local |= {"ui.showConsoleProgress": "false", "log.level": "ERROR", "driver.memory": MEMORY}
    for name, value in local.items():
        builder = builder.config(f"spark.{name}", value)
    return builder.getOrCreate()


def nothing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows."""
    yield from batches


def idle(spark: Any, folder: Path, keys: list[str], names: list[str], sink: str) -> None:
    """The pipe of a release, with nothing in it; ``sink``: "noop" writes nothing either."""
    frame = spark.read.parquet(str(folder / "table.parquet")).select(*keys, *names).sort(*keys)
    rows = frame.mapInArrow(nothing, frame.schema).write.format(sink).mode("overwrite")
    rows.save(*([str(folder / "idle")] if sink == "parquet" else []))


def on_spark(folder: Path, table: str = "table.parquet") -> Path:
    """The same project, for Spark, of a table that lies elsewhere; its ledger has nothing yet."""
    other = Path(tempfile.mkdtemp(dir=folder))
    text = (folder / "unspoken.toml").read_text()
    said = f'table = "{folder / table}"\nengine = "spark"'
    (other / "unspoken.toml").write_text(text.replace('table = "table.parquet"', said))
    for name in ("unspoken.key", "unspoken.key.head", "ledger.sqlite", "belief.json"):
        if (folder / name).exists():
            shutil.copy2(folder / name, other / name)
    return other


def seconds(work: Callable[..., object], *given: object) -> float:
    begin = time.perf_counter()
    work(*given)
    return time.perf_counter() - begin


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parted(folder: Path) -> Iterator[str]:
    """The table in five other ways."""
    whole = pq.ParquetFile(folder / "table.parquet")
    for parts in (2, 7, 40):
        home = folder / f"in {parts}"
        home.mkdir()
        writers = [
            pq.ParquetWriter(home / f"{k}.parquet", whole.schema_arrow) for k in range(parts)
        ]
        for number, batch in enumerate(whole.iter_batches(10_000)):
            writers[number % parts].write_batch(batch)
        for writer in writers:
            writer.close()
        yield f"in {parts}/"
    table = whole.read()
    pq.write_table(table[::-1], folder / "backwards.parquet")
    yield "backwards.parquet"
    pq.write_table(table, folder / "narrow.parquet", row_group_size=30_000)
    yield "narrow.parquet"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--cases", type=int, default=4, help="how many kinds of table")
    parser.add_argument("--same", action="store_true", help="in five ways, and by DuckDB")
    parser.add_argument("--quick", action="store_true", help="a thousand rows")
    chosen = parser.parse_args()
    rows, spark = (1_000 if chosen.quick else chosen.rows), session()
    for attributes, keys in CASES[: chosen.cases]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            write(folder, rows, attributes, keys)
            by_duckdb = seconds(release, folder)
            names = [f"a{i}" for i in range(attributes)]
            empty, unwritten, ours = [], [], []
            with tempfile.TemporaryDirectory() as warm:
                write(Path(warm), 1_000, attributes, keys)
                release(on_spark(Path(warm)))
            for _ in range(chosen.runs):
                empty.append(seconds(idle, spark, folder, KEYS[keys], names, "parquet"))
                unwritten.append(seconds(idle, spark, folder, KEYS[keys], names, "noop"))
                ours.append(seconds(release, on_spark(folder)))
            written, not_written = (min(ours) / min(each) for each in (empty, unwritten))
            print(
                f"{rows:,} rows, {attributes} attributes, {keys} keys: nothing {min(empty):.1f} s, "
                f"not written {min(unwritten):.1f} s, release {min(ours):.1f} s, {written:.2f} x "
                f"and {not_written:.2f} x; DuckDB, learning, {by_duckdb:.1f} s",
                flush=True,
            )
            if chosen.same:
                found = {digest(folder / "released.parquet")}
                for table in parted(folder):
                    found.add(digest(release(on_spark(folder, table)).path))
                print(f"  in six ways: {', '.join(found)}", flush=True)


if __name__ == "__main__":
    main()
