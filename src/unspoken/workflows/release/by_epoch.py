"""A release into a folder: each epoch is read, charged and written once, and then left alone.

What came late to an old one gets a file beside it. A file that is gone is written again, from the
same coins, if its rows are as they were; that costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from typing import BinaryIO

import pyarrow as pa

from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Mechanism
from unspoken.storage.coins import MasterKey
from unspoken.storage.custody.charges import ChargedRelease
from unspoken.storage.custody.custody import Custody, charge_of, refuse_foreign
from unspoken.storage.custody.first_readings import FirstReadings
from unspoken.storage.ledger import Account, Release, tossing
from unspoken.storage.rows.kernel import epoch_of, within
from unspoken.storage.rows.outputs import Output, folders, output_of, refuse_alike
from unspoken.storage.rows.sorting import begun
from unspoken.storage.rows.witness import Prints, Witness
from unspoken.storage.writing.manifest import Written
from unspoken.storage.writing.publishing import changed, publish, write_rows
from unspoken.storage.writing.sifting import Past, Piece, Sifted, looked, sift, two_of_one_name
from unspoken.storage.writing.spool import Spool
from unspoken.tables.files import PRIVATE, unfinished
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.drifted import drifted
from unspoken.workflows.release.results import EpochOutcomes, Rehearsed, Released, Said

__all__ = ["Tell", "of_piece", "rehearse_epochs", "release_epochs"]

Tell = Callable[[Asked], None]


def release_epochs(
    asked: Asked, kept: Custody, epochs: Collection[str] | None = None, tell: Tell | None = None
) -> Released:
    """Release the epochs that were not released before, and what came late to the others.

    ``epochs``: charge these alone; None: all.
    """
    files, written, said = asked.project.files, 0, list[Said]()
    with ExitStack() as stack:
        spool = cache(lambda: Spool(stack.enter_context(folders(files))))
        past, kernel = _past(asked, kept, kept.master), partial(asked.kernel, kept.master)
        shown = kernel(asked.released, apart=True)
        sifted = sift(asked.reading, kernel(apart=True), shown, past, spool, epochs)
        sifted = _drawn(asked, kept, kept.master, sifted, epochs is not None)
        release = _Release.of(asked, kept.master, past, sifted, some=epochs is not None)
        moved = drifted(asked, kept, sifted.witness, release.epochs.new)

        def admit(account: Account) -> None:
            said.append(release.admitted(account))

        for epoch, readings, records in sifted.keep:
            past.first.write(epoch, readings, records)
        if not release.pieces:
            kept.look(admit)
        else:
            if tell is not None and sifted.new:
                kept.look(release.admitted)  # what is refused is not told of
                tell(asked)
            written = release.publish(kept, spool(), admit)
    return Released(
        path=files.release,
        manifest=files.manifest,
        rows=written,
        plan=asked.plan,
        leakage=asked.leakage,
        event=release.event,
        p=asked.p,
        again=not sifted.new,
        said=said[-1],
        warnings=(*asked.ready.warnings, *moved, *said[-1].measured, *release.epochs.refused()),
        epochs=release.epochs,
    )


def rehearse_epochs(asked: Asked, kept: Custody | None, master: MasterKey) -> Rehearsed:
    """Everything up to the charge."""
    past, kernel = _past(asked, kept, master), asked.kernel(master, apart=True)
    sifted = _drawn(asked, kept, master, looked(asked.reading, kernel, past))
    release = _Release.of(asked, master, past, sifted)
    said = kept.look(release.admitted) if kept else release.admitted(Account.of(()))
    moved = drifted(asked, kept, sifted.witness, release.epochs.new)
    odd = (*asked.ready.warnings, *moved, *said.measured, *release.epochs.refused())
    return Rehearsed(asked.p, asked.plan, asked.leakage, said, odd, release.epochs)


@dataclass(frozen=True)
class _Release:
    """What is to be done. ``pieces``: what is written, new or again; ``some``: whether but some of
    the epochs were looked at.
    """

    asked: Asked
    master: MasterKey
    past: Past
    sifted: Sifted
    event: Release
    pieces: Sequence[Piece]
    some: bool = False

    @classmethod
    def of(
        cls, asked: Asked, master: MasterKey, past: Past, sifted: Sifted, some: bool = False
    ) -> _Release:
        project = asked.project
        refuse_alike(project, [*sifted.witness.counts, *past.given.get(past.readers, {})])
        asks = set(asked.reading.depends)
        gone = [
            piece
            for piece in sifted.standing
            if not _there(output_of(project.files, piece.epoch, piece.part), piece.number)
        ]
        pieces = [*(p for p in gone if p.readings.keys() == asks), *sifted.new]
        outputs = [output_of(project.files, piece.epoch, piece.part) for piece in pieces]
        _refuse_folders(outputs)
        refuse_foreign(outputs)
        event = _event(asked, master, sifted.new)
        made = cls(asked, master, past, sifted, event, pieces, some)
        if not pieces:
            made.refuse_unknown()
        return made

    def admitted(self, account: Account) -> Said:
        """What is said of it, once it may be."""
        admission = replace(self.asked.admission, compared=frozenset(self.sifted.compared))
        admission.check(self.event, account)
        return self.asked.said(self.event, account)

    def refuse_unknown(self) -> None:
        """Where nothing is released since nobody knows what changed, somebody has to see to it.

        Records that changed are said to be left out each time, and are no error: they stay so.
        """
        if self.sifted.unknown:
            raise LimitExceeded("; ".join(self.epochs.refused()))

    @property
    def epochs(self) -> EpochOutcomes:
        """What becomes of each epoch."""
        sifted = self.sifted
        first = [piece.epoch for piece in sifted.new if piece.part == 1]
        late = {piece.epoch: piece.rows for piece in sifted.new if piece.part > 1}
        again = [piece.epoch for piece in self.pieces if piece.number is not None]
        touched = {piece.epoch for piece in sifted.new}
        left = sifted.witness.counts.keys() - touched - {*sifted.undrawn}
        return EpochOutcomes(
            new=tuple(epoch for epoch in first if epoch not in sifted.extended),
            late=late,
            again=tuple(sorted(set(again))),
            left=len(left),
            changed=sifted.changed,
            gone=sifted.gone,
            unknown=sifted.unknown,
            lost=self._lost(),
            extended=tuple(sifted.extended),
            undrawn=sifted.undrawn if self.asked.draw > 1 else (),
            otherwise=sifted.undrawn if self.asked.draw == 1 else (),
            absent=() if self.some else self._absent(),
            stay=tuple(
                epoch
                for epoch in sifted.witness.counts
                if self.past.stays(self.past.given_parts(epoch, self.asked.reading.depends))
            ),
        )

    def _absent(self) -> tuple[str, ...]:
        """Epochs that were released, and of which the source has no row: another table, perhaps."""
        names, there = self.asked.reading.depends, self.sifted.witness.counts
        released = self.past.given.get(self.past.readers, {})
        return tuple(e for e in released if e not in there and self.past.given_parts(e, names))

    def _lost(self) -> tuple[str, ...]:
        """Epochs with a file that is gone and is not written now."""
        files, names = self.asked.project.files, self.asked.reading.depends
        written = {(piece.epoch, piece.part) for piece in self.pieces}
        return tuple(
            epoch
            for epoch in self.sifted.witness.counts
            if any(
                (epoch, part) not in written and not _there(output_of(files, epoch, part), number)
                for part, number, _ in self.past.given_parts(epoch, names).values()
            )
        )

    def publish(self, kept: Custody, spool: Spool, admit: Callable[[Account], None]) -> int:
        """Charge what is new, and write the file of each piece; gives how many rows they have."""
        spooled = {
            piece.epoch: piece
            for piece in self.sifted.new
            if piece.keys is None and piece.epoch in spool.there
        }
        rounds = self.rounds(kept, [p for p in self.pieces if p is not spooled.get(p.epoch)])
        first = [self.begun(turn) for turn in rounds[:1]]
        head = kept.ledger.charge(self._charged(kept), admit, kept.seal, self.asked.terms)
        of_number, written = cache(partial(ChargedRelease.from_ledger, kept.ledger)), 0

        def charged(piece: Piece) -> ChargedRelease:
            return of_number(head.number if piece.number is None else piece.number)

        for epoch, piece in spooled.items():
            written += self._publish(piece, partial(spool.copied, epoch), charged(piece))
        for turn in rounds:
            rows = first.pop() if first else self.begun(turn)
            written += self.write(turn, rows, charged)
        return written

    def _charged(self, kept: Custody) -> Release:
        """What is new; else the last of what is written again, which is charged already.

        That costs nothing, and writes down the head that a crash after the charge left unwritten.
        """
        if self.sifted.new:
            return self.event
        again = max(piece.number for piece in self.pieces if piece.number is not None)
        return kept.ledger.release(again)[1]

    def rounds(self, kept: Custody, pieces: Sequence[Piece]) -> list[_Round]:
        """What is written while the source is read once more, sorted: one file of each epoch."""
        rounds: list[_Round] = []
        for piece in pieces:
            mechanism = self.event.mechanism
            if piece.number is not None:
                mechanism = kept.ledger.release(piece.number)[1].mechanism
            free = (each for each in rounds if each.takes(piece, mechanism))
            found = next(free, None)
            if found is None:
                rounds.append(_Round(mechanism, [piece]))
            else:
                found.pieces.append(piece)
        return rounds

    def begun(self, turn: _Round) -> Iterator[pa.RecordBatch]:
        """Its epochs, one after the other."""
        texts = [text for p in turn.pieces for text in self.sifted.witness.texts[p.epoch]]
        kernel = self.asked.kernel(self.master, turn.mechanism, apart=True)
        return begun(self.asked.reading, kernel, self.asked.reading.among(texts))

    def write(
        self,
        turn: _Round,
        batches: Iterator[pa.RecordBatch],
        charged: Callable[[Piece], ChargedRelease],
    ) -> int:
        """Write the file of each; gives how many rows they have."""
        rows, waiting = 0, {piece.epoch: piece for piece in turn.pieces}
        for epoch, group in groupby(batches, epoch_of):
            piece = waiting.pop(epoch, None)
            if piece is None:
                raise two_of_one_name(self.asked.project, epoch)
            prints = Prints(self.asked.reading.rules, self.master, epoch)
            rows += self._write(piece, of_piece(prints, piece, group), charged(piece))
        gone = next(iter(waiting.values()), None)
        if gone is not None:
            files = self.asked.project.files
            raise changed(self.asked.reading, output_of(files, gone.epoch, gone.part))
        return rows

    def _write(
        self, piece: Piece, batches: Iterator[pa.RecordBatch], charged: ChargedRelease
    ) -> int:
        reading, witness = self.asked.reading, Witness(self.asked.reading.rules, self.master)

        def fill(output: Output, file: BinaryIO) -> Written:
            written = write_rows(reading, witness.watch(batches), output, file)
            if witness.readings() != {piece.epoch: piece.readings}:
                raise changed(reading, output)
            return written

        return self._publish(piece, fill, charged)

    def _publish(
        self, piece: Piece, fill: Callable[[Output, BinaryIO], Written], charged: ChargedRelease
    ) -> int:
        output = output_of(self.asked.project.files, piece.epoch, piece.part)
        with unfinished(output.release, PRIVATE) as data, unfinished(output.manifest) as paper:
            written = fill(output, data.file)
            described = self.asked.described(charged, written, piece)
            publish(output, data, paper, written, described)
        return written.rows


@dataclass(frozen=True)
class _Round:
    """Pieces of different epochs, and what is shown of them."""

    mechanism: Mechanism
    pieces: list[Piece]

    def takes(self, piece: Piece, mechanism: Mechanism) -> bool:
        return mechanism == self.mechanism and all(p.epoch != piece.epoch for p in self.pieces)


def _drawn(
    asked: Asked, kept: Custody | None, master: MasterKey, sifted: Sifted, some: bool = False
) -> Sifted:
    """Without the epochs of which something else was given out, and which are not as they were
    then: to answer a cell from two readings shows the change. That is another draw, an answer with
    noise, or a release to somebody else. Where nothing else is left, that is refused; so it is
    where ``some`` epochs were asked for by name, but of another draw.
    """
    if kept is None or not sifted.new or (some and asked.draw == 1):
        return sifted
    event = _event(asked, master, sifted.new)
    found = kept.look(lambda account: account.changed(event, sifted.compared))
    changed = {epoch for epoch, _, _ in found}
    rest = sifted.standing or any(piece.epoch not in changed for piece in sifted.new)
    return sifted.without(changed) if changed and rest else sifted


def _past(asked: Asked, kept: Custody | None, master: MasterKey) -> Past:
    """What was released before."""
    event = _event(asked, master, ())
    given = {} if kept is None else kept.look(lambda account: account.parts(tossing(event)))
    of_readers = given.get(event.readers, {}).values()
    extended = _extended(asked, kept, {each.number for parts in of_readers for each in parts})
    return Past(event.readers, given, FirstReadings.of(asked.project.files.ledger), extended)


def _extended(asked: Asked, kept: Custody | None, numbers: Collection[int]) -> frozenset[int]:
    """Those of these events that showed what the plan adds to."""
    earlier = {d for coin in asked.mechanism.record_coins() for d in coin.coins[:-1]}
    if kept is None or not earlier:
        return frozenset()
    shown = ((n, kept.ledger.release(n)[1].mechanism.record_coins()) for n in numbers)
    return frozenset(n for n, coins in shown if any(coin.digest in earlier for coin in coins))


def _event(asked: Asked, master: MasterKey, new: Sequence[Piece]) -> Release:
    """What is charged of these."""
    readings = {piece.epoch: piece.readings for piece in new}
    parts = {piece.epoch: piece.part for piece in new if piece.part > 1}
    return asked.event(master, readings, sum(piece.rows for piece in new), parts)


def of_piece(
    prints: Prints, piece: Piece, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The rows of a piece."""
    for batch in batches:
        held = batch if piece.keys is None else within(batch, piece.keys, prints)
        if held is not None:
            yield held


def _there(output: Output, number: int | None) -> bool:
    """Whether both lie there, of this event: where a run ended before it showed more of an epoch,
    what lies there is what was shown before.
    """
    both = output.release.is_file() and output.manifest.is_file()
    return both and charge_of(output.manifest) in (None, number)


def _refuse_folders(outputs: Sequence[Output]) -> None:
    """Before anything is paid."""
    for path in (path for output in outputs for path in output):
        if path.is_dir():
            raise InputError(f"{path}: cannot be written: is a folder; move it away")
