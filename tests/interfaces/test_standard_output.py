"""Results alone are on standard output, whatever a library prints there by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

PROGRAM = [sys.executable, "-m", "unspoken"]
# Python runs this in place of `-m unspoken`: reading a case prints a banner as compiled code would.
NOISY = """
import os, runpy
from unspoken.interfaces.case import Case
read = Case.read
def read_noisily(path):
    os.write(1, b"a banner\\n")
    return read(path)
Case.read = read_noisily
runpy.run_module("unspoken", run_name="__main__", alter_sys=True)
"""
CLOSED = "import os, sys; os.close({file}); os.execv(sys.executable, {command!r})"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_banner_of_a_library_goes_to_standard_error(unbuffered: str, root: Path) -> None:
    case = root / "docs/cases/calibrate.toml"
    ended = subprocess.run(
        [sys.executable, "-c", NOISY, "case", str(case), "--json"],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ended.stdout)["unspoken"] == "case"
    assert ended.stderr == "a banner\n"


@pytest.mark.slow
@pytest.mark.parametrize("file", [1, 2])
def test_a_channel_may_be_closed(file: int) -> None:
    program = CLOSED.format(file=file, command=[*PROGRAM, "--version"])
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"unspoken " if file == 2 else b"")


@pytest.mark.slow
def test_a_reader_that_stops_reading_is_no_error(root: Path) -> None:
    command = [*PROGRAM, "case", str(root / "docs/cases/calibrate.toml"), "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert ended.stderr == b""


def test_python_keeps_the_standard_output_it_has(run: Run) -> None:
    """Commands that are run within another program change nothing about it."""
    before = sys.stdout, os.fstat(1)
    assert run("--version").code == 0
    assert (sys.stdout, os.fstat(1)) == before
