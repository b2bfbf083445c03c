"""A ledger that is carried elsewhere, and what is left where its key is destroyed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.cli import run
from unspoken.storage.custody.carrying import export_ledger, import_ledger
from unspoken.storage.custody.custody import verified
from unspoken.workflows.release import release

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project that was released."""
    table = pa.table({"id": range(40), "a": [n % 2 for n in range(40)]})
    path = small(tmp_path, table, {"a": {"values": [0, 1], "sensitive": "a = 1"}})
    release(path)
    return path


def test_it_is_carried_into_another_place_by_commands(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, folder = path.with_name("l.jsonl"), path.parent
    head = verified(path).head
    assert run(["ledger", str(path), "--export", str(lines)]) == 0
    assert "1 event" in capsys.readouterr().err
    assert lines.stat().st_mode & 0o777 == 0o600
    assert run(["ledger", str(path), "--export", str(lines)]) == 2
    assert "is there already; nothing is written over" in capsys.readouterr().err
    assert run(["ledger", str(path), "--import", str(lines)]) == 2
    assert "has events of its own" in capsys.readouterr().err
    (folder / "ledger.sqlite").unlink()
    with pytest.raises(InputError, match=r"is not there, though unspoken\.key is"):
        release(path)
    assert run(["ledger", str(path), "--import", str(lines)]) == 0
    assert verified(path).head == head
    assert release(path).again


def test_an_old_file_or_another_key_imports_nothing(path: Path) -> None:
    lines, folder = path.with_name("l.jsonl"), path.parent
    assert export_ledger(path, lines) == 1
    (folder / "ledger.sqlite").unlink()
    (folder / "unspoken.key").write_bytes(bytes(31) + b"1")
    with pytest.raises(InputError, match="another key tosses every coin again"):
        import_ledger(path, lines)
    lines.write_bytes(b"\xff")
    with pytest.raises(InputError, match="is no ledger that `unspoken ledger --export` wrote"):
        import_ledger(path, lines)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        import_ledger(path, folder / "none")


def test_what_is_refused_makes_no_ledger(path: Path) -> None:
    """One without events would open the account anew, where no manifest lies beside it."""
    lines, folder = path.with_name("l.jsonl"), path.parent
    export_ledger(path, lines)
    text = lines.read_text()
    for name in (
        "ledger.sqlite",
        "unspoken.key.head",
        "released.parquet",
        "released.manifest.json",
    ):
        (folder / name).unlink()
    for wrong in (text[:-20], text.replace('"id": 1', '"id": 2'), "", text.splitlines()[0]):
        lines.write_text(wrong)
        with pytest.raises(InputError, match=r"l\.jsonl"):
            import_ledger(path, lines)
        assert not (folder / "ledger.sqlite").exists()
        with pytest.raises(InputError, match=r"is not there, though unspoken\.key is"):
            release(path)


def test_an_export_that_manifests_know_to_be_older_is_not_read(path: Path) -> None:
    """Nor is a ledger left that would be refused from then on, and could not be read over."""
    lines, folder = path.with_name("l.jsonl"), path.parent
    export_ledger(path, lines)
    path.write_text(path.read_text().replace('label = "1"', 'label = "2"'))
    release(path)
    (folder / "ledger.sqlite").unlink()
    (folder / "unspoken.key.head").unlink()
    with pytest.raises(InputError, match=r"released\.manifest\.json: is of event 2"):
        import_ledger(path, lines)
    assert not (folder / "ledger.sqlite").exists()
    assert not (folder / "unspoken.key.head").exists()


def test_a_release_without_its_manifest_is_said_to_be_there(path: Path) -> None:
    path.with_name("released.manifest.json").unlink()
    (warning,) = verified(path).warnings
    assert warning.startswith("released.parquet lies there without released.manifest.json")
    assert release(path).again
    assert not verified(path).warnings


def test_a_destroyed_key_ends_the_ledger_and_leaves_a_record(path: Path) -> None:
    """Nothing is released or verified any more, nor under another key; who has an export reads it,
    and nothing in it is a value of the table.
    """
    lines, folder = path.with_name("l.jsonl"), path.parent
    export_ledger(path, lines)
    given = (folder / "released.parquet").read_bytes()
    (folder / "unspoken.key").unlink()
    for ask in (release, verified):
        with pytest.raises(InputError, match=r"unspoken\.key"):
            ask(path)
    (folder / "unspoken.key").write_bytes(bytes(31) + b"1")
    (folder / "unspoken.key").chmod(0o600)
    for ask in (release, verified):
        with pytest.raises(InputError, match="another key tosses every coin again"):
            ask(path)
    assert (folder / "released.parquet").read_bytes() == given
    first, event, *_ = map(json.loads, lines.read_text().splitlines())
    assert first["number"] == 1
    body = json.loads(event["events"]["body"])
    assert set(body["readings"]["1"]) == {"a"}
    assert len(body["readings"]["1"]["a"]) >= 32  # a keyed code of all rows, and no value


def test_a_person_is_erased_from_the_table(path: Path) -> None:
    """Their epoch is another one then; a new label is charged to the same account."""
    table = pa.table({"id": range(1, 40), "a": [n % 2 for n in range(1, 40)]})
    small(path.parent, table, {"a": {"values": [0, 1], "sensitive": "a = 1"}})
    with pytest.raises(Exception, match="changed since it was first read"):
        release(path)
    text = path.read_text()
    path.write_text(text.replace('label = "1"', 'label = "2"'))
    for name in ("released.parquet", "released.manifest.json"):
        shutil.move(path.parent / name, path.parent / f"old-{name}")
    assert release(path).rows == 39
    assert verified(path).head.number == 2
