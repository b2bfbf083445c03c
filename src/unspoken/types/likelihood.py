"""P(y | x_keep) in two parts, and the lifts log P(y|s) / P(y) that every measure is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unspoken.numerics.arrays import Array, Mask

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

    @property
    def mass(self) -> Array:
        return np.exp(self.log_mass)

    def revealed(self) -> Lifts:
        """The lifts had the adversary been told the class itself: the most any channel can tell."""
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.prior)
        certain = np.eye(self.prior.shape[1], dtype=bool)
        lift = np.where(certain, -log_prior[:, :, None], -np.inf)
        impossible = (self.prior == 0)[:, :, None] | (self.prior == 0)[:, None, :]
        return Lifts(self.prior, log_prior, np.where(impossible, 0.0, lift))


@dataclass(frozen=True)
class Likelihood:
    """P(keep, y) = prior[keep] exp(log_common[y]) + excess[keep, y] (a log if ``in_logs``).

    The kept variables are the known ones, then the target: prior has shape (known ..., target).
    """

    prior: Array
    log_common: Array
    excess: Array
    in_logs: bool

    def lifts(self, classes: Mask) -> Lifts:
        """The lifts of the target's classes (classes[s, x]: value x belongs to class s)."""
        prior = self.prior.reshape(-1, self.prior.shape[-1])  # (k, x)
        excess, possible = self.excess.reshape(*prior.shape, -1), self.possible
        if not possible.all():
            prior, excess = prior[possible], excess[possible]
        if np.array_equal(classes, np.eye(len(classes), dtype=bool)):  # nothing to add up
            return _lifts(prior, self.log_common, excess, self.in_logs)
        merged = prior @ classes.T  # (k, s) P(k, s)
        excess_of_class = self._merge(excess, classes)  # (k, s, y) E(k, s, y)
        return _lifts(merged, self.log_common, excess_of_class, self.in_logs)

    @property
    def possible(self) -> Mask:
        """Which contexts (values of the known variables, flattened) can occur."""
        possible: Mask = self.prior.reshape(-1, self.prior.shape[-1]).sum(1) > 0
        return possible

    def _merge(self, excess: Array, classes: Mask) -> Array:
        """Most classes are single values, which are picked; only the others are added up."""
        merged: Array = excess.take(classes.argmax(1), axis=1)
        add = np.logaddexp.reduce if self.in_logs else np.add.reduce
        for s in np.flatnonzero(classes.sum(1) > 1):
            merged[:, s] = add(excess[:, classes[s]], axis=1)
        return merged


def _lifts(joint: Array, log_common: Array, excess: Array, in_logs: bool) -> Lifts:
    """With e = E/P(s) and ebar its mean: lift = (c + e) / (c + ebar) = 1 + (e - ebar) / (c + ebar).

    The second form has the digits near 1, the first (in logs) far below it.
    """
    prior = joint / joint.sum(1, keepdims=True)
    read = _read_logs if in_logs else _read
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mass, relative, log_lift = read(joint, log_common, excess)
    impossible = None
    if not (joint.all() and log_mass.min(initial=0.0) > -np.inf):
        impossible = (joint == 0)[:, :, None] | (log_mass == -np.inf)[:, None, :]
        relative[impossible] = 0.0
    x = _others(prior[:, :, None] * relative)
    relative *= _others(prior.copy())[:, :, None]
    np.subtract(relative, x, out=x)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = (x < NEAR) & (x > -NEAR)
        log_lift = np.where(near, np.log1p(x, out=relative), log_lift)
        # Nobody is surer than certain, however far the answer lies.
        np.minimum(log_lift, SLACK - np.log(prior)[:, :, None], out=log_lift)
    if impossible is not None:
        log_lift[impossible] = 0.0
    return Lifts(prior, log_mass, np.moveaxis(log_lift, 1, 2))


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
    """log (c + ebar), e / (c + ebar) and log (c + e) / (c + ebar), on plain numbers."""
    common = np.exp(log_common)
    mass = common + excess.sum(1) / joint.sum(1, keepdims=True)
    relative = excess / joint[:, :, None]
    log_lift = relative + common
    relative /= mass[:, None, :]
    log_lift /= mass[:, None, :]
    return np.log(mass), relative, np.log(log_lift, out=log_lift)


def _read_logs(joint: Array, log_common: Array, excess: Array) -> tuple[Array, ...]:
    """The same where the numbers themselves would leave the range of floats."""
    log_e = excess - np.log(joint)[:, :, None]
    context = np.log(joint.sum(1, keepdims=True))
    log_mass = np.logaddexp(log_common, np.logaddexp.reduce(excess, axis=1) - context)
    relative = log_e - log_mass[:, None, :]
    far = np.logaddexp(log_common, log_e) - log_mass[:, None, :]
    return log_mass, np.exp(relative), far
