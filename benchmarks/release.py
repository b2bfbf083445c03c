"""How fast rows are released, from a project file to a file on the disk, and in how much memory.

python -m benchmarks.release            a table
python -m benchmarks.release --json     one record per line of it
python -m benchmarks.release --large    ten million rows too
python -m benchmarks.release --quick    one of a thousand rows, to see that it runs

The rows lie shuffled in a Parquet file. Rows a second count everything: opening and checking the
table, learning, planning, the charge, two readings and the writing; "plan" is what of that time
does not grow with the rows. Every line is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from unspoken.releasing import prepare, release

try:
    import resource
except ImportError:  # no peak memory without POSIX
    resource = None  # type: ignore[assignment]

QUICK, USUAL, LARGE = (10**3,), (10**5, 10**6), (10**5, 10**6, 10**7)
PER_OFFICE = 250  # days
CASES = [
    (attributes, keys, epoch)
    for attributes in (1, 4)
    for keys, epoch in (("integer", "label"), ("text", "label"), ("text", "month"))
]


def records(sizes: Sequence[int] = USUAL) -> Iterator[dict[str, Any]]:
    """One record per size and kind of table."""
    context = multiprocessing.get_context("spawn")
    for rows in sizes:
        for case in CASES[:1] if sizes == QUICK else CASES:
            with tempfile.TemporaryDirectory() as folder:
                for work in (_write, measured):  # a process each
                    with context.Pool(1) as pool:
                        record = pool.apply(work, (Path(folder), rows, *case))
                yield record


def measured(folder: Path, rows: int, attributes: int, keys: str, epoch: str) -> dict[str, Any]:
    """One release, after a small one that has loaded whatever is loaded once."""
    with tempfile.TemporaryDirectory() as warm:
        _write(Path(warm), 1_000, attributes, keys, epoch)
        release(warm)
    before = _peak()
    begin = time.perf_counter()
    ready = prepare(folder, fresh=True)
    learned = time.perf_counter()
    ready.plan()
    planned = time.perf_counter()
    release(folder, fresh=True)
    end = time.perf_counter()
    return {
        "rows": rows,
        "attributes": attributes,
        "keys": keys,
        "epochs": epoch,
        "rows a second": rows / (end - planned),
        "seconds": end - planned,
        "of it learning": learned - begin,
        "planning": planned - learned,
        "peak MB": _peak(),
        "of it libraries": before,
    }


def _peak() -> float:
    """The most memory this process has had, in MB."""
    if resource is None:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20)


def _write(folder: Path, rows: int, attributes: int, keys: str, epoch: str) -> None:
    """A table in pieces (so that a parent process stays small), and its project file."""
    rng = np.random.default_rng(0)
    names = [f"a{i}" for i in range(attributes)]
    writer = None
    for first in range(0, rows, 10**6):
        number = first + rng.permutation(min(10**6, rows - first))
        common = rng.random(len(number))
        columns = {name: (common + rng.random(len(number))) / 2 for name in names}
        table = pa.table({**_keys(number, keys), **columns})
        writer = writer or pq.ParquetWriter(folder / "table.parquet", table.schema)
        writer.write_table(table)
    if writer:
        writer.close()
    listed = json.dumps(["id"] if keys == "integer" else ["office", "day"])
    of = 'label = "1"' if epoch == "label" else 'of = "substr(day, 1, 7)"'
    text = f'format = 1\n[source]\ntable = "table.parquet"\nkeys = {listed}\n[epoch]\n{of}\n'
    for name in names:
        text += f'[attribute.{name}]\nbins = [0.2, 0.5, 0.8]\nsensitive = "{name} > 0.8"\n'
    text += f"[application.all]\nreads = {json.dumps(names)}\n[limit]\nlimit_bits = 0.5\n"
    (folder / "unspoken.toml").write_text(text)


def _keys(number: np.ndarray, keys: str) -> dict[str, Any]:
    if keys == "integer":
        return {"id": number}
    office, day = number // PER_OFFICE, number % PER_OFFICE
    days = np.datetime_as_string(np.datetime64("2026-01-01") + day)
    padded = pa.array(office + 10**6).cast(pa.string())
    return {"office": pa.compute.binary_join_element_wise("office", padded, "-"), "day": days}


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--large", action="store_true", help="ten million rows too")
    parser.add_argument("--quick", action="store_true", help="one of a thousand rows")
    chosen = parser.parse_args()
    sizes = QUICK if chosen.quick else LARGE if chosen.large else USUAL
    for number, record in enumerate(records(sizes)):
        if chosen.json:
            print(json.dumps(record), flush=True)
            continue
        if not number:
            print("".join(f"{name:>16}" for name in record))
        shown = (f"{x:,.2f}" if isinstance(x, float) and x < 100 else x for x in record.values())
        words = (f"{x:,.0f}" if isinstance(x, int | float) else x for x in shown)
        print("".join(f"{word:>16}" for word in words), flush=True)


if __name__ == "__main__":
    main()
