"""Projects that are made once, and copied for whoever charges them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.serve import building
from unspoken.workflows.release import adopt_plan
from unspoken.workflows.serve import Curator


@pytest.fixture(scope="session")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project whose plan is adopted, and nothing released."""
    folder = tmp_path_factory.mktemp("building")
    adopt_plan(building.project(folder), by="a steward", why="a test")
    return folder


@pytest.fixture(scope="session")
def asked(adopted: Path) -> Curator:
    """The curator of that, for questions that charge nothing."""
    return Curator.of(adopted / "unspoken.toml")


@pytest.fixture
def path(adopted: Path, tmp_path: Path) -> Path:
    return building.copied(adopted, tmp_path)
