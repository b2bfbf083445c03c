"""Moving a project to another machine: one list of what to keep, in one file and back.

The file is a ZIP archive whose members are called by what they are for, not by paths; where each
goes is what the project file in it says. Nothing is written before all of it is checked: that every
member is as it was, that the key is that of the ledger, that the chain of the ledger holds and has
the head of every output that lies there, and that the belief is one that the ledger has.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from unspoken.errors import InputError, UnspokenError
from unspoken.learning.pinned import Pinned
from unspoken.ledger import Head, Learning, Ledger, Seal, head_file
from unspoken.ledger.database_host import other_hosts_allowed
from unspoken.numerics.coins import MasterKey
from unspoken.numerics.files import PRIVATE, created, unfinished, writing
from unspoken.policy import Project
from unspoken.releasing.custody.custody import verified, with_custody
from unspoken.releasing.custody.first_readings import FirstReadings

__all__ = ["BackedUp", "Restored", "backup", "restore", "to_keep"]

FORMAT = 1
MARK = {"unspoken": "backup", "format": FORMAT}
LIST = "backup.json"
NEEDED = ("ledger", "key", "project")
FIRST = re.compile(r"first/[0-9a-f]{32}\.arrow")
LARGEST = 1 << 32  # bytes of a member
# What reading an archive raises that was not written here.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, RecursionError, EOFError,
    NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


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
    held = {name: path.read_bytes() for name, path in files.items() if name != "ledger"}
    if "belief" in held:
        _refuse_unknown(files["belief"], kept.ledger, held["belief"])
    # Last: a head may fall behind its ledger, and never runs ahead.
    held["ledger"] = kept.ledger.copy(kept.seal)
    listed = {
        **MARK,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "project": whole.path.name,
        "head": head.as_json(),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in held.items()},
    }
    with unfinished(archive, PRIVATE) as partial, writing(archive):
        with zipfile.ZipFile(partial.file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(LIST, json.dumps(listed, indent=2) + "\n")
            for name in files:
                packed.writestr(name, held[name])
        partial.publish()
    return BackedUp(archive, files, head.number)


def restore(archive: Path, folder: Path = Path(), outside: bool = False) -> Restored:
    """Put back what `backup` kept, all or nothing, over nothing that is there.

    ``outside``: also where the project file names places outside of ``folder``, or a database on
    another machine.
    """
    listed, held = _unpacked(archive)
    path = folder.absolute() / listed["project"]
    try:
        project = Project.parse(held["project"].decode(), path)
    except UnicodeDecodeError:
        raise _damaged(archive) from None
    kept = {**to_keep(project), **_first(project, held)}
    places = {name: place for name, place in kept.items() if name in held}
    if project.files.database is not None:
        del places["ledger"]
    _refuse_outside(folder, places, outside)
    _refuse_present(places, held)
    head = _checked(archive, project, held)
    written = dict[str, Path]()
    with _all_or_nothing(written):
        for name, place in places.items():
            if not place.exists():  # else it is the same already
                place.parent.mkdir(parents=True, exist_ok=True)
                with writing(place), created(place) as file:
                    file.write(held[name])
                written[name] = place
        if project.files.database is not None:
            with other_hosts_allowed() if outside else nullcontext():
                _into(project.files.database, project.files.key, held["ledger"])
    return Restored(places, head.number, listed["made"])


def _into(database: str, key: Path, ledger: bytes) -> None:
    """The ledger of an archive into a database; one that is there, and goes on from it, stays."""
    seal = Seal.of(MasterKey.read(key), key)
    if Ledger.there(database) and not Ledger(database).empty:
        Ledger(database).verify(seal)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ledger"
        file.write_bytes(ledger)
        Ledger(database).load(Ledger(file).exported(seal), seal, "backup")


# ---------------------------------------------------------------- reading an archive


def _unpacked(archive: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What is in it, every member as its list says."""
    try:
        with zipfile.ZipFile(archive) as packed:
            names = [member.filename for member in packed.infolist()]
            listed = json.loads(_read(packed, LIST))
            digests = listed["sha256"]
            if {**listed, **MARK} != listed or sorted(names) != sorted([LIST, *digests]):
                raise ValueError
            held = {name: _read(packed, name) for name in digests}
            plain = _plain(listed["project"]) and isinstance(listed["made"], str)
            others = {name for name in held if not FIRST.fullmatch(name)}
            if not plain or not {*NEEDED} <= others <= {*NEEDED, "head", "belief"}:
                raise ValueError
            if any(hashlib.sha256(held[n]).hexdigest() != digest for n, digest in digests.items()):
                raise ValueError
            Head.from_json(listed["head"], archive)
    except OSError as error:
        raise InputError(f"{archive}: {error.strerror or error}") from None
    except InputError:
        raise
    except DAMAGED:
        raise _damaged(archive) from None
    return listed, held


def _read(packed: zipfile.ZipFile, name: str) -> bytes:
    """A member; one that says of itself that it is larger than any of ours is none."""
    if packed.getinfo(name).file_size > LARGEST:
        raise ValueError
    return packed.read(name)


def _plain(name: object) -> bool:
    """Whether this is the name of a file in a folder, and no way out of it."""
    if not isinstance(name, str) or name in {"", ".", ".."} or "\0" in name:
        return False
    return PurePosixPath(name).name == PureWindowsPath(name).name == name


def _damaged(archive: Path) -> InputError:
    return InputError(
        f"{archive}: is no backup that unspoken wrote, or a damaged one; take another copy"
    )


# ---------------------------------------------------------------- what stands in the way


def _refuse_foreign(project: Project, archive: Path) -> None:
    """Only an older backup of this very ledger is written over."""
    if not archive.exists():
        return
    listed, _ = _unpacked(archive)
    master = MasterKey.read(project.files.key)
    seal = Seal.of(master, project.files.key, {archive: Head.from_json(listed["head"], archive)})
    Ledger(project.files.charged).verify(seal)


def _refuse_outside(folder: Path, places: Mapping[str, Path], outside: bool) -> None:
    home = folder.resolve()
    for name, place in places.items():
        if not outside and not place.resolve().is_relative_to(home):
            raise InputError(
                f"{place}: is where the project file wants the {name} to be, outside of {home}; if "
                "that is meant, say --outside"
            )


def _refuse_present(places: Mapping[str, Path], held: Mapping[str, bytes]) -> None:
    for name, place in places.items():
        if place.is_symlink() or place.exists():
            with suppress(OSError):
                if place.read_bytes() == held[name]:
                    continue
            raise InputError(
                f"{place}: is there already, and another than in the backup; nothing is written "
                "over: restore into another folder, or move it away"
            )


def _checked(archive: Path, project: Project, held: Mapping[str, bytes]) -> Head:
    """Whether key, ledger, head and belief belong together, and know of all that was given out."""
    home = project.path.parent
    while not home.is_dir():
        home = home.parent
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=home) as folder:
        # By the names they will have, so that messages are about these.
        files = replace(
            project.files,
            **{n: Path(folder) / getattr(project.files, n).name for n in ("key", "ledger")},
            database=None,
        )
        staged = {"key": files.key, "ledger": files.ledger, "head": head_file(files.key)}
        for name in staged.keys() & held.keys():
            with created(staged[name]) as file:
                file.write(held[name])
        try:
            head = verified(replace(project, files=files)).head
        except UnspokenError as error:
            said = str(error).replace(f"{folder}{os.sep}", "")
            raise InputError(f"{archive}: {said}") from None
        if "belief" in held:
            _refuse_unknown(archive, Ledger(files.charged), held["belief"])
    return head


def _refuse_unknown(place: Path, ledger: Ledger, belief: bytes) -> None:
    counted = {event.digest for _, event in ledger.decisions() if isinstance(event, Learning)}
    if Pinned.parse(belief, place).digest not in counted:
        raise InputError(f"{place}: what was counted is of another ledger; take another copy")


@contextmanager
def _all_or_nothing(written: Mapping[str, Path]) -> Iterator[None]:
    """What was written goes again, if not all of it can be."""
    try:
        yield
    except BaseException:
        for name, place in written.items():
            with suppress(OSError):
                place.unlink()
                if FIRST.fullmatch(name):
                    place.parent.rmdir()  # once it is empty
        raise
