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

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unspoken.adversary import Adversary
from unspoken.beliefs import Belief
from unspoken.conversion import relative_entropy_from_inferential
from unspoken.errors import InputError, LimitExceeded, NotKnown, TooLarge
from unspoken.ledger import Known, unions
from unspoken.mechanisms import Mechanism, Together
from unspoken.mechanisms.parts import Parts
from unspoken.mechanisms.record_toss import RecordToss
from unspoken.planning import Limits
from unspoken.planning.limits import Broken
from unspoken.policy import Project
from unspoken.releasing.assessing.leaks import pairs_of, views
from unspoken.types.domain import Domain, Value
from unspoken.types.sums import moved_by, term
from unspoken.views import View

__all__ = [
    "ANSWERS", "Judge", "Planned", "WithoutNoise", "answers_of", "beside", "drawn_of", "epsilon_of",
]  # fmt: skip

ANSWERS = 2**12  # combinations of noise-free answers that are looked at together
ASKED = 2**17  # these times what coins show, times cells, of a set of beliefs


@dataclass(frozen=True)
class Planned:
    """A plan of record coins that is out, or is to be: to nobody who ``sees`` these names it moves
    the log-odds of any secret by more than ``log_cap``, under any belief that it was made for, nor
    to who ``knows`` one of these beside.
    """

    mechanism: Mechanism
    sees: Sequence[Sequence[str]]
    log_cap: float
    knows: Sequence[Collection[str]] = ()

    def is_all(self, mechanism: Mechanism, coins: Parts, known: Known = ()) -> bool:
        """Whether this is what the plan shows, or less of it, and nothing else but noise; to who
        knows nothing that it was not made for.
        """
        others = [name for name, toss in coins.tosses if toss.exponent > 0]
        if others or coins.channels or any(record.epoch for record in coins.records):
            return False
        plan, shown = self.mechanism.record_coins(), mechanism.record_coins()
        planned, now = ({coin.digest for coin in each} for each in (plan, shown))
        seen = {name for coin in shown for name in coin.delivered}
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
    """

    project: Project
    belief: Belief
    possible: Callable[[], Belief]
    secrets: Mapping[str, Sequence[Value]]
    looks: bool = True
    planned: Planned | None = None
    known: Known = ()
    knows: Known = ()
    coins: dict[Any, float] = field(default_factory=dict, compare=False, repr=False)

    def broken(self, mechanism: Mechanism, limits: Limits) -> Broken | None:
        """The first limit that seeing all of this would break."""
        drawn = drawn_of(mechanism, self.belief.domain)
        if drawn.noisy and self._surely(mechanism, limits, drawn):
            return None
        found = self._learned(mechanism, limits, drawn)
        if found is not None or not (drawn.noisy or mechanism.record_coins()):
            return found
        odds = Limits({}, limits.odds_cap)
        if drawn.noisy:
            return self._of_set(mechanism, odds, drawn)
        if (beliefs := self.possible()) is self.belief:
            return None
        if self._too_many(mechanism):
            self._refuse_unlooked()
            return None
        return self._first(beliefs, mechanism, odds)

    def unlooked(self, mechanism: Mechanism) -> str:
        """Why coins of records are held against the cap under what was learned alone; empty where
        they are not: looked at, or those of a plan, which was made for all that is possible.
        """
        if not mechanism.record_coins() or self.possible() is self.belief:
            return ""
        why = self._too_many(WithoutNoise(mechanism))
        return why if self._known_of(mechanism) == math.inf else ""

    def _too_many(self, mechanism: Mechanism) -> str:
        """Why it is not looked at under a set of beliefs; empty where it is."""
        answers, cells = self._shown(mechanism), self.belief.cells(self.belief.domain.names)
        if answers * cells <= ASKED:
            return ""
        return f"{answers:,} answers of {cells:,} combinations of values are too many"

    def _surely(self, mechanism: Mechanism, limits: Limits, drawn: Parts) -> bool:
        """Whether noise and coins keep the cap without a look at beliefs, and nothing else is
        limited.
        """
        if min(limits.information.values(), default=math.inf) < math.inf:
            return False
        return epsilon_of(self.belief.domain, drawn) + self._known_of(mechanism) <= limits.log_cap

    def _known_of(self, mechanism: Mechanism) -> float:
        """How far its coins move log-odds, at most, as is known without a look."""
        coins = _coins(mechanism, self.belief.domain)
        if (
            not coins.records
            and not coins.channels
            and not any(t.exponent for _, t in coins.tosses)
        ):
            return 0.0
        planned = self.planned
        known = planned is not None and planned.is_all(mechanism, coins, self.known)
        return planned.log_cap if planned is not None and known else math.inf

    def _shown(self, mechanism: Mechanism) -> int:
        """How many answers there are, to whoever sees them all."""
        cloud = views(self.belief, mechanism, self.secrets).values()
        return max((len(view.outcomes()) for view in cloud), default=0)

    def _learned(self, mechanism: Mechanism, limits: Limits, drawn: Parts) -> Broken | None:
        """Under what was learned."""
        if not drawn.noisy:
            return self._first(self.belief, mechanism, limits)
        try:
            if answers_of(self.belief.domain, drawn) > ANSWERS:
                raise TooLarge("answers with noise: are too many to look at together")
            return self._first(self.belief, mechanism, limits)
        except (TooLarge, NotKnown):
            return self._by_noise_alone(mechanism, limits, drawn)

    def _of_set(self, mechanism: Mechanism, limits: Limits, drawn: Parts) -> Broken | None:
        """Under every belief of a set. Where noise cannot be looked at, coins are by themselves;
        where these cannot either, they count as if they used up the cap, as plans for sets do.
        """
        domain, coins = self.belief.domain, _coins(mechanism, self.belief.domain)
        outcomes = math.prod(len(domain.values_of(name)) + 1 for name in _names(coins))
        asked = answers_of(domain, drawn) * outcomes * self.belief.cells(domain.names)
        try:
            if asked > ASKED:
                raise TooLarge("answers with noise: are too many to look at together")
            if (beliefs := self.possible()) is self.belief:
                return None
            return self._first(beliefs, mechanism, limits)
        except (TooLarge, NotKnown):
            reached = epsilon_of(domain, drawn)
            if outcomes > 1 and reached <= limits.log_cap:
                reached += self._of_coins(mechanism, coins, limits)
            target = next((name for name, labels in self.secrets.items() if labels), "")
            kept = not target or reached <= limits.log_cap or self.possible() is self.belief
            return None if kept else Broken(target, "odds", reached, limits.log_cap)

    def _of_coins(self, mechanism: Mechanism, coins: Parts, limits: Limits) -> float:
        """How far coins alone move log-odds under every belief of a set; at least the cap, where
        that cannot be looked at. Looked at once, however much noise is tried beside them.
        """
        known = self._known_of(mechanism)
        if known < math.inf:
            return known
        tosses = tuple((name, toss.exponent, toss.epoch) for name, toss in coins.tosses)
        key = (tuple(map(_named, coins.records)), tosses)
        if key not in self.coins:
            self.coins[key] = math.inf
            alone = WithoutNoise(mechanism)
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

    def _by_noise_alone(self, mechanism: Mechanism, limits: Limits, drawn: Parts) -> Broken | None:
        """What coins tell, and as much more as noise lets out of any record."""
        epsilon = epsilon_of(self.belief.domain, drawn)
        bits = relative_entropy_from_inferential(epsilon).high
        left = {name: most - bits for name, most in limits.information.items()}
        target = next((name for name, labels in self.secrets.items() if labels), "")
        for name, most in left.items():
            if most < 0 and self.secrets.get(name):
                return Broken(name, "information", bits, limits.information[name])
        if not epsilon <= limits.log_cap:
            return Broken(target, "odds", epsilon, limits.log_cap) if target else None
        lower = Limits(left, math.exp(limits.log_cap - epsilon), limits.exceed)
        found = self._first(self.belief, WithoutNoise(mechanism), lower)
        if found is None:
            return None
        more = bits if found.limit == "information" else epsilon
        return replace(found, reached=found.reached + more, allowed=found.allowed + more)

    def _broken(self, belief: Belief, mechanism: Mechanism, limits: Limits) -> list[Broken]:
        """Every limit that is broken, to who knows nothing beside, or what somebody may have."""
        cloud, information = self._cloud(belief, mechanism), dict(limits.information)
        judged = beside(self.project, mechanism, self.known)
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


def beside(project: Project, mechanism: Mechanism, known: Known) -> Known:
    """What somebody may have from elsewhere: declared, where anything is drawn anew (else plans
    keep to that), or disclosed, or both.
    """
    declared = {terms.knows for terms in project.terms.values() if terms.knows}
    found = {*unions([*declared, *known])} if known else declared
    return tuple(sorted(found)) if known or mechanism.drawn_anew() else ()


@dataclass(frozen=True)
class WithoutNoise(Mechanism):
    """The coins of a mechanism, and not its noisy answers."""

    mechanism: Mechanism

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        whole = self.mechanism
        each = whole.mechanisms if isinstance(whole, Together) else (whole,)
        shown = [part for part in each if part.parts_of_all(domain).beside_noise]
        parts = Parts.of(part.parts(domain, adversary) for part in shown)
        return replace(parts, queries=(), noises=())

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        return self.mechanism.sensitive_values(domain, name)


def _coins(mechanism: Mechanism, domain: Domain) -> Parts:
    """What it shows by coins, of whatever label."""
    return WithoutNoise(mechanism).parts(domain, Adversary(domain.names[0]))


def _names(coins: Parts) -> list[str]:
    """Of which something is shown, as often as coins of their own show it."""
    tossed = {(name, toss.epoch) for name, toss in coins.tosses if toss.exponent > 0}
    local = [name for name, _ in (*tossed, *coins.channels)]
    return [*local, *(name for record in coins.records for name in record.reads)]


def _named(record: RecordToss) -> tuple[Any, ...]:
    return (*(table.digest for table in record.tables), record.sees, record.epoch)


def epsilon_of(domain: Domain, drawn: Parts) -> float:
    """How far one record moves all of these together, in noise scales."""
    rated = [(query.noise.rate, query.weights) for query in drawn.queries]
    names = dict.fromkeys(name for _, weights in rated for name in weights)
    sums = [
        moved_by(domain, name, [(rate, weights.get(name, 0.0)) for rate, weights in rated])
        for name in names
    ]
    return math.fsum([*sums, *(noise.epsilon for noise in drawn.noises)])


def drawn_of(mechanism: Mechanism, domain: Domain) -> Parts:
    """Its noisy numbers. Refused where one was about what is declared no more: it counts all the
    same.
    """
    try:
        return Parts.of(each.parts_of_all(domain) for each in mechanism.drawn_anew()).anew
    except InputError as error:
        raise InputError(
            f"{str(error).rstrip('.')}. It was answered with noise before, so it counts in this "
            "ledger; keep the bins and values that were declared then"
        ) from None


def answers_of(domain: Domain, drawn: Parts) -> int:
    """How many combinations of answers there are to look at, at most; beyond what is ever looked at
    they are not counted further.
    """
    of_queries = (
        len(np.unique(term(domain, weight, name)))
        for query in drawn.queries
        for name, weight in query.weights.items()
        if weight
    )
    count = 1
    for each in itertools.chain(of_queries, (noise.outcomes for noise in drawn.noises)):
        count *= each
        if count > ASKED:
            break
    return count
