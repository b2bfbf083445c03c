"""A file that cannot be read is named as the holder wrote it, on one line that says what to do."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.files import blamed
from unspoken.tables.engines.protocol import Scan

pytestmark = pytest.mark.slow

ROWS = 20_000
AGAIN = "write this Parquet file again, or name another"
AS_TEXT = "save it again as UTF-8 below a line of column names, or as Parquet"


def whole(folder: Path) -> bytes:
    """A Parquet file of several pages, good.parquet, and its bytes."""
    table = pa.table({"id": range(ROWS), "x": [i * i % 997 for i in range(ROWS)]})
    pq.write_table(table, folder / "good.parquet", row_group_size=2_000)
    return (folder / "good.parquet").read_bytes()


def garbled(data: bytes) -> bytes:
    """The same but for its first pages; the footer still describes them."""
    return data[:500] + bytes((7 * byte + k) % 256 for k, byte in enumerate(data[500:9_000])) + (
        data[9_000:]
    )  # fmt: skip


BROKEN = {
    "small.parquet": (lambda data: b"x", AGAIN),
    "nothing.parquet": (lambda data: b"", AGAIN),
    "text.parquet": (lambda data: b"id,x\n1,2\n3,4\n", AGAIN),
    "half.parquet": (lambda data: data[: len(data) // 2], AGAIN),
    "pages.parquet": (garbled, AGAIN),
    "latin.csv": (lambda data: b"id,x\n1,\xff\xfe\n2,3\n", AS_TEXT),
    "packed.csv": (lambda data: data, AS_TEXT),
    "plain.csv.gz": (lambda data: b"no gzip at all", AS_TEXT),
    "cut.csv.gz": (lambda data: gzip.compress(data)[:-900], AS_TEXT),
    "plain.csv.zst": (lambda data: b"no zst at all", AS_TEXT),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where we are; broken files are in sub/."""
    (tmp_path / "sub").mkdir()
    data = whole(tmp_path)
    for name, (make, _) in BROKEN.items():
        (tmp_path / "sub" / name).write_bytes(make(data))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(folder: Path, **given: Any) -> None:
    """Open a source and read all of it."""
    table = DuckTable.open(**given, folder=folder)
    table.describe()
    table.batches(Scan(list(table.columns), ordered=False)).read_all()


def line(folder: Path, **given: Any) -> str:
    with pytest.raises(InputError) as refused:
        read(folder, **given)
    assert "\n" not in str(refused.value)
    assert str(folder) not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize(
    "given",
    [
        {"table": "{}"},
        {"sql": "SELECT * FROM '{}'"},
        {"sql": "SELECT * FROM 'good.parquet' UNION ALL BY NAME FROM '{}'"},
        {"table": "good.parquet", "preferences": "{}", "keys": "id"},
    ],
    ids=["table", "query", "join", "preferences"],
)
def test_a_broken_file_is_named(name: str, given: dict, here: Path) -> None:
    written = f"sub/{name}"
    asked = {key: value.format(written) for key, value in given.items()}
    if "keys" in asked:
        asked["keys"] = [asked["keys"]]
    place = "preferences" if "preferences" in given else "sql" if "sql" in given else "table"
    said = line(here, **asked)
    # Pages are only read once the table is: then the column is the place.
    assert said.startswith((f"source.{place}: ", "column "))
    assert written in said
    assert said.count(written) == 1
    assert said.endswith(f"; {BROKEN[name][1]}")


def test_what_is_wrong_is_said_after_opening_too(here: Path) -> None:
    (here / "t.parquet").write_bytes((here / "good.parquet").read_bytes())
    table = DuckTable.open("t.parquet", folder=here)
    (here / "t.parquet").write_bytes((here / "sub" / "pages.parquet").read_bytes())
    for ask in (
        lambda: table.batches(Scan(["id", "x"], ordered=False)).read_all(),
        lambda: table.values("id", 3, "attribute.id"),
        table.describe,
    ):
        with pytest.raises(InputError, match=rf"t\.parquet.*; {AGAIN}$") as refused:
            ask()
        assert str(here) not in str(refused.value)


def test_a_slip_in_sql_blames_no_file(here: Path) -> None:
    for sql in ("SELECT nothing FROM 'good.parquet'", "SELECT 'a'::INT AS b FROM 'good.parquet'"):
        assert "again" not in line(here, sql=sql)


@pytest.mark.parametrize(
    ("given", "called"),
    [
        ("sub/half.parquet", "sub/half.parquet"),
        ("../here/sub/half.parquet", "../here/sub/half.parquet"),
        ("{here}/sub/half.parquet", "sub/half.parquet"),
        ("{here}/../half.parquet", "../half.parquet"),
    ],
)
def test_a_path_is_what_the_project_says(given: str, called: str, tmp_path: Path) -> None:
    """A project hands on absolute paths: the shorter of the two ways to write one is shown."""
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    half = whole(here)[:900]
    for file in (here / "sub" / "half.parquet", tmp_path / "half.parquet"):
        file.write_bytes(half)
    said = line(here, table="good.parquet", preferences=given.format(here=here))
    assert f"'{called}'" in said
    assert f"'{called}'" in line(here, table=given.format(here=here), title=called)


def test_a_database_that_is_none_is_named(here: Path) -> None:
    (here / "sub" / "x.duckdb").write_bytes(b"nope")
    said = line(here, table="t", database="sub/x.duckdb")
    assert "sub/x.duckdb" in said
    assert said.endswith("; name a DuckDB file that no other program is writing to")


def test_a_folder_of_nothing_is_no_table(here: Path) -> None:
    (here / "parts.parquet").mkdir()
    assert "there is no .parquet or .csv file in it" in line(here, table="parts.parquet")


def test_the_nearest_file_is_named_with_its_folder(here: Path) -> None:
    assert 'Did you mean "sub/half.parquet"?' in line(here, table="sub/halv.parquet")
    (here / "empty").mkdir()
    assert 'there is no file "empty/x.csv", nor any' in line(here, table="empty/x.csv")


def test_of_a_long_name_the_end_is_shown_and_compared(here: Path) -> None:
    """It says which file is meant: what is before it is where many of them lie."""
    folder = "exports/of-the-third-quarter-of-2026/region-west/building-fourteen/cleaned-and-joined"
    (here / folder).mkdir(parents=True)
    for part in ("2026-08-v3", "2026-09-v3", "2026-10-v3"):
        (here / folder / f"space-days-{part}.parquet").write_bytes(b"x")
    said = line(here, table=f"{folder}/space-days-2026-09-v4.parquet")
    assert said.count("...") == 1
    assert '/space-days-2026-09-v4.parquet". Did you mean "exports/of-the-third' in said
    assert said.endswith('/space-days-2026-09-v3.parquet"?')
    said = line(here, table=f"{folder}/space-days-2025-*.csv")
    assert "..." in said
    assert 'space-days-2025-*.csv": there is no' in said


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_of_others_is_named(here: Path) -> None:
    (here / "good.parquet").chmod(0)
    assert "good.parquet: Permission denied; let your user" in line(here, table="good.parquet")


def test_a_query_is_blamed_on_its_own_line(here: Path) -> None:
    with duckdb.connect("e.duckdb") as con:
        con.execute("CREATE TABLE e (id INTEGER)")
    assert line(here, sql="FROM e", database="e.duckdb").startswith("source.sql: the query has no")


@pytest.mark.parametrize("name", ["x" * 5000 + ".parquet", "a\0b.csv", "\ud800.csv"])
def test_what_is_no_name_of_a_file(name: str) -> None:
    with pytest.raises(InputError, match="is no name of a file") as refused:
        DuckTable.open(name)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 200


def test_what_has_no_room_says_what_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT i AS id, 'a' || hash(i) AS s FROM range(1500000) t(i)"
    for setting, said in {
        "max_temp_directory_size = '4MB'": "TMPDIR (",
        "temp_directory = ''": 'more in [source], such as memory = "4GB"',
    }.items():
        with duckdb.connect() as con:
            con.execute("SET memory_limit = '50MB'; SET threads = 2")
            con.execute(f"SET temp_directory = '{tmp_path}'")
            con.execute(f"SET {setting}")
            with pytest.raises(duckdb.OutOfMemoryException) as short:
                con.sql(f"{query} ORDER BY s").to_arrow_reader(1000).read_all()
            line = blamed(short.value, [], con)
        assert said in line
        assert "\n" not in line
        assert "PRAGMA" not in line


def test_no_row_of_a_file_is_passed_on(here: Path) -> None:
    (here / "long.csv").write_text(f"id,x\n1,{'secret' * 400_000}\n2,b\n")
    (here / "latin.csv").write_bytes(b"id,x\n1,a\n2,caf\xe9 secret\n")
    for name in ("long.csv", "latin.csv"):
        assert "secret" not in line(here, table=name)


def test_text_of_parquet_that_is_no_utf_8(here: Path) -> None:
    """What the cell holds is not said."""
    words = pa.array(["secret", 'se"re\nt'])
    letters = pa.py_buffer(words.buffers()[2].to_pybytes().replace(b"s", b"\xff"))
    broken = pa.Array.from_buffers(pa.string(), 2, [None, words.buffers()[1], letters])
    pq.write_table(pa.table({"id": [1, 2], "x": broken}), here / "bytes.parquet")
    table = DuckTable.open("bytes.parquet", keys=["id"], folder=here)
    with pytest.raises(InputError, match=r"bytes\.parquet.*not valid UTF-8; write this") as refused:
        next(iter(table.batches(Scan(["id", "x"]))))
    assert "ecret" not in str(refused.value)


def test_what_memory_is_short_of_while_arrow_reads_is_said_without_the_engines_advice() -> None:
    said = "Out of Memory Error: failed to pin block of size 256.0 KiB (47.6 MiB/47.6 MiB used)"
    advice = "Possible solutions: * Reducing the number of threads (SET threads=X)"
    with duckdb.connect() as con:
        short = blamed(OSError(f"{said}\n\n{advice}"), [], con)
    more = 'write more in [source], such as memory = "4GB", or fewer threads'
    assert short == f"takes more memory than it may; {more}"
