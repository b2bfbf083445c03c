"""What is kept of a table is believed if it is whole, and of the very files that were read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from unspoken.tables.learning.counts import counted
from unspoken.tables.learning.counts.counted import Cache, Counted


class Files:
    """Of a table, what is asked here: which files it is."""

    files: tuple[Path, ...] = ()


def test_it_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "WORTH", 1)
    marks = [np.array([0, 2]), np.array([1, 0])]
    given = Counted((3, 2), marks, np.array([5, 7]), {"x": pa.array(["a", "b"])})
    cache = Cache(tmp_path / ".unspoken" / "learned-00000000-1.json", "asked", [])
    cache.write(given, Files())  # type: ignore[arg-type]
    back = cache.read()
    assert back is not None
    assert (back.sizes, back.rows, back.values["x"].to_pylist()) == ((3, 2), 12, ["a", "b"])
    assert [mark.tolist() for mark in back.marks] == [[0, 2], [1, 0]]
    assert replace(cache, seen=[["t.parquet", 1, 2, 3]]).read() is None
    assert replace(cache, asked="else").read() is None
    held = json.loads(cache.path.read_text())
    held["table"]["values"] = {}
    cache.path.write_text(json.dumps(held))
    assert cache.read() is None
