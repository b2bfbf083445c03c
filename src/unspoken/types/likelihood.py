"""P(y | x_keep) in two parts, and the lifts log P(y|s) / P(y) that every measure is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Mask
from unspoken.numerics.rounding import NOTHING, Rounding, gamma
from unspoken.types.posteriors import Off

__all__ = ["Likelihood", "Lifts"]

# Up to this deviation from 1 a lift's logarithm is taken by log1p.
NEAR = 0.5
# What rounding leaves of a prior next to 1 moves its logarithm by less.
SLACK = 2.0**-50


@dataclass(frozen=True)
class Lifts:
    """For each context k: the prior over classes, each outcome's mass, and the log lifts."""

    prior: Array  # (k, s)  P(s | k)
    log_mass: Array  # (k, y)  log P(y | k); -inf: impossible
    log_lift: Array  # (k, y, s)  log P(y | k, s) / P(y | k); 0 where either is impossible
    telling: Array  # (k, y)  the share of an outcome's mass that depends on the class
    rounding: Rounding
    in_logs: bool = False
    ends: Mask | None = None  # (k, y)  of which outcomes the others are mixtures; None: of all

    @property
    def mass(self) -> Array:
        return np.exp(self.log_mass)

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
        the mass, of a prior and as large as there are on the way; the first is the lift's own.
        """
        most, least = self.log_lift.max(-1), self.log_lift.min(-1)
        furthest, parts = np.maximum(np.expm1(most), -np.expm1(least)), gamma(self.rounding.parts)
        whole = 4.0 * gamma(self.rounding.whole)
        lifts = parts * np.minimum(furthest + 4.0 * self.telling, 3.0) + whole
        if self.in_logs:
            rarest = math.log(self.prior.min(where=self.prior > 0, initial=1.0))
            known = (self.log_mass > -np.inf) & (self.telling > 0)
            told = self.log_mass + np.log(self.telling, out=np.zeros_like(lifts), where=known)
            lifts *= 1.0 + self.rounding.logs + np.where(known, np.abs(told), 0.0) - rarest
        lifts[(self.prior > 0).sum(1) < 2] = 0.0  # what is certain beforehand does not move
        return Off(lifts, furthest, parts + whole, parts if self.in_logs else 0.0)

    def of_context(self, k: int) -> Lifts:
        """The lifts of one context alone."""
        own = slice(k, k + 1)
        return replace(
            self,
            prior=self.prior[own],
            log_mass=self.log_mass[own],
            log_lift=self.log_lift[own],
            telling=self.telling[own],
            ends=None if self.ends is None else self.ends[own],
        )

    def revealed(self) -> Lifts:
        """The lifts had the adversary been told the class itself: the most any channel can tell."""
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.prior)
        certain = np.eye(self.prior.shape[1], dtype=bool)
        lift = np.where(certain, -log_prior[:, :, None], -np.inf)
        impossible = (self.prior == 0)[:, :, None] | (self.prior == 0)[:, None, :]
        lift, telling = np.where(impossible, 0.0, lift), np.ones_like(log_prior)
        return replace(self, log_mass=log_prior, log_lift=lift, telling=telling, ends=None)


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
        if np.array_equal(classes, np.eye(len(classes), dtype=bool)):  # nothing to add up
            return _lifts(prior, self.log_common, excess, self.in_logs, rounding)
        merged = prior @ classes.T  # (k, s) P(k, s)
        excess_of_class = self._merge(excess, classes)  # (k, s, y) E(k, s, y)
        return _lifts(merged, self.log_common, excess_of_class, self.in_logs, rounding)

    @property
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


def _lifts(
    joint: Array, log_common: Array, excess: Array, in_logs: bool, rounding: Rounding
) -> Lifts:
    """With e = E/P(s) and ebar its mean: lift = (c + e) / (c + ebar) = 1 + (e - ebar) / (c + ebar).

    The second form has the digits near 1, the first (in logs) far below it.
    """
    prior = joint / joint.sum(1, keepdims=True)
    read = _read_logs if in_logs else _read
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mass, relative, log_lift, telling = read(joint, log_common, excess)
    impossible = None
    if not (joint.all() and log_mass.min(initial=0.0) > -np.inf):
        impossible = (joint == 0)[:, :, None] | (log_mass == -np.inf)[:, None, :]
        relative[impossible] = 0.0
    x = _others(prior[:, :, None] * relative)
    relative *= _others(prior.copy())[:, :, None]
    np.subtract(relative, x, out=x)
    slack = SLACK + gamma(rounding.parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = (x < NEAR) & (x > -NEAR)
        log_lift = np.where(near, np.log1p(x, out=relative), log_lift)
        # Nobody is surer than certain, however far the answer lies.
        np.minimum(log_lift, slack - np.log(prior)[:, :, None], out=log_lift)
    if impossible is not None:
        log_lift[impossible] = 0.0
    return Lifts(prior, log_mass, np.moveaxis(log_lift, 1, 2), telling, rounding, in_logs)


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


def _read(joint: Array, log_common: Array, excess: Array) -> tuple[Array, ...]:
    """log (c + ebar), e / (c + ebar), log (c + e) / (c + ebar) and ebar / (c + ebar)."""
    common = np.exp(log_common)
    told = excess.sum(1) / joint.sum(1, keepdims=True)
    mass = common + told
    relative = excess / joint[:, :, None]
    log_lift = relative + common
    relative /= mass[:, None, :]
    log_lift /= mass[:, None, :]
    telling = np.divide(np.abs(told), mass, out=told, where=mass > 0)
    return np.log(mass), relative, np.log(log_lift, out=log_lift), telling


def _read_logs(joint: Array, log_common: Array, excess: Array) -> tuple[Array, ...]:
    """The same where the numbers themselves would leave the range of floats."""
    log_e = excess - np.log(joint)[:, :, None]
    context = np.log(joint.sum(1, keepdims=True))
    told = np.logaddexp.reduce(excess, axis=1) - context
    log_mass = np.logaddexp(log_common, told)
    relative = log_e - log_mass[:, None, :]
    far = np.logaddexp(log_common, log_e) - log_mass[:, None, :]
    telling = np.exp(np.where(told > -np.inf, told - log_mass, -np.inf))
    return log_mass, np.exp(relative), far, telling
