"""`unspoken release --for`: a file for one application, and what stands in the way of it."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run

pytestmark = pytest.mark.slow

APPLICATIONS = """
[application.lighting]
reads = ["first_arrival"]
[application.planning]
reads = ["mean_occupancy", "exits"]
"""


@pytest.fixture
def apart(edited: Path) -> Path:
    """Two applications that do not pool."""
    text = edited.read_text()
    start, end = text.index("[application.everything]"), text.index("[limit]")
    pools = '[limit]\ncoalitions = [["lighting"], ["planning"]]'
    text = f"{text[:start]}{APPLICATIONS}\n{text[end:].replace('[limit]', pools, 1)}"
    edited.write_text(text)
    return edited


def test_each_has_its_own_file(apart: Path, run: Run) -> None:
    trial = run("release", "--for", "lighting", "--dry-run", "--json").json
    assert set(trial["p"]) == {"first_arrival"}
    assert not (apart.parent / "released-lighting.parquet").exists()
    done = run("release", "--for", "lighting", "--json").json
    assert done["release"] == str(apart.parent / "released-lighting.parquet")
    assert set(done["p"]) == {"first_arrival"}
    columns = pq.read_table(done["release"]).column_names
    assert "first_arrival" in columns
    assert not {"mean_occupancy", "exits"} & set(columns)
    assert run("release", "--for", "planning").code == 0
    assert len(run("ledger", "--json").json["events"]) == 2


def test_for_whom_has_to_be_said(apart: Path, run: Run) -> None:
    run("release").refused_with(2, "limit.coalitions", '--for "lighting"')
    run("release", "--for", "light").refused_with(2, 'Did you mean "lighting"?')
    assert "first_arrival" in run("plan", "--json").out


def test_what_its_coalition_has_had_enough_of_is_refused(apart: Path, run: Run) -> None:
    assert run("release", "--for", "lighting").code == 0
    text = apart.read_text()
    label = next(line for line in text.splitlines() if line.startswith("label"))
    apart.write_text(text.replace(label, 'label = "another"'))
    run("release", "--for", "lighting").refused_with(3, "first_arrival")
