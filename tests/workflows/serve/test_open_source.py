"""The table stays open between requests, and what changed in its files is noticed all the same.

Openings are counted, not seconds.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.within import HANG, within
from tests.workflows.serve import building
from unspoken.core.errors import InputError
from unspoken.tables.engines import duckdb as engine
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning.counts import beside
from unspoken.tables.policy import Project
from unspoken.workflows.query import NoisyAnswer
from unspoken.workflows.serve import Curator
from unspoken.workflows.serve.open_source import OpenSource
from unspoken.workflows.serve.request import Request
from unspoken.workflows.serve.results import Held

COUNT = "SELECT COUNT(*) FROM visits"


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Each time that a table was opened; files count as settled once they are written."""
    made, opened = list[Any](), vars(engine)["opened"]

    def counted(*given: Any) -> Any:
        made.append(given)
        return opened(*given)

    monkeypatch.setattr(engine, "opened", counted)
    monkeypatch.setattr(beside, "SETTLED", 0.0)
    return made


@pytest.fixture
def curator(path: Path, openings: list[Any]) -> Curator:
    found = Curator.of(path)
    openings.clear()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        f"{COUNT} WHERE nothing = 1",
        f"{COUNT} WHERE use = 'low'",
        "SELECT COUNT(*) FROM others",
        "SELECT arrival FROM visits",
        "SELECT MEDIAN(arrival) FROM visits",
        "DROP TABLE visits",
    ],
)
def test_a_query_refused_by_a_name_opens_nothing_and_waits_for_nobody(
    curator: Curator, openings: list[Any], text: str
) -> None:
    with curator.charging(), within(), pytest.raises(InputError):
        curator.answer("lighting", text)
    assert openings == []


@pytest.mark.parametrize(
    "asked", [Request(("use",)), Request((), "nothing = 1"), Request((), "office = (SELECT 1)")]
)
def test_cells_refused_by_a_name_open_nothing(
    curator: Curator, openings: list[Any], asked: Request
) -> None:
    for ask in (curator.cells, curator.rehearse):
        with curator.charging(), within(), pytest.raises(InputError):
            ask("lighting", asked)
    assert openings == []


@pytest.mark.slow
def test_requests_share_one_table(curator: Curator, openings: list[Any]) -> None:
    for _ in range(3):
        assert curator.catalogue("lighting").epochs == {"0": 750, "1": 375}
        assert curator.rehearse("lighting", Request(epochs=("1",))).rows == {"1": 375}
        curator.answer("lighting", COUNT, dry_run=True)
    assert len(openings) == 1


@pytest.mark.slow
def test_threads_have_sessions_of_their_own(curator: Curator, openings: list[Any]) -> None:
    def ask(office: int) -> int:
        found = curator.rehearse("lighting", Request((), f"office < {office}"))
        return sum(found.rows.values())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(1, 25))) == [45 * office for office in range(1, 25)]
    assert len(openings) == 1


def _rows(curator: Curator) -> Any:
    """What is counted of keys, without noise."""
    answer = curator.answer("lighting", COUNT)
    assert isinstance(answer, NoisyAnswer)
    return answer.rows


def test_a_table_that_was_written_again_is_opened_again(
    curator: Curator, openings: list[Any]
) -> None:
    folder = curator.project.path.parent
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 375}
    pq.write_table(building.rows(-60, 60), folder / "new.parquet")
    os.replace(folder / "new.parquet", folder / "visits.parquet")
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 750}
    assert _rows(curator) == [[1500]]
    building.arrived(folder, 50)  # in its place
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 500}
    assert _rows(curator) == [[1250]]
    assert len(openings) == 3


def test_as_many_bytes_at_the_same_time_are_another_file(
    curator: Curator, openings: list[Any]
) -> None:
    """What copies a file with its times leaves those of its inode."""
    file = curator.project.path.parent / "visits.parquet"
    before = file.stat()
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 375}
    file.write_bytes(file.read_bytes())
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    curator.catalogue("lighting")
    assert len(openings) == 2


def test_cells_of_a_file_that_took_the_place_of_another_are_those_of_the_new_one(
    path: Path,
) -> None:
    """Though it has as many bytes and the same time."""
    file = path.parent / "visits.parquet"

    def write(offices: pa.Array) -> Path:
        new = path.parent / "new.parquet"
        rows = building.rows(-60, 45)
        rows = rows.set_column(0, "office", offices)
        pq.write_table(rows, new, use_dictionary=False, compression="none")
        return new

    offices = building.rows(-60, 45)["office"].to_pylist()
    os.replace(write(pa.array(offices)), file)
    curator, before = Curator.of(path), file.stat()
    assert curator.cells("lighting", Request(epochs=("1",))).charged == ("1",)
    new = write(pa.array([*offices[:-1], 98]))
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(new, file)
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    given = curator.cells("lighting", Request(("arrival",), "office = 98", ("1",)))
    assert (given.rows.num_rows, given.charged) == (1, ("1",))


def test_a_table_that_is_gone_is_missed_and_found_again(curator: Curator) -> None:
    file = curator.project.path.parent / "visits.parquet"
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 375}
    held = file.rename(file.with_suffix(".away"))
    with pytest.raises(Held):
        curator.catalogue("lighting")
    held.rename(file)
    assert curator.catalogue("lighting").epochs == {"0": 750, "1": 375}


def test_what_was_written_a_moment_ago_is_not_kept(
    curator: Curator, openings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be written again within one tick of the clock of files."""
    monkeypatch.setattr(beside, "SETTLED", 1e6)
    for _ in range(3):
        curator.catalogue("lighting")
    assert len(openings) == 3


def _project(folder: Path, source: str) -> Project:
    text = building.PROJECT.format(application="", limit="odds_cap = 4.0")
    path = folder / "unspoken.toml"
    path.write_text(text.replace('table = "visits.parquet"', source))
    return Project.read(path)


def _days(source: OpenSource, project: Project) -> int:
    return source.read(project).table.groups(["day"], "source.keys")[0]


@pytest.mark.parametrize(
    "declared", ['table = "parts"', 'table = "parts/*.parquet"', "sql = \"FROM 'parts/*.parquet'\""]
)
def test_a_part_that_was_added_is_read(tmp_path: Path, openings: list[Any], declared: str) -> None:
    (tmp_path / "parts").mkdir()
    project, source = _project(tmp_path, declared), OpenSource()
    for last in (1, 2, 3):
        pq.write_table(building.rows(last - 1, last), tmp_path / "parts" / f"{last}.parquet")
        assert [_days(source, project) for _ in range(3)] == [last] * 3
    (tmp_path / "parts" / "2.parquet").unlink()
    assert _days(source, project) == 2
    assert len(openings) == 4


def test_another_declaration_is_another_table(tmp_path: Path, openings: list[Any]) -> None:
    building.arrived(tmp_path, 5, first=0)
    source = OpenSource()
    for most in (3, 5, 3):
        sql = f"FROM 'visits.parquet' WHERE day < {most}"
        assert _days(source, _project(tmp_path, f'sql = "{sql}"')) == most
    assert len(openings) == 3


def test_a_database_is_left_to_those_who_write_it(tmp_path: Path, openings: list[Any]) -> None:
    base = tmp_path / "base.duckdb"
    project = _project(tmp_path, 'table = "visits"\ndatabase = "base.duckdb"')
    source, visits = OpenSource(), building.rows(0, 4)
    with duckdb.connect(base) as con:
        con.register("arrived", visits)
        con.execute("CREATE TABLE visits AS FROM arrived WHERE day < 2")
    assert [_days(source, project) for _ in range(2)] == [2, 2]
    with duckdb.connect(base) as con:
        con.register("arrived", visits)
        con.execute("INSERT INTO visits FROM arrived WHERE day >= 2")
    assert _days(source, project) == 4
    assert len(openings) == 3


def test_who_still_reads_a_table_that_was_replaced_keeps_it_open(
    tmp_path: Path, openings: list[Any]
) -> None:
    building.arrived(tmp_path, 5, first=0)
    project, source = _project(tmp_path, 'table = "visits.parquet"'), OpenSource()
    first = source.read(project).table
    assert isinstance(first, engine.DuckTable)
    spill = Path(first._home.spill.folder)
    building.arrived(tmp_path, 6, first=0)
    assert _days(source, project) == 6
    assert spill.exists()
    rows = first.batches(Scan(["day"], ordered=False)).read_all()
    assert rows.num_rows == 6 * 25  # by their path, as ever
    del first, rows
    assert not spill.exists()


def test_many_who_come_at_once_open_it_once(tmp_path: Path, openings: list[Any]) -> None:
    building.arrived(tmp_path, 5, first=0)
    project, source = _project(tmp_path, 'table = "visits.parquet"'), OpenSource()
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(_days, source, project) for _ in range(16)]
        assert {each.result(HANG) for each in found} == {5}
    assert len(openings) == 1
