"""Whether one more release may be: the same key, the same source in an epoch, and within limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from unspoken.assessment.deciding.adopting import declared, made_for, same_limits
from unspoken.assessment.deciding.another_reading import another_reading
from unspoken.assessment.deciding.judged import Judge, PlannedCoins, expected
from unspoken.assessment.leaks import limits_of
from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.numerics.roots import last_where
from unspoken.core.types.bound import LOG2, exp_or_inf
from unspoken.core.types.domain import Value
from unspoken.planning import Limits
from unspoken.storage.coarse import coarse, probability, up
from unspoken.storage.ledger import (
    Account,
    EarlierPolicy,
    Exposure,
    Known,
    Release,
    merged,
    reaches,
    rows_by,
)
from unspoken.tables.policy import Project
from unspoken.tables.policy.bin_edges import Edge, edge_text

__all__ = ["Admission", "policy_of"]

FINE = 2.0**-30  # how close the share that fits comes to the largest one
CLOSE = 0.05  # nats beside a cap: in two digits, rounded up, they would look like more
# What was shown, what it may tell with what is asked for, and what those who see it know of a row.
Held = tuple[Exposure, Limits, Known]
SENSITIVE = " (sensitive)"  # how labels of a bin end of which only a part is sensitive


@dataclass(frozen=True)
class Admission:
    """What a new event is held against: the belief, the closed policy, and the project's limits.

    ``declared``: of the ``sensitive`` labels, which are withheld, those that the holder has
    declared: the secrets. ``limits``: those for which the ``plan`` was adopted; None: it is made
    for those of now. ``scale``: the share of each eps of it that the event asks for; ``compared``:
    readings that its rows were compared with, record by record. ``possible``: gives all that the
    counts leave possible, under which odds hold beside answers with noise, too; None: the belief.
    ``kept``: what an adopted plan keeps to under all of that. ``leaving_out``: of
    answers with noise, of which nothing is written again, how one is asked where this holds, too.
    ``looks`` and ``cells_for_set``: as of a `Judge`.
    """

    project: Project
    belief: Belief
    sensitive: Mapping[str, Sequence[Value]]
    declared: Mapping[str, Sequence[Value]]
    plan: Mechanism
    limits: Mapping[str, Any] | None = None
    scale: float = 1.0
    compared: Collection[str] = ()
    possible: Callable[[], Belief] | None = None
    kept: PlannedCoins | None = None
    leaving_out: Callable[[str], str] | None = None
    looks: bool = True
    cells_for_set: bool = False

    def check(self, event: Release, account: Account) -> None:
        """Raise, before anything is charged or read, if ``event`` must not follow what has been."""
        if self.covered(event, account):
            return
        before = self.before(event, account)
        broken = self.too_much(event.mechanism, before)
        if broken:
            fits = self._what_fits(event, before)
            raise LimitExceeded(f"{broken}; {fits}", fits)

    def covered(self, event: Release, account: Account) -> bool:
        """Whether it shows nothing that was not shown; raises if it must not follow what has been,
        however little it shows.
        """
        self._same_coins(event, account)
        self._same_source(event, account)
        audiences = self.audiences(event, account)
        if all(account.covers(event, audience) for audience in audiences.values()):
            return True
        self._known(account)
        self._never_shown(event, account)
        self._never_regrouped(event, account)
        return False

    def together(self, event: Release, account: Account) -> str:
        """The first limit that an event which is admitted breaks with all that was given out of its
        rows before, in words; empty if none.

        That can only be where it adds nothing: the limits were lowered since, or the table was
        learned again.
        """
        gone = sorted(set(account.released()) - set(self.belief.domain.names))
        if gone:
            return f"{gone[0]} was released before and is not declared any more: it is not counted"
        accounts = [
            (after, limits, past.known, ())
            for past, limits, _ in self.before(event, account)
            if (after := past.fold(self.sensitive, event.mechanism)) == past.fold(self.sensitive)
        ]
        return self._first_broken(accounts) or ""

    def before(self, event: Release, account: Account) -> list[Held]:
        """What was shown before to every coalition that sees the event, and to all of them pooled,
        with the limits that this is held to.
        """
        limits, given = limits_of(self.project), self.project.limits
        held = [
            (past, limits, self.project.known_by(coalition))
            for coalition, audience in self.audiences(event, account).items()
            for past in account.before(event, audience)
        ]
        if self.project.divided and given.pooled_cap < math.inf:
            pooled, of_records = Limits({}, given.pooled_cap), self.project.plan.by == "record"
            held += [
                (past, pooled, self.project.known_by(self.project.applications))
                for past in account.before(event, account.readers())
                if of_records or past.records or past.other_records  # whatever is planned by now
            ]
        return held

    def too_much(self, mechanism: Mechanism, before: Sequence[Held]) -> str | None:
        """The first limit that it would break, for any coalition that sees it or for all pooled, of
        the cells of any epoch it adds to.
        """
        accounts = [
            (after, limits, exposure.known, () if after.drawn_anew() else knows)
            for exposure, limits, knows in before
            if (after := exposure.fold(self.sensitive, mechanism)) != exposure.fold(self.sensitive)
            and not self._as_planned((exposure, limits, knows), mechanism)
        ]
        return self._first_broken(accounts)

    def _first_broken(
        self, accounts: Iterable[tuple[Mechanism, Limits, Known, Known]]
    ) -> str | None:
        """In words; each is looked at once."""
        different: list[tuple[Mechanism, Limits, Known, Known]] = []
        for account in accounts:
            if account not in different:
                different.append(account)
        return next(filter(None, (self._broken(*account) for account in different)), None)

    def _as_planned(self, held: Held, mechanism: Mechanism) -> bool:
        """Whether, with what was shown, it shows the record coins of the plan and nothing else.

        That keeps the limits: when the plan was made every row was checked in whole numbers, for
        every belief that the counts left possible; for what each coalition reads and knows, those
        that read all having all that is out, and, of odds, for all of it pooled.
        """
        exposure, limits, knows = held
        if self.limits is not None and not same_limits(self.limits, self.project):
            return False
        coins = merged((*exposure.records, *mechanism.record_coins()))
        drawn = exposure.anew or mechanism.drawn_anew()
        others = exposure.exponents(mechanism.exponents()) or drawn
        planned = {coin.digest for coin in self.plan.record_coins()}
        extended = {digest for coin in self.plan.record_coins() for digest in coin.coins}
        shown = {coin.digest for coin in coins}
        if others or exposure.other_records or not planned <= shown <= extended:
            return False
        seen, pools = {name for coin in coins for name in coin.delivered}, self.project.pools
        made, reads = made_for(self.limits or declared(self.project), pools), {*self.project.reads}
        pairs, own = zip(pools.values(), made, strict=True), (*exposure.known, *knows)
        if any((seen <= {*p} or reads <= {*p}) and expected(own, known) for p, known in pairs):
            return True
        if not expected(exposure.known, {name for known in made for name in known}):
            return False
        information = min(limits.information.values(), default=math.inf)
        pooled = self.project.limits.pooled_cap if self.project.divided else math.inf
        return pooled <= limits.odds_cap and information == math.inf

    def unlooked(self, event: Release, account: Account) -> str:
        """What was not looked at of an event that is admitted, in words; empty where all was."""
        whys = (
            self._judge(past.known).unlooked(past.fold(self.sensitive, event.mechanism))
            for past, limits, knows in self.before(event, account)
            if not self._as_planned((past, limits, knows), event.mechanism)
        )
        why = next(filter(None, whys), "")
        if not why:
            return ""
        return (
            "With what was shown before, this is held against the limits under what was learned "
            f"alone, not under every belief that the counts leave possible: {why}."
        )

    def audiences(
        self, event: Release, account: Account
    ) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
        """For every coalition that sees the event, whose releases it has seen."""
        declared = self.project.applications
        return {
            coalition: account.reaching(coalition, declared)
            for coalition in self.project.pools
            if reaches(event.readers, coalition, declared)
        }

    def _same_coins(self, event: Release, account: Account) -> None:
        for _, coins, keys in account.coins():
            if coins != event.coins:
                raise InputError(
                    f"ledger {self.project.files.ledger.name}: has releases with coins "
                    f"{coins}, this unspoken tosses {event.coins}; use the version that did"
                )
            if keys != event.keys and sorted(keys) == sorted(event.keys):
                raise InputError(
                    f"{self.project.at('source', 'keys')}: are {', '.join(event.keys)}, and in the "
                    f"releases in this ledger {', '.join(keys)}; another order tosses every "
                    "coin again. Write them in the old order"
                )

    def _same_source(self, event: Release, account: Account) -> None:
        """Coins belong to the name of an epoch, so whatever gave it that name has to be the same:
        another label or function, another table with such an attribute, would share the coins.
        """
        changed = account.changed(event, self.compared)
        if changed:
            epochs = [*dict.fromkeys(epoch for epoch, _, _ in changed)]
            name, table = changed[0][1:]
            parts = account.parts(rows_by(event.epoch, event.per_key)).values()
            out = all(
                any(e in each and all(read in part.readings for part in each[e]) for each in parts)
                for e, read, _ in changed
            )
            text = another_reading(self.project, event, epochs, name, table, self.leaving_out, out)
            raise LimitExceeded(text)

    def _known(self, account: Account) -> None:
        """What was released counts, so it has to be declared."""
        for name, table in account.released().items():
            if name not in self.belief.domain.names:
                raise InputError(
                    f"attribute.{name}: was released before, from {table}, so it counts in "
                    "this ledger; declare it here too (no application needs to read it), or "
                    "give a table that has nothing to do with it a key and a ledger of its own"
                )

    def _never_shown(self, event: Release, account: Account) -> None:
        """What is sensitive now must not have been given out: what the event reads, under other
        coins (under the same each epoch has the same reading, so the same cells were withheld), and
        under any what it does not read.
        """
        for earlier in account.policies(event):
            shown = self._shown(earlier)
            if shown:
                raise LimitExceeded(
                    f'attribute.{earlier.attribute}: "{shown[0]}" is {self._why(earlier, shown[0])}'
                    f" now, and may have been given out under epoch {earlier.epoch}; that cannot "
                    "be taken back, and withholding it now protects nobody. Leave free what was "
                    "free, or, for rows that were never released, take a key and a ledger of their "
                    "own"
                )

    def _never_regrouped(self, event: Release, account: Account) -> None:
        """Two ways to group the values of a cell tell more than either. What was shown by some bins
        is counted as if the bins now were shown, which says no less if they have every edge.
        """
        for earlier in account.policies(event):
            name, then = earlier.attribute, earlier.policy.get("bins")
            if name not in self.project.attributes:
                continue  # nothing of it is released now
            now = policy_of(self.project, name)["bins"]
            if now is not None and (then is None or not {*then} <= {*now}):
                was = "as it is" if then is None else f"by bins {', '.join(then)}"
                raise LimitExceeded(
                    f"attribute.{name}: was released {was} under epoch {earlier.epoch}, and other "
                    "bins of the same values tell more beside that than is counted. Keep every "
                    'edge that was there (values = "exact" has them all), or, for rows that were '
                    "never released, take a key and a ledger of their own"
                )

    def _shown(self, earlier: EarlierPolicy) -> list[Value]:
        """The labels that are sensitive now and that were not surely hidden then."""
        name = earlier.attribute
        then, now = earlier.policy, policy_of(self.project, name)
        same = all(then.get(part) == now[part] for part in now if part != "bins")
        parted = [label for label in self.sensitive[name] if str(label).endswith(SENSITIVE)]
        hidden = [label for label in earlier.hidden if label not in parted]
        certain = [*hidden, *(self.declared[name] if same else ())]
        return [label for label in self.sensitive[name] if label not in certain]

    def _why(self, earlier: EarlierPolicy, label: Value) -> str:
        """Why it is withheld: as declared, or closed since it tells too much by itself."""
        return "sensitive" if label in self.declared[earlier.attribute] else "closed (too telling)"

    @cached_property
    def _judges(self) -> dict[tuple[Known, Known], Judge]:
        return {}

    def _judge(self, known: Known, knows: Known = ()) -> Judge:
        """What holds accounts against limits, where this is known from elsewhere, or each of these
        by itself, by who saw what no plan was made for.
        """
        possible = self.possible or (lambda: self.belief)
        judge = Judge(
            self.project,
            self.belief,
            possible,
            self.declared,
            self.looks,
            planned=self.kept,
            known=known,
            knows=knows,
            cells_for_set=self.cells_for_set,
        )
        return self._judges.setdefault((known, knows), judge)

    def _broken(self, mechanism: Mechanism, limits: Limits, *known: Known) -> str | None:
        """The first limit that seeing all of this would break, in words."""
        broken = self._judge(*known).broken(mechanism, limits)
        if broken is None:
            return None
        if broken.limit == "information":
            bits, most = up(broken.reached / LOG2), broken.allowed / LOG2
            return (
                f"what is told about {broken.target} would be {bits:g} bit, the limit is {most:g}"
            )
        factor, cap = up(exp_or_inf(broken.reached)), f"{limits.odds_cap:g}"
        if not limits.information:
            cap += " (limit.pooled_cap, for all readers together)"
        if math.isinf(factor):
            return f"{broken.target} could become certain, the cap on its odds is {cap}"
        if broken.excess < CLOSE:
            return f"the odds of {broken.target} could grow a little more than x {cap}, the cap"
        return f"the odds of {broken.target} could grow x {factor:g}, the cap is {cap}"

    def _what_fits(self, event: Release, before: Sequence[Held]) -> str:
        """The largest share of the eps of the plan that fits beside what was released before."""
        whole = self.plan.showing(event.mechanism.delivered)
        if whole.record_coins():
            refused = "beside what was released before, this plan does not fit"
            if event.draw > 1:
                by_cell = '[plan] by = "cell" and a smaller [plan] odds_cap leave room for draws'
                return f"{refused}; {by_cell} of epochs that are new then"
            drawn = any(exposure.anew for exposure, *_ in before)
            smaller = "write a smaller [plan] odds_cap and adopt a plan"
            return f"{refused}; {smaller} (docs/answers.md: beside a release)" if drawn else refused

        def kept(share: float) -> bool:
            return not self.too_much(whole.scaled(share), before)

        fits = last_where(kept, 0.0, self.scale, FINE)
        scale = math.floor(fits * 1e3) / 1e3  # down: what is said has to fit
        least = coarse(whole.scaled(scale).exponents())
        shown = OneSided(least).shown(self.belief)
        listed = ", ".join(f"{n} {probability(p):.1%}" for n, p in shown.items() if p > 0)
        if not listed:
            return "nothing more fits beside what was released before"
        return (
            f"beside what was released before, at most this would fit: {listed} (scale {scale:.3f})"
        )


def policy_of(project: Project, name: str) -> dict[str, Any]:
    """What the holder declares that decides which values of an attribute may be shown, and how:
    ``bins`` are the edges of what is shown in place of values; None: values are.
    """
    attribute = project.attributes[name]
    zone = project.source.timezone  # hour(ts) >= 21 is another condition in another zone
    bins = [f"{edge_text(edge)}{_zone(edge, zone)}" for edge in attribute.bins or ()]
    return {
        "sensitive": attribute.sensitive,
        "missing": attribute.missing,
        "timezone": zone,
        "bins": bins if attribute.grouped else None,
    }


def _zone(edge: Edge, zone: str) -> str:
    """Where the day of an edge begins, if that is not said of it."""
    return f" {zone}" if isinstance(edge, datetime) and edge.tzinfo is None else ""
