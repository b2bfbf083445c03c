"""A project whose table grows from month to month."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["person", "day"]
unit = ["person"]
[epoch]
of = "day // 30"
[attribute.use]
values = ["low", "high"]
[attribute.ill]
values = ["yes", "no"]
sensitive = "ill = 'yes'"
[application.one]
reads = ["use", "ill"]
[plan]
by = "cell"
[limit]
limit_bits = 0.2
"""


def project(folder: Path, more: str = "", **replaced: str) -> Path:
    text = PROJECT
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    belief = '[belief]\nconfidence = "none"\n'
    more = more.replace("[belief]\n", belief) if "[belief]" in more else f"{more}\n{belief}"
    (folder / "unspoken.toml").write_text(text + more)
    return folder / "unspoken.toml"


def with_confidence_set(path: Path) -> None:
    """Plans of this project are to hold for a confidence set."""
    path.write_text(path.read_text().replace('confidence = "none"', "confidence = 0.95"))


def grow(folder: Path, months: int, persons: int = 40) -> None:
    """The first months of the same table."""
    rng = random.Random(5)
    rows: dict[str, list[Any]] = {"person": [], "day": [], "use": [], "ill": []}
    for day in range(30 * months):
        for person in range(persons):
            ill = rng.random() < 0.2
            rows["person"].append(person)
            rows["day"].append(day)
            rows["ill"].append("yes" if ill else "no")
            rows["use"].append("low" if rng.random() < (0.6 if ill else 0.3) else "high")
    pq.write_table(pa.table(rows), folder / "t.parquet")


def manifest(path: Path) -> dict[str, Any]:
    """That of the epoch that was released last."""
    *_, last = sorted((path.parent / "released-manifests").iterdir())
    read: dict[str, Any] = json.loads(last.read_text())
    return read


def chances(path: Path) -> dict[str, float]:
    return {n: a["release_probability"] for n, a in manifest(path)["attributes"].items()}
