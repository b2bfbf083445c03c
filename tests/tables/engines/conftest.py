"""Tables on disk to open."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Write = Callable[[str, Mapping[str, Any]], Path]

DAYS: dict[str, list[Any]] = {
    "office": [2, 1, 2, 1],
    "day": ["2026-01-06", "2026-01-06", "2026-01-05", "2026-01-05"],
    "arrival": [9.5, None, 11.25, 8.0],
    "kind": ["a", "b", "b", 'it\'s; "x"'],
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a Parquet file by its name, and give its folder."""

    def written(name: str, columns: Mapping[str, Any]) -> Path:
        pq.write_table(pa.table(dict(columns)), tmp_path / name)
        return tmp_path

    return written


@pytest.fixture
def days(write: Write) -> Path:
    """A folder with days.parquet: four office-days."""
    return write("days.parquet", DAYS)
