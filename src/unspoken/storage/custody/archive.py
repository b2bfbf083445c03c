"""Moving a project to another machine: one list of what to keep, in one file and back.

Members of the archive are called by what they are for, not by paths; where each goes is what the
project file in it says. Nothing is put in its place before all of it is checked: that every member
is as it was, that the key is that of the ledger, that the chain of the ledger holds and has the
head of every output that lies there, and that the belief is one that the ledger has.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from unspoken.core.errors import InputError, UnspokenError
from unspoken.storage.coins import MasterKey
from unspoken.storage.core_dumps import forbid_core_dumps
from unspoken.storage.custody.archive_members import FIRST, ArchiveWriter, BackupArchive, Member
from unspoken.storage.custody.custody import verified, with_custody
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.custody.unpacking import remove_unpacked, unpacking_folder
from unspoken.storage.ledger import Head, Learning, Ledger, Seal, head_file
from unspoken.storage.ledger.database_host import other_hosts_allowed
from unspoken.tables.files import PRIVATE, created, unfinished, writing
from unspoken.tables.policy import Project
from unspoken.tables.policy.declared import Files
from unspoken.tables.policy.reading import read_text

__all__ = ["BackedUp", "Restored", "backup", "restore", "to_keep"]


MOST_FOLDERS = 100  # one in another, above a file that is put back


def to_keep(project: Project) -> dict[str, Path]:
    """All that a project cannot be without, in the order in which it is put back.

    The plan that was adopted is in the ledger. What lies in ``.unspoken`` can be counted again; the
    table itself, releases and reports are not of this list. What records were when they were first
    read is: without it a row that comes late cannot be told from one that changed.
    """
    files = project.files
    return {
        "ledger": files.ledger,
        "head": head_file(files.key),
        "key": files.key,
        "belief": files.belief,
        "project": project.path,
        **_first(project, {f"first/{path.name}" for path in _readings(project).glob("*.arrow")}),
    }


def _readings(project: Project) -> Path:
    return FirstReadings.of(project.files.ledger).folder


def _first(project: Project, names: Iterable[str]) -> dict[str, Path]:
    """Where those of these lie that are first readings."""
    found = filter(FIRST.fullmatch, names)
    return {name: _readings(project) / name.removeprefix("first/") for name in sorted(found)}


@dataclass(frozen=True)
class BackedUp:
    """``kept``: which files are in the archive at ``path``; ``events``: of the ledger in it."""

    path: Path
    kept: Mapping[str, Path]
    events: int


@dataclass(frozen=True)
class Restored:
    """``written``: which files, of the archive that was made at ``made``."""

    written: Mapping[str, Path]
    events: int
    made: str


def backup(project: Project | str | Path, archive: Path) -> BackedUp:
    """All there is to keep of a project in one file, for its owner: the master key is in it."""
    whole, kept = with_custody(project)
    head = verified(whole).head
    there = to_keep(whole).items()
    files = {name: path for name, path in there if path.exists() or name == "ledger"}
    with writing(archive):
        _refuse_foreign(whole, archive)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    with unfinished(archive, PRIVATE) as partial, writing(archive):
        with ArchiveWriter.opened(partial.file) as writer:
            for name in [name for name in files if name != "ledger"]:
                with _readable(files[name]) as content:
                    member = writer.add(name, content)
                if name == "belief":
                    _refuse_unknown(files[name], kept.ledger, member)
            # Last: a head may fall behind its ledger, and never runs ahead.
            writer.add("ledger", io.BytesIO(kept.ledger.copy(kept.seal)))
            writer.finish(made, whole.path.name, head)
        partial.publish()
    return BackedUp(archive, files, head.number)


def _readable(path: Path) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def restore(archive: Path, folder: Path = Path(), outside: bool = False) -> Restored:
    """Put back what `backup` kept, all or nothing, over nothing that is there.

    ``outside``: also where the project file names places outside of ``folder``, or a database on
    another machine.
    """
    forbid_core_dumps()  # the key is in memory as it is unpacked
    hosts = other_hosts_allowed() if outside else nullcontext()
    with BackupArchive.opened(archive) as packed, _staging(packed, folder) as stage, hosts:
        project = _staged_project(packed, stage, folder)
        names = packed.members.keys()
        kept = {**to_keep(project), **_first(project, names)}
        places = {name: place for name, place in kept.items() if name in names}
        database = project.files.database
        if database is not None:
            del places["ledger"]
        _refuse_deep(packed, places)
        _refuse_outside(folder, places, outside)
        _refuse_present(places, packed.members)
        staged, head = _checked(packed, project, stage)
        if database is not None:
            Ledger.there(database)  # refused before anything is written
        written = dict[str, Path]()
        with _all_or_nothing(written, places.values()):
            for name, place in places.items():
                if not place.exists():  # else it is the same already
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with writing(place):
                        _copy(packed, name, place)
                    written[name] = place
            if database is not None:
                _into(database, project.files.key, staged.ledger)
        return Restored(places, head.number, packed.made)


def _into(database: str, key: Path, file: Path) -> None:
    """The ledger of an archive into a database; one that is there, and goes on from it, stays."""
    seal = Seal.of(MasterKey.read(key), key)
    if Ledger.there(database) and not Ledger(database).empty:
        Ledger(database).verify(seal)
        return
    Ledger(database).load(Ledger(file).exported(seal), seal, "backup")


# ---------------------------------------------------------------- reading an archive


@contextmanager
def _staging(packed: BackupArchive, folder: Path) -> Iterator[Path]:
    """A folder beside the project, gone at the end, with room for what is in the archive."""
    home = folder.absolute()
    remove_unpacked(home)
    while not home.is_dir():
        home = home.parent
    needed, free = sum(m.bytes for m in packed.members.values()), shutil.disk_usage(home).free
    if needed > free:
        raise InputError(
            f"{packed.path}: has {needed:,} bytes when unpacked, and {home} has room for {free:,}; "
            "make room there"
        )
    with unpacking_folder(home) as stage:
        yield stage


def _copy(packed: BackupArchive, name: str, place: Path) -> None:
    with created(place) as file:
        for block in packed.blocks(name):
            file.write(block)


def _staged_project(packed: BackupArchive, stage: Path, folder: Path) -> Project:
    """What the project file of an archive says, as one in the folder."""
    _copy(packed, "project", stage / "project")
    try:
        text = read_text(stage / "project")
    except InputError:
        raise packed.damaged() from None
    return Project.parse(text, folder.absolute() / packed.project)


# ---------------------------------------------------------------- what stands in the way


def _refuse_foreign(project: Project, archive: Path) -> None:
    """Only an older backup of this very ledger is written over."""
    if not archive.exists():
        return
    with BackupArchive.opened(archive) as packed:
        head = packed.head
    seal = Seal.of(MasterKey.read(project.files.key), project.files.key, {archive: head})
    Ledger(project.files.charged).verify(seal)


def _refuse_deep(packed: BackupArchive, places: Mapping[str, Path]) -> None:
    for name, place in places.items():
        if len(place.parents) > MOST_FOLDERS:
            raise InputError(
                f"{packed.path}: its project file wants the {name} to be in {len(place.parents):,} "
                f"folders, one in another, and {MOST_FOLDERS} are the most; take another copy"
            )


def _refuse_outside(folder: Path, places: Mapping[str, Path], outside: bool) -> None:
    home = folder.resolve()
    for name, place in places.items():
        if not outside and not place.resolve().is_relative_to(home):
            raise InputError(
                f"{place}: is where the project file wants the {name} to be, outside of {home}; if "
                "that is meant, say --outside"
            )


def _refuse_present(places: Mapping[str, Path], members: Mapping[str, Member]) -> None:
    for name, place in places.items():
        if place.is_symlink() or place.exists():
            with suppress(OSError):
                if place.stat().st_size == members[name].bytes:
                    with open(place, "rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                    if digest == members[name].sha256:
                        continue
            raise InputError(
                f"{place}: is there already, and another than in the backup; nothing is written "
                "over: restore into another folder, or move it away"
            )


def _checked(packed: BackupArchive, project: Project, stage: Path) -> tuple[Files, Head]:
    """Refuse members that are not as the list says, or do not belong together, or do not know of
    all that was given out. Gives where key and ledger are staged, and the head.
    """
    # By the names they will have, so that messages are about these.
    staged = replace(
        project.files,
        key=stage / "key" / project.files.key.name,
        ledger=stage / "ledger" / project.files.ledger.name,
        database=None,
    )
    places = {"key": staged.key, "head": head_file(staged.key), "ledger": staged.ledger}
    for name in packed.members:
        if name in places:
            places[name].parent.mkdir(exist_ok=True)
            _copy(packed, name, places[name])
        else:
            deque(packed.blocks(name), 0)
    try:
        head = verified(replace(project, files=staged)).head
    except UnspokenError as error:
        said = str(error)
        for part in ("key", "ledger"):
            said = said.replace(f"{stage / part}{os.sep}", "")
        raise InputError(f"{packed.path}: {said}") from None
    if "belief" in packed.members:
        _refuse_unknown(packed.path, Ledger(staged.ledger), packed.members["belief"])
    return staged, head


def _refuse_unknown(place: Path, ledger: Ledger, belief: Member) -> None:
    counted = {event.digest for _, event in ledger.decisions() if isinstance(event, Learning)}
    if belief.sha256 not in counted:
        raise InputError(f"{place}: what was counted is of another ledger; take another copy")


@contextmanager
def _all_or_nothing(written: Mapping[str, Path], places: Iterable[Path]) -> Iterator[None]:
    """What was written goes again, and so do folders that were made, if not all of it can be."""
    missing = {folder for place in places for folder in place.parents if not folder.exists()}
    try:
        yield
    except BaseException:
        for path in written.values():
            with suppress(OSError):
                path.unlink()
        for folder in sorted(missing, reverse=True):  # the innermost first
            with suppress(OSError):
                folder.rmdir()
        raise
