"""A bad table: one clear line that names the place, and nothing half-written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import UnspokenError
from unspoken.storage.ledger import Ledger
from unspoken.storage.rows import reading, witness
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project
from unspoken.workflows.release import rehearse, release

ROWS = 200
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"bins": [0.25, 0.5, 0.8], "sensitive": "a > 0.8"},
    "b": {"bins": [0.5]},
}


def table(**columns: Any) -> pa.Table:
    rng = np.random.default_rng(5)
    own = {"id": np.arange(ROWS), "a": rng.random(ROWS), "b": rng.random(ROWS)}
    return pa.table({**own, **columns})


def with_first(column: str, value: Any) -> pa.Table:
    values = table()[column].to_pylist()
    return table(**{column: pa.array([value, *values[1:]])})


def refused(path: Path, match: str) -> None:
    """One line, and nothing was charged or left behind."""
    before = {file: file.read_bytes() for file in path.parent.glob("*released*")}
    with pytest.raises(UnspokenError, match=match) as refusal:
        release(path)
    said = str(refusal.value)
    assert len(said.splitlines()) == 1
    assert len(said) < 500
    assert {file: file.read_bytes() for file in path.parent.glob("*released*")} == before
    assert not list(path.parent.glob(".*.partial"))
    ledger = path.parent / "ledger.sqlite"
    assert len(Ledger(ledger).events() if ledger.exists() else []) == bool(before)


def changed(name: str, **fields: Any) -> dict[str, dict[str, Any]]:
    return {**ATTRIBUTES, name: {**ATTRIBUTES[name], **fields}}


TABLES: dict[str, tuple[Callable[[], pa.Table], str]] = {
    "float keys": (lambda: table(id=np.arange(ROWS) / 2), "id of table.parquet is DOUBLE"),
    "NULL keys": (lambda: with_first("id", None), "id is missing in 1 row"),
    "duplicate keys": (
        lambda: with_first("id", 7),
        "2 rows of table.parquet have the same id",
    ),
    "empty": (lambda: table().slice(0, 0), "has no rows"),
    "one row": (lambda: table().slice(0, 1), 'is "below 0.25" in every row|in every row'),
    "one value": (lambda: table(b=np.zeros(ROWS)), 'attribute.b: is "below 0.5" in every row'),
    "NaN": (lambda: with_first("a", math.nan), "1 value is NaN or infinite in column a"),
    "inf": (lambda: with_first("b", -math.inf), "1 value is NaN or infinite in column b"),
    "missing": (lambda: with_first("a", None), "attribute.a: is missing in 1 row; write missing ="),
    "text in bins": (
        lambda: table(b=pa.array(["x"] * ROWS)),
        "only numbers, dates and times fall into bins",
    ),
    "no column": (lambda: table().drop_columns("b"), 'there is no "b"'),
    "lists": (lambda: table(b=pa.array([[1.0]] * ROWS)), "attribute.b"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_bad_table(name: str, tmp_path: Path) -> None:
    make, match = TABLES[name]
    refused(small(tmp_path, make(), ATTRIBUTES), match)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_table_gone_bad_leaves_the_old_release(name: str, tmp_path: Path) -> None:
    release(small(tmp_path, table(), ATTRIBUTES))
    make, match = TABLES[name]
    refused(small(tmp_path, make(), ATTRIBUTES), match)


PROJECTS: dict[str, tuple[dict[str, Any], str]] = {
    "predicate of another column": (
        {"attributes": changed("a", sensitive="aa > 0.8")},
        r'attribute.a.sensitive.*there is no "aa". Did you mean "a"',
    ),
    "predicate that fails on a row": (
        {"attributes": changed("a", sensitive="CAST(concat('x', a) AS INTEGER) > 1")},
        r"attribute.a.sensitive: .*Could not convert|attribute.a.*Could not convert",
    ),
    "predicate that is no condition": (
        {"attributes": changed("a", sensitive="a + 1")},
        "a condition is true or false",
    ),
    "predicate that reads a file": (
        {"attributes": changed("a", sensitive="(SELECT max(x) FROM 'other.parquet') > a")},
        "has a subquery, but reads one row only",
    ),
    "predicate that calls for a file": (
        {"attributes": changed("a", sensitive="len(read_text('unspoken.toml')) > a")},
        "attribute.a.sensitive: ",
    ),
    "predicate by chance": (
        {"attributes": changed("a", sensitive="random() > a")},
        r"random\(\) can answer differently each time",
    ),
    "epoch of a value": (
        {"epoch": 'of = "floor(a * 10)"'},
        "epoch.of: reads a; an epoch is a function of the keys alone",
    ),
    "epoch of a value, called like a method": (
        {"epoch": 'of = "a.floor()"'},
        "epoch.of: reads a; an epoch is a function of the keys alone",
    ),
    "epoch of a value, named by a lambda elsewhere": (
        {"epoch": 'of = "len(list_filter([id], lambda b: b > 0)) + floor(b)"'},
        r"epoch.of: calls list_filter\(\), which is not for here",
    ),
    "epoch by the clock": (
        {"epoch": "of = \"strftime(current_localtimestamp(), '%Y-%m') || id\""},
        r"epoch.of: calls current_localtimestamp\(\), which is not for here",
    ),
    "epoch of no key": (
        {"epoch": "of = \"substr('2026-01', 1, 4)\""},
        "epoch.of: reads no key, so it names one epoch for all; write label",
    ),
    "epoch of a value of the rows": (
        {"epoch": 'of = "rows.a"', "table": "rows", "keys": ["rows"]},
        "epoch.of: ",
    ),
    "epoch that has no name": (
        {"epoch": 'of = "to_hours(id)"'},
        "epoch.of: gives INTERVAL, which is no name; CAST it to VARCHAR",
    ),
    "column in other letters": (
        {"attributes": {"A": ATTRIBUTES["a"], "b": ATTRIBUTES["b"]}},
        'attribute.A, column of table.parquet: there is no "A". Did you mean "a"',
    ),
    "epoch that is NULL": (
        {"epoch": 'of = "CASE WHEN id > 5 THEN 1 END"'},
        "is NULL for some key; every row needs an epoch",
    ),
    "an epoch for every row of many": (
        {"epoch": 'of = "id"', "table": "many"},
        "gives more than 100 epochs; take a coarser one",
    ),
    "a value not listed": (
        {"attributes": {"a": ATTRIBUTES["a"], "c": {"values": ["x", "z"]}}, "table": "text"},
        "attribute.c: 100 rows hold none of its values; list every value",
    ),
    "no such key": ({"keys": ["idd"]}, 'there is no "idd". Did you mean "id"'),
    "two columns of one name": (
        {"attributes": changed("a", missing="value"), "table": "twin", "keys": ["a__missing"]},
        "a release tells it in a column a__missing, and there is another one of that name",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_a_bad_project(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (reading, witness):
        monkeypatch.setattr(place, "EPOCHS", 100)  # of the 10,000 that there may be
    given, match = PROJECTS[name]
    many, rng = 120, np.random.default_rng(0)
    tables = {
        "many": pa.table({"id": np.arange(many), "a": rng.random(many), "b": rng.random(many)}),
        "text": table(c=pa.array(["x", "y"] * (ROWS // 2))),
        "twin": table(a__missing=np.arange(ROWS)),
        "rows": table(rows=np.arange(ROWS)),
    }
    attributes = given.get("attributes", ATTRIBUTES)
    more = {key: value for key, value in given.items() if key in ("epoch", "keys")}
    own = tables.get(given.get("table", ""), table())
    path = small(tmp_path, own, attributes, **more)
    refused(path, match)
    for key in ("a key", "no key"):  # a rehearsal is refused like the release
        with pytest.raises(UnspokenError, match=match):
            rehearse(path)
        (path.parent / "unspoken.key").unlink(missing_ok=key == "no key")


@pytest.mark.parametrize("output", ["release", "manifest", "report"])
def test_what_a_query_reads_is_not_written_over(output: str, tmp_path: Path) -> None:
    """The project file does not name it, so that only the engine knows."""
    name = "table.parquet"
    source = f"sql = \"SELECT * FROM '{name}'\""
    path = small(tmp_path, table(), ATTRIBUTES, source=source)
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    path.write_text(f"{path.read_text()}\n[output]\n{output} = 'link/{name}'")
    before = (tmp_path / name).read_bytes()
    refused(
        path,
        r"link/table.parquet: is read by this project|must end in",
    )
    assert (tmp_path / name).read_bytes() == before


def test_no_file_and_a_folder_and_no_parquet(tmp_path: Path) -> None:
    path = small(tmp_path, None, ATTRIBUTES)
    refused(path, "source.table.*no such file|source.table.*table.parquet")
    (tmp_path / "table.parquet").mkdir()
    refused(path, "source.table.*table.parquet")
    (tmp_path / "table.parquet").rmdir()
    (tmp_path / "table.parquet").write_bytes(b"PAR1 and no more" * 100)
    refused(path, "source.table: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("c", r"attribute\.c: 1 row holds none of its values; list"),
        ("id", r"\.toml:\d+ source\.keys: a row: has 10,000,000 bytes of text: at most 65,536 are"),
    ],
)
def test_ten_megabytes_in_a_cell(column: str, said: str, tmp_path: Path) -> None:
    cells = {"id": [f"k{i}" for i in range(ROWS)], "c": ["x", "y"] * (ROWS // 2)}
    cells[column][5] = "x" * 10_000_000
    attributes: dict[str, dict[str, Any]] = {"c": {"values": ["x", "y"]}}
    refused(small(tmp_path, pa.table(cells), attributes), said)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["released.parquet", "released/"])
def test_ten_megabytes_in_a_value_of_ones_own(output: str, tmp_path: Path) -> None:
    """A value of an attribute whose values are not listed: the message says of which."""
    values = ["x", "y"] * (ROWS // 2)
    values[5] = "x" * 10_000_000
    path = small(
        tmp_path, pa.table({"id": range(ROWS), "c": values}), {"c": {}}, epoch='of = "id // 1000"'
    )
    path.write_text(f'{path.read_text()}\n[output]\nrelease = "{output}"\n')
    refused(path, r"\.toml:\d+ attribute\.c: a row: has 10,000,000 bytes of text: at most 65,536")


@pytest.mark.slow
def test_ten_megabytes_in_a_line_of_csv(tmp_path: Path) -> None:
    before = "".join(f"{i},x\n" for i in range(3_000))  # beyond those that DuckDB says it of
    (tmp_path / "t.csv").write_text(f"id,c\n{before}3000,{'y' * 10_000_000}\n")
    path = small(tmp_path, None, {"c": {"values": ["x", "y"]}}, name="t.csv")
    refused(path, r"source\.table: .*, such as where a line has more than 2 MB; save it again")


@pytest.mark.slow
@pytest.mark.parametrize("column", ["c", "id"])
@pytest.mark.parametrize("form", ["joint", "tree"])
def test_a_row_too_long_for_coins_is_refused_before_it_is_counted(
    form: str, column: str, tmp_path: Path
) -> None:
    """What is counted with noise is charged, and rows are read for coins after that only."""
    cells = {"id": [f"k{i}" for i in range(ROWS)], "c": ["x", "y"] * (ROWS // 2)}
    cells["d"] = cells["c"]
    cells[column][5] = "x" * 70_000
    path = small(tmp_path, pa.table(cells), {"c": {}, "d": {}}, key=None, form=form)
    path.write_text(path.read_text().replace('noise = "none"', "noise = 0.5"))
    refused(path, r"\.toml:\d+ (attribute\.c|source\.keys): a row: has 70,0\d\d bytes of text: at")
    assert not (tmp_path / "belief.json").exists()
    ledger = tmp_path / "ledger.sqlite"
    assert not ledger.exists() or not Ledger(ledger).events()


@pytest.mark.parametrize("form", ["joint", "tree"])
@pytest.mark.parametrize("listed", [{}, {"values": [2**64 - 1, 5]}])
def test_a_number_too_large_to_be_released_is_refused_before_it_is_counted(
    listed: dict[str, Any], form: str, tmp_path: Path
) -> None:
    large = pa.array([2**64 - 1, 5] * (ROWS // 2), pa.uint64())
    attributes: dict[str, dict[str, Any]] = {"c": listed, "b": {"bins": [0.5]}}
    path = small(tmp_path, table(c=large), attributes, key=None, form=form)
    path.write_text(path.read_text().replace('noise = "none"', "noise = 0.5"))
    refused(path, r"\.toml:\d+ attribute\.c: holds whole numbers from 2\^63 on; make the column")
    assert not (tmp_path / "belief.json").exists()


def test_a_parquet_file_that_breaks_off(tmp_path: Path) -> None:
    """Its end, with the schema, is whole; its rows are not."""
    path = small(tmp_path, table(), ATTRIBUTES)
    whole = bytearray((tmp_path / "table.parquet").read_bytes())
    whole[4:600] = bytes(596)
    (tmp_path / "table.parquet").write_bytes(bytes(whole))
    refused(path, "unspoken.toml|table.parquet")


def test_a_new_label_after_learning_is_withheld(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sensitive row where all were free: it has no label, so it is not shown."""
    known: list[Learned] = []
    honest = Learned.of

    def once(project: Project, opened: Table, *_: object) -> Learned:
        known.append(known[0] if known else honest(project, opened))
        return known[0]

    monkeypatch.setattr(Learned, "of", once)
    attributes: dict[str, dict[str, Any]] = {
        "a": {"bins": [0.25, 0.5], "sensitive": "a > b"},
        "b": {"bins": [0.5]},
    }
    before = table(a=np.linspace(0.1, 0.4, ROWS), b=np.linspace(0.3, 0.6, ROWS))
    path = small(tmp_path, before, attributes)
    release(path)
    after = table(a=np.linspace(0.1, 0.9, ROWS), b=np.linspace(0.3, 0.6, ROWS))
    (tmp_path / "later").mkdir()
    done = release(small(tmp_path / "later", after, attributes))
    got = pq.read_table(done.path)
    shown = np.asarray(got["a"].is_valid())
    assert not (shown & (np.asarray(after["a"]) > np.asarray(after["b"]))).any()
