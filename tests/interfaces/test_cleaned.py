"""Names, values and paths are written by others: a terminal shows them, and obeys none of them."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Ran, Run
from unspoken import Joint
from unspoken.core.errors import InputError

pytestmark = pytest.mark.slow

EVIL = "late\x1b[31m\u202e\u2066x\x07"
PROJECT = r"""
format = 1
[source]
table = "evil.parquet"
keys = ["id"]
[epoch]
label = "1\u202e"
[attribute."late\u001B[31m\u202E\u2066x\u0007"]
sensitive = "\"late\u001B[31m\u202E\u2066x\u0007\" LIKE 'y%'"
[attribute.use]
[application."who\u001B[2J"]
reads = ["late\u001B[31m\u202E\u2066x\u0007", "use"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
"""


@pytest.fixture
def evil(folder: Path) -> Path:
    rng = np.random.default_rng(5)
    late = np.array(["yes\x1b[1m\u202e", "no"])[(rng.random(200) < 0.7).astype(int)]
    use = np.where(rng.random(200) < 0.8, late, "no")
    table = {"id": np.arange(200), EVIL: late, "use": use}
    pq.write_table(pa.table(table), folder / "evil.parquet")
    (folder / "unspoken.toml").write_text(PROJECT, "utf-8")
    return folder


def clean(done: Ran) -> None:
    for text in (done.out, done.err):
        kinds = {c: unicodedata.category(c) for c in text if c not in "\n\u00a0"}
        assert {c for c, kind in kinds.items() if kind in ("Cc", "Cf")} == set()


@pytest.mark.parametrize(
    "command",
    [
        ["leak", "evil.parquet"],
        ["leak", "evil.parquet", "--secret", "use = 'no'"],
        ["leak", "evil.parquet", "--secret", "nix\x1b = 'no\u202e'"],
        ["learn", "\x1b[31m\u202e.toml"],
        ["init", "\x1b\u202e.parquet"],
        ["init", "evil.parquet", "--project", "a\u202e.toml"],
        ["leak", "--\x1b"],
    ],
)
def test_nothing_a_terminal_obeys_is_printed(run: Run, evil: Path, command: list[str]) -> None:
    clean(run(*command))


def test_nor_by_a_project(run: Run, evil: Path) -> None:
    for command in ("check", "learn", "leak", "plan", "release", "ledger", "report"):
        done = run(command)
        assert done.code == 0, done
        clean(done)
        assert run(command, "--json").code == 0


def test_nor_shown_by_a_page_or_its_pictures(run: Run, evil: Path) -> None:
    """Of an ESC in a name, what draws would end the process, without a word."""
    assert run("report", "--charts", "charts").code == 0
    pictures = [*evil.glob("charts/*.svg")]
    assert pictures
    for file in (evil / "report.html", *pictures):
        clean(Ran(0, file.read_text("utf-8"), ""))
    assert r"late\x1b[31m\u202e" in (evil / "report.html").read_text("utf-8")


def test_nor_in_a_notebook() -> None:
    shown = Joint([[0.5, 0.2], [0.1, 0.2]], [EVIL, "b"])
    assert "\x1b" not in repr(shown) + shown._repr_html_()
    assert "\u202e" not in repr(shown) + shown._repr_html_()
    assert str(InputError(f"{EVIL}: there is no 5\u00a0%")).endswith("5\u00a0%")


def test_completion_knows_commands_and_options(evil: Path) -> None:
    def completed(words: str) -> list[str]:
        place = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        asked = os.environ | {"_UNSPOKEN_COMPLETE": "complete_bash"} | place
        program = [sys.executable, "-m", "unspoken"]
        done = subprocess.run(program, env=asked, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert completed("unspoken lea") == ["learn", "leak"]
    assert completed("unspoken plan --cl") == ["--close"]
