"""No project file, and no command that looks at a table, writes a value that few rows have."""

from __future__ import annotations

import itertools
import json
import re
import string
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.tables.policy import Project

FEW = 5
ROWS = 180


def test_addresses_are_neither_written_nor_released(run: Run, folder: Path) -> None:
    mails = [f"p{k}.smith@example.org" for k in range(9)]
    table = {
        "office": [f"o{k % 9}" for k in range(ROWS)],
        "day": [f"2026-01-{1 + k // 9:02d}" for k in range(ROWS)],
        "contact": [mails[k % 9] for k in range(ROWS)],
        "late": [k % 7 == 0 for k in range(ROWS)],
    }
    pq.write_table(pa.table(table), "mail.parquet")
    done = run("init", "mail.parquet", "--json")
    text = Path("unspoken.toml").read_text()
    assert "@" not in text + done.out + done.err
    line = '# "contact" looks like e-mail addresses: not released; declare it if that is wrong.\n'
    assert line in text
    assert [*Project.parse(text).attributes] == ["late"]
    told = run("leak", "mail.parquet", "--json")
    assert "@" not in told.out + told.err
    assert "looks like e-mail addresses" in run("leak", "mail.parquet").out


def test_rare_values_are_not_listed_and_the_project_works_without(run: Run, folder: Path) -> None:
    table = {
        "person": range(ROWS),
        "illness": ["Kuru" if k == 3 else "HIV" if k < 3 else "none" for k in range(ROWS)],
        "kids": [17 if k == 8 else k % 3 for k in range(ROWS)],
        "pay": [9_876_543.25 if k == 5 else 1000.0 + 7 * k for k in range(ROWS)],
        "smokes": [k % 3 == 0 for k in range(ROWS)],
    }
    pq.write_table(pa.table(table), "rare.parquet")
    assert run("init", "rare.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert not {"Kuru", "HIV", "17", "9876543.25"} & {*re.findall(r"[\w.]+", text)}
    assert "# values are not listed: 2 of 3 occur in fewer than 5 rows each." in text
    sensitive = text.replace(
        "# sensitive = \"illness = 'none'\"", "sensitive = \"illness = 'HIW'\""
    )
    assert sensitive != text
    Path("unspoken.toml").write_text(sensitive)
    refused = run("plan")
    assert refused.code == 2
    assert 'illness is never "HIW"' in refused.err
    assert not any(value in refused.err + refused.out for value in ("Kuru", 'HIV"'))
    Path("unspoken.toml").write_text(sensitive.replace("HIW", "none"))
    assert run("release", "--dry-run").code in (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "leak", "plan"])
def test_no_refusal_of_rows_writes_a_value(run: Run, folder: Path, command: str) -> None:
    table = {
        "row": [*range(40)],
        "kids": [*[0, 1, 2] * 12, 0, 1, 4711, 4711],
        "contact": [f"p{k // 4}.smith@example.org" for k in range(40)],
    }
    pq.write_table(pa.table(table), "t.parquet")
    text = """format = 1
[source]
table = "t.parquet"
keys = ["row"]
[epoch]
label = "1"
[attribute.kids]
values = [0, 1, 2]
sensitive = "kids = 2"
[application.all]
reads = ["kids"]
[limit]
odds_cap = 4.0
"""
    Path("unspoken.toml").write_text(text)
    strange = run(command)
    Path("unspoken.toml").write_text(text.replace('"row"', '"contact"'))
    twice = run(command)
    if command != "check":  # which does not look for values in rows
        assert "2 rows hold none of its values" in strange.out + strange.err
        assert strange.code == 2
    assert "4 rows of t.parquet have the same contact" in twice.out + twice.err
    assert twice.code == 2
    for done in (strange, twice):
        assert "4711" not in done.out + done.err
        assert "smith" not in done.out + done.err
    query = re.search(r"(SELECT contact, .*? HAVING count\(\*\) > 1)", twice.out + twice.err)
    assert query is not None
    with duckdb.connect() as connection:
        connection.register("t", pq.read_table("t.parquet"))
        assert len(connection.execute(query[1]).fetchall()) == 10


@pytest.mark.slow
@pytest.mark.parametrize("zeros", range(20, 101, 20))
@pytest.mark.parametrize("above", [3, 6, 9, 30])
def test_each_bin_that_is_written_has_five_rows(
    run: Run, folder: Path, zeros: int, above: int
) -> None:
    amounts = [*[0.0] * zeros, *(97.5 + 13.5 * k * k for k in range(above))]
    pq.write_table(pa.table({"row": [*range(len(amounts))], "amount": amounts}), "t.parquet")
    assert run("init", "t.parquet").code == 0
    attributes = Project.parse(Path("unspoken.toml").read_text()).attributes
    written = attributes["amount"].bins if "amount" in attributes else ()
    bins = [edge for edge in written or () if isinstance(edge, float)]
    assert bins or above < 30
    for low, high in itertools.pairwise([-np.inf, *bins, np.inf]):
        assert sum(low <= x < high for x in amounts) >= FEW


def columns_of(rng: np.random.Generator, rows: int) -> dict[str, list[object]]:
    """Columns of every kind, with values that many rows have, that few have, and that one has."""

    def word(length: int) -> str:
        return "".join(rng.choice([*string.ascii_lowercase], length))

    words = [word(9) for _ in range(int(rng.integers(2, 40)))]
    weights = rng.dirichlet(np.full(len(words), 0.3))
    scale = 10.0 ** rng.integers(-3, 7)
    heavy = np.abs(rng.standard_cauchy(rows)) * scale
    days = np.datetime64("2024-03-01") + rng.integers(0, int(rng.integers(2, 900)), rows)
    return {
        "id": [*range(rows)],
        "kind": [words[k] for k in rng.choice(len(words), rows, p=weights)],
        "amount": np.round(heavy, int(rng.integers(0, 4))).tolist(),
        "whole": (heavy % 10**9).astype(int).tolist(),
        "few": np.minimum(rng.geometric(0.5, rows), 30).tolist(),
        "when": days.astype("datetime64[D]").tolist(),
        "code": [f"{word(1).upper()}{rng.integers(100, 999)}" for _ in range(rows)],
        "euro": [f"{x:.2f}".replace(".", ",") for x in heavy],
        "flag": (rng.random(rows) < 0.01).tolist(),
    }


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_table_no_rare_value_is_written(run: Run, folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 900))
    columns = columns_of(rng, rows)
    pq.write_table(pa.table(columns), "t.parquet")
    assert run("init", "t.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    attributes = Project.parse(text).attributes
    listed = {name: [*(rule.values or ()), *(rule.bins or ())] for name, rule in attributes.items()}
    for found in re.finditer(r"# \[attribute\.(\w+)\][^\n]*\n# bins = (\[.*\])\n", text):
        listed[found[1]] = json.loads(found[2])
    assert sum(map(len, listed.values())) > 3
    for name, written in listed.items():
        kept = [float(str(x).replace(",", ".")) if name == "euro" else x for x in columns[name]]
        counts = Counter(str(x) if name == "when" else x for x in kept)
        assert not [value for value in written if 0 < counts[value] < FEW], name
    counts = Counter(columns["kind"])
    told = run("leak", "t.parquet")
    assert told.code == 0
    for word in re.findall(r"\b[a-z]{9}\b", text + told.out):
        assert not 0 < counts[word] < FEW
