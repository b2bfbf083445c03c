"""Rows that an earlier label had and a new one has not: that they are missing may tell why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import LimitExceeded
from unspoken.storage.ledger import Ledger, Release
from unspoken.workflows.release import Released, rehearse, release

pytestmark = pytest.mark.slow

ATTRIBUTES: dict[str, dict[str, Any]] = {"x": {"sensitive": "x = 'a'"}, "y": {}}
ROWS = 200
LEFT_OUT = "SELECT * FROM 'table.parquet' WHERE x = 'a' OR id % 2 = 0"
ALL = "SELECT * FROM 'table.parquet'"


def made(folder: Path, sql: str, epoch: str) -> Path:
    table = pa.table(
        {
            "id": list(range(ROWS)),
            "x": ["abc"[k % 3] for k in range(ROWS)],
            "y": ["de"[k % 7 % 2] for k in range(ROWS)],
        }
    )
    return small(folder, table, ATTRIBUTES, source=f'sql = "{sql}"', epoch=epoch)


def said(done: Any) -> str:
    return " ".join(caution.text for caution in done.said.cautions)


def test_rows_that_are_gone_are_said(tmp_path: Path) -> None:
    first: Released = release(made(tmp_path, ALL, 'label = "first"'))
    assert first.event.rows == ROWS
    assert "epoch first" not in said(first)
    path = made(tmp_path, LEFT_OUT, 'label = "second"')
    assert "67 of the 200 rows that epoch first had are not in this source" in said(rehearse(path))
    assert "67 of the 200 rows" in said(release(path))
    assert "67 of the 200 rows" in said(release(path))
    assert "epoch first" not in said(release(made(tmp_path, ALL, 'label = "third"')))


@pytest.mark.parametrize("epoch", ['of = "id % 2"', 'of = "id // 100"'])
def test_epochs_of_the_key_may_be_left_out(epoch: str, tmp_path: Path) -> None:
    release(made(tmp_path, ALL, epoch))
    kept = f"{ALL} WHERE {epoch[6:-1]} = 0"
    assert "are not in this source" not in said(release(made(tmp_path, kept, epoch)))


def test_an_older_event_has_no_rows(tmp_path: Path) -> None:
    done = release(made(tmp_path, ALL, 'label = "first"'))
    written = done.event.to_json()
    assert Release.from_json(written) == done.event
    older = Release.from_json(written.replace(f'"rows": {ROWS}, ', ""))
    assert older.rows is None
    assert '"rows"' not in older.to_json()
    assert len(Ledger(tmp_path / "ledger.sqlite").history()) == 1


def test_a_new_part_is_new_data(tmp_path: Path) -> None:
    """A part that comes later changes the epoch of a label, and is a new epoch of the key's."""
    rows = {"x": ["a", "b", "c", "b"] * 10, "y": ["d", "e"] * 20}
    for name, epoch in {"label": 'label = "1"', "key": 'of = "id // 1000"'}.items():
        folder = tmp_path / name
        (folder / "parts").mkdir(parents=True)
        path = small(folder, None, ATTRIBUTES, source='table = "parts"', epoch=epoch)
        pq.write_table(pa.table({"id": list(range(40)), **rows}), folder / "parts" / "0.parquet")
        first = release(path)
        assert release(path).again
        more = pa.table({"id": list(range(1000, 1040)), **rows})
        pq.write_table(more, folder / "parts" / "1.parquet")
        if name == "key":
            assert release(path).rows == first.rows == 40  # of the new one
            continue
        with pytest.raises(LimitExceeded, match="changed since it was first read"):
            release(path)
