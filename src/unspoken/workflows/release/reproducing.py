"""A release made again from ledger, key and source, without charging or writing anything.

The mechanism is that of the event in the ledger, whatever plan is adopted since; the same coins on
the same rows give the same bytes. The manifest is made again too, by the function that writes it,
and compared field by field.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.charges import ChargedRelease
from unspoken.storage.custody.custody import Custody, manifest_at
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.ledger import Head, Release, Seal
from unspoken.storage.rows.kernel import RowKernel
from unspoken.storage.rows.outputs import Output, output_of
from unspoken.storage.rows.reading import Reading
from unspoken.storage.rows.sorting import begun
from unspoken.storage.rows.witness import Prints, Witness
from unspoken.storage.writing import manifest
from unspoken.storage.writing.comparison import differences, without
from unspoken.storage.writing.manifest import Written
from unspoken.storage.writing.publishing import write_rows
from unspoken.storage.writing.sifting import Piece
from unspoken.tables.policy import Project
from unspoken.workflows.release.asked import described_release
from unspoken.workflows.release.by_epoch import of_piece
from unspoken.workflows.release.open_project import OpenProject, opened
from unspoken.workflows.release.preparing import Prepared, prepared

__all__ = ["Reproduced", "reproduce_all"]

Readings = Mapping[str, Mapping[str, str]]

# What events had no terms for, before they had any.
UNCHECKED = (
    "format", "version", "keys", "unit", "attributes", "estimating", "limits.close", "promise",
    "belief",
)  # fmt: skip


@dataclass(frozen=True)
class Reproduced:
    """``differs``: what of the source is not as the ledger says, and the first field of the
    manifest that is not what it should be; none: the bytes and the manifest are the same.
    ``unchecked``: fields that an event of an older version does not have.
    """

    number: int
    sha256: str
    rows: int
    differs: tuple[str, ...]
    unchecked: tuple[str, ...] = ()


def reproduce_all(
    manifests: Sequence[Path], project: Project | str | Path = Path()
) -> Iterator[tuple[Path, Reproduced]]:
    """Whether the releases of these manifests can be had again, to the byte, by a ledger that is
    verified once.
    """
    whole, papers = opened(project), {each: manifest_at(each) for each in manifests}
    kept = Custody.there(whole)
    if kept is None:
        raise InputError(f"{whole.files.ledger.name}: there is no ledger, so nothing to compare")
    heads = {
        each: Head.from_json(paper["charge"], each, "charge") for each, paper in papers.items()
    }
    given = {**kept.seal.given, **heads}
    kept.ledger.verify(Seal(kept.seal.key, kept.seal.coin_key, kept.seal.file, given))
    ready = prepared(OpenProject.of(whole), False, kept, keyed=True)
    for each, paper in papers.items():
        charged = ChargedRelease.from_ledger(kept.ledger, heads[each].number)
        yield each, _Again(ready, kept, charged).compared(paper)


@dataclass(frozen=True)
class _Again:
    """One event, of which files were written; what it read and withheld, whatever is by now."""

    ready: Prepared
    kept: Custody
    charged: ChargedRelease

    @property
    def event(self) -> Release:
        return self.charged.event

    @cached_property
    def project(self) -> Project:
        """The project as it is, with the reads and the files of the event."""
        project, event = self.ready.project, self.event
        names = {*(event.policy or event.mechanism.delivered)}
        for name in sorted(names.union(event.mechanism.depends(tuple(names)))):
            if name not in project.attributes:
                raise InputError(
                    f"attribute.{name}: was used by event {self.charged.head.number}, and is not "
                    "declared any more; to verify its manifest, declare it as it was (no "
                    "application needs to read it)"
                )
        files = project.files
        for reader in event.readers:
            files = files.serving(reader)
        if event.draw > 1:
            files = files.drawn(event.draw)
        reads = tuple(name for name in project.attributes if name in names)
        return replace(project, applications={"": reads}, files=files)

    @cached_property
    def reading(self) -> Reading:
        ready, event, project = self.ready, self.event, self.project
        declared, labels = ready.learned.sensitive, ready.learned.labels
        hidden = {
            name: event.mechanism.hides(name)
            or [
                label
                for label in labels[name]
                if label in declared[name] or str(label) in event.closed.get(name, ())
            ]
            for name in project.attributes
        }
        rows = used_rows(project, ready.table, history=False)
        depends = event.mechanism.depends(project.reads)
        return Reading(project, rows, ready.learned, hidden, depends)

    def _kernel(self, apart: bool = False) -> RowKernel:
        domain, event = self.ready.learned.belief.domain, self.event
        return RowKernel(
            self.reading.rules, self.kept.master, domain, event.mechanism, apart, event.draw
        )

    def compared(self, paper: Mapping[str, Any]) -> Reproduced:
        """What is written now beside what the manifest and the ledger say."""
        number, epoch = self.charged.head.number, self._epoch(paper)
        piece = None if epoch is None else self._piece(epoch)
        then = self.event.readings if epoch is None else {epoch: self.event.readings[epoch]}
        rows = self._rows() if piece is None else self._rows_of(piece)
        witness = Witness(self.reading.rules, self.kept.master)
        watched = witness.watch(rows)
        first = next(watched, None)
        if first is None:
            return Reproduced(number, "", 0, (f"of epoch {epoch} no row is there any more",))
        written = self._written(itertools.chain([first], watched), piece)
        unchecked = UNCHECKED if self.charged.terms is None else ()
        terms = self.charged.terms or dict.fromkeys((*UNCHECKED, "close"))
        rebuilt = json.loads(manifest.text(described_release(self.charged, terms, written, piece)))
        stated, meant = (reduce(without, unchecked, each) for each in (dict(paper), rebuilt))
        differs = (
            *_readings(then, witness.readings()),
            *itertools.islice(differences(stated, meant), 1),
        )
        return Reproduced(number, written.sha256, written.rows, differs, unchecked)

    def _epoch(self, paper: Mapping[str, Any]) -> str | None:
        """The epoch that a file is of; None: one file has all that were released."""
        if not self.project.files.by_epoch:
            return None
        epoch = next(iter(paper["readings"]), None)
        if epoch not in self.event.readings:
            raise InputError(f"manifest: is of epoch {epoch}, and its event of the ledger is not")
        return str(epoch)

    def _rows(self) -> Iterator[pa.RecordBatch]:
        return begun(self.reading, self._kernel())

    def _piece(self, epoch: str) -> Piece:
        """The rows that the file of an epoch has, as far as it is known which they were: others
        came late since, or before. Where that is not known, all there are.
        """
        readings = self.event.readings[epoch]
        first = FirstReadings.of(self.project.files.ledger)
        records = first.read(self._prints(epoch), readings)
        keys = None if records is None else [each.keys for each in records]
        return Piece(epoch, self.event.parts.get(epoch, 1), readings, keys=keys)

    def _prints(self, epoch: str) -> Prints:
        return Prints(self.reading.rules, self.kept.master, epoch)

    def _rows_of(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        reading, there = self.reading, self.reading.epochs
        if piece.epoch not in there:
            return iter(())
        kernel = self._kernel(apart=True)
        texts = None if len(there) == 1 else sorted(there[piece.epoch])
        rows = begun(reading, kernel, reading.among(texts))
        return of_piece(self._prints(piece.epoch), piece, rows)

    def _written(self, rows: Iterator[pa.RecordBatch], piece: Piece | None) -> Written:
        """What the file would have, under the name that the project gives it."""
        files = self.project.files
        output = Output(files.release, files.manifest)
        if piece is not None:
            output = output_of(files, piece.epoch, piece.part)
        with tempfile.TemporaryFile() as file:
            return write_rows(self.reading, rows, output, file)


def _readings(before: Readings, now: Readings) -> Iterator[str]:
    """Of which attribute in which epoch another source was read."""
    for epoch, then in before.items():
        for name, fingerprint in then.items():
            if now.get(epoch, {}).get(name) != fingerprint:
                yield f"the source of {name} in epoch {epoch} is not what was read then"
    for epoch in now.keys() - before.keys():
        yield f"epoch {epoch} was not there then"
