"""The archive of a backup: a ZIP file with a list of its members, and the members.

The list says how large each member is and which digest it has. It is read first, and is as long as
so many members need at most; then nothing is read that is not in it, or beyond what it says. A
member is never in memory as a whole: a small archive may hold a large one.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, TypeGuard

from unspoken.core.errors import InputError
from unspoken.storage.ledger import Head

__all__ = ["FIRST", "ArchiveWriter", "BackupArchive", "Member"]

MARK = {"unspoken": "backup", "format": 2}
LIST = "backup.json"
NEEDED = {"ledger", "key", "project"}
OTHERS = {"head", "belief"}
FIRST = re.compile(r"first/[0-9a-f]{32}\.arrow")
BLOCK = 1 << 20  # bytes that are in memory at once
LIST_BYTES, LIST_BYTES_A_MEMBER = 4_096, 256
# What reading an archive raises that was not written here.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, RecursionError, EOFError,
    NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """How many ``bytes`` it has, and their digest."""

    bytes: int
    sha256: str


class ArchiveWriter:
    """Writes members one after the other, and then the list of them."""

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed, self._members = packed, dict[str, Member]()

    @classmethod
    @contextmanager
    def opened(cls, file: BinaryIO) -> Iterator[ArchiveWriter]:
        """One that writes into this file."""
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            yield cls(packed)

    def add(self, name: str, content: BinaryIO) -> Member:
        """Write a member, and say what was written."""
        size, digest = 0, hashlib.sha256()
        with self._packed.open(name, "w", force_zip64=True) as to:
            while block := content.read(BLOCK):
                size += len(block)
                digest.update(block)
                to.write(block)
        self._members[name] = Member(size, digest.hexdigest())
        return self._members[name]

    def finish(self, made: str, project: str, head: Head) -> None:
        """Write the list: when it was made, the name of the project file, the ledger's head."""
        members = {name: asdict(member) for name, member in self._members.items()}
        about = {"made": made, "project": project, "head": head.as_json(), "members": members}
        self._packed.writestr(LIST, json.dumps({**MARK, **about}, indent=2) + "\n")


@dataclass(frozen=True)
class BackupArchive:
    """An archive whose list was read and is sound; ``project``: the name of the project file."""

    path: Path
    made: str
    project: str
    head: Head
    members: Mapping[str, Member]
    _packed: zipfile.ZipFile

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[BackupArchive]:
        """Read the list of one; what is no archive of ours, or has other members, is refused."""
        with _named(path):
            packed = zipfile.ZipFile(path)
        with packed:
            with _named(path):
                archive = cls(path, **_listed(packed, path), _packed=packed)
            yield archive

    def blocks(self, name: str) -> Iterator[bytes]:
        """The content of a member, in parts; refused once it is another than the list says."""
        member, digest = self.members[name], hashlib.sha256()
        left = member.bytes
        with _named(self.path):
            with self._packed.open(name) as source:
                while block := source.read(min(BLOCK, left + 1)):
                    left -= len(block)
                    if left < 0:
                        raise ValueError
                    digest.update(block)
                    yield block
            if left or digest.hexdigest() != member.sha256:
                raise ValueError

    def damaged(self) -> InputError:
        """What to say of an archive that is not as we write them."""
        return _damaged(self.path)


def _listed(packed: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """What the list says, if it fits what is there: names, sizes and how they are packed."""
    there = packed.infolist()
    sizes = {member.filename: member.file_size for member in there}
    most = LIST_BYTES + LIST_BYTES_A_MEMBER * len(there)
    plainly = all(m.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for m in there)
    if not plainly or sizes.pop(LIST) > most or len(there) != len(sizes) + 1:
        raise ValueError
    with packed.open(LIST) as file:
        listed = json.loads(file.read(most))
    members = {name: Member(**member) for name, member in listed["members"].items()}
    if {**listed, **MARK} != listed or sizes != {n: m.bytes for n, m in members.items()}:
        raise ValueError
    others = {name for name in members if not FIRST.fullmatch(name)}
    plain = _is_plain(listed["project"]) and _is_text(listed["made"])
    if not plain or not NEEDED <= others <= NEEDED | OTHERS:
        raise ValueError
    head = Head.from_json(listed["head"], path)
    return {
        "made": listed["made"],
        "project": listed["project"],
        "head": head,
        "members": members,
    }


def _is_plain(name: object) -> bool:
    """Whether this is the name of a file in a folder, and no way out of it."""
    if not _is_text(name) or name in {"", ".", ".."} or "\0" in name:
        return False
    return PurePosixPath(name).name == PureWindowsPath(name).name == name


def _is_text(value: object) -> TypeGuard[str]:
    """Whether it can be written somewhere: JSON may have halves of letters, which cannot."""
    return isinstance(value, str) and value == value.encode(errors="ignore").decode()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What goes wrong while an archive is read, as one line that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except InputError:
        raise
    except DAMAGED:
        raise _damaged(path) from None


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path}: is no backup that unspoken wrote, or a damaged one; take another copy"
    )
