"""A folder of epochs is read once: what is new, while it is written; what is old, as it passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.release.test_by_epoch import Row, charges, files, keys, months, project
from unspoken.assessment.deciding.admission import Admission
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.rows import gathering
from unspoken.storage.rows.gathering import Gathered
from unspoken.storage.rows.kernel import RowKernel
from unspoken.storage.rows.witness import Records
from unspoken.workflows.release import release

LATE = {"id": 1_000, "day": "2026-01-30", "a": "x", "b": "u"}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many rows of each month the kernel looked at."""
    found, own = Counter[str](), RowKernel.__call__

    def counting(self: RowKernel, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found.update(day[:7] for day in batch.column("day").to_pylist())
            yield from own(self, iter([batch]))

    monkeypatch.setattr(RowKernel, "__call__", counting)
    return found


def test_every_row_is_looked_at_once(tmp_path: Path, looks: Counter[str]) -> None:
    release(project(tmp_path, months(1, 2)))
    assert looks == {"2026-01": 60, "2026-02": 60}
    looks.clear()
    release(project(tmp_path, months(1, 2, 3)))
    assert looks == {"2026-01": 60, "2026-02": 60, "2026-03": 60}
    looks.clear()
    release(project(tmp_path, [*months(1, 2, 3), LATE]))  # compared, and written
    assert looks["2026-02"] == looks["2026-03"] == 60
    assert looks["2026-01"] == 3 * 61


@pytest.mark.slow
def test_what_is_refused_at_the_end_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows were read and written by then."""

    def refuse(*_: object) -> None:
        assert (tmp_path / "released" / ".all.partial").stat().st_size > 0
        raise LimitExceeded("no")

    path, folder = project(tmp_path, months(1, 2)), tmp_path / "ledger.sqlite.first"
    monkeypatch.setattr(Admission, "check", refuse)
    with pytest.raises(LimitExceeded):
        release(path)
    assert not [*tmp_path.glob("released*")]
    assert charges(path) == 0
    monkeypatch.undo()
    release(path)
    assert len(files(path)) == 4
    assert len([*folder.iterdir()]) == 2


@pytest.mark.parametrize(
    "more",
    [
        [*months(2), LATE, {**LATE, "a": "y"}],
        [*months(2), months(2)[5]],
        [months(1)[5]],  # nothing new: no row is read again to be written
    ],
    ids=["late", "new", "old"],
)
@pytest.mark.parametrize("noise", ['"none"', "0.5"])
def test_a_key_that_is_there_twice_costs_nothing(
    noise: str, more: list[Row], tmp_path: Path
) -> None:
    """Where the belief is pinned, rows are not looked at before they are released."""

    def counted(rows: list[Row]) -> Path:
        path = project(tmp_path, rows)
        path.write_text(path.read_text().replace('noise = "none"', f"noise = {noise}"))
        return path

    release(counted(months(1)))
    path = counted([*months(1), *more])
    before = charges(path)
    with pytest.raises(InputError, match=r"source\.keys: \d rows of .* have the same"):
        release(path)
    assert charges(path) == before
    assert [*files(path)] == ["released/2026-01.parquet", "released-manifests/2026-01.json"]


@pytest.mark.slow
def test_what_memory_does_not_hold_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First readings in several pieces tell late rows and changed ones apart as one piece does."""
    monkeypatch.setattr(gathering, "MOST", 1_000)
    release(project(tmp_path, months(1, 2)))
    first = [pa.ipc.open_file(file) for file in (tmp_path / "ledger.sqlite.first").iterdir()]
    assert all(file.num_record_batches > 1 for file in first)
    rows = [*months(1, 2), LATE]
    rows[70] = {**rows[70], "a": "y" if rows[70]["a"] != "y" else "x"}
    done = release(project(tmp_path, rows[1:]))
    assert done.epochs is not None
    assert (done.epochs.late, done.epochs.gone) == ({"2026-01": 1}, {"2026-01": 1})
    assert done.epochs.changed == {"2026-02": 1}
    assert keys(tmp_path / "released" / "2026-01.2.parquet") == {(1_000, "2026-01-30")}


@pytest.mark.parametrize("most", [1, 1_000, 10**9])
def test_gathered(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST", most)
    rng, gathered, parts = np.random.default_rng(3), Gathered(), []
    for number in range(20):
        drawn = rng.integers(0, 2**64, (1 + number % 7, 5), np.uint64)
        numbers = {"a": drawn[:, 1:3].copy(), "b": drawn[:, 3:].copy()}
        parts.append(Records(drawn[:, 0].copy(), numbers))
        gathered.add("one", parts[-1])
        gathered.add("two", parts[0])
    assert "one" in gathered
    assert "three" not in gathered
    assert set(gathered.names("one")) == {"a", "b"}
    whole, found = Records.of(parts), [*gathered.of("one", ["b"])]
    assert np.array_equal(whole.keys, np.concatenate([part.keys for part in found]))
    told = np.concatenate([part.numbers["b"] for part in found])
    assert np.array_equal(whole.numbers["b"], told)
    assert all(part.numbers.keys() == {"b"} for part in found)
    assert sum(map(len, gathered.of("two", ["a"]))) == 20
