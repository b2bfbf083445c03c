"""What somebody attached to the tables of a ledger: named, and never worked with."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sql

from tests.storage.ledger.charging import under
from tests.storage.ledger.histories import event
from unspoken.core.errors import InputError
from unspoken.storage.ledger import Account, KeyedRequest, Ledger, schema, store
from unspoken.storage.ledger.written_rows import insert_rows


def passes(_account: Account) -> None:
    pass


def charge(ledger: Ledger, label: str, folder: Path, request: str = "") -> int:
    asked = KeyedRequest(request, "digest") if request else None
    return ledger.charge(event(label, a=0.5), passes, under(folder), request=asked).number


def run(path: Path, statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.sqlite"
    charge(Ledger(path), "1", tmp_path)
    return path


GARBLES = (
    "CREATE TRIGGER t AFTER INSERT ON events "
    "BEGIN UPDATE events SET body = '{}' WHERE id = new.id; END"
)
DELETES = "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events WHERE id = new.id; END"
IGNORES = "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"
EARLIER = (
    "CREATE TRIGGER t AFTER INSERT ON events BEGIN UPDATE events SET body = '{}' WHERE id = 1; END"
)
OBJECTS = [
    (GARBLES, "the trigger t on events"),
    (DELETES, "the trigger t on events"),
    (IGNORES, "the trigger t on events"),
    (EARLIER, "the trigger t on events"),
    ("CREATE TRIGGER t AFTER DELETE ON account BEGIN DELETE FROM events; END", "the trigger t on"),
    ("DROP TABLE account; CREATE VIEW account AS SELECT 1 AS key, 2 AS value", "the view account"),
    ("ALTER TABLE events RENAME TO e; CREATE VIEW events AS SELECT * FROM e", "the view events"),
    ("CREATE UNIQUE INDEX i ON events (kind)", "the index i on events"),
    ("ALTER TABLE events ADD COLUMN more TEXT", "the table events with other columns"),
    ("ALTER TABLE events DROP COLUMN code", "the table events with other columns"),
    ("ALTER TABLE events ADD COLUMN f TEXT AS (id || kind)", "the table events with other columns"),
    (
        "DROP TABLE requests; CREATE TABLE requests (key TEXT COLLATE NOCASE NOT NULL, "
        "digest TEXT NOT NULL, number INTEGER NOT NULL, code TEXT NOT NULL, PRIMARY KEY (key))",
        "the table requests with other columns",
    ),
]


@pytest.mark.parametrize(("statements", "said"), OBJECTS)
def test_what_is_attached_is_named(statements: str, said: str, path: Path, tmp_path: Path) -> None:
    before = under(tmp_path).kept()
    run(path, statements)
    for ask in (
        lambda: charge(Ledger(path), "2", tmp_path),
        lambda: Ledger(path).verify(under(tmp_path)),
        lambda: Ledger(path).history(),
    ):
        with pytest.raises(InputError, match=rf"^ledger .*: has {said}.*remove it, or restore"):
            ask()
    assert under(tmp_path).kept() == before


@pytest.mark.slow
@pytest.mark.parametrize("statements", [GARBLES, DELETES, IGNORES, EARLIER])
def test_what_is_attached_to_an_open_ledger_is_named_before_it_is_charged(
    statements: str, path: Path, tmp_path: Path
) -> None:
    ledger = Ledger(path)
    charge(ledger, "2", tmp_path)
    before = path.read_bytes(), under(tmp_path).kept()
    run(path, statements)
    with pytest.raises(InputError, match="has the trigger t on events"):
        charge(ledger, "3", tmp_path)
    run(path, "DROP TRIGGER t")
    assert under(tmp_path).kept() == before[1]
    assert charge(ledger, "3", tmp_path) == 3
    assert Ledger(path).verify(under(tmp_path)).number == 3


@pytest.mark.parametrize(
    ("statements", "row"),
    [
        (GARBLES, "row 2 of events"),
        (DELETES, "row 2 of events"),
        (IGNORES, "row 2 of events"),
        (GARBLES.replace("body = '{}'", "at = at || ' '"), "row 2 of events"),
        (IGNORES.replace("events", "requests"), "row one of requests"),
    ],
)
def test_what_is_not_stored_as_written_does_not_count(
    statements: str, row: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever changed it: here nobody looks at what is attached."""
    for module in (schema, store):
        monkeypatch.setattr(module, "refuse_changed", lambda *_: None)
    run(path, statements)
    before = under(tmp_path).kept()
    with pytest.raises(InputError, match=f"did not store {row} as it was written"):
        charge(Ledger(path), "2", tmp_path, request="one")
    assert under(tmp_path).kept() == before
    run(path, "DROP TRIGGER t")
    assert Ledger(path).verify(under(tmp_path)) == before
    assert charge(Ledger(path), "2", tmp_path, request="one") == 2


def test_many_rows_are_read_back_in_parts() -> None:
    table = sql.Table("t", sql.MetaData(), sql.Column("id", sql.Integer, primary_key=True))
    engine = sql.create_engine("sqlite://")
    with engine.begin() as connection:
        table.create(connection)
        insert_rows(connection, table, [{"id": n} for n in range(1201)], "here")
        connection.exec_driver_sql(
            "CREATE TRIGGER t AFTER INSERT ON t WHEN new.id = 3333 "
            "BEGIN UPDATE t SET id = -1 WHERE id = 3333; END"
        )
        with pytest.raises(InputError, match="ledger here: did not store row 3333 of t"):
            insert_rows(connection, table, [{"id": n} for n in range(2000, 3400)], "here")
    engine.dispose()


def test_other_tables_and_statistics_are_let_be(path: Path, tmp_path: Path) -> None:
    """A program that copies the file as it changes keeps tables of its own in it."""
    run(path, "CREATE TABLE copied (n INTEGER); CREATE INDEX i ON copied (n); ANALYZE")
    assert charge(Ledger(path), "2", tmp_path) == 2


def test_a_ledger_of_another_layout_is_the_same(path: Path, tmp_path: Path) -> None:
    """SQLAlchemy may write the same columns otherwise one day."""
    run(
        path,
        "PRAGMA writable_schema = 1; UPDATE sqlite_master "
        "SET sql = replace(replace(sql, char(10), ' '), 'kind', '\"kind\"') WHERE name = 'events'",
    )
    assert charge(Ledger(path), "2", tmp_path) == 2


@pytest.mark.parametrize(
    ("ours", "other"),
    [
        ("body TEXT NOT", "body TE XT NOT"),
        ("body TEXT NOT", "body TEXTNOT"),
        ("body TEXT", '"body TEXT"'),
        ("body TEXT", '"body""TEXT"'),
        ("id INTEGER", "id INT EGER"),
    ],
)
def test_words_that_are_cut_or_joined_are_others(ours: str, other: str, path: Path) -> None:
    run(
        path,
        "PRAGMA writable_schema = 1; UPDATE sqlite_master "
        f"SET sql = replace(sql, '{ours}', '{other}') WHERE name = 'events'",
    )
    with pytest.raises(InputError, match="has the table events with other columns or rules"):
        Ledger(path).history()


@pytest.mark.parametrize("steps", ["X'31'", "'" + "9" * 5000 + "'", "1.5", "'\u0661'", "'-1'"])
def test_a_count_of_steps_that_is_none_is_one_line(steps: str, path: Path) -> None:
    run(path, f"UPDATE ledger SET value = {steps} WHERE name = 'steps'")
    with pytest.raises(InputError, match=r"^ledger .*: has lost count of its steps; restore it"):
        Ledger(path).history()


def test_a_mark_that_is_nested_without_end_is_none(path: Path, tmp_path: Path) -> None:
    """The account is made again of all events, as after any other mark that does not fit."""
    deep = "[" * 200_000
    run(path, f"INSERT OR REPLACE INTO account SELECT '[\"last\"]', '{deep}'")
    assert charge(Ledger(path), "2", tmp_path) == 2
    assert Ledger(path).verify(under(tmp_path)).number == 2


def test_a_request_of_no_number_is_one_line(path: Path, tmp_path: Path) -> None:
    charge(Ledger(path), "2", tmp_path, request="one")
    run(path, "UPDATE requests SET number = 'x'")
    with pytest.raises(InputError, match="request 'one': is not as it was kept"):
        charge(Ledger(path), "2", tmp_path, request="one")


def test_a_row_that_no_event_can_be_is_not_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a few megabytes may have one of a gigabyte, when it is unpacked."""
    monkeypatch.setattr("unspoken.storage.ledger.sqlite.LONGEST", 100_000)
    run(path, "UPDATE events SET body = hex(zeroblob(49000))")
    with pytest.raises(InputError, match="event 1 is not as it was charged"):
        Ledger(path).verify(under(tmp_path))
    run(path, "UPDATE events SET body = hex(zeroblob(51000))")
    with pytest.raises(InputError, match="string or blob too big"):
        Ledger(path).verify(under(tmp_path))


def test_an_event_that_is_gone_is_one_line(path: Path) -> None:
    with pytest.raises(InputError, match="event 7 is gone"):
        Ledger(path).charged(7)
