"""P(y | x_keep) in two parts, and the lifts log P(y|s) / P(y) that every measure is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unsaid.numerics.arrays import Array, Mask

__all__ = ["Likelihood", "Lifts"]


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
        told = np.eye(self.prior.shape[1], dtype=bool)
        lift = np.where(told, -log_prior[:, :, None], -np.inf)
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
        excess = self.excess.reshape(*prior.shape, -1)[self.possible]
        merged = prior[self.possible] @ classes.T  # (k, s) P(k, s)
        told = self._merge(excess, classes)  # (k, s, y) E(k, s, y)
        return _lifts(merged, self.log_common, told, self.in_logs)

    @property
    def possible(self) -> Mask:
        """Which contexts (values of the known variables, flattened) can occur."""
        possible: Mask = self.prior.reshape(-1, self.prior.shape[-1]).sum(1) > 0
        return possible

    def _merge(self, excess: Array, classes: Mask) -> Array:
        if not self.in_logs:
            merged: Array = np.einsum("kxy,sx->ksy", excess, classes.astype(np.float64))
            return merged
        return np.stack([np.logaddexp.reduce(excess[:, own], axis=1) for own in classes], axis=1)


def _lifts(joint: Array, log_common: Array, excess: Array, in_logs: bool) -> Lifts:
    """With e = E/P(s) and ebar its mean: lift = (c + e) / (c + ebar) = 1 + (e - ebar) / (c + ebar).

    The second form has the digits near 1, the first (in logs) far below it.
    """
    prior = joint / joint.sum(1, keepdims=True)
    read = _read_logs if in_logs else _read
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mass, told, far = read(joint, log_common, excess)
    impossible = (joint == 0)[:, :, None] | (log_mass == -np.inf)[:, None, :]
    told = np.where(impossible, 0.0, told)
    x = _from_the_mean(prior, told)
    near = np.log1p(np.where(np.abs(x) < 0.5, x, 0.0))
    log_lift = np.where(impossible, 0.0, np.where(np.abs(x) < 0.5, near, far))
    return Lifts(prior, log_mass, np.moveaxis(log_lift, 1, 2))


def _from_the_mean(prior: Array, told: Array) -> Array:
    """told_s - sum_r pi_r told_r, as told_s (sum_{r != s} pi_r) - sum_{r != s} pi_r told_r.

    Where pi_s is nearly 1 the plain difference would keep no digit of the rare others.
    """
    others = 1.0 - np.eye(prior.shape[1])
    return told * (prior @ others)[:, :, None] - others @ (prior[:, :, None] * told)


def _read(joint: Array, log_common: Array, excess: Array) -> tuple[Array, ...]:
    """log (c + ebar), e / (c + ebar) and log (c + e) / (c + ebar), on plain numbers."""
    common = np.exp(log_common)
    e = excess / joint[:, :, None]
    mass = common + excess.sum(1) / joint.sum(1, keepdims=True)
    return np.log(mass), e / mass[:, None, :], np.log((common + e) / mass[:, None, :])


def _read_logs(joint: Array, log_common: Array, excess: Array) -> tuple[Array, ...]:
    """The same where the numbers themselves would leave the range of floats."""
    log_e = excess - np.log(joint)[:, :, None]
    context = np.log(joint.sum(1, keepdims=True))
    log_mass = np.logaddexp(log_common, np.logaddexp.reduce(excess, axis=1) - context)
    relative = log_e - log_mass[:, None, :]
    far = np.logaddexp(log_common, log_e) - log_mass[:, None, :]
    return log_mass, np.exp(relative), far
