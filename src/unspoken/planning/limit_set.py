"""The p that keep the limits on what pooled answers tell, as a lower set with tight ceilings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.planning.cuts import Cuts
from unspoken.planning.joint_law import AnswerLaw, JointLaw
from unspoken.planning.limits import ROUNDING, Limits
from unspoken.planning.relaxations import Cuttable
from unspoken.planning.supports import worst_by_support

__all__ = ["Allowed", "LimitSet"]

# Odds cuts made at one point.
WORST = 4


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

    def excess(self, answers: AnswerLaw) -> float:
        """Above 0 where something is broken, and never falling in p.

        With an exempt probability the odds enter as `AnswerLaw.hockey_stick`, which is necessary
        for them but not sufficient: the probability of the answers above the cap is not monotone.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.where(answers.information > 0, answers.information / self.information, 0.0)
        worst = float(shares.max(initial=0.0)) - 1.0
        if math.isinf(self.log_cap) or worst > 0:
            return worst
        if self.exceed > 0:
            excess = answers.hockey_stick(self.log_cap).max(initial=0.0)
            return max(worst, float(excess) / self.exceed - 1.0)
        return max(worst, answers.log_odds() - self.log_cap)

    def kept(self, answers: AnswerLaw) -> bool:
        """Whether every limit is kept, the exempt probability counted as it is."""
        if not (answers.information <= self.information).all():
            return False
        if math.isinf(self.log_cap) or answers.log_odds() <= self.log_cap:
            return True
        return bool((answers.above(self.log_cap) <= self.exceed).all())


@dataclass(frozen=True)
class LimitSet(Cuttable):
    """The release probabilities of a joint law's names that keep ``limits``."""

    joint: JointLaw
    limits: Allowed
    weights: Array
    inner: Allowed = field(init=False)
    outer: Allowed = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", self.limits.tightened())
        object.__setattr__(self, "outer", self.limits.eased())

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts(self.joint)

    @cached_property
    def excluded(self) -> Mask:
        """Which sets of variables have no plan that releases something of each of them."""
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return np.zeros(2 ** len(self.joint.names), dtype=bool)
        return worst_by_support(self.joint) > self.outer.log_cap

    def excess(self, p: Array) -> float:
        return self.inner.excess(self.joint.at(p))

    def keeps(self, p: Array) -> bool:
        """Whether every limit is kept at p, the exempt probability counted as it is."""
        return self.inner.kept(self.joint.at(p))

    def outer_excess(self, p: Array) -> float:
        return self.outer.excess(self.joint.at(p))

    def separating(self, p: Array, a: Array) -> tuple[Array, int | None]:
        """The odds of an answer count only if all it shows is released: where that is still open
        (a_i = 0), there is no cut that holds for the whole box, but a variable to decide on.
        """
        answers = self.joint.at(p)
        over = np.flatnonzero(answers.information > self.outer.information)
        rows = self._cuts(answers, over, a > 0, 1.0)
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return rows, None
        factors = answers.log_factors.max(0, initial=-math.inf)
        answer = int(np.argmax(np.where(answers.happens, factors, -math.inf)))
        if not factors[answer] > self.outer.log_cap:
            return rows, None
        doubtful = self.joint.released[answer] & (a == 0)
        if not doubtful.any():
            return rows, None
        return rows, int(np.argmax(np.where(doubtful, self.weights * answers.p, -1.0)))

    def tangents(self, p: Array, sure: Mask) -> Array:
        return self._cuts(self.joint.at(p), np.arange(len(self.joint.targets)), sure, 0.5)

    def _cuts(self, answers: AnswerLaw, targets: Codes, sure: Mask, share: float) -> Array:
        """Information cuts for the targets; odds cuts where ``share`` of the cap is exceeded."""
        size = 2 ** len(self.joint.names)
        targets = targets[np.isfinite(self.outer.information[targets])]
        rows = [np.zeros((0, size))]
        if len(targets):
            rows.append(self.cuts.information(answers, targets, self.outer.information[targets]))
        if math.isfinite(self.outer.log_cap):
            make = self._hockey_stick_cuts if self.outer.exceed > 0 else self._odds_cuts
            rows += make(answers, sure, share)
        return np.concatenate(rows)

    def _hockey_stick_cuts(self, answers: AnswerLaw, sure: Mask, share: float) -> list[Array]:
        excess = answers.hockey_stick(self.outer.log_cap)
        return [
            self.cuts.hockey_stick(answers, int(event), self.outer.log_cap, self.outer.exceed)[None]
            for event in np.flatnonzero(excess > share * self.outer.exceed)
        ]

    def _odds_cuts(self, answers: AnswerLaw, sure: Mask, share: float) -> list[Array]:
        """For the worst few events the answer that is worst among those that surely may happen."""
        surely = ~(self.joint.released & ~sure).any(1)
        factors = np.where(surely, answers.log_factors, -math.inf)
        worst = factors.max(1, initial=-math.inf)
        near = [e for e in np.argsort(-worst)[:WORST] if worst[e] > share * self.outer.log_cap]
        return [
            self.cuts.odds(int(event), int(np.argmax(factors[event])), self.outer.log_cap)[None]
            for event in near
        ]
