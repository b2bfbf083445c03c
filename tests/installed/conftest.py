"""The program `unspoken` of this environment, and the project of the demo to run it on."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = str(Path(sys.executable).with_name("unspoken"))
# Warnings are errors: what a library is about to take away is noticed while it is still there.
ENVIRONMENT = {**os.environ, "PYTHONWARNINGS": "error", "COLUMNS": "80"}


@dataclass(frozen=True)
class Ended:
    """A program that ended: its exit code and what it wrote to each channel."""

    code: int
    output: str
    errors: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object that is on standard output; anything beside it is an error."""
        found: dict[str, Any] = json.loads(self.output)
        return found


Unspoken = Callable[..., Ended]


@dataclass(frozen=True)
class MadeToken:
    """A folder with the project of the demo, and what `unspoken token new` printed there."""

    folder: Path
    printed: dict[str, Any]


def run_program(folder: Path, *command: object) -> Ended:
    """Run a program in a folder until it ends."""
    words = [str(word) for word in command]
    ended = subprocess.run(
        words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def run_unspoken(folder: Path, *arguments: object) -> Ended:
    """Run `unspoken` in a folder; it has to end with the code 0, and to write JSON if asked to."""
    ended = run_program(folder, PROGRAM, *arguments)
    assert ended.code == 0, ended
    assert "Traceback" not in ended.errors
    if "--json" in arguments:
        assert ended.json["unspoken"]
    return ended


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `unspoken demo` was run: demo/ has a project with one release."""
    folder = tmp_path_factory.mktemp("installed")
    ended = run_program(folder, PROGRAM, "demo", "demo", "--offices", 40, "--days", 60)
    assert (ended.code, ended.errors) == (0, ""), ended
    return folder


@pytest.fixture
def folder(finished_demo: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(finished_demo, tmp_path / "copy")


@pytest.fixture
def unspoken(folder: Path) -> Unspoken:
    """Run `unspoken` in that copy; it has to end with the code 0, and to write JSON if asked to."""
    return functools.partial(run_unspoken, folder)


@pytest.fixture(scope="session")
def made_token(finished_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> MadeToken:
    """A copy of that folder in which a token was made for the application lighting."""
    folder = tmp_path_factory.mktemp("token") / "copy"
    shutil.copytree(finished_demo, folder)
    command = ["token", "new", "lighting", "--project", "demo", "--json"]
    return MadeToken(folder, run_unspoken(folder, *command).json)


@pytest.fixture(scope="session")
def made_backup(finished_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the project of the demo."""
    folder = tmp_path_factory.mktemp("backup") / "copy"
    shutil.copytree(finished_demo, folder)
    run_unspoken(folder, "backup", "demo.zip", "demo", "--json")
    return folder / "demo.zip"
