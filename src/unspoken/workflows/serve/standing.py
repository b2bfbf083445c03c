"""Where accounts stand: what each coalition has had, and may still have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.assessment.deciding.judged import ANSWERS, from_elsewhere
from unspoken.assessment.leaks import leak, views
from unspoken.core.conversion import relative_entropy_from_inferential
from unspoken.core.display import json_number
from unspoken.core.errors import NotKnown, TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.storage.coarse import up
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Known
from unspoken.tables.policy import Project
from unspoken.workflows.release.preparing import Prepared

__all__ = ["FULL", "Standing", "Standings"]

FULL = 1 + 1e-9  # of a limit: rounding is no breach
# Of a row of any epoch all that somebody was shown, and what they may know beside it.
Shown = Sequence[tuple[Mechanism, Known]]


@dataclass(frozen=True)
class Standing:
    """What a coalition has learned about one target by all it was ever given, and what it may.

    ``odds``, ``information``: None where that cannot be looked at, for the reason in ``why``; else
    to whom it tells most: of odds, who has what is declared that applications know, or what was
    disclosed, or neither; on average, what was disclosed or nothing, as limits are. ``knows``: what
    they know to whom odds grew most.
    """

    coalition: tuple[str, ...]
    about: str
    odds_cap: float
    limit: float
    odds: Bound | None = None
    information: Bound | None = None
    why: str = ""
    knows: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """In words, each limit that does not hold."""
        who = f"{', '.join(self.coalition)}" + (
            f", knowing {' and '.join(self.knows)}" if self.knows else ""
        )
        found = list[str]()
        if self.spent is not None and self.odds is not None and self.spent > FULL:
            factor = up(self.odds.odds)
            grown = "may be certain" if math.isinf(factor) else f"may have grown x {factor:g}"
            found.append(
                f"to {who}: the odds of {self.about} {grown}, the cap is {self.odds_cap:g}"
            )
        average = self.spent_on_average
        if average is not None and self.information is not None and average > FULL:
            bits = up(self.information.bits)
            found.append(f"to {who}: {bits:g} bit about {self.about}, the limit is {self.limit:g}")
        return tuple(found)

    @property
    def left(self) -> float | None:
        """By which factor odds may still grow under what was learned, as admission holds cells; to
        answers with noise other beliefs that the counts leave possible may leave less.
        """
        return None if self.odds is None else max(1.0, self.odds_cap / self.odds.odds)

    @property
    def spent(self) -> float | None:
        """Of the cap, on the scale that odds have: of 4, a factor of 2 is half."""
        if self.odds is None:
            return None
        if self.odds_cap <= 1:
            return 0.0 if self.odds.odds <= 1 else math.inf
        return max(0.0, self.odds.nats) / math.log(self.odds_cap)

    @property
    def spent_on_average(self) -> float | None:
        """Of the limit on the average; None: there is none, or it cannot be looked at."""
        if self.information is None or not 0 < self.limit < math.inf:
            return None
        return max(0.0, self.information.bits) / self.limit

    def as_json(self) -> dict[str, Any]:
        """For the steward alone: accounts have all their digits."""
        entry = {} if self.odds is None else {"odds": json_number(self.odds.odds)}
        entry |= {} if self.information is None else {"bits": json_number(self.information.bits)}
        return {
            "coalition": list(self.coalition),
            "about": self.about,
            **entry,
            "odds_cap": json_number(self.odds_cap),
            "limit_bits": json_number(self.limit),
            **({} if self.left is None else {"left": json_number(self.left)}),
            **({"knows": list(self.knows)} if self.knows else {}),
            **({"why": self.why} if self.why else {}),
        }


@dataclass
class Standings:
    """``_last``: of each coalition those that were looked at last. While the plan and what it was
    shown are the same, so are they.
    """

    _last: dict[tuple[str, ...], tuple[Prepared, Shown, list[Standing]]] = field(
        default_factory=dict, repr=False
    )

    def of(
        self, ready: Prepared, kept: Custody, whom: Iterable[tuple[str, ...]] | None = None
    ) -> list[Standing]:
        """Of every coalition about every target that has a secret, by the joint view of all events.

        ``whom``: of these in place of those that are declared.
        """
        project = ready.project

        def shown(account: Account, coalition: tuple[str, ...]) -> Shown:
            found = account.exposures(account.reaching(coalition, project.applications))
            return [(each.fold(ready.sensitive), each.known) for each in found]

        whom = project.pools if whom is None else whom
        seen = kept.look(lambda account: {who: shown(account, who) for who in whom})
        return [each for who, had in seen.items() for each in self._of(ready, who, had)]

    def _of(self, ready: Prepared, coalition: tuple[str, ...], seen: Shown) -> list[Standing]:
        last = self._last.get(coalition)
        if last is not None and last[0] is ready and last[1] == seen:
            return last[2]
        targets = ready.learned.secrets
        found = [_standing(ready, coalition, seen, about, targets) for about in targets]
        self._last[coalition] = ready, seen, found
        return found


def _standing(
    ready: Prepared,
    coalition: tuple[str, ...],
    seen: Shown,
    about: str,
    targets: Mapping[str, Any],
) -> Standing:
    limits = ready.project.limits
    draft = Standing(coalition, about, limits.odds_cap, limits.about(about))
    try:  # all that is in the mechanism was given to them, whatever they read by now
        leaks = [
            (knows, bool(known), *_leakage(ready, mechanism, about, targets[about], knows))
            for mechanism, known in seen
            for knows in ((), *_known(ready.project, coalition, mechanism, known))
            if about not in knows
        ]
    except (TooLarge, NotKnown) as error:
        return replace(draft, why=str(error))
    worst, _, odds, _ = max(leaks, key=lambda found: found[2].nats)
    averages = [each for knows, disclosed, _, each in leaks if disclosed or not knows]
    information = max(averages, key=lambda bound: bound.nats)
    return replace(draft, odds=odds, information=information, knows=worst)


def _known(
    project: Project, coalition: tuple[str, ...], mechanism: Mechanism, known: Known
) -> Known:
    """What whoever is limited may have beside: what admission looks at; else what was disclosed,
    and each attribute that an application has from elsewhere, as plans of record coins do.
    """
    own = sorted({name for who in coalition for name in project.terms[who].known})
    planned = [(name,) for name in own] if project.plan.by == "record" else []
    judged = from_elsewhere(project, mechanism, known) if coalition in project.pools else known
    return tuple(dict.fromkeys([*judged, *planned]))


def _leakage(
    ready: Prepared,
    mechanism: Mechanism,
    about: str,
    secrets: Sequence[Value],
    knows: Sequence[str] = (),
) -> tuple[Bound, Bound]:
    """The worst odds, and what is told on average, to who ``knows`` these.

    Answers with noise are looked at beside coins, where there are few enough; else they add what
    noise lets out of any record (assessment/deciding/judged.py).
    """
    belief = ready.learned.belief
    shown = CoinsAndNoise(mechanism, belief.domain)
    if shown.noise.noisy:
        with suppress(TooLarge, NotKnown):
            if shown.answers <= ANSWERS:
                view = views(belief, mechanism, {about: secrets}, knows=knows)[about]
                return MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view)
        mechanism = shown.without_noise
    seen = tuple(belief.domain.names)
    found = leak(belief, mechanism, "", seen, about, secrets, knows)
    if not shown.noise.noisy:
        return found.odds, found.information
    premise, why = found.odds.premise, "coins alone; and with as much as noise lets out"
    bits = relative_entropy_from_inferential(shown.epsilon).high
    low, most = found.information.low, found.information.high + bits
    return (
        Bound.of_odds(0.0, found.odds.nats + shown.epsilon, premise, why),
        Bound(low, most, "nat", premise, why),
    )
