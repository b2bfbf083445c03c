"""Small tables with an attribute of each kind, and a project file beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.tables.learning.marks.labels import Labelling
from unspoken.workflows.query.numbers import Number

PROJECT = """\
format = 1
[source]
table = "wards.parquet"
keys = ["person", "day"]
unit = ["person"]
[epoch]
{epoch}
[attribute.disease]
values = ["none", "flu", "hiv"]
sensitive = "disease = 'hiv'"
[attribute.age]
bins = [20, 40, 60.5]
missing = "value"
[attribute.stay]
values = [1, 2, 5]
[application.city]
reads = ["disease", "age", "stay"]
[application.ward]
reads = ["age"]
[plan]
by = "cell"
[limit]
odds_cap = {cap}
close = false
{limit}
[belief]
noise = {noise}
confidence = "none"
[query]
bounds = {{ age = [0, 100] }}
{query}
"""
DISEASES = ["none", "flu", "hiv"]


def wards(rows: int = 300, seed: int = 3) -> pa.Table:
    """Who has what at which age, some ages unknown; ten days of each person."""
    rng = np.random.default_rng(seed)
    disease = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    age = rng.uniform(0, 90, rows) + 8 * disease
    return pa.table(
        {
            "person": np.arange(rows) // 10,
            "day": [f"2026-0{1 + i % 2}-{1 + i % 10:02d}" for i in range(rows)],
            "disease": [DISEASES[code] for code in disease],
            "age": pa.array(age, mask=rng.random(rows) < 0.1),
            "stay": np.array([1, 2, 5])[(disease + rng.integers(0, 2, rows)) % 3],
        }
    )


def project(folder: Path, table: pa.Table | None = None, **given: Any) -> Path:
    """Write both into a folder; counts are exact, and nothing is charged for them."""
    words = {
        "epoch": 'label = "2026"', "cap": 3.0, "noise": '"none"', "limit": "", "query": "", **given
    }  # fmt: skip
    pq.write_table(wards() if table is None else table, folder / "wards.parquet")
    path = folder / "unspoken.toml"
    path.write_text(PROJECT.format(**words))
    return path


def added(number: Number, labellings: Mapping[str, Labelling], row: Mapping[str, Any]) -> int:
    """What a record with these labels adds."""
    labels, adds = number.terms(labellings)
    return int(adds[tuple(labels[name].index(row[name]) for name in number.names)])
