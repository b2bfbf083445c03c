"""The ledger of a project as a file of lines that everybody can read, and back."""

from __future__ import annotations

from pathlib import Path

from unspoken.core.errors import InputError
from unspoken.storage.coins import MasterKey
from unspoken.storage.custody.custody import all_heads, with_custody
from unspoken.storage.ledger import Head, Ledger, Seal
from unspoken.tables.files import PRIVATE, unfinished, writing
from unspoken.tables.policy import Project

__all__ = ["export_ledger", "import_ledger"]


def export_ledger(project: Project | str | Path, file: Path) -> int:
    """Write all events into a file for its owner, once they are verified; gives how many."""
    _, kept = with_custody(project)
    if file.exists():
        raise InputError(f"{file}: is there already; nothing is written over")
    with unfinished(file, PRIVATE) as partial, writing(file):
        count = 0
        for line in kept.ledger.exported(kept.seal):
            partial.file.write(f"{line}\n".encode())
            count += line.startswith('{"events"')
        partial.publish()
    return count


def import_ledger(project: Project | str | Path, file: Path) -> Head:
    """Read them into the ledger of a project that has the key and no events yet. Those that a
    manifest at the outputs knows to be older are not read.
    """
    whole = project if isinstance(project, Project) else Project.read(project)
    master = MasterKey.read(whole.files.key)
    seal = Seal.of(master, whole.files.key, all_heads(whole))
    try:
        with open(file, encoding="utf-8", errors="replace") as given:
            lines = [line.rstrip("\n") for line in given]
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    if not Ledger.there(whole.files.charged):
        Ledger.rehearse(whole.files.charged, lines, seal, str(file))
    return Ledger(whole.files.charged).load(lines, seal, str(file))
