"""What `unspoken init` proposes for columns that no bins fit: keys, periods, beginnings, other."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.doors.conftest import Run
from unspoken.policy import Project

ROWS = 2_000
DAY = dt.datetime(2026, 1, 1)


@pytest.fixture
def contacts(folder: Path) -> pa.Table:
    rng = np.random.default_rng(0)
    days = [DAY + dt.timedelta(int(day)) for day in rng.integers(0, 365, ROWS)]
    codes = [f"{'ABCD'[a]}{b:02d}.{c}" for a, b, c in rng.integers(0, 4, (ROWS, 3))]
    columns = {
        "contact": np.arange(ROWS),
        "person": rng.integers(1, 101, ROWS),
        "family_ID": rng.integers(1, 300, ROWS),
        "slot": rng.permutation(ROWS) % 200,
        "weight": rng.normal(80, 15, ROWS).round().astype(int),
        "note": [f"note {row}" for row in range(ROWS)],
        "day": [day.date() for day in days],
        "seen": days,
        "icd": codes,
        "city": [f"it's {min(city, 60)}" for city in rng.zipf(1.7, ROWS)],
        "role": np.array(["PAT", "NUR", "MED"])[rng.integers(0, 3, ROWS)].tolist(),
    }
    table = pa.table(columns)
    pq.write_table(table, folder / "contacts.parquet")
    return table


def test_names_are_offered_as_keys_and_never_binned(contacts: pa.Table, run: Run) -> None:
    assert run("init", "contacts.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert {*Project.read(".").attributes} == {"weight", "role"}
    assert '# keys = ["contact", "person", "family_ID"]\n# unit = ["person", "family_ID"]' in text
    assert '# "person" is left out: 100 different values under this name look like names.' in text
    assert (
        '# "slot" is left out: 200 different whole numbers without a gap look like names.' in text
    )
    assert '# "note" is left out: 2,000 different values in 2,000 rows look like names.' in text
    more = re.sub(r"(?m)^(keys|unit) = .*\n", "", text)
    Path("unspoken.toml").write_text(re.sub(r"(?m)^# (keys|unit) = ", r"\1 = ", more))
    assert Project.read(".").source.unit == ("person", "family_ID")
    assert run("learn").code == 0


def take_in(*names: str) -> None:
    """Take the SQL that is proposed, and what it groups, as the comments say."""
    lines = Path("unspoken.toml").read_text().splitlines()
    first = lines.index('# sql = """SELECT * REPLACE (')
    last = next(n for n, line in enumerate(lines) if line.endswith('"""') and n > first)
    wanted = (*(f"# [attribute.{name}]" for name in names), "# reads = ")
    taken = [
        line.removeprefix("# ") if first <= n <= last or line.startswith(wanted) else line
        for n, line in enumerate(lines)
        if not line.startswith(("table =", "reads ="))
    ]
    Path("unspoken.toml").write_text("\n".join(taken))


def test_columns_of_too_many_values_come_with_sql_that_works(contacts: pa.Table, run: Run) -> None:
    assert run("init", "contacts.parquet").code == 0
    take_in("day", "seen", "icd", "city")
    said = run("learn", "--json")
    assert said.code == 0, said.err
    labels = {name: len(one["labels"]) for name, one in said.json["attributes"].items()}
    assert (labels["day"], labels["seen"], labels["city"]) == (12, 12, 10)
    assert 2 <= labels["icd"] <= 20


def test_whole_numbers_that_are_codes_lose_their_last_digits(folder: Path, run: Run) -> None:
    """Codes that begin alike mean alike; one that begins with 0 is a shorter number."""
    rng = np.random.default_rng(1)
    zips = np.concatenate([np.arange(1000, 1300, 3), np.arange(94_000, 94_990, 11)])
    columns = {
        "id": np.arange(ROWS),
        "zip": rng.choice(zips, ROWS),
        "icd_code": rng.choice(np.arange(1000, 9000, 37), ROWS),
        "debt": rng.choice(np.arange(-5000, 9000, 37), ROWS),
        "shift_code": rng.choice(np.arange(-30, 30), ROWS),  # below 0 there are no codes
        "role": np.array(["PAT", "NUR", "MED"])[rng.integers(0, 3, ROWS)].tolist(),
    }
    pq.write_table(pa.table(columns), folder / "codes.parquet")
    assert run("init", "codes.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert {*Project.read(".").attributes} == {"debt", "role"}
    assert "zip // 100 AS zip,\n" in text
    assert "icd_code // 1000 AS icd_code)\n" in text
    assert '# "shift_code" is left out: 60 different values under this name look like names' in text
    take_in("zip", "icd_code")
    learned = run("learn", "--json").json["attributes"]
    assert [len(learned[name]["labels"]) for name in ("zip", "icd_code")] == [13, 8]
