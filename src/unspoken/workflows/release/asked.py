"""A release as it is asked for: the plan, what it shows, and the event that is charged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unspoken.assessment.cautions import Caution, certain_in_contexts, fewer_rows
from unspoken.assessment.deciding.admission import Admission, policy_of
from unspoken.assessment.deciding.adopting import declared
from unspoken.assessment.findings import readers
from unspoken.assessment.in_context import in_contexts
from unspoken.assessment.leaks import Leak, leakage, leakage_matrix
from unspoken.assessment.promise import Promise
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.numerics.numbers import number
from unspoken.planning import Plan
from unspoken.storage.coarse import coarse, with_exponents
from unspoken.storage.coins import ALGORITHM, MasterKey
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.charges import ChargedRelease, digest_of, terms_text
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Release
from unspoken.storage.rows.kernel import RowKernel
from unspoken.storage.rows.reading import Reading
from unspoken.storage.stated import stated, stated_given, unexpected
from unspoken.storage.writing import manifest
from unspoken.storage.writing.sifting import Piece
from unspoken.tables.learning.learned import CELLS
from unspoken.tables.learning.pinned import JOINT
from unspoken.tables.policy import Project
from unspoken.workflows.release.open_project import OpenProject, refuse_sources
from unspoken.workflows.release.preparing import Prepared, prepared
from unspoken.workflows.release.results import Said

__all__ = ["Asked", "coined_by", "described_release"]


def _scaled(planned: Mechanism, scale: float) -> Mechanism:
    """This share of every eps of a plan, each p of three decimal places."""
    if not 0 <= scale <= 1:
        frame = "; a frame is given by name, table=frame" if math.isnan(scale) else ""
        raise InputError(f"release scale {scale}: is the share of the plan, from 0 to 1{frame}")
    if scale == 1:
        return planned
    share = planned.scaled(scale)
    return with_exponents(share, coarse(share.exponents()))


@dataclass(frozen=True)
class Asked:
    """A release as it is asked for. ``project``: what of it is served; ``mechanism``: what is shown
    to all; ``draw``: by which coins.
    """

    project: Project
    ready: Prepared
    reader: str | None
    scale: float
    plan: Plan
    mechanism: Mechanism
    leakage: Sequence[Leak]
    draw: int = 1

    @classmethod
    def of(
        cls,
        read: OpenProject,
        scale: float,
        reader: str | None,
        fresh: bool,
        kept: Custody | None,
        make: Callable[[], Custody] | None,
        draw: int = 1,
    ) -> Asked:
        """``kept``: the custody there is; ``make``: makes one, to pin a belief in if none is."""
        share, served = number(scale), read.project.serving(reader, draw)
        ready = prepared(read, fresh, kept, make=make, keyed=make is None)
        refuse_sources(served, ready.table)
        plan = ready.plan()
        whole, learned = ready.project, ready.learned
        mechanism = _scaled(plan.mechanism.showing(whole.reads), share)
        leaks = leakage_matrix(learned.belief, mechanism, readers(whole, reader), learned.sensitive)
        return cls(served, ready, reader, share, plan, mechanism, leaks, draw)

    def said(self, event: Release, account: Account) -> Said:
        """What is said of the release: declared limits, not what was measured."""
        ready = self.ready
        alone = self.plan if self.draw == 1 else None  # two coins show more than one
        beside = ready.cautions(self._by_all_draws(event, account), alone)
        cautions = (
            *map(Caution.unmeasured, beside),
            *self._certain(),
            *fewer_rows(event, account),
        )
        admission = self.admission
        unlooked = filter(None, [admission.unlooked(event, account)])
        together = admission.together(event, account)
        said = (*cautions, *map(Caution, unlooked))
        measured = [caution.text for caution in beside if caution.red and caution.handed_on]
        return Said(ready.project, self.promise, together, said, measured)

    @property
    def promise(self) -> Promise:
        """What is promised of the plan."""
        return self.ready.promise_of(self.plan)

    def _by_all_draws(self, event: Release, account: Account) -> dict[str, float]:
        """How often a cell that may be shown is, by any draw of it that its readers have."""
        belief, admission = self.ready.learned.belief, self.admission
        shown, coins = stated(self.mechanism, belief), event.mechanism.exponents()
        for audience in admission.audiences(event, account).values():
            for past in account.before(event, audience):
                if past.others:
                    together = stated(OneSided(past.exponents(coins)), belief)
                    shown = {name: max(p, together.get(name, 0.0)) for name, p in shown.items()}
        return shown

    def _certain(self) -> tuple[Caution, ...]:
        """What a context makes certain; nothing of exact counts is said."""
        ready = self.ready
        if ready.believed is None or not ready.learned.contexts:
            return ()
        who = readers(ready.project, self.reader)
        known = in_contexts(ready.learned, self.mechanism, who, self.leakage)
        return certain_in_contexts(known)

    @property
    def p(self) -> dict[str, float]:
        """How often what may be shown of each attribute is, as whoever is served is told."""
        p = stated(self.mechanism, self.ready.learned.belief)
        return {name: p[name] for name in self.project.reads}

    @cached_property
    def reading(self) -> Reading:
        ready = self.ready
        rows = used_rows(self.project, ready.table, history=False)
        depends = self.mechanism.depends(self.project.reads)
        return Reading(self.project, rows, ready.learned, ready.sensitive, depends)

    @property
    def admission(self) -> Admission:
        adopted = self.ready.adopted
        limits = None if adopted is None else adopted.limits
        return self.ready.admission(self.plan.mechanism, limits, self.scale)

    def kernel(
        self, master: MasterKey, mechanism: Mechanism | None = None, apart: bool = False
    ) -> RowKernel:
        """What looks at the rows. ``mechanism``: what is shown; None: nothing is."""
        domain = self.ready.learned.belief.domain
        return RowKernel(
            self.reading.rules, master, domain, mechanism, apart, self.draw, self.comparable
        )

    @property
    def comparable(self) -> bool:
        """Whether rows are compared with those that were counted while they are read: by another
        draw they are shown once more, and labels of a large tree are too many to be held.
        """
        pinned = self.ready.pinned
        if pinned is None or self.draw > 1:
            return False
        few = math.prod(self.reading.rules.combinations) <= CELLS
        return JOINT in pinned.tables or few

    @property
    def released(self) -> Mechanism:
        """What is shown to whoever is served."""
        return self.mechanism.showing(self.project.reads)

    def described(
        self, charged: ChargedRelease, written: manifest.Written, piece: Piece | None = None
    ) -> dict[str, Any]:
        """The manifest of what was written; ``piece``: where that is the file of one epoch.

        Terms that the ledger does not have are those of today.
        """
        terms = charged.terms or self._terms(charged.event.mechanism)
        return described_release(charged, terms, written, piece)

    @cached_property
    def terms(self) -> str:
        """What manifests of this release are to say beside its event, as the ledger keeps it."""
        return terms_text(self._terms(self.released))

    def _terms(self, coin: Mechanism) -> dict[str, Any]:
        """Of what shows these, which may be of an older plan."""
        ready, law = self.ready, self.ready.learned.belief
        belief = None if ready.pinned is None else ready.pinned.digest
        given = {} if belief is None else stated_given(coin, law)
        each = {
            name: {str(value): chance for value, chance in given[name].items()}
            for name in self.project.reads
            if name in given
        }
        rare = unexpected(coin, law) if given else ()
        by_cell = not coin.record_coins()
        shown = manifest.InclusionRates(stated(coin, law), each, rare, by_cell)
        lines = self.promise.lines()
        return manifest.terms(self.project, shown, ready.closed_names, lines, belief)

    def event(
        self,
        master: MasterKey,
        readings: Mapping[str, Mapping[str, str]],
        rows: int,
        parts: Mapping[str, int] | None = None,
    ) -> Release:
        """What the ledger is to keep of it: what was read, and which ``parts`` of old epochs."""
        ready, whole = self.ready, self.ready.project
        epoch, keys = whole.epoch, ready.table.keys
        return Release(
            table=whole.source.name,
            epoch=coined_by(whole),
            per_key=epoch.of is not None,
            mechanism=self.released,
            readings=readings,
            key=master.fingerprint,
            coins=ALGORITHM,
            limits=declared(whole),
            leakage={"told": leakage(self.leakage)},
            closed={name: [str(v) for v in values] for name, values in ready.closed.added.items()}
            if whole.closing_values
            else {},
            policy={name: policy_of(whole, name) for name in self.project.reads},
            readers=() if self.reader is None else (self.reader,),
            keys=keys if len(keys) > 1 else (),
            rows=rows,
            parts=parts or {},
            counts=ready.counts,
            draw=self.draw,
            terms=digest_of(self.terms),
        )


def described_release(
    charged: ChargedRelease,
    terms: Mapping[str, Any],
    written: manifest.Written,
    piece: Piece | None = None,
) -> dict[str, Any]:
    """The manifest of what was written, with these terms; ``piece``: of the file of one epoch."""
    event = charged.event
    if piece is not None:
        parts = {piece.epoch: piece.part} if piece.part > 1 else {}
        event = replace(event, readings={piece.epoch: dict(piece.readings)}, parts=parts)
    return manifest.described(event, terms, charged.head, charged.at, written, piece is not None)


def coined_by(project: Project) -> str:
    """What names epochs, and so coins: the label, or the function of keys in its time zone."""
    epoch, zone = project.epoch, project.source.timezone
    if epoch.of is None:
        return epoch.label or ""
    return epoch.of if zone == "UTC" else f"{epoch.of} ({zone})"
