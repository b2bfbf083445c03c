"""Real tables from init to the report; the data is kept beside the checkout, not in it."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Ran, Run
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow

SPACE_DAYS = """\
format = 1
[source]
sql = \"\"\"SELECT * FROM 'space_day.csv.gz' WHERE source IN ('carleton', 'keti') AND weekday < 5
        AND coverage >= 0.9 AND first_arrival_h IS NOT NULL\"\"\"
keys = ["source", "space", "day"]
unit = ["source", "space"]
[epoch]
label = "1"
[attribute.first_arrival_h]
bins = [9, 11]
sensitive = "first_arrival_h > 11"
[attribute.mean_occ_8_17]
bins = [0.3, 0.6]
sensitive = "mean_occ_8_17 < 0.3"
[application.lighting]
reads = ["first_arrival_h"]
[application.planning]
reads = ["mean_occ_8_17"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.25
odds_cap = 4.0
"""
ADULT = """\
format = 1
[source]
sql = "SELECT row_number() OVER () AS row, * FROM 'adult.csv.gz'"
keys = ["row"]
[epoch]
label = "1"
[attribute.age]
bins = [30, 50]
[attribute.marital-status]
sensitive = "\\"marital-status\\" IN ('Divorced', 'Separated', 'Widowed')"
[attribute.hours-per-week]
bins = [20, 40]
sensitive = "\\"hours-per-week\\" < 20"
[attribute.income]
values = ["<=50K", ">50K"]
[application.jobs]
reads = ["age", "hours-per-week"]
[application.tax]
reads = ["marital-status", "income"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
odds_cap = 3.0
"""
TABLES = {
    "space_day.csv.gz": ("occupancy_space_day", "source,space,day", SPACE_DAYS),
    "adult.csv.gz": ("adult", "", ADULT),
}


@pytest.fixture(params=TABLES)
def started(request: pytest.FixtureRequest, shared: Path, folder: Path, run: Run) -> Project:
    """The table, and a project file that somebody has edited after `unspoken init`."""
    home, keys, text = TABLES[request.param]
    source = shared / "data" / home / request.param
    if not source.exists():
        pytest.skip(f"needs {home}, which is not among the data sets beside the checkout")
    shutil.copy(source, folder)
    arguments = ["--keys", keys] if keys else []
    done = run("init", request.param, *arguments, "--json")
    assert done.code == 0, done
    first = Project.read(folder)
    assert first.source.keys == (tuple(keys.split(",")) if keys else ("row",))
    (folder / "unspoken.toml").write_text(text)
    return Project.read(folder)


def sound(done: Ran) -> Ran:
    assert (done.code, done.err) == (0, ""), done
    return done


def nothing_sensitive(started: Project) -> None:
    """Nothing sensitive is released."""
    got = pq.read_table(started.files.release)
    shown = {name: {*got[name].to_pylist()} for name in started.reads}
    if "hours-per-week" in shown:
        assert "below 20" not in shown["hours-per-week"]
        assert not {"Divorced", "Separated", "Widowed"} & shown["marital-status"]
    else:  # 11 itself is in the upper bin, and free
        assert "below 0.3" not in shown["mean_occ_8_17"]
        query = """SELECT max(s.first_arrival_h) FROM got JOIN 'space_day.csv.gz' s
            ON (got.source, got.space, got.day) = (s.source, s.space, CAST(s.day AS VARCHAR))
            WHERE got.first_arrival_h IS NOT NULL"""
        assert duckdb.execute(query).fetchall()[0][0] <= 11


def test_from_init_to_the_report(started: Project, run: Run) -> None:
    learned = sound(run("learn", "--json")).json
    before = sound(run("leak", "--json")).json["told"]
    plan = sound(run("plan", "--json")).json
    for command in ("learn", "leak", "plan"):
        assert max(map(len, sound(run(command)).out.splitlines())) <= 80
    released = run("release", "--json")
    assert released.code == 0, released.err
    announced = ("The column ", "This release leaves ")  # before anything is charged
    assert all(line.startswith(announced) for line in released.err.splitlines())
    done = released.json
    assert run("report").code == 0
    nothing_sensitive(started)
    cap, most = started.limits.odds_cap, started.limits.bits
    assert max(float(one["odds"]["value"]) for one in before) > cap
    for one in plan["told"]:
        assert one["odds"]["value"] <= cap * (1 + 1e-9)
        assert one["information"]["value"] / math.log(2) <= most * (1 + 1e-9)
        assert one["odds"]["premise"] == f"learned({learned['rows']})"
    assert sum(plan["shares"].values()) > 0.2
    got = pq.read_table(done["release"])
    assert got.num_rows == done["rows"] == learned["rows"]
    for name, share in plan["shares"].items():
        shown = 1 - got[name].null_count / got.num_rows
        assert abs(shown - share) <= 5 * math.sqrt(max(share * (1 - share), 1e-3) / got.num_rows)
    manifest = json.loads(started.files.manifest.read_text())
    assert "certified" not in json.dumps([plan, done, manifest])
    assert "not legal anonymity" in started.files.report.read_text()
