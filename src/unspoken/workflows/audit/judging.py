"""How far an attack got: an event chosen by some trials, counted in others, beside the bound.

An attack scores; its event is "a score of at least so much", the threshold that tells the most by
one part of the trials. Another part, of which neither attack nor threshold knows, is counted once.
So each attack has one interval, and the chances of all of them add up to no more than the family's.
An attack *beats* a bound only if its lower end is above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from unspoken.core.display import Shown, json_number, share
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.types.bound import Estimate
from unspoken.workflows.audit.attacks import ATTACKS, PublicKnowledge
from unspoken.workflows.audit.confusion import Confusion, Scale, scale_named
from unspoken.workflows.audit.trials import Trials

__all__ = ["FAMILY", "ClaimedBound", "Reached", "Verdict", "attacked", "furthest"]

FAMILY = 1e-6  # the chance that any interval of a run misses
THRESHOLDS = 128
UNDECIDED = 1.25  # of a bound, as counted: what reaches more, but not surely, decides nothing
LARGEST = 700.0  # nats that have a factor
SLACK = 1e-9  # of a bound: what rounding alone may put between it and a count

Word = Literal["pass", "fail", "not testable"]


@dataclass(frozen=True)
class ClaimedBound:
    """``bound``: in nats, or the probability of delta; None where none is claimed.

    ``prior``: of the secret; ``epsilon``: of delta. ``why``: what claims it.
    """

    measure: str
    bound: float | None
    prior: float
    epsilon: float = 0.0
    why: str = ""

    @property
    def unit(self) -> Literal["odds", "bits", "probability"]:
        """In which people read it."""
        return {"delta": "probability", "mutual-information": "bits"}.get(self.measure, "odds")  # type: ignore[return-value]

    def read(self, leaked: float) -> float:
        """In this unit: of odds the factor, where less than none is none."""
        least = max(leaked, 0.0)
        if self.unit == "odds":
            return math.exp(least) if least < LARGEST else math.inf
        return least / math.log(2) if self.unit == "bits" else least


@dataclass(frozen=True, repr=False)
class Reached(Shown):
    """``recovered``: of the secrets, how many the event flags; ``right``: of what it flags, how
    many are secrets. ``flagged``: how many trials it is. ``counted``: the event.
    """

    attack: str
    leakage: Estimate
    recovered: float
    right: float
    flagged: int
    counted: Confusion

    @property
    def low(self) -> float:
        return -math.inf if self.leakage.interval is None else self.leakage.interval[0]

    def beats(self, bound: float) -> bool:
        """Whether even its lower end is above the bound."""
        return self.low > bound + SLACK * max(1.0, abs(bound))

    def share(self, bound: float) -> float:
        """How much of the bound it reached, as counted: 1 is all of it."""
        if math.isinf(bound):
            return 1.0 if math.isinf(self.leakage.value) else 0.0
        if bound <= SLACK:
            return 0.0 if self.low <= 0 else math.inf
        return max(0.0, self.leakage.value / bound)

    def as_json(self) -> dict[str, Any]:
        """What was counted; ``right`` is null where nothing was flagged."""
        right = self.right if self.flagged else None
        flags = {"flagged": self.flagged, "recovered": self.recovered, "right": right}
        return {"attack": self.attack, **self.leakage.as_json(), **flags}

    def facts(self) -> list[tuple[str, str]]:
        found = (
            f"{self.recovered:.2%} of the secrets; {self.right:.2%} of what it flags are secrets"
        )
        return [("attack", self.attack), *self.leakage.facts(), ("found", found)]


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What all attacks came to, the furthest first, beside what was claimed.

    Infinity is a bound that nothing beats. ``open``: so many secrets are shown as they are, which
    takes no attack and no counting: whoever reads one is certain, so any bound on odds is beaten.
    """

    claim: ClaimedBound
    reached: Sequence[Reached]
    open: int = 0

    @property
    def best(self) -> Reached | None:
        return self.reached[0] if self.reached else None

    @property
    def word(self) -> Word:
        bound = self.claim.bound
        if bound is not None and self.open:
            return "fail"
        if bound is None or not self.reached:
            return "not testable"
        return "fail" if any(attack.beats(bound) for attack in self.reached) else "pass"

    @property
    def share(self) -> float:
        """Of the bound, what the best attack reached."""
        if self.claim.bound is None or not self.reached:
            return math.nan
        return max(attack.share(self.claim.bound) for attack in self.reached)

    def in_words(self) -> str:
        """What may be said: never more than that nothing tried here got through."""
        if self.claim.bound is not None and self.open:
            return f"{self.laid_open()}: whoever reads one is certain"
        if self.word == "not testable":
            return "no bound is claimed" if self.claim.bound is None else self._uncounted("trials")
        best = self.best
        assert best is not None
        if self.word == "fail":
            return f"the attack “{best.attack}” beat the bound"
        if self.share > UNDECIDED:
            return (
                "no attack here surely beat the bound, in too few rows to tell: as counted the "
                f"best reached {self.share:.0%} of it"
            )
        return f"no attack here beat the bound; the best reached {self.share:.0%} of it"

    def laid_open(self) -> str:
        """How many secrets need no attack."""
        as_is = "are shown as they are" if self.open > 1 else "is shown as it is"
        return f"{self.open:,} of the secrets {as_is}"

    def measured(self) -> str:
        """Where no bound is claimed, of odds: by how much the best attack multiplies them."""
        said = self._multiplied()
        return f"{self.laid_open()}; {said}" if self.open else said

    def _uncounted(self, what: str) -> str:
        """Why no attack was counted."""
        every = {0.0: "none of them has it", 1.0: "each of them has it"}
        return every.get(self.claim.prior, f"too few {what} to count")

    def _multiplied(self) -> str:
        best, prior = self.best, self.claim.prior
        if best is None:
            return self._uncounted("rows")
        if best.low <= 0:
            return self._unsure(best)
        low, high = best.leakage.interval or (-math.inf, math.inf)
        most = "any factor" if math.isinf(high) else f"{math.exp(high):.3g}"
        factor = f"{math.exp(low):.3g} or more"
        if not math.isinf(best.leakage.value):
            factor = (
                f"{math.exp(min(best.leakage.value, LARGEST)):.3g} ({math.exp(low):.3g} to {most})"
            )
        return (
            f"“{best.attack}” multiplies odds by {factor}; of what it flags {share(best.right)} "
            f"have it, of all {share(prior)}"
        )

    def _unsure(self, best: Reached) -> str:
        """What may be chance alone, and as much as was counted where that is not little."""
        prior, reached = share(self.claim.prior), best.leakage.value
        if reached <= math.log(UNDECIDED):
            return f"no attack here beat the prior, {prior}"
        factor = "any factor"
        if reached < LARGEST:
            factor = f"{math.exp(reached):.3g}"
        return (
            f"no attack here surely beat the prior, {prior}, in too few to tell: as counted "
            f"“{best.attack}” multiplies odds by {factor}"
        )

    def as_json(self) -> dict[str, Any]:
        """The claim, the verdict, and every attack, the furthest first."""
        claim, bound = self.claim, self.claim.bound
        return {
            "measure": claim.measure,
            "bound": None if bound is None else json_number(bound),
            "why": claim.why,
            "prior": claim.prior,
            "verdict": self.word,
            "share": None if math.isnan(self.share) else json_number(self.share),
            "open": self.open,
            "reached": [attack.as_json() for attack in self.reached],
        }

    def facts(self) -> list[tuple[str, str]]:
        claim = "none" if self.claim.bound is None else f"{self.claim.bound:.6g} ({self.claim.why})"
        return [("measure", self.claim.measure), ("bound", claim), ("verdict", self.in_words())]


def attacked(
    claim: ClaimedBound,
    known: PublicKnowledge,
    trials: Trials,
    attacks: Iterable[str],
    chance: float,
) -> Verdict:
    """These attacks, on these trials; ``chance``: of one interval to miss."""
    practice, chosen, judged = trials.parts()
    found = []
    if all(0 < part.secret.sum() < len(part) for part in (practice, chosen, judged)):
        for name in attacks:
            scorer = ATTACKS[name](known, practice)
            if scorer is not None:
                scores = scorer(chosen.seen), scorer(judged.seen)
                found.append(_reached(name, claim, (chosen, judged), scores, chance))
    return Verdict(claim, furthest(found))


def furthest(found: Iterable[Reached]) -> tuple[Reached, ...]:
    """Those whose lower ends are the highest first; of those that surely reached nothing, that
    which was counted to reach most.
    """
    return tuple(sorted(found, key=lambda each: (-max(0.0, each.low), -each.leakage.value)))


def _reached(
    name: str,
    claim: ClaimedBound,
    parts: tuple[Trials, Trials],
    scores: tuple[Array, Array],
    chance: float,
) -> Reached:
    scale, (chosen, judged) = scale_named(claim.measure), parts
    event = scores[1] >= _threshold(claim, scale, chosen.secret, scores[0], chance)
    counted = _counted(claim, judged.secret, event)
    value, low, high = scale(counted, chance).at(0)
    unit = "probability" if claim.measure == "delta" else "nat"
    flagged, hits = int(event.sum()), int(counted.hits[0])
    why = (
        f"{hits:,} of {counted.secrets:,} secrets, {flagged - hits:,} of {counted.others:,} others"
    )
    right = hits / flagged if flagged else math.nan
    leakage = Estimate(value, unit, f"{name}: {why}", (low, high))
    return Reached(name, leakage, hits / counted.secrets, right, flagged, counted)


def _threshold(
    claim: ClaimedBound, scale: Scale, secret: Mask, scores: Array, chance: float
) -> float:
    """The one whose lower end is the largest: an event that comes too seldom proves nothing.

    Where few trials prove nothing of any, the one that tells the most as counted.
    """
    ends = np.unique(scores)
    if len(ends) > THRESHOLDS:
        ends = np.unique(np.quantile(scores, np.linspace(0, 1, THRESHOLDS), method="lower"))
        top = np.sort(scores)[-THRESHOLDS:]  # rare events tell the most
        ends = np.unique(np.concatenate([ends, top[:: THRESHOLDS // 8]]))
    secrets, others = np.sort(scores[secret]), np.sort(scores[~secret])
    hits, false = (len(scores) - np.searchsorted(scores, ends) for scores in (secrets, others))
    counted = Confusion(hits, len(secrets), false, len(others), claim.prior, claim.epsilon)
    reached = scale(counted, chance)
    return float(ends[np.lexsort((reached.value, reached.low))[-1]])


def _counted(claim: ClaimedBound, secret: Mask, event: Mask) -> Confusion:
    hits, secrets = int((event & secret).sum()), int(secret.sum())
    false, others = int((event & ~secret).sum()), int((~secret).sum())
    return Confusion(
        np.array([hits]), secrets, np.array([false]), others, claim.prior, claim.epsilon
    )
