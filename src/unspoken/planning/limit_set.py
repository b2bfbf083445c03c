"""Which laws of answers keep the limits: for the search, for ceilings, and as they are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unspoken.numerics.arrays import Array
from unspoken.planning.joint_law import AnswerLaw
from unspoken.planning.limits import ROUNDING, Limits

__all__ = ["Allowed"]


@dataclass(frozen=True)
class Allowed:
    """`Limits` as numbers to compute with; ``information[j]``: nats of target j."""

    information: Array
    log_cap: float
    exceed: float

    @classmethod
    def of(cls, limits: Limits, targets: Iterable[str]) -> Allowed:
        information = np.array([limits.about(target) for target in targets])
        return cls(information, limits.log_cap, limits.exceed)

    def tightened(self) -> Allowed:
        """For the search: leakage that keeps these keeps the true limits in spite of rounding.

        Odds may be the cap itself (of released values they do not fall with p), so they are let
        pass within rounding here; the last check (values.py) takes them as they are.
        """
        return Allowed(
            self.information * (1 - 10 * ROUNDING),
            self.log_cap + ROUNDING / 10,
            self.exceed * (1 - 10 * ROUNDING),
        )

    def eased(self) -> Allowed:
        """For ceilings: what breaks these breaks the true limits in spite of rounding."""
        far = 1 + 1000 * ROUNDING
        return Allowed(self.information * far + 2e-15, self.log_cap + ROUNDING, self.exceed * far)

    def strict(self) -> Allowed:
        """Without exempt answers."""
        return Allowed(self.information, self.log_cap, 0.0)

    def excesses(self, answers: AnswerLaw) -> Array:
        """Of every limit above 0 where it is broken, and never falling in p.

        With an exempt probability the odds enter as `AnswerLaw.hockey_stick`, which is necessary
        for them but not sufficient: the probability of the answers above the cap is not monotone.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.where(answers.information > 0, answers.information / self.information, 0.0)
        above = shares[np.isfinite(self.information)] - 1.0
        if math.isinf(self.log_cap) or above.max(initial=0.0) > 0:
            return above
        if self.exceed > 0:
            excess = answers.hockey_stick(self.log_cap).max(initial=0.0)
            return np.concatenate([above, [float(excess) / self.exceed - 1.0]])
        return np.concatenate([above, [answers.log_odds() - self.log_cap]])

    def kept(self, answers: AnswerLaw) -> bool:
        """Whether every limit is kept, the exempt probability counted as it is."""
        if not (answers.information <= self.information).all():
            return False
        if math.isinf(self.log_cap) or answers.log_odds() <= self.log_cap:
            return True
        return bool((answers.above(self.log_cap) <= self.exceed).all())
