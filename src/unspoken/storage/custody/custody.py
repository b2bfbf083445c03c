"""What a project keeps from one release to the next: its key, its ledger, and what it gave out.

The ledger is made first, the key second: a key without its ledger is one that was lost, and with it
the account of all that was released. Whatever lies where a release is to be written tells too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.core.errors import InputError
from unspoken.storage.coins import MasterKey
from unspoken.storage.ledger import Account, Head, Ledger, Seal, head_file
from unspoken.storage.rows.outputs import Output, draws_of, lying
from unspoken.tables.files import swept
from unspoken.tables.policy import Project

__all__ = [
    "MARK",
    "NO_MANIFEST",
    "Custody",
    "Verified",
    "all_heads",
    "by_digest",
    "charge_of",
    "manifest_at",
    "refuse_foreign",
    "verified",
    "with_custody",
]

MARK = {"unspoken": "release"}  # what our manifests begin with, and our releases carry
LARGEST = 1 << 28  # bytes of a manifest
NO_MANIFEST = (
    "is no manifest that unspoken wrote; restore it from a copy, or move it away and release again"
)
Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Custody:
    """The coin key of a project, its ledger, and the seal of that."""

    master: MasterKey
    ledger: Ledger
    seal: Seal

    def look(self, at: Callable[[Account], Seen]) -> Seen:
        """What this sees in the account of all events; nothing is charged."""
        return self.ledger.look(at, self.seal)

    @classmethod
    def there(cls, project: Project) -> Custody | None:
        """What earlier releases made; None: there were none. What is lost is refused."""
        files, heads = project.files, _heads(project)
        _refuse_dangling(files.key)
        if not Ledger.there(files.charged):
            _refuse_without_ledger(project)
            return None
        ledger = Ledger.opened(files.charged)
        if ledger.empty:
            _refuse_released(project)
            if not files.key.exists() and not head_file(files.key).exists():
                return None
        master = MasterKey.read(files.key)
        return cls(master, ledger, Seal.of(master, files.key, heads))

    @classmethod
    def made(cls, project: Project) -> Custody:
        """The same, made where there is none."""
        key = project.files.key
        for path in (key, project.files.ledger):
            swept(path)  # a second copy of either, which a crash left
        found = cls.there(project)
        if found is not None:
            return found
        ledger = Ledger.opened(project.files.charged)
        try:
            master = MasterKey.create(key)
        except InputError:
            if not key.exists():
                raise
            master = MasterKey.read(key)  # another first release was faster
        return cls(master, ledger, Seal.of(master, key))


@dataclass(frozen=True)
class Verified:
    """The head of a ledger whose every event is as it was charged, and which files record what.

    ``warnings``: that the last release has no file, though it was charged.
    """

    head: Head
    recorded: Mapping[Path, Head]
    warnings: tuple[str, ...] = ()


def with_custody(project: Project | str | Path) -> tuple[Project, Custody]:
    """Of a project, or the file of one; refused where nothing was charged yet."""
    given = project if isinstance(project, Project) else Project.read(project)
    kept = Custody.there(given)
    if kept is None:
        ledger = given.files.ledger.name
        raise InputError(f"{ledger}: there is no ledger yet; the first release makes it")
    return given, kept


def verified(project: Project | str | Path) -> Verified:
    """Check the ledger of a project against its key, and against what was recorded of it."""
    given, kept = with_custody(project)
    seal = replace(kept.seal, given=all_heads(given))
    head = kept.ledger.verify(seal)
    return Verified(head, dict(seal.recorded()), tuple(_unwritten(given, kept)))


def all_heads(project: Project) -> dict[Path, Head]:
    """Those of all manifests at the outputs, of applications too."""
    each = chain([project], _of_readers(project))
    return {place: head for files in each for place, head in _heads(files).items()}


def _of_readers(project: Project) -> Iterator[Project]:
    """As each application is served, if files can be called by its name."""
    for name in project.applications:
        with suppress(InputError):
            yield project.serving(name)


def _heads(project: Project) -> dict[Path, Head]:
    """Those that manifests where its releases are to be written have."""
    return {place: head for place, head in _given(project).items() if head is not None}


def _unwritten(project: Project, kept: Custody) -> Iterator[str]:
    """A command that is killed between the charge and the file leaves an event that showed nothing.

    Where each epoch or each application has files of its own, a release says which are gone.
    """
    number = kept.ledger.latest(project.source.name)
    if project.divided or project.files.by_epoch or number is None:
        return
    _, event = kept.ledger.release(number)
    reader = next(iter(event.readers), None)
    if reader is not None and reader not in project.applications:
        return
    files = project.serving(reader, event.draw).files
    given = _given_in(project, files.release, files.manifest) if _lies(files.release) else {}
    there = {head.number for head in given.values() if head is not None}
    if number in there:
        return
    if _lies(files.release) and not there:
        yield (
            f"{files.release.name} lies there without {files.manifest.name}, so nothing says which "
            f"event it is of: if of one after event {number}, the ledger was rolled back. Put the "
            "manifest back; release writes both again, free of charge while the source is the same"
        )
        return
    found = f"is of event {max(there)}" if there else "is not there"
    yield (
        f"{files.release.name} {found}, and event {number} is the last release that was charged. "
        "If its file was never written, since the command was killed, nothing of it was shown, and "
        "what it was charged stays so; release again while the source is what it was then: that "
        "writes it, free of charge"
    )


def refuse_foreign(outputs: Iterable[Output]) -> None:
    """What would be written over has to be ours."""
    named = [pair for each in outputs for pair in each._asdict().items()]
    for output, path in named:
        if os.path.lexists(path) and not path.is_file() and not path.is_dir():
            raise InputError(
                f"{path}: is there already, and no regular file; move it away, or give [output] "
                f"{output} another name"
            )
        if _lies(path) and _READ[output](path) is None:
            raise InputError(
                f"{path}: is there already, and no {output} that unspoken wrote; move it away, or "
                f"give [output] {output} another name"
            )


def charge_of(manifest: Path) -> int | None:
    """The number of the event that a manifest is of; None: it is none of ours."""
    return next((paper.head.number for paper in _papers([manifest]).values()), None)


def manifest_at(path: Path) -> dict[str, Any]:
    """What a manifest of ours says."""
    try:
        read = _manifest(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if read is None or not all(isinstance(read.get(key), dict) for key in ("release", "readings")):
        raise InputError(f"{path}: {NO_MANIFEST}")
    return read


def _refuse_dangling(key: Path) -> None:
    """Before a ledger is made: a key that is elsewhere may come back, and then it was lost."""
    if key.is_symlink() and not key.exists():
        raise InputError(
            f"{key}: links to {os.readlink(key)}, which is not there; make that available again "
            "or, if there never was a key, remove the link"
        )


def _refuse_without_ledger(project: Project) -> None:
    files = project.files
    for path in (files.key, head_file(files.key)):
        if path.exists():
            raise InputError(
                f"ledger {files.ledger}: is not there, though {path.name} is: what was released "
                "counts for ever. Restore the ledger from a copy; or, if nothing was ever given "
                f"out, remove {files.key.name} and {head_file(files.key).name}"
            )
    _refuse_released(project)


def _refuse_released(project: Project) -> None:
    """Where nothing was ever charged, nothing of ours can lie about, whoever was given it."""
    for place in chain(_given(project), *map(_given, _of_readers(project))):
        raise InputError(
            f"{place}: was released, and ledger {project.files.ledger.name} has no such event: it "
            "was lost or replaced. Restore the ledger and the key from a copy; or, if this file "
            "is of another project, move it away"
        )


def _given(project: Project) -> dict[Path, Head | None]:
    """What of ours lies where a release is to be written, by any draw; of a manifest, the event."""
    given = dict[Path, Head | None]()
    for output in (each for files in draws_of(project.files) for each in lying(files)):
        given |= _given_in(project, *output)
    return given


def _given_in(project: Project, release: Path, manifest: Path) -> dict[Path, Head | None]:
    papers, given = _papers([manifest]), dict[Path, Head | None]()
    if _lies(release) and _release(release) is not None:
        with open(release, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        papers |= _papers([by_digest(manifest, digest)])  # where a crash left it
        if papers and all(paper.digest != digest for paper in papers.values()):
            raise InputError(
                f"{release}: is not the release that {manifest.name} is of, so nothing says that "
                f"ledger {project.files.ledger.name} has its event: both may have been rolled "
                "back. Restore them and the key's head from a copy; or, if this file was changed "
                "or is older than the manifest, move it away"
            )
        given[release] = None
    return {place: paper.head for place, paper in papers.items()} | given


@dataclass(frozen=True)
class _Paper:
    """A manifest: the event in the ledger, and the digest of what was released by it."""

    head: Head
    digest: object


def _papers(places: Iterable[Path]) -> dict[Path, _Paper]:
    """The manifests that lie there."""
    found = dict[Path, _Paper]()
    for place in places:
        read = _manifest(place) if _lies(place) else None
        if read is not None:
            release = read.get("release")
            digest = release.get("sha256") if isinstance(release, dict) else None
            found[place] = _Paper(Head.from_json(read["charge"], place, "charge"), digest)
    return found


def by_digest(path: Path, digest: str) -> Path:
    """What the manifest of a release is called until the release is there, and in a crash later."""
    return path.with_name(f"{path.stem}.{digest[:12]}{path.suffix}")


def _lies(path: Path) -> bool:
    """Whether there is something to lose; a folder is refused where it is written."""
    return path.is_file() and path.stat().st_size > 0


def _manifest(path: Path) -> dict[str, Any] | None:
    if path.stat().st_size > LARGEST:
        return None
    try:
        written = json.loads(path.read_bytes(), object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None
    ours = isinstance(written, dict) and MARK.items() <= written.items()
    return {"charge": None, **written} if ours else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that is there twice is read as one by some, and as the other by others."""
    if len(read := dict(pairs)) < len(pairs):
        raise ValueError
    return read


def _release(path: Path) -> dict[str, Any] | None:
    try:
        written = pq.read_metadata(path).metadata or {}
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if getattr(error, "errno", None):  # of the system; Arrow raises one for what is broken
            raise
        return None
    return {} if all(written.get(k.encode()) == v.encode() for k, v in MARK.items()) else None


_READ = {"manifest": _manifest, "release": _release}
