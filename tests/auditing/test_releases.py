"""A project's releases, attacked: rows find their source; what gives secrets away is found."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.errors import InputError

PROJECT = """
format = 1
[source]
table = "days.parquet"
keys = ["who", "day", "at"]
[epoch]
of = "substr(day, 1, 4)"
[attribute.late]
sensitive = "late = 'yes'"
[attribute.use]
missing = "value"
[application.one]
reads = ["use"]
[application.all]
reads = ["late", "use"]
[belief]
noise = "none"
[output]
release = "released.parquet"
manifest = "manifest.json"
[limit]
odds_cap = 4
"""
ROWS = 12_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rows whose cells are late with 30 %, and then rather without use, or of unknown use."""
    rng = np.random.default_rng(11)
    late = np.where(rng.random(ROWS) < 0.3, "yes", "no")
    use = np.where(rng.random(ROWS) < np.where(late == "yes", 0.3, 0.7), "much", "little")
    begin = datetime.date(2024, 1, 1)
    table = {
        "who": pa.array([f"w{k % 40}" for k in range(ROWS)]),
        "day": pa.array([begin + datetime.timedelta(k // 40) for k in range(ROWS)]),
        "at": pa.array(np.arange(ROWS) % 7, pa.int16()),
        "late": pa.array(late),
        "use": pa.array(use, mask=rng.random(ROWS) < 0.1),
    }
    pq.write_table(pa.table(table), tmp_path / "days.parquet")
    (tmp_path / "unspoken.toml").write_text(PROJECT)
    return tmp_path


def test_every_row_is_attacked_and_no_limit_beaten(folder: Path) -> None:
    unspoken.release(folder)
    found = unspoken.audit(folder)
    (one,) = found.attacked
    assert (one.about, one.reader, one.rows, found.beaten) == ("late", None, ROWS, [])
    assert one.verdict.claim.bound == math.log(4)
    assert one.verdict.sure_share > 0.3  # the join is right: it finds what a coin lets it find
    best = one.naive.best
    assert best is not None
    assert (best.recovered, best.right, one.naive.word) == (1.0, 1.0, "fail")
    assert "safe" not in f"{found}{one}"


def test_each_application_s_file_is_attacked_by_itself(folder: Path) -> None:
    project = folder / "unspoken.toml"
    project.write_text(PROJECT + 'coalitions = [["one"], ["all"]]\n')
    with pytest.raises(InputError, match="nothing is released yet"):
        unspoken.audit(project)
    for reader in ("one", "all"):
        unspoken.release(project, reader=reader)
    found = {own.reader: own for own in unspoken.audit(project).attacked}
    assert [*found] == ["one", "all"]
    assert found["one"].naive.word != "not testable"
    assert found["one"].naive.best is not None
    assert found["one"].naive.best.right < 1  # of use alone, blanks tell nothing for certain
    assert not any(own.verdict.word == "fail" for own in found.values())


def test_a_release_that_gives_away_is_found(folder: Path) -> None:
    """Somebody puts the cells back that coins withheld, and has the manifest agree."""
    done = unspoken.release(folder)
    rows, source = pq.read_table(done.path), pq.read_table(folder / "days.parquet")
    keys = ["who", "day", "at"]
    place = {tuple(row[k] for k in keys): row["late"] for row in source.to_pylist()}
    late = [place[tuple(row[k] for k in keys)] for row in rows.select(keys).to_pylist()]
    shown = pa.array([None if cell == "yes" else cell for cell in late])
    kind = rows.schema.field("late").type
    rows = rows.set_column(rows.column_names.index("late"), "late", shown.cast(kind))
    pq.write_table(rows, done.path)
    paper = json.loads(done.manifest.read_text())
    paper["release"]["sha256"] = hashlib.sha256(done.path.read_bytes()).hexdigest()
    done.manifest.write_text(json.dumps(paper))
    (one,) = unspoken.audit(folder).beaten
    best = one.verdict.best
    assert best is not None
    assert (best.recovered, best.right, one.verdict.share) == (1.0, 1.0, math.inf)


def test_no_cap_for_every_answer_is_no_bound(folder: Path) -> None:
    project = folder / "unspoken.toml"
    project.write_text(PROJECT + "exceed = 0.01\n[plan]\nby = 'cell'\n")
    unspoken.release(project)
    (one,) = unspoken.audit(project).attacked
    assert (one.verdict.word, one.verdict.in_words()) == ("not testable", "no bound is claimed")
