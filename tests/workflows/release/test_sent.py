"""A kernel that is sent elsewhere: the same cells, by keys of its epochs, without the master."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from tests.tables.engines.test_protocol import ATTRIBUTES, KEYS, rows
from tests.workflows.release.small import KEY, small
from unspoken.core.errors import InputError
from unspoken.storage.coins import MasterKey
from unspoken.storage.rows.kernel import RowKernel
from unspoken.tables.engines.protocol import BATCH, Scan
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.open_project import OpenProject

MONTHS = [f"2026-{month:02d}" for month in range(1, 11)]


def kernel_of(folder: Path, plan: str, apart: bool) -> tuple[RowKernel, Asked]:
    of, cap = 'of = "substr(day, 1, 7)"', 4.0 if plan == "record" else 1e300
    few = {name: ATTRIBUTES[name] for name in ("rooms", "door")}
    path = small(folder, rows(), few, keys=KEYS, epoch=of, odds_cap=cap)
    path.write_text(path.read_text().replace('by = "cell"', f'by = "{plan}"'))
    asked = Asked.of(OpenProject.of(path), 1.0, None, False, None, None)
    return asked.kernel(MasterKey(KEY), asked.released, apart), asked


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "apart"), [("cell", False), ("cell", True), ("record", True)])
def test_the_cells_are_the_same(plan: str, apart: bool, tmp_path: Path) -> None:
    kernel, asked = kernel_of(tmp_path, plan, apart)
    written = pickle.dumps(kernel.sent(MONTHS))
    assert KEY not in written
    assert KEY.hex() not in repr(pickle.loads(written)) + str(vars(kernel.sent(MONTHS)))
    given = list(asked.ready.table.batches(Scan(kernel.rules.needs)))
    here, there = list(kernel(given)), list(pickle.loads(written)(given))
    assert here == there
    assert [one.schema.metadata for one in here] == [one.schema.metadata for one in there]


def test_no_other_key_goes_with_it(tmp_path: Path) -> None:
    kernel, asked = kernel_of(tmp_path, "cell", False)
    with pytest.raises(TypeError, match="neither pickled nor copied"):
        pickle.dumps(kernel)
    batches = asked.reading.through(kernel, BATCH)
    assert sum(batch.num_rows for batch in batches) == rows().num_rows
    some = kernel.sent(MONTHS[:1])
    with pytest.raises(InputError, match="was not taken along"):
        list(some(asked.ready.table.batches(Scan(kernel.rules.needs))))
    assert isinstance(next(iter(some(_of(asked, MONTHS[0], kernel)))), pa.RecordBatch)


def _of(asked: Asked, month: str, kernel: RowKernel) -> list[pa.RecordBatch]:
    whole = pa.Table.from_batches(asked.ready.table.batches(Scan(kernel.rules.needs)))
    own = pa.compute.starts_with(whole["day"], month)
    return list(whole.filter(own).combine_chunks().to_batches())
