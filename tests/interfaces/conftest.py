"""A folder with a small table, and the command line run in it."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from unspoken.interfaces.command_line import cli, waiting
from unspoken.tables.simulation.building import building


@dataclass(frozen=True)
class Ran:
    """One command: its exit code, its results, and what else it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    def refused_with(self, code: int, *words: str) -> None:
        """One line on standard error that has these words, and nothing else."""
        assert self.code == code, self
        assert self.out == ""
        assert self.err.count("\n") == 1, self.err
        for word in words:
            assert word in self.err


Run = Callable[..., Ran]

# What `init` proposes, and what suffices: the sets of beliefs are of 90 combinations, not of 875.
FEWER_VALUES = {
    "bins = [14.5, 17, 18.75]": "bins = [17]",
    "bins = [0.2, 0.45, 0.65]": "bins = [0.45]",
    "bins = [1, 2, 4]": "bins = [2]",
}


@pytest.fixture(scope="session")
def occupancy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds occupancy.parquet and nothing else."""
    folder = tmp_path_factory.mktemp("occupancy")
    pq.write_table(building(np.random.default_rng(3), 20, 40), folder / "occupancy.parquet")
    return folder


@pytest.fixture(scope="session")
def begun(occupancy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after `init`."""
    folder = tmp_path_factory.mktemp("begun")
    shutil.copytree(occupancy, folder, dirs_exist_ok=True)
    with contextlib.chdir(folder):
        assert cli.run(["init", "occupancy.parquet"]) == 0
    return folder


@pytest.fixture
def folder(occupancy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where we are: a folder of our own like that of the table."""
    shutil.copytree(occupancy, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(waiting, "EVERY", 3600)  # however slow the machine is, say nothing of it
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in that folder."""

    def ran(*arguments: object) -> Ran:
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def edited(begun: Path, folder: Path) -> Path:
    """A project as `init` writes it, after the edit that everybody has to make."""
    shutil.copytree(begun, folder, dirs_exist_ok=True)
    project = folder / "unspoken.toml"
    text = project.read_text().replace(
        'missing = "value" ', 'sensitive = "first_arrival >= 11"\nmissing = "public" ', 1
    )
    cells = '[plan]\nby = "cell"\n\n[limit]'
    text = text.replace("[belief]\n", '[belief]\nconfidence = "none"\n')
    text = text.replace("# limit_bits = 0.1 ", "limit_bits = 0.5 ").replace("[limit]", cells)
    for many, few in FEWER_VALUES.items():
        assert many in text
        text = text.replace(many, few)
    project.write_text(text)
    return project
