"""What may be learnt about each target, and the one predicate that says which limits views break.

A plan, the admission of a release, the release itself and its report all ask it, so they agree:

    information   I(S_j; Y) <= information_j, in nats
    odds          every answer multiplies the odds of every secret by at most odds_cap, but for
                  answers of total probability <= exceed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from unspoken.core.measures import MEASURES
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import LOG2
from unspoken.core.types.posteriors import Functional, Off, Posteriors
from unspoken.core.views import FiniteView, View
from unspoken.planning.joint_law import AnswerLaw

__all__ = ["ROUNDING", "Broken", "Limits"]

INFORMATION, ODDS = MEASURES["mutual-information"], MEASURES["odds"]

# A limit counts as kept up to this: relative to nats and to probabilities, absolute in log odds.
# The same release looked at in another way (its variables in another order, exponents added up, a
# limit in bits) leaks the same but for less than a tenth of this. Plans are held to the limits with
# nothing allowed, at the worst half of it, so what a plan hands out passes wherever it is asked.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Broken:
    """A limit on ``target`` that is broken: what is ``reached``, what is ``allowed``.

    Both in nats: of information, or the logarithm of a factor on the odds; then ``above`` is the
    probability of the answers above the cap, 1 where it is not known.
    """

    target: str
    limit: Literal["information", "odds"]
    reached: float
    allowed: float
    above: float = 0.0

    @property
    def excess(self) -> float:
        """By how many nats."""
        return self.reached - self.allowed


@dataclass(frozen=True)
class Limits:
    """``information``: nats per target (one that is not named has no limit); see above."""

    information: Mapping[str, float]
    odds_cap: float = math.inf
    exceed: float = 0.0

    @classmethod
    def in_bits(cls, bits: Mapping[str, float], odds_cap: float, exceed: float) -> Limits:
        return cls({target: limit * LOG2 for target, limit in bits.items()}, odds_cap, exceed)

    @property
    def log_cap(self) -> float:
        return math.log(self.odds_cap)

    def about(self, target: str) -> float:
        """The nats that may be learnt of a target."""
        return self.information.get(target, math.inf)

    def broken(self, views: Mapping[str, View], rounding: float = ROUNDING) -> list[Broken]:
        """Every limit that is broken by ``views``, {target: what somebody may believe of it}."""
        broken: list[Broken] = []
        for target, view in views.items():
            learnt, allowed = INFORMATION.of(view).high, self.about(target)
            if not learnt <= allowed * (1 + rounding):
                broken.append(Broken(target, "information", learnt, allowed))
            factor = ODDS.of(view).nats
            if not factor <= self.log_cap + rounding:
                above = self.above(view)
                if self.exceed == 0 or not above <= self.exceed * (1 + rounding):
                    broken.append(Broken(target, "odds", factor, self.log_cap, above))
        return broken

    def above(self, view: View) -> float:
        """The probability of an answer that raises some odds beyond the cap; 1 where not known."""
        if ODDS.of(view).nats <= self.log_cap + ROUNDING:
            return 0.0

        def beyond(after: Posteriors) -> Array:
            return np.where(ODDS.f(after) > self.log_cap + ROUNDING, 1.0, 0.0)

        def still(value: Array, off: Off, after: Posteriors) -> Array:
            return np.zeros_like(value)  # the cap has the rounding of the odds

        # Only of listed answers: the bounds of other views hold for convex functions alone.
        count = Functional(beyond, moves=still, least=0.0)
        return view.mean(count).high if isinstance(view, FiniteView) else 1.0

    def tightened(self) -> Limits:
        """For a search: leakage that keeps these keeps the true limits in spite of rounding.

        Odds may be the cap itself (of released values they do not fall with p), so they are let
        pass within rounding here; the last check (values.py) takes them as they are.
        """
        less = 1 - 10 * ROUNDING
        information = {target: limit * less for target, limit in self.information.items()}
        odds_cap = self.odds_cap * math.exp(ROUNDING / 10)
        return replace(self, information=information, odds_cap=odds_cap, exceed=self.exceed * less)

    def eased(self) -> Limits:
        """For ceilings: what breaks these breaks the true limits in spite of rounding."""
        far = 1 + 1000 * ROUNDING
        information = {target: limit * far + 2e-15 for target, limit in self.information.items()}
        odds_cap = self.odds_cap * math.exp(ROUNDING)
        return replace(self, information=information, odds_cap=odds_cap, exceed=self.exceed * far)

    def excesses(self, answers: AnswerLaw) -> Array:
        """Of every limit above 0 where it is broken, and never falling in p.

        With an exempt probability the odds enter as `AnswerLaw.hockey_stick`, which is necessary
        for them but not sufficient: the probability of the answers above the cap is not monotone.
        """
        above = self._of_information(answers)
        if math.isinf(self.odds_cap) or above.max(initial=0.0) > 0:
            return above
        if self.exceed > 0:
            excess = answers.hockey_stick(self.log_cap).max(initial=0.0)
            return np.concatenate([above, [float(excess) / self.exceed - 1.0]])
        return np.concatenate([above, [answers.log_odds() - self.log_cap]])

    def _of_information(self, answers: AnswerLaw) -> Array:
        """Of every target with a limit; where none has one, what is learnt is not computed."""
        allowed = np.array([self.about(target) for target in answers.joint.targets])
        limited = np.isfinite(allowed)
        if not limited.any():
            return np.zeros(0)
        learnt, allowed = answers.information[limited], allowed[limited]
        shares: Array = np.zeros(len(learnt))
        with np.errstate(divide="ignore"):  # where nothing may be learnt
            np.divide(learnt, allowed, out=shares, where=learnt > 0)
        return shares - 1.0

    def kept(self, answers: AnswerLaw) -> bool:
        """Whether every limit is kept, the exempt probability counted as it is."""
        learnt = zip(answers.joint.targets, answers.information.tolist(), strict=True)
        if not all(nats <= self.about(target) for target, nats in learnt):
            return False
        if math.isinf(self.odds_cap) or answers.log_odds() <= self.log_cap:
            return True
        return bool((answers.above(self.log_cap) <= self.exceed).all())
