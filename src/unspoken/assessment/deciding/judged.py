"""What is shown together, held against limits: under what was learned, and, of noise and of coins
of records, under every belief that the counts leave possible: a plan was made for all of them, and
holds for what it was made for, not for parts of it that somebody got one after the other.

An answer with noise y2 beside coins y1 of the same record x is, given x, independent of them; so

    P(y1, y2 | s) / P(y1, y2 | s') <= e^eps P(y1 | s) / P(y1 | s'),
    I(S; Y1, Y2) <= I(S; Y1) + u - 1 - log u,    u = eps / (1 - e^-eps),
    eps = max over x, x' of sum_c |f_c(x) - f_c(x')| / scale_c

whatever is believed: given y1, too, y2 moves the odds of two values of S by e^eps at most. Where
both cannot be looked at together, limits lowered by that hold for coins alone; and where these are
those of a plan, it was made for a cap, which is known without a look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.assessment.leaks import pairs_of, views
from unspoken.core.beliefs import Belief
from unspoken.core.conversion import relative_entropy_from_inferential
from unspoken.core.errors import LimitExceeded, NotKnown, TooLarge
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.domain import Value
from unspoken.core.views import View
from unspoken.planning import Limits
from unspoken.planning.limits import Broken
from unspoken.storage.ledger import Known, unions
from unspoken.tables.policy import Project

__all__ = ["ANSWERS", "Judge", "PlannedCoins", "expected", "from_elsewhere"]

ANSWERS = 2**12  # combinations of noise-free answers that are looked at together
ASKED = 2**17  # these times what coins show, times cells, of a set of beliefs


@dataclass(frozen=True)
class PlannedCoins:
    """A plan of record coins that is out, or is to be: to nobody who ``sees`` these names it moves
    the log-odds of any secret by more than ``log_cap``, under any belief that it was made for, nor
    to who ``knows`` one of these beside.
    """

    mechanism: Mechanism
    sees: Sequence[Sequence[str]]
    log_cap: float
    knows: Sequence[Collection[str]] = ()

    def is_all(self, shown: CoinsAndNoise, known: Known = ()) -> bool:
        """Whether this is what the plan shows, or less of it, and nothing else but noise; to who
        knows nothing that it was not made for.
        """
        coins = shown.coins
        others = [name for name, toss in coins.tosses if toss.exponent > 0]
        if others or coins.channels or any(record.epoch for record in coins.records):
            return False
        plan, out = self.mechanism.record_coins(), shown.mechanism.record_coins()
        planned, now = ({coin.digest for coin in each} for each in (plan, out))
        seen = {name for coin in out for name in coin.delivered}
        earlier = {digest for coin in plan for digest in coin.coins}
        knows = self.knows or [()] * len(self.sees)
        return planned <= now <= earlier and any(
            seen <= {*names} and expected(known, known_beside)
            for names, known_beside in zip(self.sees, knows, strict=True)
        )


def expected(known: Known, names: Collection[str]) -> bool:
    """Whether a plan for who knows one of these names is one for all that is known: two of them
    together are not looked at where plans are made.
    """
    return all(len(each) == 1 and each[0] in names for each in known)


@dataclass(frozen=True)
class Judge:
    """``belief``: what was learned; ``possible`` gives all that is; ``secrets`` by target.

    ``coins``: how far those that were looked at move log-odds under all that is possible;
    ``looks``: whether they are, beside noise, or count as if they used up the cap: minutes less.
    ``planned``: a plan whose coins need no look. ``known``: what became known otherwise, in every
    case of which limits are to hold, as they do for who knows nothing. ``knows``: what those who
    saw all of it may know; caps hold given each, as they do where a plan was made for it.
    ``cells_for_set``: whether coins of cells alone, too, are held against the cap for every prior
    that is possible, and refused where that cannot be looked at.
    """

    project: Project
    belief: Belief
    possible: Callable[[], Belief]
    secrets: Mapping[str, Sequence[Value]]
    looks: bool = True
    planned: PlannedCoins | None = None
    known: Known = ()
    knows: Known = ()
    cells_for_set: bool = False
    coins: dict[Any, float] = field(default_factory=dict, compare=False, repr=False)

    def broken(self, mechanism: Mechanism, limits: Limits) -> Broken | None:
        """The first limit that seeing all of this would break."""
        shown = CoinsAndNoise(mechanism, self.belief.domain)
        if shown.noise.noisy and self._surely(shown, limits):
            return None
        found = self._learned(shown, limits)
        of_set = shown.noise.noisy or mechanism.record_coins() or self.cells_for_set
        if found is not None or not of_set:
            return found
        odds = Limits({}, limits.odds_cap)
        if shown.noise.noisy:
            return self._of_set(shown, odds)
        if (beliefs := self.possible()) is self.belief:
            return None
        if why := self._too_many(mechanism):
            if not mechanism.record_coins():
                raise LimitExceeded(
                    f"plan: {why} to hold coins of cells against the odds cap for every prior in "
                    'the confidence set; read fewer attributes, or ask for [plan] by = "record"'
                )
            self._refuse_unlooked()
            return None
        return self._first(beliefs, mechanism, odds)

    def unlooked(self, mechanism: Mechanism) -> str:
        """Why coins of records are held against the cap under what was learned alone; empty where
        they are not: looked at, or those of a plan, which was made for all that is possible.
        """
        if not mechanism.record_coins() or self.possible() is self.belief:
            return ""
        shown = CoinsAndNoise(mechanism, self.belief.domain)
        why = self._too_many(shown.without_noise)
        return why if self._known_of(shown) == math.inf else ""

    def _too_many(self, mechanism: Mechanism) -> str:
        """Why it is not looked at under a set of beliefs; empty where it is."""
        answers, cells = self._shown(mechanism), self.belief.cells(self.belief.domain.names)
        if answers * cells <= ASKED:
            return ""
        return f"{answers:,} answers of {cells:,} combinations of values are too many"

    def _surely(self, shown: CoinsAndNoise, limits: Limits) -> bool:
        """Whether noise and coins keep the cap without a look at beliefs, and nothing else is
        limited.
        """
        if min(limits.information.values(), default=math.inf) < math.inf:
            return False
        return shown.epsilon + self._known_of(shown) <= limits.log_cap

    def _known_of(self, shown: CoinsAndNoise) -> float:
        """How far its coins move log-odds, at most, as is known without a look."""
        coins, planned = shown.coins, self.planned
        if not (coins.records or coins.channels or any(t.exponent for _, t in coins.tosses)):
            return 0.0
        if planned is not None and planned.is_all(shown, self.known):
            return planned.log_cap
        return math.inf

    def _shown(self, mechanism: Mechanism) -> int:
        """How many answers there are, to whoever sees them all."""
        cloud = views(self.belief, mechanism, self.secrets).values()
        return max((len(view.outcomes()) for view in cloud), default=0)

    def _learned(self, shown: CoinsAndNoise, limits: Limits) -> Broken | None:
        """Under what was learned."""
        if not shown.noise.noisy:
            return self._first(self.belief, shown.mechanism, limits)
        try:
            if shown.answers > ANSWERS:
                raise TooLarge("answers with noise: are too many to look at together")
            return self._first(self.belief, shown.mechanism, limits)
        except (TooLarge, NotKnown):
            return self._by_noise_alone(shown, limits)

    def _of_set(self, shown: CoinsAndNoise, limits: Limits) -> Broken | None:
        """Under every belief of a set. Where noise cannot be looked at, coins are by themselves;
        where these cannot either, they count as if they used up the cap, as plans for sets do.
        """
        outcomes, cells = shown.outcomes, self.belief.cells(self.belief.domain.names)
        try:
            if shown.answers * outcomes * cells > ASKED:
                raise TooLarge("answers with noise: are too many to look at together")
            if (beliefs := self.possible()) is self.belief:
                return None
            return self._first(beliefs, shown.mechanism, limits)
        except (TooLarge, NotKnown):
            reached = shown.epsilon
            if outcomes > 1 and reached <= limits.log_cap:
                reached += self._of_coins(shown, limits)
            target = next((name for name, labels in self.secrets.items() if labels), "")
            kept = not target or reached <= limits.log_cap or self.possible() is self.belief
            return None if kept else Broken(target, "odds", reached, limits.log_cap)

    def _of_coins(self, shown: CoinsAndNoise, limits: Limits) -> float:
        """How far coins alone move log-odds under every belief of a set; at least the cap, where
        that cannot be looked at. Looked at once, however much noise is tried beside them.
        """
        known = self._known_of(shown)
        if known < math.inf:
            return known
        key = shown.coins_named
        if key not in self.coins:
            self.coins[key] = math.inf
            alone = shown.without_noise
            if self.looks and not self._too_many(alone):
                with suppress(TooLarge, NotKnown):
                    over = self._broken(self.possible(), alone, Limits({}, 1.0))
                    self.coins[key] = max((each.reached for each in over), default=0.0)
        if self.coins[key] == math.inf:
            self._refuse_unlooked()
        return min(self.coins[key], limits.log_cap)

    def _refuse_unlooked(self) -> None:
        """Coins that cannot be looked at keep the cap of their plan, which was made for what was
        known then.
        """
        if self.known:
            listed = ", or ".join(" and ".join(names) for names in self.known)
            raise LimitExceeded(
                f"{listed} became known of these rows, and what is shown of them is too much to "
                "look at in every case of that; adopt a plan that is made for it: unspoken plan "
                "--adopt"
            )

    def _by_noise_alone(self, shown: CoinsAndNoise, limits: Limits) -> Broken | None:
        """What coins tell, and as much more as noise lets out of any record."""
        epsilon = shown.epsilon
        bits = relative_entropy_from_inferential(epsilon).high
        left = {name: most - bits for name, most in limits.information.items()}
        target = next((name for name, labels in self.secrets.items() if labels), "")
        for name, most in left.items():
            if most < 0 and self.secrets.get(name):
                return Broken(name, "information", bits, limits.information[name])
        if not epsilon <= limits.log_cap:
            return Broken(target, "odds", epsilon, limits.log_cap) if target else None
        lower = Limits(left, math.exp(limits.log_cap - epsilon), limits.exceed)
        found = self._first(self.belief, shown.without_noise, lower)
        if found is None:
            return None
        more = bits if found.limit == "information" else epsilon
        return replace(found, reached=found.reached + more, allowed=found.allowed + more)

    def _broken(self, belief: Belief, mechanism: Mechanism, limits: Limits) -> list[Broken]:
        """Every limit that is broken, to who knows nothing beside, or what somebody may have."""
        cloud, information = self._cloud(belief, mechanism), dict(limits.information)
        judged = from_elsewhere(self.project, mechanism, self.known)
        for names in dict.fromkeys((*judged, *self.knows)):
            for about, view in self._cloud(belief, mechanism, names).items():
                said = f"{about} given {' and '.join(names)}"
                cloud[said] = view
                if self.known and names in judged and about in information:
                    information[said] = information[about]
        return replace(limits, information=information).broken(cloud)

    def _first(self, belief: Belief, mechanism: Mechanism, limits: Limits) -> Broken | None:
        return next(iter(self._broken(belief, mechanism, limits)), None)

    def _cloud(
        self, belief: Belief, mechanism: Mechanism, knows: Sequence[str] = ()
    ) -> dict[str, View]:
        """What may be believed of each target and of two together, by who knows these."""
        cloud = views(belief, mechanism, self.secrets, knows=knows)
        if self.project.plan.by == "record" and self.project.plan.events == "default":
            cloud |= pairs_of(belief, mechanism, self.secrets, self.belief, knows)
        return cloud


def from_elsewhere(project: Project, mechanism: Mechanism, known: Known) -> Known:
    """What somebody may have from elsewhere: declared, where anything is drawn anew (else plans
    keep to that), or disclosed, or both.
    """
    declared = {terms.knows for terms in project.terms.values() if terms.knows}
    found = {*unions([*declared, *known])} if known else declared
    return tuple(sorted(found)) if known or mechanism.drawn_anew() else ()
