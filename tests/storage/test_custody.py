"""What is kept between releases: a ledger that is gone is no new one; what is not ours stays."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.forked import FORKED
from tests.within import HANG, wait_for_locks
from tests.workflows.release.small import small
from unspoken.core.errors import InputError, UnspokenError
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Ledger
from unspoken.storage.ledger import sqlite as sqlite_ledger
from unspoken.tables import files
from unspoken.workflows.release import rehearse, release

ROWS = 300
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"bins": [0.25, 0.5, 0.8], "sensitive": "a > 0.8"},
    "b": {"bins": [0.5]},
}


def table() -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table({"id": np.arange(ROWS), "a": rng.random(ROWS), "b": rng.random(ROWS)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return small(tmp_path, table(), ATTRIBUTES, odds_cap=3.0)


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A project that nothing was released of, and that has no key."""
    return small(tmp_path, table(), ATTRIBUTES, key=None, odds_cap=3.0)


def another(path: Path, label: str) -> Path:
    """The same project with another epoch."""
    return small(path.parent, None, ATTRIBUTES, epoch=f'label = "{label}"', odds_cap=3.0)


def gone(path: Path, *names: str) -> None:
    for name in names:
        (path.parent / name).unlink()


def contents(folder: Path) -> dict[str, bytes | None]:
    """What each file holds; a queue is not read, since that waits for a writer."""
    return {each.name: each.read_bytes() if each.is_file() else None for each in folder.iterdir()}


def refused(path: Path, match: str) -> None:
    before = contents(path.parent)
    for ask in (release, rehearse):
        with pytest.raises(InputError, match=match) as refusal:
            ask(path)
        assert "\n" not in str(refusal.value)
    assert contents(path.parent) == before


def test_a_ledger_that_is_gone_is_lost(path: Path) -> None:
    """The attack: remove it, take another label, and be answered anew, five times over."""
    release(path)
    gone(path, "ledger.sqlite")
    again = another(path, "2")
    refused(again, r"ledger .*is not there, though unspoken.key is.*Restore the ledger from a copy")
    gone(path, "unspoken.key")
    refused(again, r"is not there, though unspoken.key.head is")
    gone(path, "unspoken.key.head")
    refused(again, r"released\.manifest\.json: was released, and ledger ledger\.sqlite has no such")
    gone(path, "released.manifest.json")
    refused(again, r"released\.parquet: was released.*of another project, move it away")
    gone(path, "released.parquet")
    assert not release(again).again


@pytest.mark.slow
def test_an_event_taken_out_is_found_out_by_a_rehearsal_too(path: Path) -> None:
    release(path)
    with closing(sqlite3.connect(path.parent / "ledger.sqlite")) as own:
        own.execute("DELETE FROM events")
        own.commit()
    refused(path, r"released\.manifest\.json: was released")
    gone(path, "released.manifest.json", "released.parquet")
    refused(path, r"unspoken\.key\.head: is of event 1, and ledger ledger\.sqlite has only 0")


@pytest.mark.slow
def test_a_ledger_put_back_with_its_head_is_found_out_by_the_manifest(path: Path) -> None:
    release(path, scale=0.5)
    for name in ("ledger.sqlite", "unspoken.key.head"):
        shutil.copy(path.parent / name, path.parent / f"{name}.old")
    done = release(path)
    charge = json.loads(done.manifest.read_text())["charge"]
    checked = verified(path)
    assert charge == checked.head.as_json()
    assert checked.head.number == 2
    assert set(checked.recorded) == {path.parent / "unspoken.key.head", done.manifest}
    for name in ("ledger.sqlite", "unspoken.key.head"):
        shutil.copy(path.parent / f"{name}.old", path.parent / name)
    refused(path, r"released\.manifest\.json: is of event 2, .*has only 1.*rolled back")


@pytest.mark.slow
def test_a_newer_release_finds_out_that_all_else_was_put_back(path: Path) -> None:
    """The ledger, its head and the manifest, all of one time: only the released file knows better.

    Under the name that a crash leaves it the newer manifest says the same, with the event.
    """
    names = ("ledger.sqlite", "unspoken.key.head", "released.manifest.json")
    release(path, scale=0.5)
    old = {name: (path.parent / name).read_bytes() for name in names}
    done = release(path)
    new = {name: (path.parent / name).read_bytes() for name in names}
    for name in names:
        (path.parent / name).write_bytes(old[name])
    refused(
        path, r"released\.parquet: is not the release that released\.manifest\.json is of.*back"
    )
    with pytest.raises(InputError, match=r"rolled back\. Restore them"):
        verified(path)
    digest = json.loads(new[names[2]])["release"]["sha256"]
    crashed = path.parent / f"released.manifest.{digest[:12]}.json"
    crashed.write_bytes(new[names[2]])
    refused(path, rf"{crashed.name}: is of event 2, and ledger ledger\.sqlite has only 1")
    for name in names[:2]:
        (path.parent / name).write_bytes(new[name])
    assert set(verified(path).recorded) >= {crashed, done.manifest}  # as in a crash: all is well
    assert release(path).again
    assert not crashed.exists()
    gone(path, "released.manifest.json")
    assert release(path).again  # a release alone says nothing


def test_a_copy_of_the_ledger_has_every_charge(path: Path) -> None:
    """Also where another program has it open, which keeps a write-ahead log from being emptied."""
    ledger = path.parent / "ledger.sqlite"
    with closing(sqlite3.connect(ledger)) as reader:
        reader.execute("SELECT count(*) FROM events").fetchone()
        release(path)
        shutil.copy(ledger, path.parent / "copy.sqlite")
        assert not ledger.with_name("ledger.sqlite-wal").exists()
    assert len(Ledger(path.parent / "copy.sqlite").events()) == 1
    assert b"".join(file.read_bytes() for file in path.parent.glob("ledger.sqlite-*")) == b""


def test_a_write_ahead_log_is_taken_in(path: Path) -> None:
    ledger = path.parent / "ledger.sqlite"
    with closing(sqlite3.connect(ledger)) as other:
        assert other.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",)
    release(path)
    assert ledger.read_bytes()[18:20] == b"\x01\x01"  # the header of SQLite: no such log


@pytest.mark.slow
def test_a_ledger_in_use_is_said_soon(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_ledger, "SILENT", 0.05)
    monkeypatch.setattr(sqlite_ledger, "PATIENCE", 0.1)
    with closing(sqlite3.connect(path.parent / "ledger.sqlite")) as other:
        other.execute("BEGIN EXCLUSIVE")
        refused(path, r"ledger .*ledger\.sqlite: is in use by another program; close that.*Nothing")
    monkeypatch.setattr(sqlite_ledger, "PATIENCE", float(HANG))
    caplog.clear()
    other = sqlite3.connect(path.parent / "ledger.sqlite")
    other.execute("BEGIN IMMEDIATE")
    warning = sqlite_ledger.LOG.warning

    def close_once_warned(*given: object) -> None:
        warning(*given)
        other.close()

    monkeypatch.setattr(sqlite_ledger.LOG, "warning", close_once_warned)
    assert release(path).rows == ROWS
    assert "waiting for ledger" in caplog.text
    assert "ledger.sqlite, which is in use" in caplog.text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("released.manifest.json", b'{"name": "another program\'s"}'),
        ("released.manifest.json", b"[" * 100_000),
        ("released.parquet", b"PAR1 and no more PAR1"),
        ("released.parquet", b"PAR1 a broken footer \x08\x00\x00\x00PAR1"),
        ("released.parquet", None),
    ],
)
def test_what_is_not_ours_is_not_written_over(name: str, content: bytes | None, path: Path) -> None:
    if content is None:
        shutil.copy(path.parent / "table.parquet", path.parent / name)
    else:
        (path.parent / name).write_bytes(content)
    what = "manifest" if name.endswith("json") else "release"
    refused(path, rf"{name}: is there already, and no {what} that unspoken wrote; move it away")


def test_a_footer_that_is_no_text_is_not_ours(path: Path) -> None:
    """A column's name has a byte that UTF-8 has not: Arrow says so by another error."""
    foreign = path.parent / "released.parquet"
    pq.write_table(pa.table({"marked": [1]}), foreign)
    foreign.write_bytes(foreign.read_bytes().replace(b"marked", b"\xb7arked"))
    refused(path, r"released\.parquet: is there already, and no release that unspoken wrote")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["released.parquet", "released.manifest.json"])
@pytest.mark.parametrize("made", [os.mkfifo, lambda there: os.symlink("away/released", there)])
def test_what_is_no_file_is_not_written_over(
    name: str, made: Callable[[Path], None], path: Path
) -> None:
    """A queue that somebody reads, a link to a disk that is not there."""
    made(path.parent / name)
    refused(path, f"{name}: is there already, and no regular file; move it away")
    assert not (path.parent / name).is_file()
    (path.parent / name).unlink()
    assert release(path).rows == ROWS


@pytest.mark.slow
def test_an_empty_file_is_nothing_to_lose(path: Path) -> None:
    (path.parent / "released.parquet").touch()
    assert release(path).rows == ROWS
    assert pq.read_metadata(path.parent / "released.parquet").metadata[b"unspoken"] == b"release"


def test_another_name_of_a_file_is_not_opened(path: Path) -> None:
    """A hard link under the name of the partial file: the raw table was written over by it."""
    source = path.parent / "table.parquet"
    before = source.read_bytes()
    os.link(source, path.parent / ".released.parquet.partial")
    with pytest.raises(InputError, match=r"parquet\.partial: is in the way.*another name too"):
        release(path)
    gone(path, ".released.parquet.partial")
    (path.parent / ".released.parquet.partial").symlink_to(path.parent / "elsewhere")
    with pytest.raises(InputError, match=r"parquet\.partial: is in the way"):
        release(path)
    assert source.read_bytes() == before
    assert Ledger(path.parent / "ledger.sqlite").events() == []


def test_a_file_swapped_while_it_is_written_is_not_published(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with files.unfinished(target) as partial:
        partial.file.write(b"ours")
        files.partial_of(target).unlink()
        files.partial_of(target).write_bytes(b"theirs")
        with pytest.raises(InputError, match="was replaced by another program while it was"):
            partial.publish()
    assert not target.exists()
    assert files.partial_of(target).read_bytes() == b"theirs"


@pytest.mark.slow
@pytest.mark.parametrize("code", ["EPERM", "EOPNOTSUPP"])
def test_a_file_system_without_hard_links(
    code: str, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_given: object) -> None:
        raise OSError(getattr(errno, code), "Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)
    done = release(fresh)
    assert done.rows == ROWS
    assert not list(fresh.parent.glob(".*"))
    key = (fresh.parent / "unspoken.key").read_bytes()
    with pytest.raises(FileExistsError), files.created(fresh.parent / "unspoken.key") as file:
        file.write(b"another")
    assert (fresh.parent / "unspoken.key").read_bytes() == key


@pytest.mark.slow
def test_a_second_copy_of_the_key_is_swept(path: Path) -> None:
    """As a crash leaves it between the link and the removal of the first name; or half of one."""
    key, spare = path.parent / "unspoken.key", path.parent / ".unspoken.key.partial"
    os.link(key, spare)
    (path.parent / ".ledger.sqlite.partial").write_bytes(b"half")
    release(path)
    assert not list(path.parent.glob(".*"))
    spare.write_bytes(key.read_bytes()[:7])
    release(path)
    assert not list(path.parent.glob(".*"))


def _first(path: Path, name: str, answers: Any) -> None:
    wait_for_locks()
    own = path.parent / f"{name}.toml"
    text = path.read_text()
    own.write_text(f"{text}\n[output]\nrelease='{name}.parquet'\nmanifest='{name}.json'\n")
    try:
        answers.put((name, release(own).event.key))
    except UnspokenError as error:
        answers.put((name, str(error)))


def test_first_releases_at_once_have_one_key(fresh: Path) -> None:
    """Of the same rows, each to files of its own: all are done, and one event is charged."""
    answers = FORKED.SimpleQueue()
    runs = [
        FORKED.Process(target=_first, args=(fresh, f"run{number}", answers)) for number in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:  # before they are asked: of one that died nothing would ever come
        run.join(HANG)
    assert [run.exitcode for run in runs] == [0, 0]
    said = dict(answers.get() for _ in runs)
    assert len(set(said.values())) == 1
    assert all(len(key) == 16 for key in said.values()), said
    assert len(Ledger(fresh.parent / "ledger.sqlite").events()) == 1


def test_the_faster_of_two_first_runs_has_the_key(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key appears between the question whether there is one, and its creation."""
    from unspoken.storage.coins import MasterKey

    create: Callable[[Path], MasterKey] = MasterKey.create

    def late(path: Path) -> MasterKey:
        create(path)
        return create(path)

    monkeypatch.setattr(MasterKey, "create", late)
    assert release(fresh).rows == ROWS


@pytest.mark.slow
def test_a_key_that_links_to_nothing_leaves_nothing_half_done(fresh: Path) -> None:
    key = fresh.with_name("unspoken.key")
    key.symlink_to("away/key")
    before = sorted(fresh.parent.iterdir())
    with pytest.raises(InputError, match="key: links to away/key, which is not there; make that"):
        release(fresh)
    assert sorted(fresh.parent.iterdir()) == before
    key.unlink()
    release(fresh)
    (fresh.parent / "away").mkdir()
    key.rename(fresh.parent / "away" / "key")
    key.symlink_to("away/key")
    release(fresh)
