"""A release on one page: plan -> check -> charge -> read -> coin -> write.

Nothing is answered before it is charged. A crash after the charge wastes it; run again, the same
coins give the same bytes and cost nothing. No file is ever half there.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow.parquet as pq

from unspoken.engines.handed_in import Streams
from unspoken.errors import InputError
from unspoken.ledger import Account, Release
from unspoken.numerics.coins import MasterKey
from unspoken.numerics.files import moved, unfinished, writing
from unspoken.numerics.prf import KEY_BYTES
from unspoken.policy import Project
from unspoken.releasing import manifest
from unspoken.releasing.adopting import adopt, refuse_unapproved
from unspoken.releasing.asked import Asked
from unspoken.releasing.coining import shown
from unspoken.releasing.custody import MARK, Custody, refuse_foreign
from unspoken.releasing.manifest import Written
from unspoken.releasing.pieces import regrouped
from unspoken.releasing.preparing import opened
from unspoken.releasing.reading import Part, Reading
from unspoken.releasing.results import Rehearsed, Released, Said
from unspoken.releasing.sorting import begun
from unspoken.releasing.witness import Witness

__all__ = ["rehearse", "release"]

GROUP = 122_880  # rows of a row group: the bytes of a release must not depend on how it was read


def release(
    project: Project | str | Path,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: Streams | None = None,
    fresh: bool = False,
) -> Released:
    """Release what the plan lets out; ``scale`` < 1 takes that share of every eps of the plan.

    ``reader``: the application that is given the file, with what it reads and nothing else; needed
    where not all pool what they get. ``table``, ``fresh``: as for `prepare`; the project's key,
    ledger and files are used, so that the same rows give the same bytes, wherever they come from.
    What is released is read from the table in any case, and so is its fingerprint.
    """
    whole = opened(project)
    served = whole.serving(reader)
    make = partial(_made, served)
    asked = Asked.of(whole, scale, reader, table, fresh, Custody.there(served), make)
    _adopted(asked, kept := make())
    read, files = Witness.of(asked.reading, kept.master), asked.project.files
    event = asked.event(kept.master, read)
    same, said = list[int | None](), list[Said]()

    def admit(account: Account) -> None:
        asked.admission.check(event, account)
        same.append(account.number(event))
        said.append(asked.said(event, account))

    # Both files are begun before the charge: where nothing can be written, nothing is paid.
    with unfinished(files.release) as data, unfinished(files.manifest) as paper:
        parts = begun(asked.reading, read.size)
        head = kept.ledger.charge(event, admit, kept.seal)
        written = _write(asked.reading, parts, kept.master, event, data.file)
        described = asked.described(event, head, kept.ledger.charged(head.number), written)
        first = manifest.by_digest(files.manifest, written.sha256)
        with writing(files.manifest):
            paper.file.write(manifest.text(described).encode())
            paper.publish(first)
        with writing(files.release):
            data.publish()
        with writing(files.manifest):
            moved(first, files.manifest)
    return Released(
        path=files.release,
        manifest=files.manifest,
        rows=written.rows,
        plan=asked.plan,
        leakage=asked.leakage,
        event=event,
        p=asked.p,
        again=same != [None],
        said=said[-1],
        warnings=asked.ready.warnings,
    )


def rehearse(
    project: Project | str | Path,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: Streams | None = None,
    fresh: bool = False,
) -> Rehearsed:
    """Everything up to the charge: refused like the release, but nothing is charged or written."""
    whole = opened(project)
    served = whole.serving(reader)
    kept = Custody.there(served)
    asked = Asked.of(whole, scale, reader, table, fresh, kept, None)
    refuse_foreign(served)
    # Before there is a key any will do: of what is read with it nothing is compared or kept.
    master = kept.master if kept else MasterKey(bytes(KEY_BYTES))
    event = asked.event(master, Witness.of(asked.reading, master))
    said = list[Said]()

    def admit(account: Account) -> None:
        asked.admission.check(event, account)
        said.append(asked.said(event, account))

    kept.ledger.look(admit, kept.seal) if kept else admit(Account.of(()))
    odd = asked.ready.warnings
    return Rehearsed(asked.p, asked.plan, asked.leakage, said[-1], odd)


def _made(project: Project) -> Custody:
    """Once nothing else stands in the way."""
    refuse_foreign(project)
    return Custody.made(project)


def _adopted(asked: Asked, kept: Custody) -> None:
    """The first release adopts its plan, unless somebody has to."""
    ready = asked.ready
    if ready.adopted is None and ready.believed is not None:
        refuse_unapproved(ready.project)
        adopt(ready.project, kept, ready.believed, asked.plan, ready.sensitive, ready.closed)


def _write(
    reading: Reading, parts: Iterator[Part], master: MasterKey, event: Release, file: BinaryIO
) -> Written:
    """Write the release in row groups of one size, whatever batches come."""
    files, rows = reading.project.files, 0
    witness = Witness(reading, master)
    batches = shown(reading, witness.watch(parts), master, event.mechanism)
    first = next(batches, None)
    if first is None:
        raise _changed(reading)
    with writing(files.release):
        with pq.ParquetWriter(file, first.schema, store_schema=False) as writer:
            writer.add_key_value_metadata(MARK)
            for group in regrouped(itertools.chain([first], batches), GROUP):
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
        if witness.readings() != event.readings:
            raise _changed(reading)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    return Written(rows, digest, {field.name: str(field.type) for field in first.schema})


def _changed(reading: Reading) -> InputError:
    return InputError(
        f"{reading.project.source.name}: changed while it was read; nothing was released. "
        "The charge stands; release again when nobody writes to the table"
    )
