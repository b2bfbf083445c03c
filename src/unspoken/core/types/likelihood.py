"""P(y | x_keep) in two parts, and the lifts log P(y|s) / P(y) that every measure is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.rounding import NOTHING, UNIT, Rounding, gamma
from unspoken.core.types.posteriors import Off

__all__ = ["Likelihood", "Lifts"]

# Up to this deviation from 1 a lift's logarithm is taken by log1p.
NEAR = 0.5
# What rounding leaves of a prior next to 1 moves its logarithm by less.
SLACK = 2.0**-50
# Divergences from here on keep their digits where plain lifts are taken.
LITTLE = 0.005
# Numbers worked on together.
AT_HAND = 2**16
# What logarithms are taken of instead of 0, which it stands for.
TINY = 1e-300


@dataclass(frozen=True)
class Listed:
    """Log lifts that are there."""

    log_lift: Array

    @property
    def divergences(self) -> None:
        """They are read from the log lifts."""
        return None

    @property
    def furthest(self) -> Array:
        """The largest |lift - 1| of each outcome."""
        most, least = self.log_lift.max(-1), self.log_lift.min(-1)
        furthest: Array = np.maximum(np.expm1(most), -np.expm1(least))
        return furthest


@dataclass(frozen=True)
class Lifts:
    """For each context k: the prior over classes, each outcome's mass, and the log lifts."""

    prior: Array  # (k, s)  P(s | k)
    log_mass: Array  # (k, y)  log P(y | k); -inf: impossible
    telling: Array  # (k, y)  the share of an outcome's mass that depends on the class
    source: Listed | TwoParts  # what the log lifts are read from, once they are asked for
    rounding: Rounding
    in_logs: bool = False
    ends: Mask | None = None  # (k, y)  of which outcomes the others are mixtures; None: of all

    @cached_property
    def log_lift(self) -> Array:
        """log P(y | k, s) / P(y | k) as (k, y, s); 0 where either is impossible."""
        return self.source.log_lift

    @property
    def mass(self) -> Array:
        return np.exp(self.log_mass)

    @cached_property
    def divergences(self) -> Array | None:
        """sum_s P(s) r log r, r the lift, as (k, y), where that takes no log lifts; else None."""
        return self.source.divergences

    @cached_property
    def off(self) -> Off:
        """By how much rounding may have moved the log lifts of every outcome: (k, y).

        Let m operations be behind the parts c and e_s, and r_s = e_s / (c + ebar), t = ebar / (c +
        ebar), ebar the mean of e. Next to 1 a lift is 1 + x, x = r_s (1 - pi_s) - sum_{q != s} pi_q
        r_q = r_s - t, whose two terms are off by gamma_m (r_s + t) in all, and the logarithm by
        that over 1 + x. For x >= 0 this is at most gamma_m (x + 2 t) and 2 gamma_m, for -1/2 < x <
        0 at most gamma_m 4 t and 3 gamma_m. Far from 1 it is log (c + e_s) / (c + ebar), sums of
        numbers >= 0: e_s is off by at most gamma_m of c + e_s, and ebar by t gamma_m, the same
        again. So gamma_m min(|x| + 4 t, 3) holds for all. An error of c alone moves x by as much of
        itself only. What P(y|s) as a whole is off by counts for a class and for the mean, and
        doubles like x.

        In logs each operation leaves u of a logarithm, which is at most that of the lift, of t, of
        the mass, of a prior and as large as there are on the way; the first is the lift's own. Its
        own logarithm is off by 2 u of itself: of one far above 1 (a prior of 1e-60) that is more.
        """
        quick, rounding = self.divergences is not None, self.rounding
        furthest = (self.source if quick else Listed(self.log_lift)).furthest
        shares, logs = gamma(rounding.parts) + 4.0 * gamma(rounding.whole), 0.0
        masses = np.broadcast_to(shares, furthest.shape)
        moved = np.minimum(furthest + 4.0 * self.telling, 3.0)
        lifts = gamma(rounding.parts) * moved + 4.0 * gamma(rounding.whole)
        lifts += 2.0 * UNIT * np.log1p(furthest)
        if self.in_logs:
            logs = gamma(rounding.on_logs)
            rarest = -math.log(self.prior.min(where=self.prior > 0, initial=1.0))
            usual = 1.0 + rounding.logs + rarest
            mass = np.where(self.log_mass > -np.inf, -self.log_mass, 0.0)
            mean_logs = np.log(self.telling, out=np.zeros_like(lifts), where=self.telling > 0)
            lifts += logs * (usual + np.abs(mass - mean_logs)) * moved
            masses = shares + logs * (usual + np.abs(mass))
            shares += logs * rarest
        lifts[(self.prior > 0).sum(1) < 2] = 0.0  # what is certain beforehand does not move
        return Off(lifts, furthest, shares, masses, logs)

    def of_context(self, k: int) -> Lifts:
        """The lifts of one context alone."""
        context = slice(k, k + 1)
        return replace(
            self,
            prior=self.prior[context],
            log_mass=self.log_mass[context],
            source=Listed(self.log_lift[context]),
            telling=self.telling[context],
            ends=None if self.ends is None else self.ends[context],
        )

    def revealed(self) -> Lifts:
        """The lifts had the adversary been told the class itself: the most any channel can tell."""
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.prior)
        certain = np.eye(self.prior.shape[1], dtype=bool)
        lift = np.where(certain, -log_prior[:, :, None], -np.inf)
        impossible = (self.prior == 0)[:, :, None] | (self.prior == 0)[:, None, :]
        lift, telling = np.where(impossible, 0.0, lift), np.ones_like(log_prior)
        return replace(self, log_mass=log_prior, source=Listed(lift), telling=telling, ends=None)


@dataclass(frozen=True)
class Likelihood:
    """P(keep, y) = prior[keep] exp(log_common[y]) + excess[keep, y] (a log if ``in_logs``).

    The kept variables are the known ones, then the target: prior has shape (known ..., target).
    """

    prior: Array
    log_common: Array
    excess: Array
    in_logs: bool

    def lifts(self, classes: Mask, rounding: Rounding = NOTHING) -> Lifts:
        """The lifts of the target's classes (classes[s, x]: value x belongs to class s).

        ``rounding``: what is behind the numbers held here.
        """
        prior = self.prior.reshape(-1, self.prior.shape[-1])  # (k, x)
        excess, possible = self.excess.reshape(*prior.shape, -1), self.possible
        if not possible.all():
            prior, excess = prior[possible], excess[possible]
        rounding = self._with(rounding)
        if np.count_nonzero(classes) == classes.diagonal().sum() == len(classes):  # nothing to add
            return self._parts(prior, excess, rounding).lifts(rounding)
        merged = prior @ classes.T  # (k, s) P(k, s)
        excess_of_class = self._merge(excess, classes)  # (k, s, y) E(k, s, y)
        return self._parts(merged, excess_of_class, rounding).lifts(rounding)

    def _parts(self, joint: Array, excess: Array, rounding: Rounding) -> TwoParts:
        slack = SLACK + gamma(rounding.parts)
        return TwoParts(joint, self.log_common, excess, self.in_logs, slack)

    def of_anybody(self) -> Likelihood:
        """P(y | x_keep) = P(y), where what is seen is independent of what is kept: all is common.

        So every lift is 1, where quotients of numbers that were rounded apart are next to it.
        """
        if self.in_logs:
            seen = np.logaddexp.reduce(self.excess.reshape(self.prior.size, -1), axis=0)
            seen = np.logaddexp(self.log_common, seen - math.log(self.prior.sum()))
        else:
            seen = self.excess.reshape(self.prior.size, -1).sum(0) / self.prior.sum()
            with np.errstate(divide="ignore"):
                seen = np.log(np.exp(self.log_common) + seen)
        none = np.full_like(self.excess, -np.inf if self.in_logs else 0.0)
        return replace(self, log_common=seen, excess=none)

    @cached_property
    def possible(self) -> Mask:
        """Which contexts (values of the known variables, flattened) can occur."""
        possible: Mask = self.prior.reshape(-1, self.prior.shape[-1]).sum(1) > 0
        return possible

    def _with(self, rounding: Rounding) -> Rounding:
        """With what is done here: three sums over the target's values and ten operations.

        The common part is e^its logarithm, a sum over channels (8 operations or more each) that is
        off by u of itself at each.
        """
        depth = rounding + Rounding(10.0 + 3.0 * self.prior.shape[-1])
        if self.in_logs:
            return depth
        logs = self.log_common[self.log_common > -np.inf]
        return depth + Rounding((2.0 + depth.parts / 8.0) * float(-logs.min(initial=0.0)))

    def _merge(self, excess: Array, classes: Mask) -> Array:
        """Most classes are single values, which are picked; only the others are added up."""
        merged: Array = excess.take(classes.argmax(1), axis=1)
        add = np.logaddexp.reduce if self.in_logs else np.add.reduce
        for s in np.flatnonzero(classes.sum(1) > 1):
            merged[:, s] = add(excess[:, classes[s]], axis=1)
        return merged


@dataclass(frozen=True)
class TwoParts:
    """P(y|s) = c + e before anything is divided: ``joint[k, s]`` = P(k, s), c's logarithm and
    ``excess[k, s, y]`` = P(k, s) e (a logarithm if ``in_logs``). ``slack``: what rounding leaves
    of the logarithm of certainty.
    """

    joint: Array
    log_common: Array
    excess: Array
    in_logs: bool
    slack: float

    def lifts(self, rounding: Rounding) -> Lifts:
        with np.errstate(divide="ignore", invalid="ignore"):
            prior = self.joint / self._context
            if self.in_logs:
                log_mass = np.logaddexp(self.log_common, self._mean_excess)
                share = np.where(self._mean_excess > -np.inf, self._mean_excess - log_mass, -np.inf)
                return Lifts(prior, log_mass, np.exp(share), self, rounding, True)
            telling = np.abs(self._mean_excess)
            telling = np.divide(telling, self._mass, out=telling, where=self._mass > 0)
            return Lifts(prior, np.log(self._mass), telling, self, rounding)

    @cached_property
    def _context(self) -> Array:
        context: Array = self.joint.sum(1, keepdims=True)
        return context

    @cached_property
    def _mean_excess(self) -> Array:
        """The mean ebar of e."""
        if self.in_logs:
            return np.asarray(np.logaddexp.reduce(self.excess, axis=1) - np.log(self._context))
        mean: Array = self.excess.sum(1) / self._context
        return mean

    @cached_property
    def _mass(self) -> Array:
        """P(y | k) = c + ebar."""
        mass: Array = np.exp(self.log_common) + self._mean_excess
        return mass

    @property
    def divergences(self) -> Array | None:
        """sum_s P(s) h(r_s), r the lift and h(r) = r log r - r + 1, for each context and outcome.

        From plain lifts, whose logarithms are good for numbers far from 1 only. Two operations more
        than are counted and h's own leave 5 u r |log r| + u |r - 1| + u h, and that 6 u (D +
        sqrt(2 D)) of the sum D (Pinsker): from LITTLE on, 126 u of it. None, where any is less; or
        where something is impossible, or all are logarithms.
        """
        if self.in_logs or not self.joint.min(initial=1.0) * self._mass.min(initial=1.0) > TINY:
            return None
        total, _ = self._plain
        return total if total.min(initial=1.0) > LITTLE else None

    @property
    def furthest(self) -> Array:
        """The largest |lift - 1| of each outcome, where they are far from 1 (`divergences`)."""
        _, over = self._plain
        return over * (1.0 + 2.0**-40)

    @cached_property
    def _plain(self) -> tuple[Array, Array]:
        """The divergences, and the largest |lift - 1|, in one go over the lifts.

        Where some lift is 2 or more, nobody's is further below 1.
        """
        prior, total = self.joint / self._context, np.zeros_like(self._mass)
        over = np.zeros_like(self._mass)
        silent = bool((np.exp(self.log_common) > TINY * self._mass).all())  # so that no lift is 0
        for some, lift in self._lifts():
            terms = np.log(lift if silent else np.maximum(lift, TINY))
            terms *= lift
            lift -= 1.0
            terms -= lift
            total += np.matmul(prior[:, None, some], terms)[:, 0]
            np.maximum(over, lift.max(1), out=over)
            if over.min(initial=1.0) < 1.0:
                np.maximum(over, -lift.min(1), out=over)
        return total, over

    def _lifts(self) -> Iterator[tuple[slice, Array]]:
        """Some classes, and (c + e) / (c + ebar) of them as [k, s, y]; plain numbers only.

        So few at a time that they stay where the processor has them at hand.
        """
        contexts, classes, outcomes = self.excess.shape
        each, mass = 1.0 / self.joint, 1.0 / self._mass
        common = (np.exp(self.log_common) * mass)[:, None]
        few = max(1, AT_HAND // max(1, contexts * outcomes))
        for some in (slice(first, first + few) for first in range(0, classes, few)):
            lift = np.einsum("ks,ky->ksy", each[:, some], mass)
            lift *= self.excess[:, some]
            lift += common
            yield some, lift

    @property
    def log_lift(self) -> Array:
        """With e = E/P(s) and ebar its mean: lift = (c + e) / (c + ebar) = 1 + (e - ebar) / (c +
        ebar). The second form has the digits near 1, the first (in logs) far below it.
        """
        joint, prior = self.joint, self.joint / self._context
        with np.errstate(divide="ignore", invalid="ignore"):
            relative, log_lift, silent = self._read_logs() if self.in_logs else self._read()
        impossible = None
        if silent.any() or not joint.all():
            impossible = (joint == 0)[:, :, None] | silent[:, None, :]
            relative[impossible] = 0.0
        x = _others(prior[:, :, None] * relative)
        relative *= _others(prior.copy())[:, :, None]
        np.subtract(relative, x, out=x)
        with np.errstate(divide="ignore", invalid="ignore"):
            near = (x < NEAR) & (x > -NEAR)
            log_lift = np.where(near, np.log1p(x, out=relative), log_lift)
            # Nobody is surer than certain, however far the answer lies.
            np.minimum(log_lift, self.slack - np.log(prior)[:, :, None], out=log_lift)
        if impossible is not None:
            log_lift[impossible] = 0.0
        return np.moveaxis(log_lift, 1, 2)

    def _read(self) -> tuple[Array, Array, Mask]:
        """e / (c + ebar), log (c + e) / (c + ebar), and which outcomes are impossible."""
        relative = self.excess / self.joint[:, :, None]
        log_lift = relative + np.exp(self.log_common)
        relative /= self._mass[:, None, :]
        log_lift /= self._mass[:, None, :]
        return relative, np.log(log_lift, out=log_lift), self._mass <= 0

    def _read_logs(self) -> tuple[Array, Array, Mask]:
        """The same where the numbers themselves would leave the range of floats."""
        log_e = self.excess - np.log(self.joint)[:, :, None]
        log_mass = np.logaddexp(self.log_common, self._mean_excess)
        relative = log_e - log_mass[:, None, :]
        far = np.logaddexp(self.log_common, log_e) - log_mass[:, None, :]
        return np.exp(relative), far, log_mass == -np.inf


def _others(parts: Array) -> Array:
    """The sum over axis 1 of all parts (>= 0) but one's own.

    The total less one's own, but where that is more than half of it: there the others are added up
    (at most one part can be so large). Where pi_s is nearly 1, e_s - ebar would keep no digit of
    what the rare others tell; as e_s (sum_{r != s} pi_r) - sum_{r != s} pi_r e_r it does.
    ``parts`` is written over.
    """
    at = np.expand_dims(parts.argmax(1), 1)
    largest = np.take_along_axis(parts, at, 1)
    np.put_along_axis(parts, at, 0.0, 1)
    beside = parts.sum(1, keepdims=True)
    np.subtract(beside + largest, parts, out=parts)
    np.put_along_axis(parts, at, beside, 1)
    return parts
