"""The curator of papers 000/001, second figure: applications ask, some of them pool what they get.

One project, with its belief and its plan as they are pinned and adopted. What an application may
have of an epoch is what `unspoken release --for APPLICATION` lets out of it: the same coins, the
same files, the same account. So a request makes sure that its epochs are released to whoever asks,
charged first; then it reads what was released, and of that what was asked for. Nothing that is
answered depends on the protected table in any other way, and whoever asks again pays nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from unspoken.assessment.deciding.adopting import ADOPT
from unspoken.core.errors import InputError, unknown
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Adoption, Ledger
from unspoken.storage.writing.leftovers import remove_leftovers
from unspoken.storage.writing.manifest import rule
from unspoken.tables.engines.protocol import Shape, Table
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.counts.beside import seen
from unspoken.tables.policy import Project
from unspoken.workflows.query import NoisyAnswer, Promised, query
from unspoken.workflows.query.question import read_select
from unspoken.workflows.release import release
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.open_project import OpenProject, opened
from unspoken.workflows.release.preparing import Prepared, prepared
from unspoken.workflows.serve.disclosing import Consequences, disclosed
from unspoken.workflows.serve.history import Entry, Happened, History
from unspoken.workflows.serve.notices import Kind, Notice, Notices
from unspoken.workflows.serve.open_source import OpenSource
from unspoken.workflows.serve.released import Inclusion, given_of, read
from unspoken.workflows.serve.request import Keys, Request, refuse_growing
from unspoken.workflows.serve.results import (
    Catalogue,
    Held,
    Refused,
    Rehearsal,
    ReleasedCells,
    outward,
    refuse_many,
)
from unspoken.workflows.serve.standing import Standing, Standings
from unspoken.workflows.serve.stream import Stream, streams
from unspoken.workflows.serve.watching import Watching

__all__ = ["Curator"]

MOST = 5_000_000  # rows of one answer


@dataclass
class Curator:
    """``ready``: the project as it was opened, for the plan that was adopted then.

    ``most``: rows of one answer. One thing is charged at a time; what was released is read by many.
    """

    ready: Prepared
    most: int = MOST
    _charging: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _asked: dict[str, Asked] = field(default_factory=dict, repr=False)
    _seen: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict, repr=False)
    _source: OpenSource = field(default_factory=OpenSource, repr=False)
    _watching: Watching = field(default_factory=Watching, repr=False)
    _history: History = field(default_factory=History, repr=False)
    _standings: Standings = field(default_factory=Standings, repr=False)
    _ledger: Ledger | None = field(default=None, repr=False)  # stays open while this is there
    _disclosed: int = field(default=0, repr=False)

    @classmethod
    def of(cls, project: Project | str | Path, most: int = MOST) -> Curator:
        """Open a project whose plan is adopted."""
        curator = cls(_adopted(opened(project)), most)
        curator._kept()
        remove_leftovers(curator.project)
        return curator

    @property
    def project(self) -> Project:
        return self.ready.project

    # ------------------------------------------------------------ what there is

    def catalogue(self, who: str) -> Catalogue:
        """What an application may ask for."""
        served, terms = self._serving(who), self.project.terms[who]
        with self._noticed(who, "catalogue"), outward():
            table = self._rows()
            epochs = Keys(served, Shape.of(table)).counted(table, None, ())
        return Catalogue(
            application=who,
            keys={name: table.columns[name] for name in table.keys},
            attributes={name: rule(served, name) for name in served.reads},
            knows=terms.knows,
            weight=terms.weight,
            share=terms.share,
            epochs=epochs,
            given=tuple(sorted(given_of(served, None))),
            promise=tuple(self.ready.promise.lines()),
        )

    def account(self, who: str) -> list[Entry]:
        """What an application was given so far, oldest first."""
        self._serving(who)
        return self._history.entries(self.ledger, who)

    def standings(self, whom: Sequence[tuple[str, ...]] | None = None) -> list[Standing]:
        """What every coalition has had, and may still have: for the steward alone.

        ``whom``: these in place of those that are declared.
        """
        return self._standings.of(*self.current(), whom)

    def history(self) -> tuple[Happened, ...]:
        """Every event, oldest first, without what it told: for the steward alone."""
        return self._history.happened(self.ledger)

    def streams(self) -> list[Stream]:
        """What answers with noise told every coalition of one unit: for the steward alone."""
        ready, kept = self.current()
        return streams(ready.project, kept)

    def current(self) -> tuple[Prepared, Custody]:
        """With the plan that is adopted now, and the custody of what was charged."""
        return self._current(), self._kept()

    def declared(self) -> Prepared:
        """As the project is declared now, which is served once a plan for it is adopted."""
        return _adopted(opened(self.project.path))

    @property
    def refusals(self) -> Sequence[Notice]:
        """Who was not answered, and the whole of why: for the steward alone."""
        return Notices.of(self.project).latest()

    @contextmanager
    def charging(self) -> Iterator[None]:
        """Nothing else is charged meanwhile."""
        with self._charging:
            yield

    @property
    def ledger(self) -> Ledger:
        """Every event, for the steward and the auditor."""
        return self._kept().ledger

    def shown(self) -> dict[str, float]:
        """The exponent of all that was released of each attribute, to anybody: for those alike."""
        return self._kept().look(lambda had: had.exposure(had.readers()).exponents())

    def disclosed(
        self,
        attributes: Sequence[str],
        *,
        readers: Sequence[str] = (),
        epochs: Sequence[str] = (),
        by: str,
        why: str,
    ) -> Consequences:
        """Write down what became known otherwise, and what follows: for the steward alone."""
        with self._charging:
            path = self.project.path
            return disclosed(path, attributes, readers=readers, epochs=epochs, by=by, why=why)

    # ------------------------------------------------------------ cells

    def rehearse(self, who: str, request: Request) -> Rehearsal:
        """What a request would show, from keys and the plan alone, and whether it would be let
        out. Nothing is charged, and no protected cell is looked at.
        """
        with self._noticed(who, "dry run"):
            return self._rehearsed(who, request)

    def _rehearsed(self, who: str, request: Request) -> Rehearsal:
        served = self._serving(who, request.draw)
        names = request.columns(served)
        keys = Keys(served, Shape.of(self.ready.table))
        condition, table = keys.condition(request.where), self._rows()
        counts = self._counted(keys, table, condition, request)
        given = given_of(served, counts)
        new = () if request.before else tuple(epoch for epoch in counts if epoch not in given)
        rows = {e: n for e, n in counts.items() if not request.before or e in given}
        refused = self._would_refuse(who, request.draw, new) if new else None
        return Rehearsal(names, rows, new, self._shares(who, names), refused)

    def cells(self, who: str, request: Request) -> ReleasedCells:
        """What was asked for, once it is released to whoever asks."""
        with self._noticed(who, "cells"):
            return self._given(who, request)

    def _given(self, who: str, request: Request) -> ReleasedCells:
        served = self._serving(who, request.draw)
        names, shape = request.columns(served), Shape.of(self.ready.table)
        keys = Keys(served, shape)
        condition = keys.condition(request.where)
        charged: tuple[str, ...] = ()
        epochs: Sequence[str] | None = request.epochs or None
        if not request.before:
            table = self._rows()
            counts = self._counted(keys, table, condition, request)
            refuse_many(sum(counts.values()), self.most)
            epochs = tuple(counts)
            charged = self._let_out(who, request.draw, served, table, epochs)
        with outward():
            rows, given = read(served, names, epochs)
        if rows is None:
            raise InputError(
                "epochs: nothing of these was given to this application before; ask without "
                "`before`"
                if request.before
                else "where: no row of the table is as it says"
            )
        if epochs is not None and not served.files.by_epoch:
            rows = keys.within(rows, tuple(epochs))
        rows = keys.held(rows, condition)
        refuse_many(rows.num_rows, self.most)
        within = None if epochs is None else {*epochs}
        said = [each.among(within) for each in Inclusion.of(given, names)]
        return ReleasedCells(rows, names, [each for each in said if each.epochs], charged)

    # ------------------------------------------------------------ answers with noise

    def answer(
        self,
        who: str,
        text: str,
        *,
        epsilon: float | None = None,
        share: float = 1.0,
        dry_run: bool = False,
        draw: int = 1,
    ) -> NoisyAnswer | Promised:
        """A SELECT, answered with noise."""
        self._serving(who)
        refuse_growing(text, text, "query")

        def tell(promised: Promised) -> None:
            refuse_many(promised.groups, self.most)

        with self._noticed(who, "answer"), outward("query", "epsilon", "share", "rows", "draw"):
            read_select(self.project, self.ready.table, text, who)  # before anything is opened
            with self._charging:
                return query(
                    self._source.read(self.project), text, who,
                    epsilon=epsilon, share=share, dry_run=dry_run, draw=draw, tell=tell,
                )  # fmt: skip

    # ------------------------------------------------------------ the project as it is now

    def _serving(self, who: str, draw: int = 1) -> Project:
        if who not in self.project.applications:
            raise unknown("application", who, self.project.applications)
        return self.project.serving(who, draw)

    def _rows(self) -> Table:
        """The table as it is now, of which keys alone are read here."""
        with outward():
            table = self._source.read(self.project).table
            return used_rows(self.project, table, history=False)

    def _kept(self) -> Custody:
        with outward():
            kept = Custody.there(self.project)
        assert kept is not None  # a plan is adopted in it
        self._ledger = kept.ledger
        return kept

    def _current(self) -> Prepared:
        """With the plan that is adopted by now: the steward may adopt another one meanwhile."""
        adopted = self.ready.adopted

        def now(account: Account) -> tuple[Adoption | None, int]:
            last = None if adopted is None else account.adopted(adopted.table)
            return last, len(account.disclosures())

        found = self._kept().look(now)
        if found != (adopted, self._disclosed):
            self._disclosed = found[1]
            with outward():
                self.ready = _adopted(opened(self.project.path))
            self._asked.clear()
        return self.ready

    def _plan(self, who: str, draw: int = 1) -> Asked:
        """The plan as it is for one application, whichever draw: anybody may name a million."""
        self._current()
        if who not in self._asked:
            with outward():
                self._asked[who] = Asked.of(
                    self._source.read(self.project), 1.0, who, False, self._kept(), None
                )
        return replace(self._asked[who], project=self._serving(who, draw), draw=draw)

    # ------------------------------------------------------------ steps of a request

    @contextmanager
    def _noticed(self, who: str, what: str) -> Iterator[None]:
        """Remember what was refused, with the whole of why."""
        try:
            yield
        except (Refused, Held) as error:
            kind: Kind = "limit" if isinstance(error, Refused) else "held"
            Notices.of(self.project).add(Notice.now(kind, who, what, str(error.__cause__ or error)))
            raise

    def _counted(
        self, keys: Keys, table: Table, condition: Expression | None, request: Request
    ) -> dict[str, int]:
        """Rows of each epoch that is asked for; each has to be there."""
        with outward("where", "epochs"):
            counts = keys.counted(table, condition, request.epochs)
            there = counts if condition is None else keys.counted(table, None, request.epochs)
            for epoch in request.epochs:
                if epoch not in there:
                    raise unknown("epochs", epoch, keys.counted(table, None, ()))
        return counts

    def _shares(self, who: str, names: Sequence[str]) -> dict[str, float]:
        """Of all cells of an attribute the share that the plan shows, under the belief."""
        asked = self._plan(who)
        belief, mechanism = asked.ready.learned.belief, asked.mechanism
        shown, given = mechanism.shown(belief), mechanism.shown_given(belief)
        shares = dict[str, float]()
        for name in names:
            of_label = belief.marginal([name])
            hidden = {*asked.ready.sensitive.get(name, ())}
            shares[name] = sum(
                float(mass) * float(given.get(name, {}).get(label, shown[name]))
                for label, mass in zip(belief.domain.values_of(name), of_label, strict=True)
                if label not in hidden
            )
        return shares

    def _would_refuse(self, who: str, draw: int, epochs: Sequence[str]) -> Refused | None:
        """Whether the ledger would let these epochs out to it, for all that is known beforehand."""
        asked, kept = self._plan(who, draw), self._kept()
        event = asked.event(kept.master, {epoch: {} for epoch in epochs}, 0)
        try:
            with outward():
                kept.look(partial(asked.admission.check, event))
        except Refused as refusal:
            return refusal
        return None

    def _let_out(
        self, who: str, draw: int, served: Project, table: Table, epochs: Sequence[str]
    ) -> tuple[str, ...]:
        """Release these epochs to it, if the source has anything of them that it has not; gives
        those for which anything was charged.
        """
        with self._charging:
            stamp = (seen(table.files), self._current().adopted)
            let_out = self._seen.get((who, draw), {})
            given = given_of(served, epochs)
            if stamp[0] and {*epochs} <= given and all(let_out.get(e) == stamp for e in epochs):
                return ()
            only = epochs if served.files.by_epoch else None
            with outward():
                done = release(self.project.path, reader=who, epochs=only, draw=draw)
                if not done.again:
                    self._watching.look(self._current(), self._kept(), table, epochs)
            self._seen[who, draw] = {**let_out, **dict.fromkeys(epochs, stamp)}
        if done.again or done.epochs is None:
            return () if done.again else tuple(done.event.readings)
        return (*done.epochs.new, *done.epochs.late, *done.epochs.extended)


def _adopted(project: Project) -> Prepared:
    ready = prepared(OpenProject.of(project), False, Custody.there(project))
    if ready.adopted is None:
        raise InputError(
            f"{project.path.name}: no plan is adopted, and a service lets out nothing else: {ADOPT}"
        )
    return ready
