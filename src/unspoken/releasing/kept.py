"""What a project keeps from one release to the next: its key, its ledger, and what it gave out.

The ledger is made first, the key second: a key without its ledger is one that was lost, and with it
the account of all that was released. Whatever lies where a release is to be written tells too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.errors import InputError
from unspoken.ledger import Head, Ledger, Seal, head_file
from unspoken.numerics.coins import MasterKey
from unspoken.numerics.files import swept
from unspoken.policy import Project

__all__ = ["MARK", "Kept"]

MARK = {"unspoken": "release"}  # what our manifests begin with, and our releases carry
LARGEST = 1 << 28  # bytes of a manifest


@dataclass(frozen=True)
class Kept:
    """The coin key of a project, its ledger, and the seal of that."""

    master: MasterKey
    ledger: Ledger
    seal: Seal

    @classmethod
    def there(cls, project: Project) -> Kept | None:
        """What earlier releases made; None: there were none. What is lost is refused."""
        files = project.files
        given = {place: head for place, head in _given(project) if head is not None}
        if not files.ledger.exists():
            _refuse_without_ledger(project)
            return None
        ledger = Ledger(files.ledger)
        if ledger.empty:
            _refuse_released(project)
            if not files.key.exists() and not head_file(files.key).exists():
                return None
        master = MasterKey.read(files.key)
        return cls(master, ledger, Seal.of(master, files.key, given))

    @classmethod
    def made(cls, project: Project) -> Kept:
        """The same, made where there is none."""
        key = project.files.key
        for path in (key, project.files.ledger):
            swept(path)  # a second copy of either, which a crash left
        found = cls.there(project)
        if found is not None:
            return found
        ledger = Ledger(project.files.ledger)
        try:
            master = MasterKey.create(key)
        except InputError:
            if not key.exists():
                raise
            master = MasterKey.read(key)  # another first release was faster
        return cls(master, ledger, Seal.of(master, key))


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
    """Where nothing was ever charged, nothing of ours can lie about."""
    for place, _ in _given(project):
        raise InputError(
            f"{place}: was released, and ledger {project.files.ledger.name} has no such event: it "
            "was lost or replaced. Restore the ledger and the key from a copy; or, if this file "
            "is of another project, move it away"
        )


def _given(project: Project) -> Iterator[tuple[Path, Head | None]]:
    """What of ours lies where a release is to be written, with what manifests say of the ledger.

    What is not ours is refused: it would be written over.
    """
    for output, path in (("manifest", project.files.manifest), ("release", project.files.release)):
        if not path.is_file() or not path.stat().st_size:
            continue  # nothing to lose; a folder is refused where it is written
        read = _manifest(path) if output == "manifest" else _marked(path)
        if read is None:
            raise InputError(
                f"{path}: is there already, and no {output} that unspoken wrote; move it away, or "
                f"give [output] {output} another name"
            )
        yield path, Head.from_json(read.get("charge"), path) if output == "manifest" else None


def _manifest(path: Path) -> dict[str, Any] | None:
    if path.stat().st_size > LARGEST:
        return None
    try:
        written = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return written if isinstance(written, dict) and MARK.items() <= written.items() else None


def _marked(path: Path) -> dict[str, Any] | None:
    try:
        written = pq.read_metadata(path).metadata or {}
    except pa.ArrowException:
        return None
    read = {str(k, "utf-8", "replace"): str(v, "utf-8", "replace") for k, v in written.items()}
    return read if MARK.items() <= read.items() else None
