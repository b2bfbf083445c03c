"""A release made again from ledger, key and source, without charging or writing anything.

The mechanism is that of the event in the ledger, whatever plan is adopted since; the same coins on
the same rows give the same bytes.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from unspoken.errors import InputError
from unspoken.ledger import Head, Release, Seal
from unspoken.policy import Project
from unspoken.releasing.asked import Asked
from unspoken.releasing.by_epoch import of_piece
from unspoken.releasing.custody.custody import Custody, manifest_at
from unspoken.releasing.custody.first_readings import FirstReadings
from unspoken.releasing.open_project import OpenProject, opened
from unspoken.releasing.rows.outputs import Output
from unspoken.releasing.rows.sorting import begun
from unspoken.releasing.rows.witness import Prints, Witness
from unspoken.releasing.writing.manifest import Written
from unspoken.releasing.writing.publishing import write_rows
from unspoken.releasing.writing.sifting import Piece

__all__ = ["Reproduced", "reproduce_all"]

Readings = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Reproduced:
    """``differs``: what is not as the manifest and the ledger say, and where; none: the bytes are
    the same.
    """

    number: int
    sha256: str
    rows: int
    differs: tuple[str, ...]


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
    heads = {each: Head.from_json(paper["charge"], each) for each, paper in papers.items()}
    given = {**kept.seal.given, **heads}
    kept.ledger.verify(Seal(kept.seal.key, kept.seal.coin_key, kept.seal.file, given))
    read, asked = OpenProject.of(whole), dict[tuple[str | None, int], Asked]()
    for each, paper in papers.items():
        number = heads[each].number
        _, event = kept.ledger.release(number)
        which = next(iter(event.readers), None), event.draw
        if which not in asked:
            asked[which] = Asked.of(read, 1.0, which[0], False, kept, None, which[1])
        yield each, _Again(asked[which], kept, event).compared(number, paper)


@dataclass(frozen=True)
class _Again:
    """One event, of which files were written."""

    asked: Asked
    kept: Custody
    event: Release

    def compared(self, number: int, paper: Mapping[str, Any]) -> Reproduced:
        """What is written now beside what the manifest and the ledger say."""
        stated, epoch = paper["release"], self._epoch(paper)
        then = self.event.readings if epoch is None else {epoch: self.event.readings[epoch]}
        rows = self._rows() if epoch is None else self._rows_of(epoch)
        witness = Witness(self.asked.reading.rules, self.kept.master)
        watched = witness.watch(rows)
        first = next(watched, None)
        if first is None:
            return Reproduced(number, "", 0, (f"of epoch {epoch} no row is there any more",))
        written = self._written(itertools.chain([first], watched))
        differs = (
            *_readings(then, witness.readings()),
            *_said("rows", stated.get("rows"), written.rows),
            *_said("columns", stated.get("columns"), written.columns),
            *_said("sha256", stated.get("sha256"), written.sha256),
        )
        return Reproduced(number, written.sha256, written.rows, differs)

    def _epoch(self, paper: Mapping[str, Any]) -> str | None:
        """The epoch that a file is of; None: one file has all that were released."""
        if not self.asked.project.files.by_epoch:
            return None
        epoch = next(iter(paper["readings"]), None)
        if epoch not in self.event.readings:
            raise InputError(f"manifest: is of epoch {epoch}, and its event of the ledger is not")
        return str(epoch)

    def _rows(self) -> Iterator[pa.RecordBatch]:
        return begun(self.asked.reading, self.asked.kernel(self.kept.master, self.event.mechanism))

    def _rows_of(self, epoch: str) -> Iterator[pa.RecordBatch]:
        """Those that the file has, as far as it is known which they were: others came late since,
        or before. Where that is not known, all there are.
        """
        reading, kept, there = self.asked.reading, self.kept, self.asked.reading.epochs
        if epoch not in there:
            return iter(())
        prints = Prints(reading.rules, kept.master, epoch)
        readings = self.event.readings[epoch]
        first = FirstReadings.of(self.asked.project.files.ledger).read(prints, readings)
        keys = None if first is None else [records.keys for records in first]
        piece = Piece(epoch, self.event.parts.get(epoch, 1), readings, keys=keys)
        kernel = self.asked.kernel(kept.master, self.event.mechanism, apart=True)
        texts = None if len(there) == 1 else sorted(there[epoch])
        return of_piece(prints, piece, begun(reading, kernel, reading.among(texts)))

    def _written(self, rows: Iterator[pa.RecordBatch]) -> Written:
        files = self.asked.project.files
        with tempfile.TemporaryFile() as file:
            return write_rows(self.asked.reading, rows, Output(files.release, files.manifest), file)


def _readings(before: Readings, now: Readings) -> Iterator[str]:
    """Of which attribute in which epoch another source was read."""
    for epoch, then in before.items():
        for name, fingerprint in then.items():
            if now.get(epoch, {}).get(name) != fingerprint:
                yield f"the source of {name} in epoch {epoch} is not what was read then"
    for epoch in now.keys() - before.keys():
        yield f"epoch {epoch} was not there then"


def _said(what: str, then: Any, now: Any) -> Iterator[str]:
    if then != now:
        yield f"{what}: the manifest has {then}, and now it is {now}"
