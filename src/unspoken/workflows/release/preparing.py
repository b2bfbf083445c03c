"""A project with its table open, and what is believed of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from unspoken.assessment.best import Best, adopted_premise, as_adopted, best, refuse_useless
from unspoken.assessment.boxed import box_of, in_words
from unspoken.assessment.cautions import Caution, beyond_contexts, cautions
from unspoken.assessment.closing import closed_by
from unspoken.assessment.deciding.admission import Admission
from unspoken.assessment.deciding.adopting import (
    adopted_of,
    keeps_to,
    refuse_stale,
    same_limits,
    withheld,
)
from unspoken.assessment.few import named
from unspoken.assessment.findings import Findings, Openly, all_free, by_cap, findings
from unspoken.assessment.promise import Promise
from unspoken.assessment.since import rows_since
from unspoken.assessment.trade_off import ByCap
from unspoken.assessment.units import Units
from unspoken.core.beliefs import Belief
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, LimitExceeded, TooLarge
from unspoken.core.mechanisms import Mechanism, RecordCoin
from unspoken.core.types.domain import Value
from unspoken.planning import Closure, Plan
from unspoken.storage.custody.believing import Believed, Countings, believed, pinned_of, used_rows
from unspoken.storage.custody.custody import Custody
from unspoken.storage.custody.knowing import with_disclosed
from unspoken.storage.ledger import EXACT, Adoption
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning import Cache, Doubt, Learned, refuse_idle
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.learning.doubts import doubts
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project
from unspoken.workflows.release.open_project import OpenProject

__all__ = [
    "Prepared",
    "learn_project",
    "prepare",
    "prepared",
]


@dataclass(frozen=True, repr=False)
class Prepared(Shown):
    """A project with its table open and its belief learned.

    ``believed``: what was counted with noise; None: not yet, or never ([belief] noise = "none"), so
    counts are exact and for the holder alone. ``adopted``: the plan by which everything is
    released, once there is one. ``extends``: the coin whose answers are out, where more is planned.
    ``looked``: what was found by looking at every row.
    """

    project: Project
    table: Table
    learned: Learned
    closed: Closure
    units: Units
    doubts: tuple[Doubt, ...] = ()
    believed: Believed | None = None
    adopted: Adoption | None = None
    countings: Countings = field(default_factory=Countings)
    extends: RecordCoin | None = None
    looked: Looked | None = field(default=None, compare=False)

    @property
    def sensitive(self) -> Mapping[str, Sequence[Value]]:
        """What is never released: as adopted; else as declared, and closed where that is asked."""
        closing = self.project.closing_values
        hidden = self.closed.sensitive if closing else self.learned.sensitive
        return {**hidden, **({} if self.adopted is None else withheld(self.adopted))}

    def admission(
        self, plan: Mechanism, limits: Mapping[str, Any] | None = None, scale: float = 1.0
    ) -> Admission:
        """What events are held against: the limits of the whole project, whoever is served."""
        learned = self.learned
        return Admission(
            self.project,
            learned.belief,
            self.sensitive,
            learned.sensitive,
            plan,
            limits,
            scale,
            possible=lambda: self.beliefs,
            kept=keeps_to(self.project, self.adopted, self.believed),
            cells_for_set=self.promise.premise.kind != "learned",
        )

    @property
    def pinned(self) -> Pinned | None:
        """The counts, if they have noise."""
        return None if self.believed is None else self.believed.pinned

    @property
    def counts(self) -> str:
        """What plans are made from, as events keep it."""
        exact = EXACT + (self.project.belief.history or "")
        return exact if self.pinned is None else self.pinned.digest

    @cached_property
    def beliefs(self) -> Belief:
        """All that the counts leave possible; what was learned, where no level is declared."""
        return box_of(self.project, self.learned, self.pinned)

    @cached_property
    def best(self) -> Best:
        """The best plans for all that, each made once."""
        return Best(self.learned, self.beliefs, self.extends)

    def by_cap(self) -> ByCap:
        """What other odds caps would let out."""
        with _in_reach():
            return by_cap(self.project, self.best)

    @property
    def promise(self) -> Promise:
        """Of the adopted plan, or of any that is made for this project."""
        if self.adopted is None:
            return self._promise_now
        promise = self._promise_now.of_adopted(self.project, self.adopted.limits)
        premise = adopted_premise(self.learned, self.adopted, promise.cap)
        return replace(promise, premise=premise)

    def promise_of(self, plan: Plan) -> Promise:
        """Of the adopted plan, if there is one; else of this one."""
        return self.promise if self.adopted is not None else self._promise_now.of_plan(plan)

    @property
    def _promise_now(self) -> Promise:
        """Of a plan that is made now."""
        return Promise.of(self.project, self.countings, self.believed is not None)

    def facts(self) -> list[tuple[str, str]]:
        project, limits = self.project, self.project.limits
        bits = f", {limits.bits:g} bit about each" if limits.bits < math.inf else ""
        readers = (f"{who} reads {', '.join(reads)}" for who, reads in project.applications.items())
        return [
            ("project", str(project.path)),
            ("table", f"{self.table.title}, keys {', '.join(self.table.keys)}"),
            *self.learned.facts(),
            ("applications", "; ".join(readers)),
            ("limits", f"odds x {limits.odds_cap:g}{bits}"),
            *self.promise.facts(),
            ("next", ".plan(), .findings(); nothing was charged"),
        ]

    def cautions(
        self, p: Mapping[str, float] | None = None, plan: Plan | None = None
    ) -> tuple[Caution, ...]:
        """What has to be said beside every number; ``p``: how often what may be shown is, if there
        is a plan; ``plan``: that alone which is released by.
        """
        floor = plan is not None and plan.is_floor
        held = plan is not None and plan.bound.premise.level is not None
        with _in_reach():
            return cautions(
                self.learned, self.units, self.sensitive, p or {}, self.pinned, floor, held
            )

    @property
    def closed_names(self) -> Mapping[str, list[str]]:
        """The values that are closed, as far as they may be named."""
        added = self.closed.added if self.project.closing_values else {}
        return {
            name: named(self.project, self.learned, name, list(map(str, values)))
            for name, values in added.items()
        }

    def findings(self, curve: bool = True, adopted: bool = False) -> Findings:
        """Of the best plan; ``adopted``: of the one that is adopted, if it can be released."""
        stale = self._stale() if adopted else None
        looked = self.adopted if adopted and stale is None else None
        with _in_reach():
            found = findings(self.project, self.best, self.closed, curve, looked, self.pinned)
        of_plan = stale or self._limits(looked) if adopted else self._other(found.plan)
        since = self._since(found.plan.mechanism) if adopted else None
        beside = [*filter(None, [of_plan, since]), *self.cautions(found.plan.p, found.plan)]
        said = beyond_contexts(self.project, found.planned_known, beside, found.is_floor)
        return replace(
            found,
            cautions=said,
            promise=self.promise if looked else self._promise_now.of_plan(found.plan),
            boxed=self._boxed(found.plan.mechanism.beside_earlier(), found.is_floor),
        )

    def _other(self, planned: Plan) -> Caution | None:
        """That another plan is adopted than this."""
        if self.adopted is None or self.extends is not None:
            return None
        if self.adopted.mechanism == planned.mechanism.showing(self.project.reads):
            return None
        text = "This is not the plan that is adopted, by which everything is released (unspoken "
        return Caution(f"{text}report shows it), until somebody adopts it: unspoken plan --adopt.")

    def _since(self, mechanism: Mechanism) -> Caution | None:
        """What rows that came since they were counted are like; of exact counts there are none."""
        if self.believed is None:
            return None
        return rows_since(self.project, self.table, self.believed, self.learned, mechanism)

    def _stale(self) -> Caution | None:
        """Why what is adopted is not released any more."""
        try:
            refuse_stale(self.project, self.adopted, self.believed)
        except LimitExceeded as error:
            return Caution(f"The plan that is adopted is not this one. Of that: {error}.")
        return None

    def _limits(self, adopted: Adoption | None) -> Caution | None:
        """That what is adopted was made for others."""
        if adopted is None or same_limits(adopted.limits, self.project):
            return None
        cap, now = float(adopted.limits["odds_cap"]), self.project.limits.odds_cap
        text = f"The plan was adopted for other limits (odds x {cap:g}) than are declared now."
        return Caution(text, red=cap > now)

    def openly(self) -> Openly:
        """What would be told if all that is free were released; no plan is made for that."""
        with _in_reach():
            found = Openly.of(self.project, self.learned)
        boxed = self._boxed(all_free(self.project, self.learned))
        return replace(found, cautions=self.cautions(), promise=self.promise, boxed=boxed)

    def _boxed(self, mechanism: Mechanism, floor: bool = False) -> list[str]:
        """The box's numbers of what is shown, in words; none before anything is counted."""
        if self.pinned is None:
            return []
        return in_words(self.project, self.pinned, self.learned, self.beliefs, mechanism, floor)

    def closing(self, close: bool | None) -> Prepared:
        """The same with telling values made sensitive, or not; None: as the project says."""
        return replace(self, project=self.project.closing(close))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the predicates of the project."""
        return tuple(map(str, self.doubts))

    def plan(self) -> Plan:
        """The plan that was adopted, or the best there is."""
        refuse_idle(self.doubts)
        self._promise_now.refuse_broken(self.project)
        refuse_stale(self.project, self.adopted, self.believed)
        with _in_reach():
            if self.adopted is not None:
                return as_adopted(self.project, self.learned, self.adopted)
            learned, extends = self.learned, self.extends
            chosen = best(self.project, learned, self.beliefs, self.sensitive, extends=extends)
            refuse_useless(self.project, self.learned, chosen)
            return chosen

    def new_plan(self) -> Prepared:
        """The same, as if no plan was adopted yet."""
        return replace(self, adopted=None)

    def extending(self) -> Prepared:
        """The same, planning more beside what the adopted plan has shown."""
        coins = () if self.adopted is None else self.adopted.mechanism.record_coins()
        if not coins and self.project.plan.by == "cell":
            raise InputError(
                "plan --extend: is for one coin a record; cells keep their coins whatever plan is "
                "adopted, so unspoken plan --adopt, then unspoken release shows what is more"
            )
        if not coins:
            raise InputError(
                "plan --extend: no plan with one coin a record is adopted, so there is nothing to "
                "extend; the first release adopts one, or unspoken plan --adopt"
            )
        return replace(self, adopted=None, extends=coins[0])


def prepare(
    project: Project | str | Path | OpenProject,
    *,
    table: ArrowStream | None = None,
    fresh: bool = False,
) -> Prepared:
    """Open the table of a project (or of the project file at a path), and its belief.

    That is what was counted of it, once; before, its exact counts, for the holder alone. Nothing is
    written or charged. ``table``: a frame of pandas, polars or Arrow whose rows stand in for those
    of its source. ``fresh``: read the rows, though counts of these very files may be kept.
    """
    read = OpenProject.of(project, table)
    return prepared(read, fresh, Custody.there(read.project))


def learn_project(
    project: Project | str | Path | OpenProject,
    *,
    table: ArrowStream | None = None,
    fresh: bool = False,
    again: bool = False,
) -> Prepared:
    """The same, with the table counted, once, with noise; ``again``: counted once more."""
    read = OpenProject.of(project, table)
    make = partial(Custody.made, read.project)
    return prepared(read, fresh, Custody.there(read.project), make=make, again=again)


def prepared(
    read: OpenProject,
    fresh: bool,
    kept: Custody | None,
    *,
    make: Callable[[], Custody] | None = None,
    again: bool = False,
    keyed: bool = False,
) -> Prepared:
    """``kept``: the custody that there is. ``make``: makes one, in which a belief is pinned if none
    is; nothing is made of what cannot be learned. ``keyed``: see that keys name the rows, even
    where they did when these were counted.
    """
    whole, held = with_disclosed(read.project, kept), read.table
    noise = whole.belief.noise
    pinned = None if noise is None or again else pinned_of(whole, kept)
    cache = Cache.of(whole, held) if not read.handed_in and pinned is None else None
    before = None if cache is None or fresh else cache.read()
    if keyed or (before is None and pinned is None):
        read.check()
    # Refused before counts are made with noise for fewer rows.
    units = Units.of(whole, held, read.looked)
    odd: tuple[Doubt, ...] = ()
    if pinned is None:
        rows = used_rows(whole, held, history=True)
        learned = Learned.of(whole, rows, before)
        if cache is not None and before is None and learned.counted is not None:
            cache.write(learned.counted, held)
        odd = doubts(whole, rows, learned)
        if make is not None and noise is not None:
            refuse_idle(odd)
            pinned = believed(whole, rows, make(), learned.counted, noise, again)
    countings = Countings.of(kept)
    if pinned is not None:
        learned = pinned.learned(whole, held)
        countings = replace(countings, learnings=pinned.learnings)
    whole = Promise.of(whole, countings, pinned is not None).capped(whole)
    adopted = None if noise is None else adopted_of(whole, kept, pinned)
    closed = closed_by(whole, learned)
    return Prepared(
        whole, held, learned, closed, units, odd, pinned, adopted, countings, looked=read.looked
    )


@contextmanager
def _in_reach() -> Iterator[None]:
    """A tree may have more attributes than a plan can look at together: say what to change."""
    try:
        yield
    except TooLarge as error:
        raise TooLarge(
            f"plan: {error}. In a project: fewer bins or values for what is read, or fewer "
            "attributes in `reads`"
        ) from error
