"""A ledger in PostgreSQL holds as one in a file does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sql

from tests.effort import KILLS
from tests.storage.ledger.charging import TIMES, at_once, kept_whatever_is_killed, under
from tests.storage.ledger.histories import event
from tests.workflows.release.small import small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.custody.archive import backup, restore
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Account, Head, KeyedRequest, Ledger, store
from unspoken.storage.ledger import schema as tables
from unspoken.workflows.release import release

Run = Callable[[str], None]


def passes(_account: Account) -> None:
    pass


@pytest.fixture
def run(schema: str) -> Run:
    """Somebody else writes into the database."""

    def change(statement: str) -> None:
        engine = sql.create_engine(schema.replace("postgresql", "postgresql+psycopg", 1))
        with engine.begin() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()

    return change


def charge(ledger: Ledger, folder: Path, label: str, **epsilon: float) -> Head:
    return ledger.charge(event(label, **(epsilon or {"a": 0.25})), passes, under(folder))


def test_it_is_made_and_followed(schema: str, tmp_path: Path) -> None:
    assert not Ledger.there(schema)
    one, other = Ledger(schema), Ledger(schema)
    assert Ledger.there(schema)
    assert one.empty
    numbers = [charge(each, tmp_path, str(n)).number for n in range(4) for each in (one, other)]
    assert numbers == [1, 1, 2, 2, 3, 3, 4, 4]
    assert one.verify(under(tmp_path)) == under(tmp_path).kept()
    assert [at_label.epoch for at_label in one.events()] == ["0", "1", "2", "3"]

    def full(_account: Account) -> None:
        raise LimitExceeded("no")

    with pytest.raises(LimitExceeded):
        one.charge(event("5", a=1.0), full, under(tmp_path))
    assert len(other.events()) == 4


def test_a_request_is_charged_once(schema: str, tmp_path: Path) -> None:
    ledger, own, first = Ledger(schema), under(tmp_path), KeyedRequest("one", "digest")
    made = ledger.charge(event("1", a=0.5), passes, own, request=first)
    assert Ledger(schema).charge(event("2", a=0.5), passes, own, request=first) == made
    with pytest.raises(InputError, match="request 'one': was another request"):
        ledger.charge(event("2", a=0.5), passes, own, request=KeyedRequest("one", "other"))


def test_many_events_have_a_checkpoint(schema: str, run: Run, tmp_path: Path) -> None:
    ledger = Ledger(schema)
    for number in range(70):
        charge(ledger, tmp_path, str(number))
    found: list[float] = []

    def look(account: Account) -> None:
        found.append(account.exposure(account.readers()).exponents()["a"])

    Ledger(schema).look(look, under(tmp_path))
    run("UPDATE account SET value = '{}' WHERE key LIKE '[\"label\"%%'")
    Ledger(schema).look(look, under(tmp_path))
    assert found == [70 * 0.25] * 2


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET body = replace(body, '0.25', '0.0') WHERE id = 2", "event 2 is not as"),
        ("UPDATE events SET at = '' WHERE id = 3", "event 3 is not as it was charged"),
        ("DELETE FROM events WHERE id = 2", "event 2 is not as it was charged, or one before"),
        ("UPDATE events SET id = 9 WHERE id = 4", "event 4 is not as it was charged"),
        ("DELETE FROM events WHERE id > 3", "is of event 4, and ledger .* has only 3: it was"),
        ("TRUNCATE events", "is of event 4, and ledger .* has only 0: it was rolled back"),
        ("UPDATE events SET code = '' WHERE id = 4", "event 4 is not as it was charged"),
        ("UPDATE ledger SET value = replace(value, '0', '1') WHERE name = 'name'", "event 1 is"),
    ],
)  # fmt: skip
def test_what_was_changed_is_refused(
    statement: str, said: str, schema: str, run: Run, tmp_path: Path
) -> None:
    for number in range(4):
        charge(Ledger(schema), tmp_path, str(number))
    run(statement)
    for ask in (
        lambda: Ledger(schema).verify(under(tmp_path)),
        lambda: Ledger(schema).look(passes, under(tmp_path)),
        lambda: charge(Ledger(schema), tmp_path, "5"),
    ):
        with pytest.raises(InputError, match=said):
            ask()


GARBLES = """
CREATE FUNCTION garble() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN UPDATE events SET body = '{{}}' WHERE id = {row}; RETURN NULL; END $$;
CREATE {kind}TRIGGER t AFTER INSERT ON events {when} FOR EACH ROW EXECUTE FUNCTION garble()
"""
LATE = {"kind": "CONSTRAINT ", "when": "DEFERRABLE INITIALLY DEFERRED"}
OBJECTS = [
    (GARBLES.format(kind="", when="", row="NEW.id"), "the trigger t on events"),
    (GARBLES.format(**LATE, row="NEW.id"), "the trigger t on events"),
    (GARBLES.format(kind="", when="", row=1), "the trigger t on events"),
    ("CREATE RULE r AS ON INSERT TO events DO INSTEAD NOTHING", "the rule r on events"),
    ("CREATE RULE r AS ON UPDATE TO account DO INSTEAD NOTHING", "the rule r on account"),
    ("ALTER TABLE events ENABLE ROW LEVEL SECURITY", "the row-level security events"),
    ("CREATE POLICY p ON events USING (id < 2)", "the policy p on events"),
    ("ALTER TABLE events ADD CHECK (id < 2)", "the constraint events_id_check on events"),
    ("CREATE TABLE more () INHERITS (events)", "the inherited table more on events"),
    ("ALTER TABLE events ADD more text", "the column more of events"),
    ("ALTER TABLE events ALTER body TYPE varchar(9999)", "the column body of events"),
    ("ALTER TABLE events ALTER id TYPE bigint", "the column id of events"),
    ('ALTER TABLE requests ALTER key TYPE text COLLATE "C"', "the column key of requests"),
    ("ALTER TABLE requests DROP code", "the column code of requests"),
    ("CREATE INDEX i ON events (lower(code))", "the index i on events"),
    ("CREATE INDEX i ON requests (key) WHERE length(code) > 1", "the index i on requests"),
    ("ALTER TABLE account SET UNLOGGED", "the relation that is no plain table account"),
    (
        "DROP TABLE account; CREATE VIEW account AS SELECT '' AS key, '' AS value",
        "the relation that is no plain table account",
    ),
]


@pytest.mark.parametrize(("statement", "said"), OBJECTS)
def test_what_is_attached_is_named(
    statement: str, said: str, schema: str, run: Run, tmp_path: Path
) -> None:
    """When it is opened, and before anything is charged to one that is open."""
    ledger = Ledger(schema)
    charge(ledger, tmp_path, "1")
    run(statement)
    for ask in (lambda: Ledger(schema), lambda: charge(ledger, tmp_path, "2")):
        with pytest.raises(InputError, match=f"^ledger .*: has {said}.*remove it, or restore"):
            ask()
    head = under(tmp_path).kept()
    assert head is not None
    assert head.number == 1


def test_an_index_on_columns_alone_is_let_be(schema: str, run: Run, tmp_path: Path) -> None:
    charge(Ledger(schema), tmp_path, "1")
    run("CREATE INDEX i ON events (kind, at)")
    assert charge(Ledger(schema), tmp_path, "2").number == 2


@pytest.mark.parametrize(
    "statement",
    [
        GARBLES.format(kind="", when="", row="NEW.id"),
        GARBLES.format(**LATE, row="NEW.id"),
        "CREATE RULE r AS ON INSERT TO events DO INSTEAD NOTHING",
    ],
)
def test_what_is_not_stored_as_written_does_not_count(
    statement: str, schema: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever changed it, and however late: here nobody looks at what is attached."""
    for module in (tables, store):
        monkeypatch.setattr(module, "refuse_changed", lambda *_: None)
    charge(Ledger(schema), tmp_path, "1")
    before = under(tmp_path).kept()
    run(statement)
    with pytest.raises(InputError, match="did not store row 2 of events as it was written"):
        charge(Ledger(schema), tmp_path, "2")
    assert under(tmp_path).kept() == before
    assert Ledger(schema).verify(under(tmp_path)) == before


def test_what_goes_wrong_is_one_line_without_a_password(
    schema: str, run: Run, tmp_path: Path
) -> None:
    run("CREATE TABLE photos (id int)")
    with pytest.raises(InputError, match="not a ledger, but another database; give it a schema"):
        Ledger(schema)
    host = schema.partition("@")[2].partition("/")[0]
    for address in (f"postgresql://u:geheim@{host}/none", "postgresql://u:geheim@127.0.0.1:1/x"):
        with pytest.raises(InputError, match="cannot be used") as refusal:
            Ledger(address)
        assert "geheim" not in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_it_goes_on_when_the_server_dropped_the_line(schema: str, run: Run, tmp_path: Path) -> None:
    ledger = Ledger(schema)
    charge(ledger, tmp_path, "1")
    run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    assert charge(ledger, tmp_path, "2").number == 2


def test_a_project_keeps_its_ledger_there(schema: str, run: Run, tmp_path: Path) -> None:
    """Released, released again, verified; rolled back and lost, refused."""
    table = pa.table({"id": range(40), "a": [n % 2 for n in range(40)]})
    path = small(tmp_path, table, {"a": {"values": [0, 1], "sensitive": "a = 1"}}, key=None)
    path.write_text(f'{path.read_text()}\n[secret]\nledger = "{schema}"\n')
    first = release(path)
    assert not first.again
    assert release(path).again
    assert verified(path).head.number == 1
    assert not (tmp_path / "ledger.sqlite").exists()
    run("DELETE FROM events")
    with pytest.raises(InputError, match="has no such event: it was lost or replaced"):
        release(path)
    run("DROP TABLE events, ledger, account, beliefs, requests")
    with pytest.raises(InputError, match=r"is not there, though unspoken\.key is"):
        release(path)


TABLES = "events, ledger, account, beliefs, requests"


def test_it_is_backed_up_and_restored(schema: str, run: Run, tmp_path: Path) -> None:
    """After the server was lost; after the machine with the key was; not over another ledger."""
    table = pa.table({"id": range(40), "a": [n % 2 for n in range(40)]})
    (tmp_path / "old").mkdir()
    path = small(tmp_path / "old", table, {"a": {"values": [0, 1], "sensitive": "a = 1"}}, key=None)
    path.write_text(f'{path.read_text()}\n[secret]\nledger = "{schema}"\n')
    release(path)
    head = verified(path).head
    assert backup(path, tmp_path / "b.zip").events == head.number
    shown = (tmp_path / "old" / "released.parquet").read_bytes()
    for lost in ("server", "machine"):
        if lost == "server":
            run(f"DROP TABLE {TABLES}")
        folder = tmp_path / f"without the {lost}"
        done = restore(tmp_path / "b.zip", folder)
        assert done.events == head.number
        assert not list(folder.glob("*ledger"))
        assert verified(folder / path.name).head == head
        shutil.copy(next((tmp_path / "old").glob("*.parquet")), folder)
        for source in (tmp_path / "old").glob("t*.parquet"):
            shutil.copy(source, folder)
        assert release(folder / path.name).again
        assert (folder / "released.parquet").read_bytes() == shown
    run(f"DROP TABLE {TABLES}")
    charge(Ledger(schema), tmp_path, "of another key")
    with pytest.raises(InputError, match=r"event 1 is not as|used k"):
        restore(tmp_path / "b.zip", tmp_path / "third")
    assert not list((tmp_path / "third").glob("*"))
    assert len(Ledger(schema).events()) == 1


@pytest.mark.stress
def test_64_clients(schema: str, tmp_path: Path) -> None:
    assert at_once(schema, tmp_path, 4, 16, TIMES) == 32 * TIMES


@pytest.mark.stress
def test_killed_at_any_moment(schema: str, tmp_path: Path) -> None:
    kept_whatever_is_killed(schema, tmp_path, KILLS)
