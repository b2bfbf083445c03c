"""A release into a folder: each epoch is read, charged and written once, and then left alone.

What came late to an old one gets a file beside it. A file that is gone is written again, from the
same coins, if its rows are as they were; that costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np

from unspoken.errors import InputError, LimitExceeded
from unspoken.ledger import Account, Given, Head, Release, tossing
from unspoken.numerics.arrays import Mask
from unspoken.numerics.coins import MasterKey
from unspoken.numerics.files import unfinished
from unspoken.releasing.asked import Asked
from unspoken.releasing.custody import Custody, refuse_foreign
from unspoken.releasing.first_readings import FirstReadings
from unspoken.releasing.outputs import Output, folders, output_of, refuse_alike
from unspoken.releasing.publishing import publish, write_rows
from unspoken.releasing.reading import Part
from unspoken.releasing.results import Epochs, Rehearsed, Released, Said
from unspoken.releasing.sifting import Past, Piece, Sifted, sift
from unspoken.releasing.sorting import begun
from unspoken.releasing.witness import Prints

__all__ = ["rehearse_epochs", "release_epochs"]


def release_epochs(asked: Asked, kept: Custody) -> Released:
    """Release the epochs that were not released before, and what came late to the others."""
    release = _Release.of(asked, kept, kept.master)
    asked, sifted, event = release.asked, release.sifted, release.event
    files, written = asked.project.files, 0
    for epoch, readings, records in sifted.keep:
        release.past.first.write(epoch, readings, records)
    said = list[Said]()

    def admit(account: Account) -> None:
        said.append(release.admitted(account))

    if not release.pieces:
        kept.ledger.look(admit, kept.seal)
    else:
        with folders(files):
            rounds = release.rounds()
            first = release.begun(rounds[0])
            head = None
            if sifted.new:
                head = kept.ledger.charge(event, admit, kept.seal)
            else:
                kept.ledger.look(admit, kept.seal)
            for number, pieces in enumerate(rounds):
                parts = release.begun(pieces) if number else first
                written += release.write(pieces, parts, kept, head)
    return Released(
        path=files.release,
        manifest=files.manifest,
        rows=written,
        plan=asked.plan,
        leakage=asked.leakage,
        event=event,
        p=asked.p,
        again=not sifted.new,
        said=said[-1],
        warnings=(*asked.ready.warnings, *release.epochs.refused()),
        epochs=release.epochs,
    )


def rehearse_epochs(asked: Asked, kept: Custody | None, master: MasterKey) -> Rehearsed:
    """Everything up to the charge."""
    release, said = _Release.of(asked, kept, master), list[Said]()

    def admit(account: Account) -> None:
        said.append(release.admitted(account))

    kept.ledger.look(admit, kept.seal) if kept else admit(Account.of(()))
    odd = (*asked.ready.warnings, *release.epochs.refused())
    return Rehearsed(asked.p, asked.plan, asked.leakage, said[-1], odd, release.epochs)


@dataclass(frozen=True)
class _Release:
    """What is to be done. ``pieces``: what is written, new or again."""

    asked: Asked
    master: MasterKey
    past: Past
    sifted: Sifted
    event: Release
    pieces: Sequence[Piece]

    @classmethod
    def of(cls, asked: Asked, kept: Custody | None, master: MasterKey) -> _Release:
        project = asked.project
        past = _past(asked, kept, master)
        sifted = sift(asked.reading, master, past)
        refuse_alike(project, [*sifted.witness.counts, *past.given.get(past.readers, {})])
        asks = set(asked.reading.depends)
        gone = [p for p in sifted.standing if not _there(output_of(project.files, p.epoch, p.part))]
        pieces = [*(p for p in gone if p.readings.keys() == asks), *sifted.new]
        outputs = [output_of(project.files, piece.epoch, piece.part) for piece in pieces]
        _refuse_folders(outputs)
        refuse_foreign(outputs)
        event = _event(asked, master, sifted.new)
        made = cls(asked, master, past, sifted, event, pieces)
        if not pieces:
            made.refuse_changed()
        return made

    def admitted(self, account: Account) -> Said:
        """What is said of it, once it may be."""
        admission = replace(self.asked.admission, compared=frozenset(self.sifted.compared))
        admission.check(self.event, account)
        return self.asked.said(self.event, account)

    def refuse_changed(self) -> None:
        """Where nothing else is released, what is not is an error."""
        refused = self.epochs.refused()
        if refused:
            raise LimitExceeded("; ".join(refused))

    @property
    def epochs(self) -> Epochs:
        """What becomes of each epoch."""
        sifted, new = self.sifted, [piece for piece in self.sifted.new if piece.part == 1]
        late = {piece.epoch: piece.rows for piece in sifted.new if piece.part > 1}
        again = [piece.epoch for piece in self.pieces if piece.number is not None]
        touched = {piece.epoch for piece in sifted.new}
        left = [epoch for epoch in sifted.witness.counts if epoch not in touched]
        return Epochs(
            new=tuple(piece.epoch for piece in new),
            late=late,
            again=tuple(sorted(set(again))),
            left=len(left),
            changed=sifted.changed,
            gone=sifted.gone,
            unknown=sifted.unknown,
            lost=self._lost(),
        )

    def _lost(self) -> tuple[str, ...]:
        """Epochs with a file that is gone and is not written now."""
        files, names = self.asked.project.files, self.asked.reading.depends
        written = {(piece.epoch, piece.part) for piece in self.pieces}
        return tuple(
            epoch
            for epoch in self.sifted.witness.counts
            if any(
                (epoch, part) not in written and not _there(output_of(files, epoch, part))
                for part in self.past.own(epoch, names)
            )
        )

    def rounds(self) -> list[list[Piece]]:
        """What is written while the source is read once, sorted: one file of each epoch."""
        rounds: list[list[Piece]] = []
        for piece in self.pieces:
            free = (each for each in rounds if all(p.epoch != piece.epoch for p in each))
            found = next(free, None)
            rounds.append([piece]) if found is None else found.append(piece)
        return rounds

    def begun(self, pieces: Sequence[Piece]) -> Iterator[Part]:
        """Their epochs, one after the other."""
        witness = self.sifted.witness
        texts = [text for piece in pieces for text in witness.texts[piece.epoch]]
        return begun(self.asked.reading, witness.size, texts)

    def write(
        self, pieces: Sequence[Piece], parts: Iterator[Part], kept: Custody, head: Head | None
    ) -> int:
        """Write the file of each; gives how many rows they have."""
        rows, waiting = 0, {piece.epoch: piece for piece in pieces}
        each = (pair for part in parts for pair in part.each())
        for epoch, group in groupby(each, itemgetter(0)):
            piece = waiting.pop(epoch, None)
            if piece is None:
                raise InputError(
                    f"{self.asked.project.at('epoch', 'of')}: gives two values that are both "
                    f'called "{epoch}"; CAST it to VARCHAR'
                )
            prints = Prints(self.asked.reading, self.master, epoch)
            rows += self._write(piece, _only(prints, piece, map(itemgetter(1), group)), kept, head)
        return rows

    def _write(self, piece: Piece, parts: Iterator[Part], kept: Custody, head: Head | None) -> int:
        asked, output = self.asked, output_of(self.asked.project.files, piece.epoch, piece.part)
        charged, event = head, self.event
        if piece.number is not None:
            charged, event = kept.ledger.release(piece.number)
        assert charged is not None
        event = _about(event, piece)
        with unfinished(output.release) as data, unfinished(output.manifest) as paper:
            written = write_rows(asked.reading, parts, self.master, event, output, data.file)
            at = kept.ledger.charged(charged.number)
            publish(output, data, paper, written, asked.described(event, charged, at, written))
        return written.rows


def _past(asked: Asked, kept: Custody | None, master: MasterKey) -> Past:
    """What was released before."""
    event = _event(asked, master, ())
    given = dict[tuple[str, ...], dict[str, list[Given]]]()

    def look(account: Account) -> None:
        given.update(account.parts(tossing(event)))

    if kept is not None:
        kept.ledger.look(look, kept.seal)
    return Past(event.readers, given, FirstReadings.of(asked.project.files.ledger))


def _event(asked: Asked, master: MasterKey, new: Sequence[Piece]) -> Release:
    """What is charged of these."""
    readings = {piece.epoch: piece.readings for piece in new}
    parts = {piece.epoch: piece.part for piece in new if piece.part > 1}
    return asked.event(master, readings, sum(piece.rows for piece in new), parts)


def _about(event: Release, piece: Piece) -> Release:
    """As the manifest of one file has it."""
    parts = {piece.epoch: piece.part} if piece.part > 1 else {}
    return replace(event, readings={piece.epoch: dict(piece.readings)}, parts=parts)


def _only(prints: Prints, piece: Piece, parts: Iterator[Part]) -> Iterator[Part]:
    """The rows of a piece."""
    for part in parts:
        if piece.keys is None:
            yield part
            continue
        keys = prints.keys(part.batch)
        places = np.searchsorted(piece.keys, keys)
        places[places == len(piece.keys)] = 0
        held: Mask = piece.keys[places] == keys
        if held.any():
            yield part.taken(np.flatnonzero(held), piece.epoch)


def _there(output: Output) -> bool:
    return output.release.is_file() and output.manifest.is_file()


def _refuse_folders(outputs: Sequence[Output]) -> None:
    """Before anything is paid."""
    for path in (path for output in outputs for path in output):
        if path.is_dir():
            raise InputError(f"{path}: cannot be written: is a folder; move it away")
