"""A source tree with a planted fault, to see that the check finds it."""

from collections.abc import Callable
from pathlib import Path

import pytest

Plant = Callable[[str, str], Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Write one file, by its path from the root, and give the root."""

    def write(path: str, text: str) -> Path:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return tmp_path

    return write
