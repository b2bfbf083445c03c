"""Three projects with every command, mistakes, and the case files of the pages.

Tables are made here from a fixed seed. Where a step fails, that is recorded like anything else.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from tests.frozen.recorder import Recorder
from tests.frozen.service import record_service

__all__ = ["building", "cases", "help_texts", "meters", "mistakes", "visits"]

COMMANDS = [
    "init", "check", "learn", "leak", "plan", "release", "report", "ledger", "query", "disclosed",
    "audit", "serve", "token", "diff", "backup", "restore", "verify", "case", "demo",
]  # fmt: skip


def help_texts(recorder: Recorder) -> None:
    """What each command says it takes."""
    for command in ("--help", "", "--version", *(f"{name} --help" for name in COMMANDS)):
        recorder.run(command)
    recorder.run("check --schema")


def building(recorder: Recorder) -> None:
    """The demo: one coin a record, a month an epoch; then late rows, a new month, an extension."""
    recorder.run("demo demo --offices 24 --days 45")
    recorder.run("demo demo --offices 25 --days 45")
    recorder.run("init demo/occupancy.parquet --project mine.toml")
    recorder.run("init demo/occupancy.parquet --project other.toml --keys office,day --json")
    recorder.both("check mine.toml")
    recorder.both("leak demo/occupancy.parquet")
    recorder.both("leak demo/occupancy.parquet --secret 'first_arrival >= 10' --columns day,exits")
    recorder.run("leak demo/occupancy.parquet --secret office --picture leak.svg")
    for command in ("check", "learn", "leak", "plan", "release", "ledger", "audit"):
        recorder.both(f"{command} demo")
    recorder.run("report demo --json")
    recorder.both("diff demo")
    recorder.both("verify demo/released-manifests demo")
    recorder.run("plan demo --picture plan.svg")
    recorder.both("ledger demo --verify")
    recorder.both("backup demo.zip demo")
    _add_rows(recorder.place / "demo/occupancy.parquet")
    _late_rows_and_extension(recorder)
    _other_copies(recorder)


def _late_rows_and_extension(recorder: Recorder) -> None:
    """Releases of a table that has grown, and of more of it under a higher limit."""
    recorder.both("release demo --dry-run")
    recorder.both("release demo")
    recorder.both("diff demo")
    recorder.both("verify demo/released-manifests demo")
    recorder.edit("demo/unspoken.toml", "odds_cap = 4.0", "odds_cap = 6.0")
    recorder.both("plan demo --extend")
    recorder.run("plan demo --extend --adopt --by Ann --why 'a wish of the planner'")
    recorder.both("release demo")
    recorder.run("leak demo --json")
    recorder.both("ledger demo")
    recorder.run("audit demo --page attacks.html")
    recorder.run("report demo --charts charts")
    recorder.both("learn demo --again --fresh")
    recorder.run("plan demo --adopt --close --json")
    recorder.run("plan demo --open")
    recorder.run("diff demo --belief demo/belief.json")
    recorder.both("disclosed last_leave --why 'a list was lost' --by Ann --project demo")
    recorder.run("plan demo --json")
    recorder.run("release demo")


def _other_copies(recorder: Recorder) -> None:
    """Ledger and key as files, and from them again."""
    recorder.run("ledger demo --export events.jsonl")
    recorder.both("restore demo.zip again")
    recorder.both("ledger again")
    recorder.run("release again")


def _add_rows(path: Path) -> None:
    """A row that comes late, one that changes, one that goes, and a month that is new."""
    table = pq.read_table(path).to_pylist()
    new = [row | {"day": "2026-04" + row["day"][7:]} for row in table if row["day"] < "2026-02"]
    late = table[0] | {"office": 999}
    changed = table[3] | {"first_arrival": 13.0}
    rows = [*table[:3], changed, *table[5:], late, *new]
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(path)), path)


VISITS = """\
format = 1

[source]
table = "visits.csv"
keys = ["person", "day"]
unit = ["person"]
nan = "missing"

[epoch]
label = "2026"

[context.month]
of = "month(day::DATE)"

[attribute.arrival]
bins = [11]
sensitive = "arrival >= 11"
missing = "public"

[attribute.service]
values = ["surgery", "eye", "skin"]
sensitive = "service = 'skin'"
missing = "value"

[attribute.paid]
bins = [20]

[application.billing]
reads = ["service", "paid"]
weight = 2.0

[application.rota]
reads = ["arrival"]
share = 0.05

[limit]
limit_bits = 0.2
odds_cap = 8.0
exceed = 0.01
target = { arrival = 0.1 }

[belief]
confidence = "none"
noise = 2.0

[plan]
by = "cell"
approve = true
"""


def visits(recorder: Recorder) -> None:
    """One coin a cell within bits: missing values, bins, a context, a plan that is approved."""
    folder = recorder.place
    rng = np.random.default_rng(5)
    rows = 900
    service = rng.choice(["surgery", "eye", "skin"], rows, p=[0.5, 0.35, 0.15])
    arrival = np.round(8 + 2 * rng.random(rows) + 2.0 * (service == "skin") * rng.random(rows), 2)
    table = pa.table(
        {
            "person": np.arange(rows) // 3,
            "day": [f"2026-0{1 + n % 3}-{1 + n // 3 % 28:02d}" for n in range(rows)],
            "arrival": pa.array(arrival, mask=rng.random(rows) < 0.1),
            "service": pa.array(service, mask=rng.random(rows) < 0.05),
            "paid": np.round(rng.gamma(2.0, 15.0, rows), 2),
        }
    )
    pyarrow.csv.write_csv(table, folder / "visits.csv")
    recorder.both("init visits.csv --project proposed.toml")
    (folder / "unspoken.toml").write_text(VISITS, "utf-8")
    for command in ("ledger", "audit", "diff", "verify nothing.json", "token list"):
        recorder.run(command)
    recorder.both("leak visits.csv --secret \"service = 'skin'\"")
    for command in ("check", "leak", "learn", "plan", "release"):
        recorder.both(command)
    recorder.run("plan --adopt --by Bea --why 'as agreed'")
    recorder.run("release --dry-run --scale 0.5")
    recorder.both("release --scale 0.5")
    query = 'query "SELECT service, COUNT(*) FROM visits GROUP BY service"'
    recorder.both(f"{query} --epsilon 0.001 --dry-run")
    recorder.both(f"{query} --epsilon 0.001")
    recorder.both("release")
    for command in ("audit", "diff", "ledger", "verify released.manifest.json"):
        recorder.both(command)
    recorder.run("report")
    attack = "audit --release released.parquet --against visits.csv --keys person,day"
    recorder.both(f"{attack} --secret \"service = 'skin'\" --odds-cap 8 --unit person")
    recorder.both(
        f"{attack} --unit person --previous service --context 'year(day::DATE)' --unit-bits 2"
    )
    recorder.edit("unspoken.toml", "limit_bits = 0.2", "limit_bits = 0.1")
    for command in ("plan", "plan --extend --json", "release", "plan --adopt --json"):
        recorder.run(command)
    recorder.both("release")
    recorder.run("backup visits.zip . --json")


METERS = """\
format = 1

[source]
sql = "SELECT m.*, site FROM 'meters.parquet' m JOIN 'sites.csv' s USING (home)"
keys = ["home", "hour", "site"]
unit = ["home"]
rows_per_unit = 24

[epoch]
of = "CASE WHEN hour < 12 THEN 'am' ELSE 'pm' END"

[context.before]
previous = "use"

[context.often]
habit = "use"
edges = [0.2, 0.6]

[attribute.use]
bins = [1, 3]
sensitive = "use < 1"

[attribute.tariff]
values = "exact"

[attribute.alarm]
sensitive = "alarm"
none_yet = true

[application.grid]
reads = ["use", "tariff"]
share = 0.05

[application.safety]
reads = ["alarm", "tariff"]
knows = ["use"]

[limit]
odds_cap = 5.0
pooled_cap = 8.0
unit_bits = 40.0
unit_epsilon = 50.0
coalitions = [["grid"], ["safety"]]

[belief]
noise = "none"
confidence = "none"

[plan]
odds_cap = 3.0
given = "before"

[query]
rows_per_unit = 12
bounds = { use = [0, 6] }
"""


def meters(recorder: Recorder) -> None:
    """Many rows of one unit, two applications that do not pool, exact counts, and answers."""
    _write_meters(recorder.place)
    for command in ("check", "leak", "learn", "plan"):
        recorder.both(command)
    recorder.run("release --for grid --dry-run")
    recorder.run("plan --adopt")
    recorder.run("release")
    for reader in ("grid", "safety"):
        recorder.both(f"release --for {reader}")
    recorder.both("release --for grid --draw 2")
    recorder.run("release --for nobody")
    grouped = 'SELECT site, AVG(use), COUNT(*) FROM "the query" GROUP BY site'
    query = f"query '{grouped}' --for grid"
    for options in ("--dry-run", "--share 0.1", "--share 0.1", "--epsilon 0.01 --draw 2"):
        recorder.both(f"{query} {options}")
    recorder.run("query 'SELECT SUM(use) FROM \"the query\" WHERE hour > 5' --for grid --json")
    for command in ("audit", "diff", "ledger", "verify released-manifests-grid"):
        recorder.both(command)
    recorder.run("report")
    recorder.edit("unspoken.toml", 'noise = "none"', "noise = 2.0")
    recorder.both("learn")
    recorder.run("plan --adopt --json")
    record_service(recorder, ["grid", "safety"])
    recorder.both("disclosed tariff --to safety --epoch am --why 'they were told'")
    recorder.both("ledger")


def _write_meters(folder: Path) -> None:
    rng = np.random.default_rng(6)
    homes, hours = 60, 24
    home = np.repeat(np.arange(homes), hours)
    use = np.round(rng.gamma(2.0, 1.2, homes * hours), 1)
    table = pa.table(
        {
            "home": home,
            "hour": np.tile(np.arange(hours), homes),
            "use": use,
            "tariff": np.where((use > 2) ^ (rng.random(len(home)) < 0.3), "high", "low"),
            "alarm": rng.random(len(home)) < 0.1,
        }
    )
    pq.write_table(table, folder / "meters.parquet")
    sites = pa.table({"home": np.arange(homes), "site": [f"site {n % 3}" for n in range(homes)]})
    pyarrow.csv.write_csv(sites, folder / "sites.csv")
    (folder / "unspoken.toml").write_text(METERS, "utf-8")


def mistakes(recorder: Recorder) -> None:
    """What is said of input that is wrong."""
    folder = recorder.place
    pq.write_table(pa.table({"id": [1, 2, 2], "x": [1.0, 2.0, None]}), folder / "rows.parquet")
    (folder / "bad.toml").write_text('format = 2\n[sourse]\ntable = "rows.parquet"\n', "utf-8")
    small = '[source]\ntable = "rows.parquet"\nkeys = ["id"]\n[epoch]\nlabel = "1"\n'
    more = '[attribute.x]\nbins = [3, 2]\nsensitive = "y > 1"\n[application.a]\nreads = ["z"]\n'
    (folder / "unspoken.toml").write_text(f"format = 1\n{small}{more}[limit]\nodds_cap = 0.5\n")
    (folder / "broken.toml").write_text("format = \n", "utf-8")
    (folder / "case.toml").write_text('[belief]\nkind = "joynt"\n[ask]\nworst = true\n', "utf-8")
    for command in (
        "check", "check bad.toml", "check broken.toml", "check nowhere", "leak", "plan bad.toml",
        "release", "learn broken.toml", "report nowhere", "ledger", "diff", "case case.toml",
        "case nowhere.toml", "case rows.parquet", "init nowhere.parquet", "init rows.parquet",
        "leak rows.parquet --secret 'z = 1'", "leak . --secret x", "leak rows.parquet --columns z",
        "audit --release rows.parquet", "audit . --catalogue", "verify rows.parquet",
        "backup nowhere/it.zip", "restore rows.parquet", "token new", "token list", "token do it",
        "release --scale x", "release --odd", "relaese", "query 'DROP TABLE x'",
        "demo rows.parquet", "disclosed z --why no", "plan --picture plan.txt",
        "ledger --import rows.parquet",
    ):  # fmt: skip
        recorder.both(command)


def cases(recorder: Recorder, folder: Path) -> None:
    """The case files of the pages, and a picture of one."""
    for path in sorted(folder.glob("*.toml")):
        shutil.copy(path, recorder.place)
        recorder.both(f"case {path.name}")
    recorder.run("case compare.toml --picture compare.svg")
