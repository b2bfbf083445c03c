"""Each command once, on the project of the demo, as a stranger runs it: a program of its own.

`make test-newest` and `make test-lowest` run this in environments without pinned versions. For a
new command, write a test `test_NAME` here.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

import pyarrow.parquet as pq

from tests.installed.conftest import ENVIRONMENT, PROGRAM, MadeToken, Unspoken, run_unspoken
from unspoken.interfaces.client import Client
from unspoken.interfaces.command_line.cli import COMMANDS

LISTENING = re.compile(r"http://127\.0\.0\.1:\d+")


def test_no_command_is_left_out() -> None:
    assert {f"test_{name}" for name in COMMANDS} <= set(globals())


def test_help(unspoken: Unspoken) -> None:
    listed = unspoken("--help").output
    assert all(f"\n  {name} " in listed for name in COMMANDS)
    assert "Usage: unspoken plan " in unspoken("plan", "--help").output


def test_demo(finished_demo: Path) -> None:
    """The fixture ran it."""
    released = pq.read_table(finished_demo / "demo/released")
    assert released.num_rows == pq.read_table(finished_demo / "demo/occupancy.parquet").num_rows
    assert "<svg" in (finished_demo / "demo/report.html").read_text("utf-8")


def test_init(unspoken: Unspoken, folder: Path) -> None:
    unspoken("init", "demo/occupancy.parquet", "--project", "mine.toml", "--json")
    assert "[attribute.first_arrival]" in (folder / "mine.toml").read_text("utf-8")


def test_check(unspoken: Unspoken) -> None:
    assert unspoken("check", "demo", "--json").json["unspoken"] == "check"


def test_learn(unspoken: Unspoken) -> None:
    assert unspoken("learn", "demo", "--json").json["rows"] > 0


def test_leak(unspoken: Unspoken) -> None:
    secret = ["--secret", "first_arrival >= 9 + 1"]
    table = unspoken("leak", "demo/occupancy.parquet", *secret, "--json").json
    assert "first_arrival" in str(table["secrets"])
    assert table["findings"][0]["odds"] > 2


def test_plan(unspoken: Unspoken) -> None:
    planned = unspoken("plan", "demo", "--json").json
    assert all(0 <= share <= 1 for share in planned["shares"].values())


def test_release(unspoken: Unspoken) -> None:
    done = unspoken("release", "demo", "--for", "lighting", "--json").json
    assert done["rows"] > 0


def test_report(unspoken: Unspoken, folder: Path) -> None:
    unspoken("report", "demo", "--charts", "charts", "--json")
    assert {file.suffix for file in (folder / "charts").iterdir()} == {".png", ".svg"}


def test_ledger(unspoken: Unspoken) -> None:
    assert len(unspoken("ledger", "demo", "--json").json["events"]) == 1
    unspoken("ledger", "demo", "--verify")


def test_query(unspoken: Unspoken, folder: Path) -> None:
    """The released cells use all of the limit, so that a higher one makes room for the answer."""
    project = folder / "demo/unspoken.toml"
    project.write_text(project.read_text("utf-8").replace("odds_cap = 4.0", "odds_cap = 8.0"))
    query = "SELECT COUNT(*) FROM occupancy WHERE last_leave >= 17 AND hour(day::TIMESTAMP) + 1 = 1"
    answer = unspoken("query", query, "demo", "--epsilon", "0.01", "--json").json
    assert answer["epsilon"] == 0.01


def test_disclosed(unspoken: Unspoken) -> None:
    words = ["first_arrival", "--why", "a list was lost", "--project", "demo", "--json"]
    assert unspoken("disclosed", *words).json["attributes"]


def test_audit(unspoken: Unspoken, folder: Path) -> None:
    assert unspoken("audit", "demo", "--page", "attacks.html", "--json").json["releases"]
    assert (folder / "attacks.html").is_file()


def test_token(made_token: MadeToken) -> None:
    """The fixture ran `token new`."""
    listing = run_unspoken(made_token.folder, "token", "list", "--project", "demo", "--json")
    (listed,) = listing.json["tokens"]
    assert made_token.printed["id"] == listed["id"]


def test_serve(made_token: MadeToken, tmp_path: Path) -> None:
    folder = shutil.copytree(made_token.folder, tmp_path / "copy")
    token = made_token.printed["token"]
    command = [PROGRAM, "serve", "demo", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    ) as service:
        try:
            assert service.stderr is not None
            lines: list[str] = []
            for line in service.stderr:
                lines.append(line)
                if found := LISTENING.search(line):
                    break
            assert found, lines
            assert Client(found[0], token).ask("first_arrival").to_arrow().num_rows > 0
            with urllib.request.urlopen(f"{found[0]}/dashboard") as page:
                assert b"<form" in page.read()
        finally:
            service.send_signal(getattr(signal, "CTRL_C_EVENT" if os.name == "nt" else "SIGINT"))
    assert service.returncode == 0


def test_diff(unspoken: Unspoken) -> None:
    assert unspoken("diff", "demo", "--json").json["unspoken"] == "diff"


def test_backup(made_backup: Path) -> None:
    """The fixture ran it."""
    assert made_backup.is_file()


def test_restore(unspoken: Unspoken, made_backup: Path) -> None:
    unspoken("restore", made_backup, "again", "--json")
    assert len(unspoken("ledger", "again", "--json").json["events"]) == 1


def test_verify(unspoken: Unspoken) -> None:
    assert unspoken("verify", "demo/released-manifests", "demo", "--json").json["unspoken"]


def test_case(unspoken: Unspoken, root: Path) -> None:
    found = unspoken("case", root / "docs/cases/calibrate.toml", "--json")
    assert found.json["unspoken"] == "case"
