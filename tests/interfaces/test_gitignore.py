"""`init` keeps the key, the ledger and what is kept of the table out of git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

pytestmark = pytest.mark.slow

LINES = [
    "/unspoken.key*",
    "/.unspoken.key*",
    "/ledger.sqlite*",
    "/.ledger.sqlite*",
    "/belief.json*",
    "/.belief.json*",
    "/.unspoken/",
]


def test_init_writes_it_and_says_so(run: Run, folder: Path) -> None:
    done = run("init", "occupancy.parquet")
    assert "lines of .gitignore that keep key, ledger and counts of the table out" in done.err
    assert (folder / ".gitignore").read_text().splitlines() == LINES


@pytest.mark.parametrize("before", ["*.csv\n/unspoken.key*\n", "*.csv\n/unspoken.key*", "\xe9\n"])
def test_what_is_there_stays_and_what_is_missing_is_added(
    run: Run, folder: Path, before: str
) -> None:
    listed = folder / ".gitignore"
    listed.write_text(before, "latin-1")
    run("init", "occupancy.parquet")
    after = listed.read_text("latin-1")
    assert after.startswith(before)
    assert set(LINES) <= set(after.splitlines())
    assert after.splitlines().count("/unspoken.key*") == 1
    (folder / "unspoken.toml").unlink()
    assert ".gitignore" not in run("init", "occupancy.parquet").err
    assert listed.read_text("latin-1") == after


@pytest.mark.skipif(shutil.which("git") is None, reason="asks git what it would add")
def test_git_adds_no_secret(run: Run, edited: Path) -> None:
    assert run("release").code == 0
    folder = edited.parent
    partial = (".unspoken.key.partial", ".ledger.sqlite.partial")
    for name in ("ledger.sqlite-wal", "unspoken.key.head", ".unspoken/learned-1.json", *partial):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    added = ["git", "add", "--all", "--dry-run"]
    said = subprocess.run(added, cwd=folder, check=True, capture_output=True, text=True).stdout
    assert "unspoken.toml" in said
    for secret in ("unspoken.key", "ledger.sqlite", ".unspoken", ".ledger"):
        assert f"'{secret}" not in said


def test_the_demo_keeps_its_secrets_out_of_git_too(run: Run, folder: Path) -> None:
    assert run("demo", "demo", "--offices", 20, "--days", 20).code == 0
    assert (folder / "demo" / ".gitignore").read_text().splitlines() == LINES
