"""The demo: what it says is computed, and teaches what it should."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("size", [(), ("--offices", 40, "--days", 60)])
def test_the_demo_shows_a_leak_and_ends_it(run: Run, folder: Path, size: tuple[object]) -> None:
    """And releases what it says; again, for nothing."""
    done = run("demo", "demo", *size)
    assert (done.code, done.err) == (0, "")
    for words in (
        "building simulator",
        "If everything not sensitive",
        "Plan: odds at most × 4",
        "Released to demo/released",
        "Report: demo/report.html",
        "unspoken init",
    ):
        assert words in done.out.replace("\u00a0", " ")  # fmt: skip
    before = run("leak", "demo", "--json").json["told"]
    after = run("plan", "demo", "--json").json
    assert "inf" in [one["odds"]["value"] for one in before]
    assert max(one["odds"]["value"] for one in after["told"]) <= 4 * (1 + 1e-9)
    if not size:
        assert after["closed"] == {}
        assert all(share > 0.19 for share in after["shares"].values())
        releases_what_it_says(after["shares"], run)


def releases_what_it_says(shares: dict[str, float], run: Run) -> None:
    own = Project.read("demo")
    got, source = pq.read_table(own.files.release), pq.read_table("demo/occupancy.parquet")
    manifests = [json.loads(file.read_text()) for file in own.files.manifest.iterdir()]
    assert got.num_rows == sum(m["release"]["rows"] for m in manifests) == source.num_rows
    for name, share in shares.items():
        shown = 1 - got[name].null_count / got.num_rows
        assert abs(shown - share) < 5 * (share * (1 - share) / got.num_rows) ** 0.5
    assert {*got["first_arrival"].to_pylist()} == {None, "below 9", "9-10", "10-11.5"}
    assert {*got["mean_occupancy"].to_pylist()} == {None, "0.2-0.5", "0.5 or more"}
    again = run("demo")
    assert again.code == 0
    assert len(run("ledger", "demo", "--json").json["events"]) == 1


def test_the_demo_overwrites_nothing(run: Run, folder: Path) -> None:
    assert run("demo", ".").code == 2
    assert run("demo", "here", "--offices", 20, "--days", 30).code in (0, 3)
    run("demo", "here", "--offices", 21, "--days", 30).refused_with(2, "other rows")
    Path("here/unspoken.toml").write_text("# mine\n")
    run("demo", "here", "--offices", 20, "--days", 30).refused_with(2, "not the demo's")
    assert Path("here/unspoken.toml").read_text() == "# mine\n"


def test_the_months_of_the_demo_arrive_one_by_one(run: Run, folder: Path) -> None:
    """With a row that comes late, and a record that was changed: that alone stays out."""
    assert run("demo", "d", "--offices", 20, "--days", 90).code == 0
    whole = pq.read_table("d/occupancy.parquet").sort_by("day").to_pylist()
    months = sorted({row["day"][:7] for row in whole})
    Path("here").mkdir()
    shutil.copy("d/unspoken.toml", "here")
    late, changed, *rows = whole
    other = {**changed, "first_arrival": 8.0 if changed["first_arrival"] > 9 else 10.5}
    for month in months:
        there = [row for row in [changed, *rows] if row["day"][:7] <= month]
        if month == months[-1]:
            there = [late, other, *there[1:]]
        pq.write_table(pa.Table.from_pylist(there), "here/occupancy.parquet")
        done = run("release", "here")
        assert (done.code, f"{month} new" in done.out) == (0, True)
    assert f"1 row that came late to {months[0]}" in done.out
    assert f"epoch {months[0]}: 1 record changed since first read" in done.err
    assert "changed" not in done.out
    assert pq.read_table("here/released").num_rows == len(whole)
    again = run("release", "here")
    assert again.code == 0
    assert "1 record changed" in again.err
    assert "In here/released nothing is new, so nothing was written or charged." in again.out


@pytest.mark.parametrize(
    ("module", "name"),
    [("unspoken.interfaces.images", "vl_convert"), ("unspoken.interfaces.report.page", "jinja2")],
)
def test_without_the_extra_the_demo_does_all_but_the_report(
    module: str, name: str, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{module}.{name}", None)
    done = run("demo", "d", "--offices", 20, "--days", 30)
    assert (done.code, done.err) == (0, "")
    assert "Released to d/released" in done.out.replace("\u00a0", " ")
    report = " ".join(done.out.partition("\nReport: ")[2].partition("\nNext: ")[0].split())
    assert report.startswith("not written")
    assert "pip install 'unspoken[report]'" in report
    assert report.endswith("unspoken report d")
    assert not Path("d/report.html").exists()
