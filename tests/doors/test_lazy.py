"""What draws is opened when it draws: no other command loads jinja2 or vl-convert."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.doors.conftest import Run

DRAW = {"jinja2", "markupsafe", "vl_convert"}
LOADED = """
import json, sys
from unspoken.doors import cli
code = cli.run(sys.argv[1:])
found = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([code, found]), file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    program = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    code, found = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return DRAW & set(found)


def test_only_what_draws_loads_what_draws(run: Run, edited: object) -> None:
    for command in (
        ["--help"],
        ["--version"],
        ["learn"],
        ["leak"],
        ["plan"],
        ["release"],
        ["ledger"],
    ):
        assert loaded(*command) == set()
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    assert loaded("report") == DRAW


def test_the_door_opens_without_the_extra() -> None:
    blocked = "import sys; sys.modules.update(vl_convert=None, jinja2=None); "
    run = subprocess.run(
        [sys.executable, "-c", blocked + "import unspoken.doors.cli"], capture_output=True
    )
    assert run.returncode == 0, run.stderr.decode()
