"""Ceilings for a box of release probabilities: multilinear tangents and a small linear programme.

Each answer's law P(s, y; p) is linear in every p_i, so for any fixed table g the sum of P g is a
polynomial with no p_i twice, given by 2^n numbers c_A: what it is once exactly the coins of A show
heads. Three kinds bound what a plan may not exceed, all exact where they touch:

    information   I(S; Y) >= sum_{s,y} P(s,y;p) log q(s|y) / P(s)        for every posterior q
    odds          P(y|E) - cap P(y|not E) <= 0                           for every answer y
    hockey-stick  sum_{y in B} P(y,E) - cap odds(E) P(y,not E) <= exceed     for every set B

Over a box such a polynomial is at least the lower hull of its values at the 2^n corners, so

    ceiling = min over multipliers m >= 0 of max over corners v of w.v - sum_k m_k c_k(v),

a linear programme with one row a cut. Whatever multipliers it ends with give a valid ceiling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.planning.joint_law import LEAST, AnswerLaw, JointLaw

__all__ = ["Cuts", "corners", "relaxed"]

# How far inside (0, 1) a tangent's point of contact is kept, so that its logarithms stay finite.
INSIDE = 1e-9
# A cut's numbers are at most one over this, whatever is allowed and whatever the odds cap.
FLAT = 1e-100


@dataclass(frozen=True)
class Cuts:
    """Makes cuts: rows of 2^n numbers c_A, axis i of A in the order of the joint's names.

    A row stands for c(p) = sum_A prod_{i in A} p_i prod_{i not in A} (1 - p_i) c_A <= 0.
    """

    joint: JointLaw

    @cached_property
    def coins(self) -> Array:
        """P(s, r_A), [s, r_1, r_2, ...]: index 0 of an axis is "tails, whatever r_i", k + 1 is

        "heads and r_i = k".
        """
        table = self.joint.table
        for axis in range(1, table.ndim):
            table = np.concatenate([table.sum(axis, keepdims=True), table], axis)
        return table

    @cached_property
    def shown(self) -> Codes:
        """For every cell of ``coins`` the answer seen: tails show "withheld", as r = 0 does."""
        outputs = self.joint.outputs
        answers = [np.r_[0, np.arange(count)] for count in outputs]
        grid = np.meshgrid(*answers, indexing="ij")
        return np.asarray(np.ravel_multi_index([axis.ravel() for axis in grid], outputs))

    def information(self, answers: AnswerLaw, targets: Codes, limits: Array) -> Array:
        """Tangents of I(S_j; Y) <= limit_j at the answers' p, one row each target:

        sum_{s,y} P(s, y; p) log q(s|y) / P(s) <= limit_j with q the posteriors there.
        """
        near = self.joint.at(np.clip(answers.p, 0.0, 1.0 - INSIDE))
        cuts = []
        for target, limit in zip(targets, limits, strict=True):
            information = np.zeros(len(self.shown))  # what each cell of ``coins`` adds
            for row in np.flatnonzero(self.joint.owner == target):
                lifts = np.log1p(np.maximum(near.excess[row], LEAST))
                information += self._flat[row] * lifts[self.shown]
            cuts.append((self._by_coins(information) - limit) / limit)
        return np.array(cuts)

    def odds(self, event: int, answer: int, log_cap: float) -> Array:
        """The condition that one answer does not raise one event's odds beyond the cap.

        Without the factors p_i of what the answer shows, so it holds only where all of these are
        released at all (p_i > 0).
        """
        codes = np.unravel_index(answer, self.joint.outputs)
        pick = [np.array([0, 1] if code == 0 else [code + 1] * 2) for code in codes]
        inside, outside = (
            self.coins[np.ix_(classes.rows, *pick)].sum(0).ravel() / classes.prior
            for classes in (self.joint.events[event].inside, self.joint.events[event].outside)
        )
        far = inside - math.exp(log_cap) * outside
        return np.asarray(far / np.abs(far).max())

    def hockey_stick(self, answers: AnswerLaw, event: int, log_cap: float, exceed: float) -> Array:
        """The tangent of `AnswerLaw.hockey_stick` at the answers' p, for one event."""
        e, cap = self.joint.events[event], math.exp(log_cap)
        inside, outside = (likelihood[event] for likelihood in answers.likelihoods)
        above = inside - cap * outside > 0
        excess = e.inside.likelihood(self._flat) - cap * e.outside.likelihood(self._flat)
        row = e.prior * self._by_coins(excess * above[self.shown])
        return np.asarray((row - exceed) / max(exceed, FLAT * float(np.abs(row).max())))

    def mass(self, answers: Mask, exceed: float) -> Array:
        """The condition that one of these answers is seen with probability <= ``exceed``."""
        anyone = self.joint.owner == 0
        mass = self._flat[anyone].sum(0) * answers[self.shown]
        return np.asarray((self._by_coins(mass) - exceed) / exceed)

    @cached_property
    def _flat(self) -> Array:
        return self.coins.reshape(len(self.coins), -1)

    def _by_coins(self, table: Array) -> Array:
        """Add up what each set of heads shows: every axis becomes (tails, heads)."""
        for axis, outputs in enumerate(self.joint.outputs):
            sides = np.zeros((2, 1 + outputs))
            sides[0, 0] = sides[1, 1:] = 1.0
            table = sides @ table.reshape(2**axis, 1 + outputs, -1)
        return table.ravel()


def corners(rows: Array, a: Array, b: Array) -> Array:
    """The values of cuts, [cut, set of heads], at the corners of a <= p <= b: [cut, corner].

    Corners are numbered as sets are: axis i at b_i where i is in the set, else at a_i.
    """
    for axis in range(len(a)):
        halves = rows.reshape(len(rows) * 2**axis, 2, 2 ** (len(a) - axis - 1))
        tails, grown = halves[:, 0], halves[:, 1] - halves[:, 0]
        ends = [tails + a[axis] * grown, tails + b[axis] * grown]
        rows = np.stack(ends, axis=1).reshape(rows.shape)
    return rows


@dataclass(frozen=True)
class Ceiling:
    """A ceiling, where the relaxation reaches it, and each cut's multiplier."""

    upper: float
    point: Array
    multipliers: Array


def relaxed(weights: Array, a: Array, b: Array, rows: Array) -> Ceiling:
    """The largest weights . p in the box under the lower hulls of the cuts, ``rows[cut, set]``."""
    value = _linear(weights, a, b)
    ends = corners(rows, a, b)
    shares, multipliers = simplex(value, ends)
    upper = float((value - multipliers @ ends).max())
    point = a.copy()
    for axis in range(len(a)):
        at_b = shares.reshape(2**axis, 2, -1)[:, 1].sum()
        point[axis] += (b[axis] - a[axis]) * min(at_b, 1.0)
    return Ceiling(upper, point, multipliers)


def _linear(weights: Array, a: Array, b: Array) -> Array:
    """weights . v at the corners v."""
    value = np.zeros(1)
    for weight, low, high in zip(weights, a, b, strict=True):
        value = np.add.outer(value, weight * np.array([low, high])).ravel()
    return value


def simplex(value: Array, rows: Array, steps: int = 200) -> tuple[Array, Array]:
    """max value . m over m >= 0, sum m = 1, rows @ m <= 0, from the first corner, which fits.

    Returns m and the rows' multipliers, >= 0 and valid for a ceiling wherever the steps ended.
    """
    cuts, size = rows.shape
    # Basis: a slack for each cut, and corner 0 for the sum; so corner 0 is taken out of the cuts.
    table = np.zeros((cuts + 2, size + cuts + 1))
    table[:cuts, :size] = rows - rows[:, :1]
    table[:cuts, size:-1] = np.eye(cuts)
    table[:cuts, -1] = np.maximum(-rows[:, 0], 0.0)
    table[cuts, :size] = table[cuts, -1] = 1.0
    table[-1, :size] = value - value[0]
    basis = [*range(size, size + cuts), 0]
    scale = float(np.abs(table[-1]).max(initial=0.0))
    for step in range(steps):
        gains = table[-1, :-1]
        good = np.flatnonzero(gains > 1e-13 * scale)
        if not len(good):
            break
        # The steepest column; later the first one, which cannot cycle (Bland).
        column = int(good[0] if step > steps // 2 else np.argmax(gains))
        _pivot(table, basis, column)
    shares = np.zeros(size + cuts)
    shares[basis] = table[:-1, -1]
    return shares[:size], np.maximum(-table[-1, size:-1], 0.0)


def _pivot(table: Array, basis: list[int], column: int) -> None:
    """Bring one column into the basis, for the row that runs out first."""
    entries = table[:-1, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(entries > 1e-12, table[:-1, -1] / entries, math.inf)
    row = int(np.argmin(ratios))
    if math.isinf(ratios[row]):
        # Cannot be: the shares sum to 1. Only rounding ends here, and any multipliers are valid.
        table[-1, column] = 0.0
        return
    table[row] /= table[row, column]
    factors = table[:, column].copy()
    factors[row] = 0.0
    table -= np.multiply.outer(factors, table[row])
    basis[row] = column
