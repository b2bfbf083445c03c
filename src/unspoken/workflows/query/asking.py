"""A query as it is asked for: by whom, of which rows, with how much noise, and its event."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import TypeVar

from unspoken.assessment.deciding.admission import Admission
from unspoken.assessment.deciding.adopting import declared
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Mechanism, OneSided, Together
from unspoken.storage.coins import ALGORITHM, MasterKey
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, AnswerEvent, Charged
from unspoken.storage.prf import KEY_BYTES
from unspoken.storage.rows.reading import Epochs, Reading
from unspoken.tables.engines.protocol import ContributionBound, Scan, Table
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.policy import Project
from unspoken.workflows.query.answer import Promised
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.query.late import FirstRead, fingerprints, first_read
from unspoken.workflows.query.noise import EPSILONS, AnswerNoise, by_epsilon, least
from unspoken.workflows.query.question import Question, bound
from unspoken.workflows.query.select import WHERE, narrowed
from unspoken.workflows.query.shell import command
from unspoken.workflows.query.unit import SpentBefore
from unspoken.workflows.release.asked import coined_by
from unspoken.workflows.release.open_project import OpenProject
from unspoken.workflows.release.preparing import Prepared, prepared

__all__ = ["Asking"]

Seen = TypeVar("Seen")

PURPOSE = ("unspoken-answers-1", "rows")


@dataclass(frozen=True)
class Asking:
    """``held``: the custody that there is. ``rows``: those that are not history. ``draw``: which of
    several answers to the one question; each has noise of its own, and is an event of its own.
    """

    project: Project
    ready: Prepared
    question: Question
    readers: tuple[str, ...]
    rows: Table
    held: Custody | None = field(repr=False)
    epsilon: float | None = None
    share: float = 1.0
    draw: int = 1

    @classmethod
    def of(
        cls,
        read: OpenProject,
        text: str,
        reader: str | None,
        fresh: bool,
        make: Callable[[], Custody] | None,
    ) -> Asking:
        """``make``: makes the custody, if there is none, in which a belief is pinned: for questions
        that noise answers, and not before it is known that they can be.
        """
        whole = read.project
        served, readers = whole.serving(reader), () if reader is None else (reader,)

        def asked(kept: Custody | None, making: Callable[[], Custody] | None) -> Asking:
            ready = prepared(read, fresh, kept, make=making, keyed=True)
            rows = used_rows(ready.project, ready.table, history=False)
            question = bound(ready.project, rows, ready.learned, text, reader)
            for name in question.names:
                if name not in served.reads:
                    raise InputError(
                        f"{WHERE}: {name}: nobody reads it; add it to `reads`, or ask about "
                        f"{', '.join(served.reads)}"
                    )
            return cls(ready.project, ready, question, readers, rows, kept)

        asking = asked(Custody.there(whole), None)
        if make is None or not asking.question.numbers:
            return asking
        if whole.belief.noise is None or asking.ready.believed is not None:
            return replace(asking, held=make())
        return asked(make(), make)

    @property
    def kept(self) -> Custody:
        assert self.held is not None
        return self.held

    @property
    def master(self) -> MasterKey:
        """Before there is a key any will do: of what is read with it nothing is kept."""
        return self.held.master if self.held else MasterKey(bytes(KEY_BYTES))

    # ------------------------------------------------------------ what rows say

    @cached_property
    def rows_per_unit(self) -> int | None:
        """How many rows of one unit enter at most, as keys say; None: each row is a unit."""
        source, question = self.project.source, self.question
        if {*source.unit} == {*source.keys}:
            return None
        declared = self.project.query.rows_per_unit
        most = source.rows_per_unit or self.ready.units.largest
        if question.where and question.numbers:
            most = min(most, max(1, self._largest))
        return most if declared is None else min(declared, most)

    @cached_property
    def _largest(self) -> int:
        """How many rows of one unit conditions on keys hold for, of that which has most."""
        place = self.project.at("source", "unit")
        return self._public_rows.groups(self.project.source.unit, place)[1]

    @cached_property
    def _public_rows(self) -> Table:
        """The rows for which conditions on keys hold."""
        return reduce(lambda held, part: held.only(part, True), self.question.where, self.rows)

    @cached_property
    def rows_per_epoch(self) -> int:
        """How many of these are of one epoch at most; all, where that is not looked at.

        Epochs that part rows as the keys they are made of do have the rows of one unit and these.
        """
        most, limits = self.rows_per_unit or 1, self.project.limits
        if most == 1 or len(self.epochs) == 1 or math.isinf(limits.epoch_epsilon):
            return most
        rows, place = self._public_rows, self.project.at("epoch", "of")
        of = Epochs.of(self.project, rows).reads
        if rows.groups(of, place)[0] != len(self.epochs):
            return most
        together = [*dict.fromkeys([*self.project.source.unit, *of])]
        return min(most, rows.groups(together, place)[1])

    @property
    def chosen(self) -> ContributionBound | None:
        """Which rows enter, where not all may."""
        most, units = self.project.query.rows_per_unit, self.ready.units
        if most is None or self.rows_per_unit is None or units.largest <= most:
            return None
        secret = self.master.derive(*PURPOSE).code(b"").hex()
        return ContributionBound(self.project.source.unit, most, secret)

    def exact(self) -> Exact:
        """The numbers, read now."""
        return Exact.of(self.question, self.rows, self.chosen)

    @cached_property
    def of_keys(self) -> Exact:
        """What keys say of it."""
        public = replace(self.question, numbers=(), reads={})
        return Exact.of(public, self.rows, self.chosen if self.question.numbers else None)

    @cached_property
    def counted(self) -> list[int]:
        """How many rows each group has: keys say it. Not looked at where nothing depends on it, nor
        where it is known of units whether there are any.
        """
        question = self.question
        averages = any(column.public_below for column in question.columns)
        of_units = question.numbers and self.rows_per_unit is not None
        if question.groups or averages or (question.where and not of_units):
            return [int(rows) for rows in self.of_keys.rows]
        return [min(1, self._largest) if question.where else 1]

    @property
    def public(self) -> str:
        """Why keys, which are public, say all of it; empty: they do not."""
        if not self.question.numbers:
            return "free, without noise: the keys, which are public, count it"
        if not any(self.counted):
            return "free, without noise: it has no rows, as the keys, which are public, say"
        return ""

    @cached_property
    def epochs(self) -> list[str]:
        """Those that have rows in the answer: conditions on keys leave others out."""
        if self.project.epoch.of is None:
            return [self.project.epoch.label or ""]
        rows = self._public_rows
        epochs, found = Epochs.of(self.project, rows), set[str]()
        for batch in rows.batches(Scan(list(rows.keys), ordered=False)):
            found |= epochs.rows(batch)[0].keys()
        return sorted(found)

    @cached_property
    def first_read(self) -> FirstRead:
        """Fingerprints of the attributes that it looks at, in these epochs: of all their rows."""
        names = self.question.names
        rules = [repr(self.project.attributes[name]) for name in names]
        rules += [repr(self.ready.learned.labelling[name]) for name in names]
        hidden = [[*map(str, self.ready.sensitive[name])] for name in names]
        what = ["readings", self.master.fingerprint, rules, hidden, repr(self.project.epoch)]
        ready, domain = self.ready, self.ready.learned.belief.domain
        reading = Reading(self.project, self.rows, ready.learned, ready.sensitive, names)
        read = self.looked.once(what, partial(fingerprints, reading, self.master, domain))
        now = {epoch: read[epoch] for epoch in sorted(read) if epoch in self.epochs}
        return first_read(self.project, self.held, reading.rules, self.master, now)

    @property
    def looked(self) -> Looked:
        assert self.ready.looked is not None
        return self.ready.looked

    def refuse_changed(self) -> None:
        """What is answered has to be what its fingerprints are of."""
        if not self.looked.unchanged:
            raise InputError(
                f"{WHERE}: {self.ready.table.title} changed while it was read; ask again, when "
                "nobody writes to it"
            )

    # ------------------------------------------------------------ the event

    @cached_property
    def request(self) -> str:
        """The question with all it is answered by, but for what rows say."""
        source = self.project.source
        label = [source.name, coined_by(self.project), self.epochs]
        rows = [list(source.unit), self.project.query.rows_per_unit]
        zone = [source.timezone] if source.timezone != "UTC" else []  # of hours and days of keys
        draw = [self.draw] if self.draw > 1 else []  # the first is as older ledgers have it
        return self.question.digest(label, rows, self.epsilon, *zone, *draw)

    def before(self) -> Charged | None:
        """What was charged and drawn for it, for anybody."""
        if self.held is None or self.held.ledger.empty:
            return None
        return self.held.look(lambda account: account.asked(self.request))

    def event(
        self, noise: AnswerNoise, readings: Mapping[str, Mapping[str, str]] | None = None
    ) -> AnswerEvent:
        """What the ledger is to keep of it before anything is drawn; ``readings``: if not those of
        the rows as they are.
        """
        ready, whole, keys = self.ready, self.project, self.ready.table.keys
        return AnswerEvent(
            table=whole.source.name,
            epoch=coined_by(whole),
            per_key=whole.epoch.of is not None,
            mechanism=noise.mechanism,
            readings=self.first_read.readings if readings is None else readings,
            key=self.master.fingerprint,
            coins=ALGORITHM,
            limits=declared(whole),
            leakage={},
            readers=self.readers,
            keys=keys if len(keys) > 1 else (),
            counts=ready.counts,
            request=self.request,
            query=self.question.text + (f" -- draw {self.draw}" if self.draw > 1 else ""),
            draw=self.draw,
            times=noise.times,
            unit=whole.source.unit,
            unit_epsilon=_times(noise.epsilon, self.rows_per_unit or 1),
            epoch_epsilon=_times(noise.epsilon, self.rows_per_epoch)
            if self.rows_per_epoch < (self.rows_per_unit or 1)
            else 0.0,
        )

    @cached_property
    def admission(self) -> Admission:
        """As releases are held; no coins are asked for."""
        return replace(self.ready.admission(OneSided({})), leaving_out=self._where)

    def _where(self, condition: str) -> str:
        """How it is asked where this holds, too."""
        text, reader = narrowed(self.question.text, condition), next(iter(self.readers), None)
        return command(text, reader, self.epsilon, self.share, self.draw)

    def _covered(self, event: AnswerEvent, account: Account) -> None:
        """Raise if it must not follow what has been, however much noise it has."""
        replace(self.admission, compared=self.first_read.compared).covered(event, account)

    def admit(self, event: AnswerEvent, account: Account) -> None:
        """Raise if it must not follow what has been: of one draw there is one noise."""
        asked, admission = account.asked(event.request), self.admission
        if asked is not None and asked.times != event.times:
            raise InputError(
                f"{WHERE}: somebody asked the same at the same time, and was charged for other "
                "noise; ask again, which gives that answer"
            )
        self._covered(event, account)
        broken = admission.too_much(event.mechanism, admission.before(event, account))
        broken = broken or self._spent_before(event, account).broken(event)
        if broken:
            fits = self._what_fits(account)
            raise LimitExceeded(f"{WHERE}: {broken}; {fits}", fits)

    def noise(self, before: Charged | None) -> AnswerNoise:
        """As declared, or the least that fits; as it was charged, where it was."""
        if before is not None or self.epsilon is not None:
            noise = self._noise(self._declared() if before is None else before.times)
            self._look(partial(self.admit, self.event(noise)))
            return noise
        if not self.project.protected:
            raise InputError(
                f"{WHERE}: no attribute is sensitive, so no limit says how much noise; give an "
                "epsilon"
            )
        draft = self.event(self._noise(1.0))  # reads rows, before anybody waits for the ledger
        times = self._look(lambda account: self._least(draft, account))
        noise = self._noise(times / self.share)
        if self.share < 1.0 and noise.epsilon < EPSILONS[0]:
            raise InputError(
                f"share {self.share:g}: is an epsilon of {noise.epsilon:.2g}, and noise is drawn "
                f"for {EPSILONS[0]:g} and more; take a larger share"
            )
        return noise

    def drawn_with(self, before: Charged) -> AnswerNoise:
        """The noise of an answer that there is."""
        return self._noise(before.times)

    def _noise(self, times: float) -> AnswerNoise:
        return AnswerNoise(self.question.numbers, times, self.ready.learned.labelling)

    def _declared(self) -> float:
        assert self.epsilon is not None
        return by_epsilon(self.question.numbers, self.epsilon)

    def _look(self, at: Callable[[Account], Seen]) -> Seen:
        """What this sees in what was given out before."""
        return self.held.look(at) if self.held else at(Account.of(()))

    def _least(self, draft: AnswerEvent, account: Account) -> float:
        """The least noise that fits beside what the account has."""
        self._covered(draft, account)
        return self._least_for(draft, account, self.admission, ())

    def least_beside(
        self, planned: Sequence[Mechanism], epochs: Collection[str], admission: Admission
    ) -> AnswerNoise:
        """The least that fits beside what was given out of these epochs and what is ``planned``,
        whatever their rows are by now: what they were read as is not compared.
        """
        draft = self.event(self._noise(1.0), {epoch: {} for epoch in epochs})
        return self._noise(self._look(lambda had: self._least_for(draft, had, admission, planned)))

    def _least_for(
        self,
        draft: AnswerEvent,
        account: Account,
        admission: Admission,
        planned: Sequence[Mechanism],
    ) -> float:
        held, spent = admission.before(draft, account), self._spent_before(draft, account)

        def broken(times: float) -> str | None:
            noise = self._noise(times)
            given = Together([*planned, noise.mechanism]) if planned else noise.mechanism
            event = self.event(noise, draft.readings)
            return spent.broken(event) or admission.too_much(given, held)

        return least(broken)

    def _spent_before(self, event: AnswerEvent, account: Account) -> SpentBefore:
        """What answers told of a unit before, to each coalition that sees this one."""
        audiences = self.admission.audiences(event, account)
        return SpentBefore.before(self.project, event, account, [*audiences.values()])

    def _what_fits(self, account: Account) -> str:
        """The most that would, and how far off that is."""
        least = self._least(self.event(self._noise(1.0)), account)
        return self._noise(least).offered(int(self.of_keys.rows.sum()))

    def promised(self, noise: AnswerNoise | None, free: str = "") -> Promised:
        """What is known before anything is charged."""
        made = Promised.of(self.question, noise, self.counted, self.rows_per_unit, free)
        if noise is None or free or self.epsilon is not None or self.share < 1.0:
            return made
        others = noise.less(self.ready.learned.rows)
        less = {
            epsilon: Promised.of(self.question, other, self.counted, self.rows_per_unit).first
            for epsilon, other in others
        }
        return replace(made, all_left=True, less=less)


def _times(epsilon: float, rows: int) -> float:
    """Of decimals, as they are written."""
    return float(Fraction(repr(epsilon)) * rows)
