"""Hours and days are those of the project's time zone, whatever the machine's is."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import KEY, planned, small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.command_line.starting import begin
from unspoken.tables.policy import Project
from unspoken.workflows.release import release

pytestmark = pytest.mark.slow

NIGHT = "hour(moment) >= 21 OR hour(moment) < 6"
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "door": {"sensitive": NIGHT},
    "late": {"sensitive": "CAST(moment AS DATE) = '2026-07-02'"},
}
HOURS = 24 * 12


def table() -> pa.Table:
    first = datetime(2026, 6, 28, tzinfo=UTC)
    moments = [first + timedelta(hours=hour) for hour in range(HOURS)]
    return pa.table(
        {
            "id": list(range(HOURS)),
            "moment": pa.array(moments, pa.timestamp("us", "UTC")),
            "door": [("front", "back", "side")[hour * 7 % 5 % 3] for hour in range(HOURS)],
            "late": [hour % 3 == 0 for hour in range(HOURS)],
        }
    )


def project(folder: Path, zone: str = "", epoch: str = 'label = "1"', **more: Any) -> Path:
    line = f'\ntimezone = "{zone}"' if zone else ""
    source = f'table = "table.parquet"{line}'
    return small(folder, table(), ATTRIBUTES, source=source, epoch=epoch, **more)


ELSEWHERE = """
import hashlib, json, sys
from unspoken.workflows.release import release
for path in sys.argv[1:]:
    done = release(path)
    digest = hashlib.sha256(done.path.read_bytes()).hexdigest()
    print(json.dumps([digest, dict(done.plan.epsilon), done.event.readings]))
"""


def test_the_same_bytes_under_any_clock(tmp_path: Path) -> None:
    found = []
    for machine in ("America/New_York", "Asia/Kolkata"):
        folders = [tmp_path / machine / where for where in ("nowhere", "Brussels")]
        for folder in folders:
            folder.mkdir(parents=True)
        tight: dict[str, Any] = {"limit_bits": 0.2, "odds_cap": 4.0}
        paths = [project(folders[0], **tight), project(folders[1], "Europe/Brussels", **tight)]
        command = [sys.executable, "-c", ELSEWHERE, *map(str, paths)]
        environment = {**os.environ, "TZ": machine}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        found.append(done.stdout.splitlines())
    assert found[1:] == found[:-1]
    assert found[0][0] != found[0][1]


def shown_at(path: Path) -> set[int]:
    """The hours, in UTC, of which a door is shown."""
    got = pq.read_table(release(path).path).to_pylist()
    return {row["id"] % 24 for row in got if row["door"] is not None}


def test_what_is_sensitive_has_the_hours_of_the_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, door=9.0, late=9.0)
    for zone, ahead in {"": 0, "Europe/Brussels": 2, "Asia/Kathmandu": 5}.items():
        folder = tmp_path / f"ahead{ahead}"
        folder.mkdir()
        shown = {(hour + ahead) % 24 for hour in shown_at(project(folder, zone))}
        assert shown == set(range(6, 21))


def test_another_zone_is_another_policy_and_another_reading(tmp_path: Path) -> None:
    event = release(project(tmp_path)).event
    assert event.policy["door"]["timezone"] == "UTC"
    with pytest.raises(LimitExceeded, match="or what is sensitive"):
        release(project(tmp_path, "Europe/Brussels"))


def test_epochs_of_another_zone_are_other_epochs(tmp_path: Path) -> None:
    months = 'of = "id // 100"'
    event = release(project(tmp_path, epoch=months)).event
    assert event.epoch == "id // 100"
    other = tmp_path / "other"
    other.mkdir()
    assert release(project(other, "Europe/Brussels", months)).event.epoch == (
        "id // 100 (Europe/Brussels)"
    )


def test_a_misspelt_zone(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"there is no time zone .* Did you mean",
    ):
        Project.read(project(tmp_path, "Europe/Brussel"))


def test_init_offers_a_zone_where_there_are_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(), "moments.parquet")
    pq.write_table(table().drop_columns("moment"), "none.parquet")
    for name, said in (("moments", True), ("none", False)):
        begin(f"{name}.parquet", None, None, Path(f"{name}.toml"))
        text = Path(f"{name}.toml").read_text()
        assert ('# timezone = "Europe/Brussels"' in text) is said
        uncommented = text.replace("# timezone", "timezone")
        assert Project.parse(uncommented).source.timezone == ("Europe/Brussels" if said else "UTC")


def test_a_moment_that_nothing_reads_stops_nothing(tmp_path: Path) -> None:
    path = small(tmp_path, table(), {"door": {"sensitive": "door = 'side'"}}, key=KEY)
    assert release(path).rows == HOURS
