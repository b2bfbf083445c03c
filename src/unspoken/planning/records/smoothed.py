"""Where a program of very many pairs starts: prices near the best, and the pairs that pay by them.

Whatever the prices u_y >= 0 are, sum_x N_x max_S (worth(S, x) - h_x u_y) bounds every release. With
t log sum_S exp(. / t) in place of each max it is smooth in them, and each

    W(S|x) ~ exp((worth(S, x) - h_x u_y) / t),    u_y += t ln(secret_y / other_y) / (a + b)

makes it less, all y at once: since a cell gives one answer at a time, log z <= z - 1 parts the
answers (generalised iterative scaling). secret_y and other_y are both sides of the row at W, and
a, b the largest numbers of their cells. So a few passes over the catalogue find what the simplex
method would take thousands of steps for, and the program needs few pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Floats
from unspoken.planning.records.answer_catalogue import AnswerCatalogue

__all__ = ["Smoothed"]

SMOOTHING = (0.3, 0.1, 0.03)  # t, of what a label is worth
STEPS, FALLS = 40, 5e-5  # a step that makes the bound less by a smaller part is the last
BEYOND, MOST = 1.8, 20.0  # times a step; the exponents it may move by
NEAR = 0.3  # of what a label is worth: a pair that is so far from the best of its cell may pay


@dataclass(frozen=True)
class Smoothed:
    """``row``: h_x of each cell, ``many``: N_x."""

    held: AnswerCatalogue
    row: Array
    many: Array

    @property
    def unit(self) -> float:
        """What a label is worth, about."""
        shown = np.maximum(np.bitwise_count(self.held.pattern), 1)
        return float(np.max(self.held.worth[self.held.start] / shown, initial=0.0)) or 1.0

    @property
    def _alone(self) -> Array:
        """What each cell shows at best without a row, where there is that."""
        return np.where(self.held.free > 0, self.held.free_worth, -np.inf)

    def prices(self) -> Array:
        """Of every answer."""
        held, price = self.held, np.zeros(len(self.held))
        level = self._alone.copy()
        np.maximum.at(level, held.cell, held.worth)
        shares = np.empty(len(held.cell), dtype=np.float32)  # half of the memory; near is enough
        rows = np.abs(self.row[held.cell[held.sides]]).reshape(-1, 2).sum(1)
        for smoothing in np.array(SMOOTHING) * self.unit:
            last = math.inf
            for _ in range(STEPS):
                total = np.exp((self._alone - level) / smoothing)
                for answers, places in held.passes():
                    net = self._net(price, answers, places) - level[held.cell[places]]
                    shares[places] = np.exp(net / smoothing)
                    total += np.bincount(held.cell[places], shares[places], len(total))
                level += smoothing * np.log(total)
                bound = float(self.many @ level)
                if 0 <= last - bound < FALLS * bound:
                    break
                last = bound
                step = smoothing * self._excess(shares, self.many / total) * BEYOND / rows
                most = MOST * smoothing / rows
                price = np.maximum(price + np.clip(step, -most, most), 0.0)
        return price

    def _excess(self, shares: Floats, rate: Array) -> Array:
        """ln(secret_y / other_y) of every answer."""
        held, excess = self.held, np.zeros(len(self.held))
        for answers, places in held.passes():
            cell = held.cell[places]
            masses = shares[places] * (rate * np.abs(self.row))[cell]
            starts = held.sides[2 * answers.start : 2 * answers.stop] - places.start
            sums = np.maximum(np.add.reduceat(masses, starts), 1e-300)
            excess[answers] = np.log(sums[::2] / sums[1::2])
        return excess

    def near(self, price: Array) -> tuple[Codes, Array]:
        """The places that are not far from what their cell shows best at these prices; and that."""
        held, best = self.held, self._alone.copy()
        for answers, places in held.passes():
            np.maximum.at(best, held.cell[places], self._net(price, answers, places))
        found = [
            places.start + np.flatnonzero(
                self._net(price, answers, places) > best[held.cell[places]] - NEAR * self.unit
            )
            for answers, places in held.passes()
        ]  # fmt: skip
        return np.concatenate([np.zeros(0, dtype=np.intp), *found]), best

    def _net(self, price: Array, answers: slice, places: slice) -> Array:
        """worth - h_x u_y."""
        held = self.held
        each = np.repeat(price[answers], held.lengths[answers])
        net: Array = held.worth[places] - self.row[held.cell[places]] * each
        return net
