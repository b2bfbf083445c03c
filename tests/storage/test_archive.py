"""All there is to keep, in one file and back: whole, checked, and over nothing that is there."""

from __future__ import annotations

import hashlib
import json
import shutil
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import unspoken
from tests.project_copies import copy_project
from tests.workflows.release.growing import chances, grow, project
from unspoken.core.errors import InputError
from unspoken.storage.custody.archive import backup, restore
from unspoken.storage.custody.archive_members import BackupArchive
from unspoken.storage.ledger import Ledger
from unspoken.tables.files import created

KEPT = ["belief.json", "ledger.sqlite", "unspoken.key", "unspoken.key.head", "unspoken.toml"]
FIRST = "ledger.sqlite.first"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project that was released once."""
    folder = tmp_path_factory.mktemp("released")
    grow(folder, 1)
    unspoken.release(project(folder))
    return folder


@pytest.fixture(scope="module")
def backup_of_released(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its backup."""
    file = tmp_path_factory.mktemp("backup") / "b.zip"
    backup(released / "unspoken.toml", file)
    return file


@pytest.fixture
def path(released: Path, tmp_path: Path) -> Path:
    return copy_project(released, tmp_path / "old")


@pytest.fixture
def packed(path: Path, backup_of_released: Path, tmp_path: Path) -> Path:
    """A backup of the project at ``path``, beside its folder."""
    return Path(shutil.copy2(backup_of_released, tmp_path / "b.zip"))


def changed(packed: Path, name: str, content: bytes, keep_digest: bool = False) -> None:
    """Another content of a member, with a digest that fits."""
    with zipfile.ZipFile(packed) as archive:
        held = {each: archive.read(each) for each in archive.namelist()}
    listed = json.loads(held["backup.json"])
    held[name] = content
    if name != "backup.json" and not keep_digest:
        digest = hashlib.sha256(content).hexdigest()
        listed["members"][name] = {"bytes": len(content), "sha256": digest}
        held["backup.json"] = json.dumps(listed).encode()
    with zipfile.ZipFile(packed, "w") as archive:
        for each, what in held.items():
            archive.writestr(each, what)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_old_backup_is_noticed_where_a_later_release_lies(path: Path, packed: Path) -> None:
    grow(path.parent, 2)
    unspoken.release(path)
    for name in KEPT:
        (path.parent / name).unlink()
    with pytest.raises(InputError, match=r"manifests.1\.json: is of event 4, and .* has only 3"):
        restore(packed, path.parent)
    assert not {*KEPT} & {file.name for file in path.parent.iterdir()}


@pytest.mark.slow
def test_a_crash_leaves_all_or_nothing(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [7]  # four files are staged first

    def full(place: Path) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", str(place))
        return created(place)

    monkeypatch.setattr("unspoken.storage.custody.archive.created", full)
    with pytest.raises(InputError, match="No space left"):
        restore(packed, tmp_path / "new")
    assert not (tmp_path / "new").exists()
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value"), [("project", "\\ud800"), ("project", "a\\udc80"), ("made", "2026\\ud800")]
)
def test_a_list_with_half_a_letter_is_refused(
    key: str, value: str, packed: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(packed) as archive:
        listed = json.loads(archive.read("backup.json"))
    listed[key] = json.loads(f'"{value}"')
    changed(packed, "backup.json", json.dumps(listed).encode())
    with pytest.raises(InputError, match="no backup that unspoken wrote, or a damaged one"):
        restore(packed, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("levels", [101, 1_500])
def test_a_file_in_folders_without_end_is_refused(
    levels: int, outside: bool, path: Path, packed: Path, tmp_path: Path
) -> None:
    text = path.read_text() + f'\n[secret]\nledger = "{"a/" * levels}b"\n'
    changed(packed, "project", text.encode())
    with pytest.raises(InputError, match=r"^\S+: its project file wants the ledger"):
        restore(packed, tmp_path / "new", outside)
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_where_the_project_file_says_if_that_is_meant(packed: Path, tmp_path: Path) -> None:
    elsewhere(packed)
    restore(packed, tmp_path / "new", outside=True)
    assert (tmp_path / "unspoken.key").exists()


LARGE = 64 << 20  # bytes of a member that is a few when packed


def enlarged(packed: Path, kind: int = zipfile.ZIP_DEFLATED) -> str:
    """A first reading of zeros in an archive, listed as it is."""
    name, content = f"first/{'0' * 32}.arrow", bytes(LARGE)
    with zipfile.ZipFile(packed) as archive:
        held = {each: archive.read(each) for each in archive.namelist()}
    listed = json.loads(held["backup.json"])
    listed["members"][name] = {"bytes": LARGE, "sha256": hashlib.sha256(content).hexdigest()}
    held["backup.json"] = json.dumps(listed).encode()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, what in held.items():
            archive.writestr(each, what)
        archive.writestr(name, content, kind)
    return name


def test_what_is_in_it_is_never_in_memory_as_a_whole(packed: Path, tmp_path: Path) -> None:
    name = enlarged(packed)
    restore(packed, tmp_path / "warm")
    tracemalloc.start()
    try:
        restore(packed, tmp_path / "new")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "new" / FIRST / Path(name).name).stat().st_size == LARGE
    assert most < LARGE / 4
    assert packed.stat().st_size < LARGE / 100


@pytest.mark.slow
def test_a_backup_is_made_without_holding_what_is_in_it(path: Path, tmp_path: Path) -> None:
    large = path.parent / FIRST / f"{'0' * 32}.arrow"
    large.write_bytes(bytes(LARGE))
    backup(path, tmp_path / "warm.zip")
    tracemalloc.start()
    try:
        backup(path, tmp_path / "b.zip")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < LARGE / 4
    restore(tmp_path / "b.zip", tmp_path / "new")
    assert (tmp_path / "new" / FIRST / large.name).stat().st_size == LARGE


@pytest.mark.slow
def test_nothing_is_read_beyond_what_is_listed(packed: Path) -> None:
    """Where the archive says so too, which takes one that was made for it."""
    name = enlarged(packed)
    with BackupArchive.opened(packed) as archive:
        whole = archive.members[name]
        for listed in (3, LARGE // 2, LARGE - 1, LARGE + 1):
            members = {name: replace(whole, bytes=listed)}
            got: list[int] = []
            blocks = map(len, replace(archive, members=members).blocks(name))
            with pytest.raises(InputError, match="no backup that unspoken wrote, or a damaged one"):
                got.extend(blocks)
            assert sum(got) <= listed
        assert sum(map(len, archive.blocks(name))) == LARGE


def longer_than_listed(packed: Path) -> None:
    name = enlarged(packed)
    with zipfile.ZipFile(packed) as archive:
        listed = json.loads(archive.read("backup.json"))
    listed["members"][name]["bytes"] -= 1
    changed(packed, "backup.json", json.dumps(listed).encode())


def packed_by_what_unpacks_at_once(packed: Path) -> None:
    enlarged(packed, zipfile.ZIP_BZIP2)


def twice(packed: Path) -> None:
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("key", bytes(32))


def endless_list(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        changed(packed, "backup.json", archive.read("backup.json") + b" " * LARGE)


def large_project(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        changed(packed, "project", archive.read("project") + b"\n" * (LARGE // 8))


@pytest.mark.parametrize(
    "fault",
    [longer_than_listed, packed_by_what_unpacks_at_once, twice, endless_list, large_project],
)
def test_what_is_not_as_listed_is_refused_before_it_is_read(
    packed: Path, tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    fault(packed)
    before = sorted(file.name for file in tmp_path.iterdir())
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="no backup that unspoken wrote, or a damaged one"):
            restore(packed, tmp_path / "new")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < LARGE / 4
    assert sorted(file.name for file in tmp_path.iterdir()) == before


@pytest.mark.slow
def test_what_there_is_no_room_for_is_not_begun(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enlarged(packed)
    room = shutil.disk_usage(tmp_path)._replace(free=LARGE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: room)
    with pytest.raises(InputError, match=r"b\.zip: has [\d,]+ bytes when unpacked, and .* room"):
        restore(packed, tmp_path / "new")
