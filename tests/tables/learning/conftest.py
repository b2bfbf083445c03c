"""Projects and tables to learn from."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning import Labeller, Labelling, Learned, table_of
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.policy import Project

Learn = Callable[..., Learned]


def whole(found: Learned) -> np.ndarray:
    """The table of all combinations."""
    return found.belief.marginal(found.belief.domain.names)


def project_of(attributes: str, source: str, limit: str = "", folder: Path = Path()) -> Project:
    """A project whose first attribute is read; ``source`` and ``attributes`` are TOML."""
    read = attributes.split("[attribute.")[1].split("]")[0]
    text = f"""format = 1
[source]
{source}
[epoch]
label = "1"
{attributes}
[application.a]
reads = [{read if read.startswith('"') else f'"{read}"'}]
[plan]
by = "cell"
[limit]
limit_bits = 0.1
{limit}
"""
    return Project.parse(text, folder / "unspoken.toml")


def coded(found: Learned, project: Project) -> dict[str, np.ndarray]:
    """The code of each row's label, of each attribute, in the order of the keys."""
    table = table_of(project)
    labeller = Labeller(list(found.labelling.values()), table.columns)
    codes = [labeller.codes(batch) for batch in table.batches(Scan(labeller.reads))]
    return {name: np.concatenate([one[name] for one in codes]) for name in found.labels}


def by_hand(names: tuple[str, ...], labels: tuple, sensitive: tuple) -> dict[str, Labelling]:
    """These labels, however they may be found."""
    return {
        name: Labelling(CellRule(name, None, (), own, "public", None), own, hidden, (), ())
        for name, own, hidden in zip(names, labels, sensitive, strict=True)
    }


@pytest.fixture
def learned(tmp_path: Path) -> Learn:
    """Learn ``columns`` as ``attributes`` say; rows are keyed by their number."""

    def learned_(columns: Mapping[str, Any], attributes: str, limit: str = "") -> Learned:
        rows = len(next(iter(columns.values())))
        table = pa.table({"id": list(range(rows)), **columns})
        pq.write_table(table, tmp_path / "t.parquet")
        source = 'table = "t.parquet"\nkeys = ["id"]'
        own = project_of(attributes, source, limit, tmp_path)
        return Learned.of(own, table_of(own))

    return learned_
