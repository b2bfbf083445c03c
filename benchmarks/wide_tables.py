"""What every column of a wide table tells: `unspoken leak TABLE` on 1,000 columns of 200,000 rows.

python -m benchmarks.wide_tables [--quick]

Numbers, texts, truth values and amounts, most of which go together with nothing, one secret, and
two columns that tell of it. Each case has a process of its own: seconds as the clock has them,
seconds of the processors, and the most memory held at once.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import unspoken

ROWS, COLUMNS = 200_000, 1_000


def table(rows: int, columns: int) -> pa.Table:
    """Columns of several kinds; the last three are the secret and two that tell of it."""
    rng = np.random.default_rng(0)
    secret = rng.random(rows) < 0.05
    made: list[Any] = []
    for k in range(columns - 3):
        kinds = (
            lambda: rng.integers(0, 6, rows),
            lambda: rng.normal(0, 1, rows),
            lambda: np.array(["a", "b", "c", "d"])[rng.integers(0, 4, rows)],
            lambda: rng.random(rows) < 0.3,
            lambda: np.round(rng.exponential(1000, rows), 2),
        )
        made.append(kinds[k % len(kinds)]())
    named = {f"c{k}": column for k, column in enumerate(made)}
    tell = np.where(secret, rng.integers(0, 2, rows), rng.integers(1, 4, rows))
    return pa.table({**named, "tell1": tell, "tell2": rng.normal(2.0 * secret), "secret": secret})


def timed(file: str, secret: str | None) -> None:
    """Scan it, and print what that took."""
    begin = time.monotonic()
    scan = unspoken.leak(file, secret)
    used = resource.getrusage(resource.RUSAGE_SELF)
    who = sorted({finding.who for finding in scan.findings})
    print(
        f"{secret or 'every column':>14}  {time.monotonic() - begin:7.1f} s"
        f"  {used.ru_utime + used.ru_stime:7.1f} s of processors  {used.ru_maxrss / 2**20:5.2f} GB"
        f"  {scan.comparisons:>12,} comparisons; told by {', '.join(who)}",
        flush=True,
    )


def main(quick: bool) -> None:
    rows, columns = (20_000, 100) if quick else (ROWS, COLUMNS)
    print(f"{columns:,} columns, {rows:,} rows")
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "wide.parquet")
        pq.write_table(table(rows, columns), file)
        for secret in ("secret", None):
            process = multiprocessing.get_context("spawn").Process(
                target=timed, args=(file, secret)
            )
            process.start()
            process.join()


if __name__ == "__main__":
    main("--quick" in sys.argv)
