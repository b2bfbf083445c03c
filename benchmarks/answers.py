"""Answers with noise against plain DuckDB: 10 M rows, 1,000 groups, in process.

python -m benchmarks.answers [--quick] [--frames PYTHON]

What is timed first is what `unspoken query` does between charge and answer: reading the exact
numbers and drawing noise; beside it the same query as plain SQL and contribution bounding alone.
Then whole queries: the first one reads the rows twice more, to see that keys name them and that
they are the same; what it found is kept, so that the next one need not.

OpenDP's own frame API takes another polars than anything else here: with `--frames` it is run, in
the same run, by another Python, whose environment has `opendp[polars]`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.tables.engines.protocol import ContributionBound
from unspoken.workflows.query import query
from unspoken.workflows.query.exact import ONE, Exact
from unspoken.workflows.query.noise import AnswerNoise
from unspoken.workflows.query.question import bound
from unspoken.workflows.release import prepare

ROWS, GROUPS = 10_000_000, 1_000
PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["g", "id"]
unit = ["g", "id"]
[epoch]
label = "1"
[attribute.flag]
values = [0, 1]
sensitive = "flag = 1"
[application.all]
reads = ["flag"]
[plan]
by = "cell"
[belief]
noise = "none"
[limit]
odds_cap = 100.0
close = false
"""
TEXT = "SELECT g, COUNT(*) FILTER (WHERE flag = 1) AS n FROM t GROUP BY g"
PLAIN = "SELECT g, count(*) FILTER (WHERE flag = 1) AS n FROM '{}' GROUP BY g ORDER BY g"


def table(rows: int) -> pa.Table:
    rng = np.random.default_rng(1)
    group, flag = rng.integers(0, GROUPS, rows), rng.random(rows) < 0.2
    return pa.table({"g": group, "id": np.arange(rows), "flag": flag.astype(np.int64)})


def seconds(work: Callable[[], object], times: int = 5) -> float:
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return statistics.median(took)


FRAMES = """
import statistics, sys, time
import opendp.prelude as dp, polars as pl
dp.enable_features("contrib")
context = dp.Context.compositor(
    data=pl.scan_parquet(sys.argv[1]), privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=4.0), split_evenly_over=4,
    margins=[dp.polars.Margin(by=["g"], invariant="keys")],
)
took = []
for _ in range(4):
    start = time.perf_counter()
    context.query().group_by("g").agg(dp.len()).release().collect()
    took.append(time.perf_counter() - start)
print(statistics.median(took[1:]))
"""


def frames(python: str, path: Path) -> str:
    """The same by OpenDP's frame API."""
    run = subprocess.run(
        [python, "-W", "ignore", "-c", FRAMES, str(path)], text=True, capture_output=True
    )
    if run.returncode:
        return f"not run ({run.stderr.strip().splitlines()[-1][:100]})"
    return f"{float(run.stdout):.3f}"


def whole(folder: str) -> None:
    """Queries as they are asked, one after the other."""
    for what, flag in (("the first query, whole", 1), ("the next, whole", 0)):
        text = TEXT.replace("flag = 1", f"flag = {flag}")
        start = time.perf_counter()
        query(folder, text, epsilon=0.1)
        print(f"  {what:28s} {time.perf_counter() - start:.3f}")


def main(rows: int, python: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(table(rows), path)
        (Path(folder) / "unspoken.toml").write_text(PROJECT)
        ready = prepare(folder)
        question = bound(ready.project, ready.table, ready.learned, TEXT)
        noise = AnswerNoise(question.numbers, 1.0, ready.learned.labelling)

        def answer(chosen: ContributionBound | None) -> None:
            exact = Exact.of(question, ready.table, chosen)
            for sums, number in zip(exact.sums, question.numbers, strict=True):
                two_sided_noise(sums, noise.scale(number))

        con = duckdb.connect()
        plain = seconds(lambda: con.execute(PLAIN.format(path)).fetchall())
        noisy = seconds(lambda: answer(None))
        print(f"{rows:,} rows, {GROUPS:,} groups, medians of 5, in seconds")
        print(f"  plain DuckDB                 {plain:.3f}")
        most = 1.5 * plain + 0.3
        print(f"  with noise                   {noisy:.3f}  (plain x 1.5 + .3: {most:.3f})")
        by_group = ContributionBound(["g"], rows // GROUPS // 2, "secret")
        only = f"""SELECT count(*) FROM (SELECT * FROM '{path}' QUALIFY row_number() OVER (
            PARTITION BY g ORDER BY sha256(concat_ws(chr(0), 'secret', g::VARCHAR, id::VARCHAR)))
            <= {by_group.rows})"""
        sorting = seconds(lambda: con.execute(only).fetchall(), 3)
        bounding = seconds(lambda: ready.table.totals([ONE], (), "", by_group), 3)
        both = seconds(lambda: answer(by_group), 3)
        print(f"  bounding alone, by a window  {sorting:.3f}")
        print(f"  bounding alone, by heaps     {bounding:.3f}")
        print(f"  bounding and noise           {both:.3f}  (by heaps x 1.5: {1.5 * bounding:.3f})")
        whole(folder)
        if python is not None:
            print(f"  OpenDP frame API             {frames(python, path)}")


if __name__ == "__main__":
    given = sys.argv[sys.argv.index("--frames") + 1] if "--frames" in sys.argv else None
    main(200_000 if "--quick" in sys.argv else ROWS, given)
