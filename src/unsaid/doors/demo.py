"""`make demo`: a building of offices, from its table to a release and a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from rich.console import Console
from rich.text import Text

from unsaid.doors import report, tables
from unsaid.releasing import prepare, release
from unsaid.releasing.files import atomically
from unsaid.simulation.building import building

__all__ = ["PROJECT", "demonstrate"]

SEED = 2026

PROJECT = """\
# A building of offices: the lighting contractor wants arrival times, the space planner occupancy.
format = 1

[source]
table = "occupancy.parquet"
keys = ["office", "day"]          # which offices and days there are is public

[epoch]
of = "substr(day, 1, 7)"          # a month is read once; later requests get the same answers

[attribute.first_arrival]
bins = [8, 9, 10.5]
sensitive = "first_arrival > 10.5"     # when late comers come is nobody's business
missing = "public"                # everybody can see that an office stayed dark

[attribute.mean_occupancy]
bins = [0.3, 0.5, 0.7]
sensitive = "mean_occupancy < 0.3"     # nor is it who is hardly there
missing = "public"

[attribute.last_leave]
bins = [15, 17, 18.5]
missing = "public"

[application.lighting]
reads = ["first_arrival", "last_leave"]

[application.planning]
reads = ["mean_occupancy"]

[limit]
limit_bits = 0.1                  # about any one attribute of an office-day, on average
odds_cap = 4.0                    # no answer multiplies anybody's odds by more
close = true                      # withhold telling values too

[secret]
key = "unsaid.key"
ledger = "ledger.sqlite"

[output]
release = "released.parquet"
manifest = "released.manifest.json"
report = "report.html"
"""


def demonstrate(folder: Path, offices: int, days: int, out: Console) -> None:
    """Simulate, look, plan, release, report; every step says what it did."""
    folder.mkdir(parents=True, exist_ok=True)
    table = building(np.random.default_rng(SEED), offices, days)
    with atomically(folder / "occupancy.parquet") as partial:
        pq.write_table(table, partial)
    project = folder / "unsaid.toml"
    with atomically(project) as partial:
        partial.write_text(PROJECT, "utf-8")
    rows = f"{offices} offices x {days} days -> {folder / 'occupancy.parquet'}"
    out.print(f"building simulator: {rows} ({table.num_rows:,} rows)\n")
    found = prepare(project).findings()
    out.print(tables.leak(found, found.everything), Text())
    out.print(tables.plan(found), Text())
    done = release(project)
    report.write(found, found.project.files.report)
    out.print(tables.released(done))
    out.print(
        f"Report: {folder / 'report.html'}   Next: unsaid init YOUR_TABLE.parquet   "
        "Docs: docs/tutorial.md"
    )
