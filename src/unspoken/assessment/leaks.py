"""Who learns what about whom: the leakage matrix, each entry with its most telling answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.display import Shown
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Functional
from unspoken.core.views import View
from unspoken.planning import Limits
from unspoken.planning.limits import ROUNDING
from unspoken.tables.policy import Project

__all__ = [
    "TellingAnswer",
    "Leak",
    "leak",
    "leakage",
    "leakage_matrix",
    "limits_of",
    "most_telling",
    "most_told",
    "pairs_of",
    "views",
]

NEAR_ONE = math.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class TellingAnswer:
    """The most telling answer: what is seen, which secret it points at, before and after.

    ``rows``: how many rows give it, where they were counted. ``known``: what is known beside it.
    """

    seen: Mapping[str, Output]
    secret: str
    before: float
    after: float
    mass: float
    rows: float = math.inf
    known: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Leak(Shown):
    """What ``who`` (pooling the outputs of ``reads``) learns about ``about``."""

    who: str
    reads: tuple[str, ...]
    about: str
    odds: Bound
    information: Bound
    answer: TellingAnswer | None  # None where the answers cannot be listed
    view: View

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("who", f"{self.who}, who reads {', '.join(self.reads)}"),
            ("about", self.about),
            ("odds", f"grow at most x {self.odds.odds:.4g}"),
            ("on average", f"{self.information.nats:.4g} nat ({self.information.bits:.4g} bit)"),
            ("premise", str(self.odds.premise)),
        ]

    def of(self, rows: int) -> Leak:
        """With how many of so many rows give its most telling answer, on average over coins."""
        if self.answer is None:
            return self
        return replace(self, answer=replace(self.answer, rows=rows * self.answer.mass))

    def beyond(self, odds_cap: float) -> bool:
        """Whether some answer multiplies some odds by more than the cap."""
        return not self.odds.nats <= math.log(odds_cap) + ROUNDING

    def above(self, odds_cap: float) -> float:
        """The probability of an answer that multiplies some odds by more than the cap."""
        return Limits({}, odds_cap).above(self.view)


def most_told(leaks: Sequence[Leak]) -> list[tuple[str, str]]:
    """The worst of these as facts to show."""
    if not leaks:
        return [("told", "nothing is declared sensitive, so nothing is limited")]
    odds = max(leaks, key=lambda leak: leak.odds.odds)
    bits = max(leaks, key=lambda leak: leak.information.bits)
    return [
        ("worst odds", f"x {odds.odds.odds:.4g} about {odds.about}, to {odds.who}"),
        ("most bits", f"{bits.information.bits:.4g} bit about {bits.about}, to {bits.who}"),
        ("premise", str(odds.odds.premise)),
    ]


def limits_of(project: Project) -> Limits:
    """What a project lets anybody learn."""
    given = project.limits
    bits = {name: given.about(name) for name in project.attributes}
    return Limits.in_bits(bits, given.odds_cap, given.exceed)


def views(
    belief: Belief,
    mechanism: Mechanism,
    secrets: Mapping[str, Sequence[Value]],
    reads: Sequence[str] | None = None,
    knows: Sequence[str] = (),
) -> dict[str, View]:
    """What somebody who sees ``reads`` (None: all), and ``knows`` these, may believe of each target
    with a secret.
    """
    mechanism = mechanism.beside_earlier()
    return {
        about: mechanism.view(belief, Adversary(about, secret=values, sees=reads, knows=knows))
        for about, values in secrets.items()
        if values and about not in knows
    }


def pairs_of(
    belief: Belief,
    mechanism: Mechanism,
    secrets: Mapping[str, Sequence[Value]],
    learned: Belief | None = None,
    knows: Sequence[str] = (),
) -> dict[str, View]:
    """The same of the secrets of two targets together, as far as a row can have both: one release
    may tell of the one, another of the other, and both keep the cap. ``learned``: which of a set
    says what a row can have; None: the belief. ``knows``: to who has these.
    """
    known = belief if learned is None else learned
    found: dict[str, View] = {}
    hidden = [name for name, labels in secrets.items() if labels and name not in knows]
    for first, second in itertools.combinations(hidden, 2):
        law, labels_of = known.marginal([first, second]), (secrets[first], secrets[second])
        both = [
            pair
            for pair in itertools.product(*labels_of)
            if law[known.domain.code(first, pair[0]), known.domain.code(second, pair[1])] > 0
        ]
        if both:
            found[f"{first} and {second}"] = mechanism.view(
                belief, Adversary((first, second), secret=both, knows=knows)
            )
    return found


def leakage_matrix(
    belief: Belief,
    mechanism: Mechanism,
    readers: Mapping[str, Sequence[str]],
    secrets: Mapping[str, Sequence[Value]],
    knows: Sequence[str] = (),
) -> list[Leak]:
    """One entry for each reader and each target that has a secret."""
    return [
        leak(belief, mechanism, who, tuple(reads), about, values, knows)
        for who, reads in readers.items()
        for about, values in secrets.items()
        if values
    ]


def leak(
    belief: Belief,
    mechanism: Mechanism,
    who: str,
    reads: tuple[str, ...],
    about: str,
    secrets: Sequence[Value] | None = None,
    knows: Sequence[str] = (),
) -> Leak:
    """What one reader learns about the secrets of one target, by default all that is withheld.

    ``knows``: in the worst case over the values of these.
    """
    who_looks = Adversary(about, secret=secrets, knows=knows, sees=reads)
    view = mechanism.beside_earlier().view(belief, who_looks)
    odds, information = MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view)
    return Leak(who, reads, about, odds, information, most_telling(view), view)


def most_telling(view: View) -> TellingAnswer | None:
    """The answer with the largest factor on the odds of a secret, if answers can be listed."""
    events = view.events
    if not events:
        return None
    number = max(range(len(events)), key=lambda event: view.sup(_factor(event)).high)
    point, labels = view.worst(_factor(number)), events[number]
    if point is None:
        return None
    after, before = (_share(law, labels) for law in (point.posterior, point.prior))
    secret = " or ".join(map(str, labels))
    return TellingAnswer(point.outcome, secret, before, after, point.mass, known=point.known)


def _share(law: Mapping[Value, float], labels: Sequence[Value]) -> float:
    """The probability of these labels: 1 where no other is possible, and only there, however a sum
    rounds.
    """
    certain = not any(p for label, p in law.items() if label not in labels)
    return 1.0 if certain else min(math.fsum(law[label] for label in labels), NEAR_ONE)


def _factor(number: int) -> Functional:
    """The factor on the odds of the secret event of this number."""
    return Functional(lambda after: after.log_odds_factor(after.events()[number]))


def leakage(leaks: Sequence[Leak]) -> list[dict[str, Any]]:
    """Who learns how much about what, to the last digit: for the ledger and the holder alone."""
    return [
        {
            "who": leak.who,
            "about": leak.about,
            "odds": leak.odds.as_json(),
            "information": leak.information.as_json(),
        }
        for leak in leaks
    ]
