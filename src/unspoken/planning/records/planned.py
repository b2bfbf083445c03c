"""A table with one coin a record that keeps every row, and what can be said of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from unspoken.core.mechanisms import Extension, Suppression
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import Bound
from unspoken.planning.records.binding import Binding
from unspoken.planning.records.problem import RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable
from unspoken.planning.records.telling import information, most_odds

__all__ = ["Planned", "sharing"]

LOST = 0.01  # of what can be shown: what rounding may take before it is said
NOT_KEPT = (
    "; near the best solution no exact probabilities were found that keep every limit, so "
    "{lost:.1%} of it is not shown"
)


@dataclass(frozen=True)
class Planned:
    """A table that keeps every row exactly, and what no release within the limits exceeds."""

    problem: RecordProblem
    table: IntegerTable
    upper: float
    binding: tuple[Binding, ...] = ()
    multiplier: float = math.nan  # of the limits on bits
    fair: float = 1.0  # the smallest share, of what it may be at most
    note: str = ""  # on what was tried
    most_shown: float = 0.0  # by the program that was solved, before rounding; 0: not known

    @property
    def objective(self) -> float:
        """Expected worth of what a record shows."""
        return float(self._worth(self.problem.prices(self.table.cells)))

    def _worth(self, prices: Array) -> float:
        layout = Layout(self.table.cells, self.table.pairs, ())
        return float(layout.values(prices) @ self.table.shares) * (1 - 1e-14)

    @property
    def lacks(self) -> float:
        """Which part of what may be it lacks at most, of the smallest share or of the sum."""
        reached = self.objective / self.upper if self.upper > 0 else 1.0
        return 1.0 - min(self.fair, reached)

    @property
    def most(self) -> float:
        """The worth of all that is read, shown or not."""
        cells = self.table.cells
        return float(cells.probability @ self.problem.prices(cells).sum(1))

    @property
    def free(self) -> float:
        """The worth of all that may be shown: what no release of true labels exceeds."""
        cells, axes = self.table.cells, range(len(self.problem.domain.names))
        may_be_shown = (cells.free[:, None] >> np.array(axes)) & 1
        prices = self.problem.prices(cells)
        return float(cells.probability @ (prices * may_be_shown).sum(1)) * (1 + 1e-14)

    def shown(self, names: tuple[str, ...]) -> float:
        """Expected number of labels of these that are shown."""
        chosen = np.zeros(self.table.cells.codes.shape)
        chosen[:, [self.problem.domain.axis(name) for name in names]] = 1.0
        return self._worth(chosen)

    @property
    def p(self) -> dict[str, float]:
        """Shown cells out of free ones, per name."""
        cells, found = self.table.cells, {}
        for name in self.problem.reads:
            bit = 1 << self.problem.domain.axis(name)
            free = float(cells.probability[(cells.free & bit) != 0].sum())
            found[name] = min(1.0, self.shown((name,)) / free) if free > 0 else 0.0
        return found

    @property
    def shares(self) -> dict[str, float]:
        """Shown cells out of all that each application reads."""
        return {
            application: self.shown(names) / len(names)
            for application, names in self.problem.shares.items()
        }

    @property
    def odds(self) -> Bound:
        """The worst factor of any answer of any coalition, about any event."""
        problem, cells = self.problem, self.table.cells
        rows = problem.held(cells, Fraction(1))
        reached = not problem.believed.of_sets
        return most_odds(self.table, problem.sees(), rows, problem.premise, reached)

    @property
    def information(self) -> dict[str, Bound]:
        """What the coalition that learns most learns of each secret."""
        problem = self.problem
        if problem.believed.of_sets:
            return {}
        return information(self.table, problem.sees(), problem.axes(), problem.premise)

    @property
    def beside(self) -> str:
        """What was not tried and what the limits leave out, in words."""
        middle = self.problem.believed.of_sets and self.problem.limit != math.inf
        bits = "; bits are limited under the belief in the middle of the set" if middle else ""
        return self.note + self._lost_by_rounding + bits + self._unlooked

    @property
    def _lost_by_rounding(self) -> str:
        """What of the best solution no exact probabilities near it keep, if that is much."""
        reached = self.objective / self.most_shown if self.most_shown > 0 else 1.0
        lost = 1 - min(self.fair, reached)
        return NOT_KEPT.format(lost=lost) if lost > LOST else ""

    @property
    def _unlooked(self) -> str:
        """Which releases the upper end is not about."""
        names = self.problem.unlooked
        return f"; of releases that do not look at {', '.join(names)} of a record" if names else ""

    @property
    def mechanism(self) -> Suppression | Extension:
        """As it is stored."""
        problem, cells, pairs = self.problem, self.table.cells, self.table.pairs
        shown = ~pairs.rest
        starts = np.searchsorted(pairs.cell[shown], np.arange(len(cells) + 1))
        weights = self.table.weights[shown].astype(np.int64)
        adds = (pairs.pattern & ~cells.out[pairs.cell])[shown]
        return cells.earlier.extended(
            cells.codes, starts, adds, weights, problem.domain, problem.sensitive
        )


def sharing(problem: RecordProblem) -> list[int]:
    """Masks of the applications whose smallest share is made large first; none where that is the
    sum: one reads all, and labels are worth the same.
    """
    masks = [problem.mask(names) for names in problem.shares.values()]
    worth = np.unique(np.concatenate([*problem.worth.values()]))
    return [] if masks == [problem.mask(problem.reads)] and len(worth) == 1 else masks
