"""A small building with a project file beside its table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.tables.simulation.building import building

PROJECT = """\
format = 1
[source]
table = "occupancy.parquet"
keys = ["office", "day"]
[epoch]
{epoch}
[attribute.first_arrival]
bins = [8, 9, 10.5]
sensitive = "first_arrival > 10.5"
missing = "public"
[attribute.mean_occupancy]
bins = [0.3, 0.5]
sensitive = "mean_occupancy < 0.3"
missing = "value"
[attribute.exits]
bins = [1, 3]
[application.lighting]
reads = ["first_arrival"]
[application.planning]
reads = ["mean_occupancy", "exits"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = {bits}
odds_cap = {cap}
exceed = {exceed}
close = {close}
[secret]
key = "unspoken.key"
ledger = "ledger.sqlite"
[output]
release = "released.parquet"
manifest = "released.manifest.json"
report = "report.html"
"""

Make = Callable[..., Path]


@pytest.fixture
def office() -> pa.Table:
    return building(np.random.default_rng(1), 20, 40)


@pytest.fixture
def project(tmp_path: Path, office: pa.Table) -> Make:
    """Write (or write again) the project file; the table is written once."""
    pq.write_table(office, tmp_path / "occupancy.parquet")

    def make(
        epoch: str = 'label = "2026"', bits: float = 0.5, cap: float = 8.0, exceed: float = 0.0,
        close: str = "true",
    ) -> Path:  # fmt: skip
        text = PROJECT.format(epoch=epoch, bits=bits, cap=cap, exceed=exceed, close=close)
        (tmp_path / "unspoken.toml").write_text(text)
        return tmp_path / "unspoken.toml"

    return make
