"""The p that keep the limits on what pooled answers tell, as a lower set with tight ceilings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.planning.ceilings import Cuttable
from unspoken.planning.clouds import Cloud, Look
from unspoken.planning.cuts import Cuts
from unspoken.planning.limits import Limits
from unspoken.planning.supports import worst_by_support

__all__ = ["Allowed", "Pooled"]

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
            self.information * (1 - 1e-11), self.log_cap + 1e-13, self.exceed * (1 - 1e-11)
        )

    def eased(self) -> Allowed:
        """For ceilings: what breaks these breaks the true limits in spite of rounding."""
        eased = self.information * (1 + 1e-9) + 2e-15
        return Allowed(eased, self.log_cap + 1e-12, self.exceed * (1 + 1e-9))

    def excess(self, look: Look) -> float:
        """Above 0 where something is broken, and never falling in p.

        With an exempt probability the odds enter as `Look.beyond`, which is necessary for them but
        not sufficient: the probability of the answers above the cap is no monotone function.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.where(look.information > 0, look.information / self.information, 0.0)
        worst = float(shares.max(initial=0.0)) - 1.0
        if math.isinf(self.log_cap) or worst > 0:
            return worst
        if self.exceed > 0:
            beyond = look.beyond(self.log_cap).max(initial=0.0)
            return max(worst, float(beyond) / self.exceed - 1.0)
        return max(worst, look.log_odds() - self.log_cap)

    def kept(self, look: Look) -> bool:
        """Whether every limit is kept, the exempt probability counted as it is."""
        if not (look.information <= self.information).all():
            return False
        if math.isinf(self.log_cap) or look.log_odds() <= self.log_cap:
            return True
        return bool((look.above(self.log_cap) <= self.exceed).all())


@dataclass(frozen=True)
class Pooled(Cuttable):
    """Release probabilities of a cloud's names within ``limits``."""

    cloud: Cloud
    limits: Allowed
    weights: Array
    inner: Allowed = field(init=False)
    outer: Allowed = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", self.limits.tightened())
        object.__setattr__(self, "outer", self.limits.eased())

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts(self.cloud)

    @cached_property
    def telling(self) -> Mask:
        """Which sets of variables have no plan that releases something of each of them."""
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return np.zeros(2 ** len(self.cloud.names), dtype=bool)
        return worst_by_support(self.cloud) > self.outer.log_cap

    def excess(self, p: Array) -> float:
        return self.inner.excess(self.cloud.at(p))

    def keeps(self, p: Array) -> bool:
        """Whether every limit is kept at p, the exempt probability counted as it is."""
        return self.inner.kept(self.cloud.at(p))

    def outer_excess(self, p: Array) -> float:
        return self.outer.excess(self.cloud.at(p))

    def broken(self, p: Array, a: Array) -> tuple[Array, int | None]:
        """The odds of an answer count only if all it shows is released: where that is still open
        (a_i = 0), there is no cut that holds for the whole box, but a variable to decide on.
        """
        look = self.cloud.at(p)
        over = np.flatnonzero(look.information > self.outer.information)
        rows = self._cuts(look, over, a > 0, 1.0)
        if math.isinf(self.outer.log_cap) or self.outer.exceed > 0:
            return rows, None
        factors = look.log_factors.max(0, initial=-math.inf)
        answer = int(np.argmax(np.where(look.happens, factors, -math.inf)))
        if not factors[answer] > self.outer.log_cap:
            return rows, None
        doubtful = self.cloud.released[answer] & (a == 0)
        if not doubtful.any():
            return rows, None
        return rows, int(np.argmax(np.where(doubtful, self.weights * look.p, -1.0)))

    def tangents(self, p: Array, sure: Mask) -> Array:
        return self._cuts(self.cloud.at(p), np.arange(len(self.cloud.targets)), sure, 0.5)

    def _cuts(self, look: Look, targets: Codes, sure: Mask, share: float) -> Array:
        """Information cuts for the targets; odds cuts where ``share`` of the cap is exceeded."""
        size = 2 ** len(self.cloud.names)
        targets = targets[np.isfinite(self.outer.information[targets])]
        rows = [np.zeros((0, size))]
        if len(targets):
            rows.append(self.cuts.information(look, targets, self.outer.information[targets]))
        if math.isfinite(self.outer.log_cap):
            make = self._beyond_cuts if self.outer.exceed > 0 else self._odds_cuts
            rows += make(look, sure, share)
        return np.concatenate(rows)

    def _beyond_cuts(self, look: Look, sure: Mask, share: float) -> list[Array]:
        beyond = look.beyond(self.outer.log_cap)
        return [
            self.cuts.beyond(look, int(event), self.outer.log_cap, self.outer.exceed)[None]
            for event in np.flatnonzero(beyond > share * self.outer.exceed)
        ]

    def _odds_cuts(self, look: Look, sure: Mask, share: float) -> list[Array]:
        """For the worst few events the answer that is worst among those that surely may happen."""
        surely = ~(self.cloud.released & ~sure).any(1)
        factors = np.where(surely, look.log_factors, -math.inf)
        worst = factors.max(1, initial=-math.inf)
        near = [e for e in np.argsort(-worst)[:WORST] if worst[e] > share * self.outer.log_cap]
        return [
            self.cuts.odds(int(event), int(np.argmax(factors[event])), self.outer.log_cap)[None]
            for event in near
        ]
