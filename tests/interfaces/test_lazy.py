"""A command loads what it does: what draws is opened when it draws, what answers when it does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DRAW = {"jinja2", "markupsafe", "vl_convert"}
ANSWER = {"unspoken.workflows.query", "unspoken.noise.calibration", "unspoken.core.searching"}
LOADED = """
import json, sys
from unspoken.interfaces.command_line import cli
found = []
for command in sys.argv[1:]:
    code = cli.run([command])
    found.append([code, sorted({*sys.modules, *(name.partition(".")[0] for name in sys.modules)})])
print(json.dumps(found), file=sys.stderr)
"""


def loaded(of: set[str], *commands: str) -> list[set[str]]:
    """What of them is loaded after each of these commands, run one after the other."""
    program = [sys.executable, "-c", LOADED, *commands]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found = json.loads(done.stderr.splitlines()[-1])
    assert [code for code, _ in found] == [0] * len(commands)
    return [of & set(modules) for _, modules in found]


SMALL = """\
format = 1
[source]
table = "occupancy.parquet"
keys = ["office", "day"]
[epoch]
label = "1"
[attribute.first_arrival]
bins = [9, 11]
sensitive = "first_arrival >= 11"
missing = "public"
[application.lighting]
reads = ["first_arrival"]
[limit]
odds_cap = 4.0
"""


def test_only_what_draws_loads_what_draws(folder: Path) -> None:
    (folder / "unspoken.toml").write_text(SMALL)
    plain = ["--help", "--version", "learn", "leak", "plan", "release", "ledger"]
    assert loaded(DRAW, *plain) == [set()] * len(plain)
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    assert loaded(DRAW, "report") == [DRAW]


def test_what_releases_loads_nothing_that_answers(folder: Path) -> None:
    (folder / "unspoken.toml").write_text(SMALL)
    loaded(set(), "release")  # which plans
    assert loaded(ANSWER, "release") == [set()]


def test_the_door_opens_without_the_extra() -> None:
    blocked = "import sys; sys.modules.update(vl_convert=None, jinja2=None)"
    run = subprocess.run(
        [sys.executable, "-c", f"{blocked}; import unspoken.interfaces.command_line.cli"],
        capture_output=True,
    )
    assert run.returncode == 0, run.stderr.decode()
