"""Limits on bits, I(S; Y) <= limit, as rows of a linear program.

I is a sum over answers of f_y(z) = sum_s z_s ln(z_s / (z P_s)), z_s = P(s, y). Each is convex, and
for any numbers c with sum_s P_s e^c_s <= 1 it is at least sum_s c_s z_s (Gibbs). So an unknown
per answer lies above all such lines that were drawn, their sum below the limit; lines are drawn at
a few fixed odds, then where a solution lies below what it tells, until that is nearly the limit.
Silence does the rest: (1 - t) W + t {} tells at most 1 - t of what W does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.program import Layout
from unspoken.planning.records.solver import Coefficients, Constraints, Program

__all__ = ["BitLimit", "Bits", "nats"]

SEEDS, LEAST = 5, 0.1  # how many odds lines are drawn at first, and the least of these
BELOW = 1e-8  # what an answer may lie below what it tells, of its mass
SAFE = 1e-13  # what logarithms may be off by
ROUNDING = 1e-12  # what sums and logarithms may be off by, relatively and in nats


@dataclass(frozen=True)
class BitLimit:
    """I(S; Y_C) <= ``nats`` under a law [cell]; ``secret``: which secret a cell has [cell]."""

    law: Array
    secret: Codes
    sees: int
    nats: float

    def joint(self, pairs: Pairs, answers: Answers, shares: Array) -> Array:
        """P(s, y) [answer, secret]."""
        kinds = len(self.prior)
        at = answers.of_pair * kinds + self.secret[pairs.cell]
        mass = np.bincount(at, self.law[pairs.cell] * shares, len(answers) * kinds)
        return mass.reshape(-1, kinds).astype(np.float64)

    @cached_property
    def prior(self) -> Array:
        """P(s)."""
        return np.bincount(self.secret, self.law).astype(np.float64)

    def leaks(self, joint: Array) -> Array:
        """f_y of each answer, but for rounding."""
        both = joint.sum(1, keepdims=True) * self.prior
        there = (joint > 0) & (both > 0)
        ratio = np.divide(joint, both, out=np.ones_like(joint), where=there)
        terms: Array = (joint * np.log(ratio)).sum(1)
        return np.maximum(terms, 0.0)


def nats(cells: Cells, pairs: Pairs, shares: Array, limit: BitLimit) -> float:
    """I(S; Y) of a table, rounded up."""
    answers = Answers.of(cells, pairs, limit.sees)
    leaked = math.fsum(limit.leaks(limit.joint(pairs, answers, shares)).tolist())
    return leaked * (1 + ROUNDING) + ROUNDING if leaked else 0.0


@dataclass
class Cuts:
    """What was drawn below the f_y of one limit. Rows: level_y - sum_s c_s z_s / m_y >= 0, m_y
    being the most mass an answer can have.
    """

    limit: BitLimit
    answers: Answers
    most: Array
    first: int  # its first unknown; they follow by answer
    rows: list[tuple[int, Codes, Coefficients]] = field(
        default_factory=list
    )  # where, of which, what

    def below(self, layout: Layout, at: Codes, slopes: Array) -> Coefficients:
        """Lines [line, secret] of these answers, as rows without their level."""
        line = np.full(len(self.answers), -1)
        line[at] = np.arange(len(at))
        line_of = line[self.answers.of_pair]
        pairs = np.flatnonzero(line_of >= 0)
        cell = layout.pairs.cell[pairs]
        rate = self.limit.law[cell] / self.most[self.answers.of_pair[pairs]]
        numbers = -slopes[line_of[pairs], self.limit.secret[cell]] * rate
        return Coefficients(len(at), line_of[pairs], pairs, numbers)

    def level(self, at: Codes) -> Coefficients:
        return Coefficients(len(at), np.arange(len(at)), self.first + at, np.ones(len(at)))


@dataclass
class Bits:
    """All limits on bits of one program."""

    layout: Layout
    cuts: list[Cuts]
    first_row: int  # of the limits' own; lines follow
    rows: int

    @classmethod
    def added(
        cls,
        program: Program,
        layout: Layout,
        limits: Sequence[BitLimit],
        cap: float,
        columns: int,
        rows: int,
    ) -> Bits:
        """To a program of so many columns and rows."""
        cuts, start = [], columns
        for limit in limits:
            answers = Answers.of(layout.cells, layout.pairs, limit.sees)
            mass = np.bincount(answers.of_pair, limit.law[layout.pairs.cell], len(answers))
            cuts.append(Cuts(limit, answers, np.maximum(mass, 1e-300), start))
            start += len(answers)
        count = start - columns
        nothing = Coefficients(count, np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))
        program.add_columns(np.zeros(count), nothing, np.zeros(count), np.full(count, np.inf))
        sums = [
            Coefficients(
                1, np.zeros(len(each.most), np.intp), each.first + np.arange(len(each.most)),
                each.most / (each.limit.nats or 1.0),
            )
            for each in cuts
        ]  # fmt: skip
        ends = np.array([1.0 if limit.nats else 0.0 for limit in limits])
        program.add_rows(Constraints.at_most(Coefficients.stacked(sums), ends))
        made = cls(layout, cuts, rows, rows + len(cuts))
        for odds in np.geomspace(LEAST, min(cap, 100.0), SEEDS).tolist():
            for each in cuts:
                for slopes in _seeds(each.limit.prior, odds):
                    at = np.arange(len(each.answers))
                    made.draw(program, each, at, np.tile(slopes, (len(at), 1)))
        return made

    def draw(self, program: Program, cuts: Cuts, at: Codes, slopes: Array) -> None:
        """More lines, below these answers."""
        below, level = cuts.below(self.layout, at, slopes), cuts.level(at)
        program.add_rows(Constraints.at_least(below.beside(level), 0.0))
        cuts.rows.append((self.rows, at, below))
        self.rows += len(at)

    def sharpened(self, program: Program, x: Array) -> bool:
        """Lines drawn where a solution tells more than they say; False where it does not."""
        drawn = False
        for cuts in self.cuts:
            shares = np.maximum(x[: len(self.layout.pairs)], 0.0)
            joint = cuts.limit.joint(self.layout.pairs, cuts.answers, shares)
            leaked = cuts.limit.leaks(joint)
            level = np.maximum(x[cuts.first : cuts.first + len(cuts.most)], 0.0) * cuts.most
            at = np.flatnonzero(leaked > level + BELOW * cuts.most)
            if len(at):
                self.draw(program, cuts, at, _slopes(joint[at], cuts.limit.prior))
                drawn = True
        return drawn

    def silence(self, shares: Array) -> float:
        """The least t, nearly, with which (1 - t) W + t {} keeps every limit."""
        first = self.layout.pairs.rest
        shares = np.maximum(shares, 0.0)

        def kept(t: float) -> bool:
            pairs, mixed = self.layout.pairs, (1 - t) * shares + t * first
            joints = (
                (each.limit, each.limit.joint(pairs, each.answers, mixed)) for each in self.cuts
            )
            return all(math.fsum(limit.leaks(joint)) <= limit.nats for limit, joint in joints)

        low, high = 0.0, 1.0
        if kept(low):
            return low
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if kept(middle) else (middle, high)
        return high

    def multiplier(self, multipliers: Array) -> float:
        """What one more nat of every limit adds to the objective."""
        ends = multipliers[self.first_row : self.first_row + len(self.cuts)].tolist()
        limits = [cuts.limit.nats or 1.0 for cuts in self.cuts]
        return math.fsum(max(0.0, end) / limit for end, limit in zip(ends, limits, strict=True))

    def taken(self, multipliers: Array) -> tuple[list[tuple[Array, Array]], list[float]]:
        """What the limits take off each pair at these multipliers, and what their ends add.

        price (limit - sum_y f_y) >= 0 and price f_y >= sum_k w_k line_k for weights with
        sum_k w_k <= price, the line 0 taking the rest.
        """
        count, taken, ends = len(self.layout.pairs), [], []
        for k, cuts in enumerate(self.cuts):
            price = max(0.0, float(multipliers[self.first_row + k])) / (cuts.limit.nats or 1.0)
            drawn = [each for each in cuts.rows if each[0] < len(multipliers)]
            drawn_multipliers = np.concatenate(
                [multipliers[row : row + len(at)] for row, at, _ in drawn]
            )
            at = np.concatenate([at for _, at, _ in drawn])
            weights = np.maximum(-drawn_multipliers, 0.0)
            total = np.bincount(at, weights, len(cuts.most)) * (1 + 1e-12)
            fit = np.minimum(1.0, price * cuts.most / np.maximum(total, 1e-300))
            below = Coefficients.stacked([coefficients for _, _, coefficients in drawn])
            taken.append(Constraints.at_least(below, 0.0).taken(-weights * fit[at], count))
            ends.append(math.nextafter(price * cuts.limit.nats, math.inf))
        return taken, ends


def _seeds(prior: Array, odds: float) -> list[Array]:
    """Slopes of the posteriors by which one secret's odds have grown by this factor."""
    slopes = []
    for secret in range(1, len(prior)):
        slope = np.full(len(prior), -math.log1p(prior[secret] * (odds - 1)))
        slope[secret] += math.log(odds)
        slopes.append(slope - SAFE * (1 + np.abs(slope)))
    return slopes


def _slopes(joint: Array, prior: Array) -> Array:
    """c_s = ln(r_s / P_s) at these posteriors r, none of them 0."""
    posterior = np.maximum(joint / joint.sum(1, keepdims=True), 1e-9 * prior)
    posterior /= posterior.sum(1, keepdims=True)
    slopes = np.log(np.where(prior > 0, posterior / np.where(prior > 0, prior, 1.0), 1.0))
    lower: Array = slopes - SAFE * (1 + np.abs(slopes))
    return lower
