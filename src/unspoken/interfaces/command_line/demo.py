"""`unspoken demo`: a building of offices, from its table to a release and a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.starting import ignored
from unspoken.interfaces.wording import results as tables
from unspoken.interfaces.wording.terminal import Prose, near
from unspoken.tables.files import atomically
from unspoken.tables.policy import Project
from unspoken.tables.simulation.building import building
from unspoken.workflows.release import prepare, release

__all__ = ["PROJECT", "demonstrate"]

SEED = 2026
HOME = "https://github.com/unspoken-privacy/unspoken"

PROJECT = """\
# A building of offices. The lighting contractor wants to know when people come, the space planner
# how much they are in and when they leave.
format = 1

[source]
table = "occupancy.parquet"
keys = ["office", "day"]    # on which days an office was used is public: its lights were on
unit = ["office"]           # whom to protect: the people of an office

[epoch]
of = "substr(day, 1, 7)"    # a month is read once; who asks again gets the same answers

[attribute.first_arrival]   # in hours
bins = [9, 10, 11.5]
sensitive = "first_arrival >= 11.5"     # who comes late is nobody's business

[attribute.mean_occupancy]  # the share of the hours 8 to 17
bins = [0.2, 0.5]
sensitive = "mean_occupancy < 0.2"      # nor is who is hardly there

[attribute.last_leave]
bins = [12.5, 17]           # not sensitive, yet who leaves by noon was hardly there

[application.lighting]
reads = ["first_arrival"]

[application.planning]
reads = ["mean_occupancy", "last_leave"]

[limit]
odds_cap = 4.0              # no answer makes the odds of a secret more than 4 times what they were

[secret]
key = "unspoken.key"
ledger = "ledger.sqlite"

[output]
release = "released"                # a folder: a file for each month
manifest = "released-manifests"
report = "report.html"
"""


def demonstrate(folder: Path, offices: int, days: int, out: Console) -> None:
    """Simulate, look, plan, release, report; every step says what it did.

    Where the extra ``report`` is not installed, a line says how to get the page; all else is done.
    """
    from unspoken.interfaces.report.page import require_report_extra, write_report

    source, project = folder / "occupancy.parquet", folder / "unspoken.toml"
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; name a folder, there or not yet")
    simulated = building(np.random.default_rng(SEED), offices, days)
    table = simulated.filter(pc.is_valid(simulated["first_arrival"]))
    folder.mkdir(parents=True, exist_ok=True)
    _set_up(folder, table)
    out.print(
        Prose(
            f"building simulator: {offices} offices x {days} days -> {source} "
            f"({table.num_rows:,} rows: days on which somebody came)"
        ),
        "",
    )
    findings = prepare(project).findings()
    out.print(tables.leak(findings), "")
    out.print(tables.plan(findings), "")
    out.print(tables.released(release(project)))
    page = findings.project.files.report
    try:
        require_report_extra()
    except InputError as missing:
        out.print(Prose(f"Report: not written; {missing}. Then: unspoken report {folder}"), "")
    else:
        # By the counts with noise that the release was planned with, which are there only now.
        write_report(prepare(project).findings(adopted=True), page)
        out.print(Prose(f"Report: {near(page)}"), "")
    out.print(Prose(f"Next: unspoken init YOUR_TABLE.parquet        Docs: {HOME}"))


def _set_up(folder: Path, table: pa.Table) -> None:
    """Write the table, the project file and .gitignore, unless others of these names are there."""
    source, project = folder / "occupancy.parquet", folder / "unspoken.toml"
    way_out = "the demo overwrites nothing; name another folder"
    if source.exists() and not pq.read_table(source).equals(table):
        raise InputError(f"{source}: is there already, with other rows; {way_out}")
    if project.exists() and project.read_text("utf-8") != PROJECT:
        raise InputError(f"{project}: is there already, and not the demo's; {way_out}")
    if not source.exists():
        with atomically(source) as file:
            pq.write_table(table, file)
    if not project.exists():
        with atomically(project) as file:
            file.write(PROJECT.encode())
    ignored(Project.read(project))
