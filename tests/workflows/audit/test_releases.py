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
from unspoken.core.errors import InputError
from unspoken.workflows.release import Released

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


@pytest.mark.slow
def test_every_row_is_attacked_and_no_limit_beaten(folder: Path) -> None:
    unspoken.release(folder)
    found = unspoken.audit(folder)
    (one,) = found.attacked
    assert (one.about, one.reader, one.rows, found.beaten) == ("late", None, ROWS, [])
    assert one.verdict.claim.bound == math.log(4)
    assert one.verdict.best is not None
    assert one.verdict.best.low > 0.3 * math.log(4)  # the join is right: it finds what coins let it
    best = one.naive.best
    assert best is not None
    assert (best.recovered, best.right, one.naive.word) == (1.0, 1.0, "fail")
    assert "safe" not in f"{found}{one}"


@pytest.mark.slow
def test_what_was_released_from_a_frame_is_attacked_from_it(folder: Path) -> None:
    """There may be no file of it at all, as in a notebook."""
    frame = pq.read_table(folder / "days.parquet")
    (folder / "days.parquet").unlink()
    unspoken.release(folder, table=frame)
    with pytest.raises(InputError, match="days"):
        unspoken.audit(folder)
    (one,) = unspoken.audit(folder, table=frame).attacked
    assert (one.rows, one.verdict.word, one.naive.word) == (ROWS, "pass", "fail")


@pytest.mark.slow
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


DRAWS = PROJECT.replace("released.parquet", "released").replace("manifest.json", "manifests")


def test_draws_are_attacked_side_by_side(folder: Path) -> None:
    """Of two draws of a coin a cell more is told than of one, and no more than the cap that both
    were charged to; to whom that was one draw's, they break it.
    """
    project = folder / "unspoken.toml"
    plan = "[plan]\nby = 'cell'\nodds_cap = 1.4\n"
    project.write_text(DRAWS.replace("odds_cap = 4", "odds_cap = 2") + plan)
    for draw in (1, 2):
        unspoken.release(project, draw=draw)
    one, both = unspoken.audit(project).attacked
    assert (one.draws, one.rows, both.draws, both.rows) == (1, ROWS, 2, ROWS)
    assert not [each for each in (one, both) if each.verdict.word == "fail"]
    assert one.verdict.best is not None
    assert both.verdict.best is not None
    assert both.verdict.best.leakage.value > one.verdict.best.leakage.value
    assert both.as_json()["draws"] == 2
    assert "to everybody, 2 draws: " in both.in_words()
    project.write_text(DRAWS.replace("odds_cap = 4", "odds_cap = 1.3") + plan.replace("1.4", "1.3"))
    one, both = unspoken.audit(project).attacked
    assert both.verdict.word == "fail"  # who declares less than was given out is told


@pytest.mark.slow
def test_rows_that_one_draw_has_are_attacked_in_it_alone(folder: Path) -> None:
    project = folder / "unspoken.toml"
    project.write_text(DRAWS + "[plan]\nby = 'cell'\nodds_cap = 2\n")
    unspoken.release(project)
    unspoken.release(project, draw=2, epochs=["2024"])
    one, both = unspoken.audit(project).attacked
    days = pq.read_table(folder / "days.parquet")["day"].to_pylist()
    assert (one.rows, both.rows) == (ROWS, sum(day.year == 2024 for day in days))


def test_a_release_that_gives_away_is_found(folder: Path) -> None:
    giving_away(done := unspoken.release(folder), folder)
    (one,) = unspoken.audit(folder).beaten
    best = one.verdict.best
    assert best is not None
    assert (best.recovered, best.right, one.verdict.share) == (1.0, 1.0, math.inf)
    other = pq.read_table(done.path).sort_by("late")  # tells more; `--release` looks at that
    pq.write_table(other, done.path)
    with pytest.raises(InputError, match="is not the release that manifest"):
        unspoken.audit(folder)


def giving_away(done: Released, folder: Path) -> None:
    """Somebody puts the cells back that coins withheld, and has the manifest agree."""
    rows, source = pq.read_table(done.path), pq.read_table(folder / "days.parquet")
    keys = ["who", "day", "at"]
    place = {tuple(row[k] for k in keys): row["late"] for row in source.to_pylist()}
    late = [place[tuple(row[k] for k in keys)] for row in rows.select(keys).to_pylist()]
    shown = pa.array([None if cell == "yes" else cell for cell in late])
    kind = rows.schema.field("late").type
    tampered(done, rows.set_column(rows.column_names.index("late"), "late", shown.cast(kind)))


def tampered(done: Released, rows: pa.Table) -> None:
    """Another file in place of what was released, with a manifest that agrees."""
    pq.write_table(rows, done.path)
    paper = json.loads(done.manifest.read_text())
    paper["release"]["sha256"] = hashlib.sha256(done.path.read_bytes()).hexdigest()
    done.manifest.write_text(json.dumps(paper))


@pytest.mark.slow
def test_rows_that_the_source_has_not_are_named(folder: Path) -> None:
    """A row under another key, as one that was added is, and one that stands there twice."""
    done = unspoken.release(folder)
    rows = pq.read_table(done.path)
    assert unspoken.audit(folder).strays == []
    names = rows["who"].to_pylist()
    names[5] = "nobody"
    kind = rows.schema.field("who").type
    changed = rows.set_column(0, "who", pa.array(names).cast(kind))
    tampered(done, changed)
    (stray,) = (found := unspoken.audit(folder)).strays
    assert (stray.unknown, stray.twice, stray.word) == (1, 0, "not testable")
    assert stray.unknown_as[0].startswith("who = nobody, day = 2024-01-")
    assert (found.attacked[0].rows, found.failed) == (ROWS - 1, False)
    assert "days.parquet has not (who = nobody" in stray.in_words()
    tampered(done, pa.concat_tables([rows, rows.slice(9, 1)]))
    (stray,) = (found := unspoken.audit(folder)).strays
    assert (stray.unknown, stray.twice, stray.word) == (0, 2, "fail")
    assert (found.attacked[0].rows, found.beaten, found.failed) == (ROWS - 1, [], True)


@pytest.mark.slow
def test_a_release_of_another_table_is_not_called_nothing(folder: Path) -> None:
    done = unspoken.release(folder)
    rows = pq.read_table(done.path)
    names = pa.array([f"x{k}" for k in range(ROWS)]).cast(rows.schema.field("who").type)
    tampered(done, rows.set_column(0, "who", names))
    found = unspoken.audit(folder)
    assert (found.attacked, found.strays[0].unknown) == ([], ROWS)


def test_no_cap_for_every_answer_is_no_bound(folder: Path) -> None:
    project = folder / "unspoken.toml"
    project.write_text(PROJECT + "exceed = 0.01\n[plan]\nby = 'cell'\n")
    unspoken.release(project)
    (one,) = unspoken.audit(project).attacked
    assert (one.verdict.word, one.verdict.in_words()) == ("not testable", "no bound is claimed")


PUBLIC = PROJECT.replace('missing = "value"', 'missing = "public"')


@pytest.mark.slow
def test_what_is_missing_in_public_is_known_and_not_told(folder: Path) -> None:
    """Late days lack their use: no limit counts that, so none is beaten by it, and it is said how
    much it is. Who gives away the secret where nothing is missing is found out all the same.
    """
    table = pq.read_table(folder / "days.parquet")
    late = np.array(table["late"].to_pylist()) == "yes"
    lacks = late & (np.arange(ROWS) % 8 == 0)
    use = pa.array(table["use"].fill_null("much").to_pylist(), mask=lacks)
    pq.write_table(table.set_column(4, "use", use), folder / "days.parquet")
    (folder / "unspoken.toml").write_text(PUBLIC)
    done = unspoken.release(folder)
    found = {one.sought: one for one in unspoken.audit(folder).attacked}
    assert [*found] == ["late", "late, given missing = nothing"]
    whole, given = found.values()
    assert (whole.verdict.word, given.verdict.word) == ("not testable", "pass")
    assert (whole.verdict.claim.bound, given.verdict.claim.bound) == (None, math.log(4))
    assert whole.verdict.best is not None
    assert whole.verdict.best.low > math.log(4)
    giving_away(done, folder)
    (beaten,) = unspoken.audit(folder).beaten
    assert beaten.sought == "late, given missing = nothing"


def test_what_is_never_missing_is_no_public_knowledge(folder: Path) -> None:
    """It is declared that it might be: the cap of a plan by cells holds all the same."""
    table = pq.read_table(folder / "days.parquet")
    table = table.set_column(4, "use", table["use"].fill_null("much"))
    pq.write_table(table, folder / "days.parquet")
    (folder / "unspoken.toml").write_text(PUBLIC + "[plan]\nby = 'cell'\n")
    giving_away(unspoken.release(folder), folder)
    one, *rest = unspoken.audit(folder).attacked
    assert (one.sought, one.verdict.word) == ("late", "fail")
    assert all(each.given is None for each in rest)
