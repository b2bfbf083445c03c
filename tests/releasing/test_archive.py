"""All there is to keep, in one file and back: whole, checked, and over nothing that is there."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import unspoken
from tests.releasing.growing import chances, grow, project
from unspoken.errors import InputError
from unspoken.ledger import Ledger
from unspoken.numerics.files import created
from unspoken.releasing import backup, restore

KEPT = ["belief.json", "ledger.sqlite", "unspoken.key", "unspoken.key.head", "unspoken.toml"]
FIRST = "ledger.sqlite.first"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    grow(tmp_path / "old", 1)
    path = project(tmp_path / "old")
    unspoken.release(path)
    return path


@pytest.fixture
def packed(path: Path, tmp_path: Path) -> Path:
    backup(path, tmp_path / "b.zip")
    return tmp_path / "b.zip"


def changed(packed: Path, name: str, content: bytes, keep_digest: bool = False) -> None:
    """Another content of a member, with a digest that fits."""
    with zipfile.ZipFile(packed) as archive:
        held = {each: archive.read(each) for each in archive.namelist()}
    listed = json.loads(held["backup.json"])
    held[name] = content
    if name != "backup.json" and not keep_digest:
        listed["sha256"][name] = hashlib.sha256(content).hexdigest()
        held["backup.json"] = json.dumps(listed).encode()
    with zipfile.ZipFile(packed, "w") as archive:
        for each, what in held.items():
            archive.writestr(each, what)


def test_a_project_goes_on_on_another_machine(path: Path, packed: Path, tmp_path: Path) -> None:
    assert packed.stat().st_mode & 0o777 == 0o600
    before = chances(path)
    done = restore(packed, tmp_path / "new")
    first = [f"ledger.sqlite.first/{p.name}" for p in (path.parent / FIRST).iterdir()]
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == sorted([*KEPT, FIRST])
    assert (done.events, [name for name in done.written if "/" not in name]) == (
        3, ["ledger", "head", "key", "belief", "project"],
    )  # fmt: skip
    assert len(done.written) == len(KEPT) + len(first) == 6
    for name in [*KEPT, *first]:
        assert (tmp_path / "new" / name).read_bytes() == (path.parent / name).read_bytes()
        assert (tmp_path / "new" / name).stat().st_mode & 0o077 == 0
    grow(tmp_path / "new", 2)
    moved = tmp_path / "new" / "unspoken.toml"
    assert unspoken.release(moved).rows == 2400  # what was given out is not in a backup
    assert chances(moved) == before
    backup(moved, packed)  # newer than what is in it, of the same ledger


def test_nothing_that_is_there_is_written_over(path: Path, packed: Path, tmp_path: Path) -> None:
    restore(packed, path.parent)  # the same already
    new = tmp_path / "new"
    new.mkdir()
    (new / "belief.json").write_text("mine")
    with pytest.raises(InputError, match=r"belief\.json: is there already, and another"):
        restore(packed, new)
    assert [file.name for file in new.iterdir()] == ["belief.json"]
    packed.write_text("mine")
    with pytest.raises(InputError, match="is no backup that unspoken wrote"):
        backup(path, packed)
    assert packed.read_text() == "mine"


def test_a_backup_of_another_or_a_later_ledger_is_not_written_over(
    path: Path, packed: Path, tmp_path: Path
) -> None:
    old = path.parent
    shutil.copytree(old, tmp_path / "copy")
    grow(old, 2)
    unspoken.release(path)
    backup(path, packed)
    with pytest.raises(InputError, match=r"b\.zip: is of event 4, and ledger .* has only 3"):
        backup(tmp_path / "copy", packed)


def test_an_old_backup_is_noticed_where_a_later_release_lies(path: Path, packed: Path) -> None:
    grow(path.parent, 2)
    unspoken.release(path)
    for name in KEPT:
        (path.parent / name).unlink()
    with pytest.raises(InputError, match=r"manifests.1\.json: is of event 4, and .* has only 3"):
        restore(packed, path.parent)
    assert not {*KEPT} & {file.name for file in path.parent.iterdir()}


def test_a_crash_leaves_all_or_nothing(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [6]  # three files are staged first

    def full(place: Path) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", str(place))
        return created(place)

    monkeypatch.setattr("unspoken.releasing.custody.archive.created", full)
    with pytest.raises(InputError, match="No space left"):
        restore(packed, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".restore")]


def wrong_place(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        listed = json.loads(archive.read("backup.json"))
    changed(packed, "backup.json", json.dumps({**listed, "project": "../unspoken.toml"}).encode())


def wrong_member(packed: Path) -> None:
    changed(packed, "../evil", b"x", keep_digest=True)


def wrong_content(packed: Path) -> None:
    changed(packed, "key", bytes(32), keep_digest=True)


def another_key(packed: Path) -> None:
    changed(packed, "key", bytes(range(32)))


def another_belief(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        changed(packed, "belief", archive.read("belief").replace(b" 1200", b" 1201"))


def elsewhere(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        text = archive.read("project") + b'[secret]\nkey = "../unspoken.key"\n'
    changed(packed, "project", text)


def another_ledger(packed: Path) -> None:
    ledger = packed.with_name("fresh.sqlite")
    Ledger(ledger)
    changed(packed, "ledger", ledger.read_bytes())


def cut(packed: Path) -> None:
    packed.write_bytes(packed.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (wrong_place, "no backup that unspoken wrote, or a damaged one"),
        (wrong_member, "no backup that unspoken wrote, or a damaged one"),
        (wrong_content, "no backup that unspoken wrote, or a damaged one"),
        (cut, "no backup that unspoken wrote, or a damaged one"),
        (another_key, r"b\.zip: unspoken\.key: is coin key .*, the releases in this ledger used"),
        (another_belief, "what was counted is of another ledger"),
        (another_ledger, r"b\.zip: .*is of event 3, and ledger ledger\.sqlite has only 0"),
        (elsewhere, "outside of .*if that is meant, say --outside"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    packed: Path, tmp_path: Path, fault: Callable[[Path], None], said: str
) -> None:
    fault(packed)
    before = sorted(file.name for file in tmp_path.iterdir())
    with pytest.raises(InputError, match=said):
        restore(packed, tmp_path / "new")
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_where_the_project_file_says_if_that_is_meant(packed: Path, tmp_path: Path) -> None:
    elsewhere(packed)
    restore(packed, tmp_path / "new", outside=True)
    assert (tmp_path / "unspoken.key").exists()
