"""Projects and tables to learn from."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.engines.duckdb import Table
from unspoken.learning import Learned, learn
from unspoken.policy import Project

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
[limit]
limit_bits = 0.1
{limit}
"""
    return Project.parse(text, folder / "unspoken.toml")


def opened(project: Project) -> Table:
    source = project.source
    return Table.open(
        source.table,
        database=source.database,
        sql=source.sql,
        keys=source.keys,
        preferences=source.preferences,
        folder=project.path.parent,
        title=source.name,
        at=partial(project.at, "source"),
    )


@pytest.fixture
def learned(tmp_path: Path) -> Learn:
    """Learn ``columns`` as ``attributes`` say; rows are keyed by their number."""

    def learned_(columns: Mapping[str, Any], attributes: str, limit: str = "") -> Learned:
        rows = len(next(iter(columns.values())))
        table = pa.table({"id": list(range(rows)), **columns})
        pq.write_table(table, tmp_path / "t.parquet")
        source = 'table = "t.parquet"\nkeys = ["id"]'
        own = project_of(attributes, source, limit, tmp_path)
        return learn(own, opened(own))

    return learned_
