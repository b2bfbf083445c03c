"""Rows that nobody expects, by commands: a line that says what is wrong, or a result."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run

pytestmark = pytest.mark.slow

Rows = dict[str, Any]
PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["person", "day"]
unit = ["person"]
{source}
[epoch]
label = "1"
[attribute.use]
values = ["low", "high"]
[attribute.ill]
sensitive = "ill = 'yes'"
missing = "value"
[context.before]
previous = "ill"
[application.one]
reads = ["use", "ill"]
[limit]
limit_bits = 0.2
"""


def rows(persons: int = 10, days: int = 30) -> Rows:
    rng = random.Random(1)
    keys = [(person, day) for day in range(days) for person in range(persons)]
    return {
        "person": [person for person, _ in keys],
        "day": [day for _, day in keys],
        "use": [rng.choice(["low", "high"]) for _ in keys],
        "ill": [rng.choice(["yes", "no", "no", "no"]) for _ in keys],
    }


def constant() -> Rows:
    return {**rows(), "use": ["low"] * 300}


def all_null() -> Rows:
    return {**rows(), "use": pa.nulls(300)}


def all_null_text() -> Rows:
    return {**rows(), "ill": pa.nulls(300, pa.string())}


def all_secret() -> Rows:
    return {**rows(), "ill": ["yes"] * 300}


def two_rows() -> Rows:
    return {"person": [1, 2], "day": [1, 1], "use": ["low", "high"], "ill": ["yes", "no"]}


def unseen() -> Rows:
    found = rows()
    found["use"][3] = "few"
    return found


def backwards() -> Rows:
    return {name: column[::-1] for name, column in rows().items()}


def twice() -> Rows:
    found = rows()
    found["person"][1] = found["person"][0]
    return found


def half() -> Rows:
    """Every other row is of one person."""
    found = rows()
    found["person"] = [0 if k % 2 else person for k, person in enumerate(found["person"])]
    return {**found, "day": list(range(300))}


@pytest.mark.parametrize(
    ("make", "source", "said"),
    [
        (constant, "", 'attribute.use: is "low" in every row'),
        (all_null, "", 'attribute.use: use is "NULL", which has no values to list'),
        (all_null_text, "", 'attribute.ill: is "missing" in every row'),
        (all_secret, "", 'attribute.ill: is "yes" in every row'),
        (unseen, "", "attribute.use: 1 row holds none of its values; list every value"),
        (twice, "", "source.keys: 2 rows of t.parquet have the same person, day"),
        (half, "rows_per_unit = 30", "one person has 180 rows, more than 30"),
        (two_rows, "", ""),
        (backwards, "", ""),
        (half, "", ""),
    ],
)
def test_rows_are_refused_in_a_line_or_give_a_result(
    folder: Path, run: Run, make: Callable[[], Rows], source: str, said: str
) -> None:
    pq.write_table(pa.table(make()), "t.parquet")
    (folder / "unspoken.toml").write_text(PROJECT.format(source=source))
    before = sorted(file.name for file in folder.iterdir())
    for command in ("leak", "plan", "learn", "release"):
        done = run(command)
        if said:
            done.refused_with(2, said)
        else:
            assert (done.code, "Traceback" in done.err) == (0, False), done
            assert done.out
    if said:
        assert sorted(file.name for file in folder.iterdir()) == before


def test_rows_that_go_backwards_are_released_as_the_others(folder: Path, run: Run) -> None:
    """The order in which rows lie is no part of a release."""
    released = []
    (folder / "unspoken.toml").write_text(PROJECT.format(source=""))
    for make in (rows, backwards):
        pq.write_table(pa.table(make()), "t.parquet")
        assert run("release").code == 0
        released.append((folder / "released.parquet").read_bytes())
    assert released[0] == released[1]
