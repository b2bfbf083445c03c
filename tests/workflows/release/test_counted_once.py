"""What was counted of a table is kept between commands, as long as the table is what it was."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError, LimitExceeded
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.learning.counts import beside, counted
from unspoken.workflows.release import Prepared, prepare, release
from unspoken.workflows.release.flow import rehearse

PROJECT = """
format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.late]
sensitive = "late = 'yes'"
[attribute.use]
bins = [1, 2]
[application.a]
reads = ["late", "use"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
"""


def write(folder: Path, seed: int = 1, ids: list[int] | None = None) -> None:
    rng = np.random.default_rng(seed)
    late = rng.random(400) < 0.3
    table = {
        "id": ids or list(range(400)),
        "late": np.where(late, "yes", "no"),
        "use": np.where(late, rng.integers(0, 2, 400), rng.integers(0, 4, 400)),
    }
    pq.write_table(pa.table(table), folder / "t.parquet", compression="none", use_dictionary=False)
    old = (folder / "t.parquet").stat().st_mtime_ns - 10**10 * seed
    os.utime(folder / "t.parquet", ns=(old, old))  # ten seconds ago: it has settled


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Few rows, kept nevertheless."""
    monkeypatch.setattr(counted, "WORTH", 1)
    write(tmp_path)
    (tmp_path / "unspoken.toml").write_text(PROJECT)
    return tmp_path / "unspoken.toml"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], tuple[Prepared, int]]:
    """Prepare a project, and count how often rows were read."""
    times = [0]
    batches, check = DuckTable.batches, DuckTable.check

    def counting(self: DuckTable, *given: object, **named: object) -> object:
        times[0] += 1
        return batches(self, *given, **named)  # type: ignore[arg-type]

    def checking(self: DuckTable, where: str) -> None:
        times[0] += 1
        check(self, where)

    monkeypatch.setattr(DuckTable, "batches", counting)
    monkeypatch.setattr(DuckTable, "check", checking)

    def prepared(path: Path, fresh: bool = False) -> tuple[Prepared, int]:
        times[0] = 0
        return prepare(path, fresh=fresh), times[0]

    return prepared


def kept(project: Path) -> list[Path]:
    return sorted((project.parent / ".unspoken").glob("learned-*.json"))


def the_same(one: Prepared, other: Prepared) -> bool:
    tables = [ready.learned.belief.marginal(["late", "use"]) for ready in (one, other)]
    return one.learned.labels == other.learned.labels and bool((tables[0] == tables[1]).all())


def test_the_second_command_reads_no_row(project: Path, read: Callable[..., tuple]) -> None:
    first, times = read(project)
    assert times > 1
    second, times = read(project)
    assert times == 0
    assert the_same(first, second)
    assert first.closed == second.closed
    assert read(project, fresh=True)[1] > 1


def test_it_is_as_secret_as_the_table(project: Path, read: Callable[..., tuple]) -> None:
    read(project)
    (file,) = kept(project)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert (file.parent / ".gitignore").read_text() == "*\n"


def test_a_changed_table_is_read_again(project: Path, read: Callable[..., tuple]) -> None:
    before, _ = read(project)
    size = (project.parent / "t.parquet").stat().st_size
    write(project.parent, seed=2)
    assert abs((project.parent / "t.parquet").stat().st_size - size) < 2000
    after, times = read(project)
    assert times > 1
    assert not the_same(before, after)
    assert len(kept(project)) == 1  # that of the old one is gone


def test_another_question_is_counted_anew(project: Path, read: Callable[..., tuple]) -> None:
    read(project)
    project.write_text(PROJECT.replace("bins = [1, 2]", "bins = [1, 3]"))
    assert read(project)[1] > 1
    project.write_text(PROJECT.replace("bins = [1, 2]", "bins = [1, 3]").replace("0.1", "0.2"))
    ready, times = read(project)
    assert times == 0  # limits are none of the table
    assert ready.project.limits.bits == 0.2


def test_a_table_written_this_moment_is_not_kept(
    project: Path, read: Callable[..., tuple], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that stands still, a little before and a little after it has settled."""
    written = (project.parent / "t.parquet").stat().st_mtime_ns / 1e9
    for since, files in ((0.0, 0), (beside.SETTLED - 0.1, 0), (beside.SETTLED + 0.1, 1)):
        clock = SimpleNamespace(time=lambda now=written + since: now)
        monkeypatch.setattr(beside, "time", clock)
        read(project)
        assert len(kept(project)) == files


def flipped(text: str) -> str:
    held = json.loads(text)
    held["table"]["counts"] = held["table"]["counts"][:-4] + "AAA="
    return json.dumps(held)


@pytest.mark.slow
@pytest.mark.parametrize(
    "corrupt",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "[" * 100_000,
        lambda text: text.replace('"sizes": [', '"sizes": [7, '),
        flipped,
        lambda text: "\x00" * 100,
    ],
)
def test_what_is_not_whole_is_not_believed(
    project: Path, read: Callable[..., tuple], corrupt: Callable[[str], str]
) -> None:
    first, _ = read(project)
    (file,) = kept(project)
    file.write_text(corrupt(file.read_text()))
    second, times = read(project)
    assert times > 1
    assert the_same(first, second)


@pytest.mark.slow
def test_nothing_is_lost_where_nothing_can_be_kept(
    project: Path, read: Callable[..., tuple]
) -> None:
    (project.parent / ".unspoken").write_text("in the way")
    assert read(project)[1] > 1
    assert read(project)[1] > 1


@pytest.mark.slow
def test_a_release_reads_its_rows_itself(project: Path, read: Callable[..., tuple]) -> None:
    read(project)
    done = release(project)
    plain = (done.path).read_bytes()
    assert release(project, fresh=True).again
    assert done.path.read_bytes() == plain
    # The same size, time and place, other rows: learning may be fooled, a release is not.
    (file,) = kept(project)
    info = (project.parent / "t.parquet").stat()
    text = json.loads(file.read_text())
    write(project.parent, seed=3)
    os.utime(project.parent / "t.parquet", ns=(info.st_mtime_ns, info.st_mtime_ns))
    text["files"] = beside.seen([project.parent / "t.parquet"])
    file.write_text(json.dumps(text))
    assert read(project)[1] == 0
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        release(project)


@pytest.mark.parametrize("command", [release, rehearse])
def test_a_release_sees_that_keys_name_rows(
    command: Callable[[Path], object], project: Path, read: Callable[..., tuple]
) -> None:
    read(project)
    (file,) = kept(project)
    text = json.loads(file.read_text())
    write(project.parent, ids=[1, 1, *range(2, 400)])
    text["files"] = beside.seen([project.parent / "t.parquet"])
    file.write_text(json.dumps(text))
    with pytest.raises(InputError, match="have the same"):
        command(project)


def test_times_that_were_set_back_deceive_nobody(project: Path, read: Callable[..., tuple]) -> None:
    read(project)
    table = project.parent / "t.parquet"
    held = table.stat()
    table.write_bytes(table.read_bytes())
    os.utime(table, ns=(held.st_mtime_ns, held.st_mtime_ns))
    assert table.stat().st_mtime_ns == held.st_mtime_ns
    assert read(project)[1] > 1


@pytest.mark.skipif(os.name != "posix", reason="who may write is said another way there")
def test_a_folder_that_others_can_write_to_is_left_alone(
    project: Path, read: Callable[..., tuple]
) -> None:
    read(project)
    (file,) = kept(project)
    file.parent.chmod(0o770)
    assert read(project)[1] > 1
    file.parent.rename(project.parent / "elsewhere")
    (project.parent / "elsewhere").chmod(0o700)
    (project.parent / ".unspoken").symlink_to(project.parent / "elsewhere")
    assert read(project)[1] > 1


def test_a_link_in_place_of_our_gitignore_is_not_followed(
    project: Path, read: Callable[..., tuple]
) -> None:
    (project.parent / "precious").write_text("x")
    (project.parent / ".unspoken").mkdir(mode=0o700)
    (project.parent / ".unspoken" / ".gitignore").symlink_to(project.parent / "precious")
    read(project)
    assert (project.parent / "precious").read_text() == "x"
    assert len(kept(project)) == 1


def test_what_a_database_has_in_its_log_is_new_data(
    project: Path, read: Callable[..., tuple]
) -> None:
    """A program that is killed leaves its last rows beside the file, which stays as it was."""
    base = project.parent / "t.duckdb"
    with duckdb.connect(str(base)) as con:
        con.execute(f"CREATE TABLE t AS FROM '{project.parent / 't.parquet'}'")
    os.utime(base, ns=(1, 1))
    project.write_text(PROJECT.replace('table = "t.parquet"', 'table = "t"\ndatabase = "t.duckdb"'))
    assert read(project)[0].learned.rows == 400
    insert = (
        "import duckdb, os, sys; con = duckdb.connect(sys.argv[1]);"
        "con.execute(\"INSERT INTO t VALUES (400, 'yes', 1)\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", insert, str(base)], check=True)
    assert (project.parent / "t.duckdb.wal").exists()
    assert read(project)[0].learned.rows == 401
