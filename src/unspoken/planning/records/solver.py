"""Linear programs, solved by HiGHS: the one module that knows it.

The solver is never trusted: what it finds is rounded and checked in exact arithmetic, and its
multipliers are made into a bound that holds whatever they are. One thread, simplex: vertices of a
program keep its rows, points inside may be off where an answer is rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array, Codes

__all__ = ["Coefficients", "Program", "Constraints", "Solved"]

OPTIONS: dict[str, bool | int | float | str] = {
    "threads": 1,
    "solver": "simplex",
    "random_seed": 0,
    "run_crossover": "off",
    "ipm_iteration_limit": 200,
    "primal_feasibility_tolerance": 1e-9,  # with limits on bits many rows add up
}
# Presolved it ends without multipliers; crossing over to a vertex takes longer than all before.
INSIDE = {"solver": "ipm", "presolve": "off"}
CLOSE, USUAL = 1e-9, 1e-8  # how near the optimum it ends; nearer than usual it may not get there


DUAL, PRIMAL = 1, 4  # simplex
GAVE_UP = (highspy.HighsModelStatus.kNotset, highspy.HighsModelStatus.kUnknown)


@dataclass(frozen=True)
class Coefficients:
    """Numbers at places (line, column) of a matrix of so many lines."""

    lines: int
    line: Codes
    column: Codes
    number: Array

    @classmethod
    def stacked(cls, parts: Sequence[Coefficients]) -> Coefficients:
        """One below the other."""
        above = np.cumsum([0, *(part.lines for part in parts)])
        return cls(
            int(above[-1]),
            np.concatenate([p.line + a for p, a in zip(parts, above, strict=False)] or [NOWHERE]),
            np.concatenate([p.column for p in parts] or [NOWHERE]),
            np.concatenate([p.number for p in parts] or [np.zeros(0)]),
        )

    def beside(self, other: Coefficients) -> Coefficients:
        """With more numbers in the same lines."""
        return Coefficients(
            self.lines,
            np.concatenate([self.line, other.line]),
            np.concatenate([self.column, other.column]),
            np.concatenate([self.number, other.number]),
        )

    def compressed(self) -> tuple[Codes, Codes, Array]:
        """Where each line starts, and the columns and numbers, line by line."""
        order = np.argsort(self.line, kind="stable")
        starts = np.searchsorted(self.line[order], np.arange(self.lines))
        return starts, self.column[order], self.number[order]

    def divided(self) -> tuple[Coefficients, Array]:
        """Each line by the size of its largest number, and these; a line of nothing by 1."""
        largest = np.zeros(self.lines)
        np.maximum.at(largest, self.line, np.abs(self.number))
        largest[largest == 0] = 1.0
        return replace(self, number=self.number / largest[self.line]), largest


@dataclass(frozen=True)
class Constraints:
    """least <= coefficients . x <= most."""

    coefficients: Coefficients
    least: Array
    most: Array

    @classmethod
    def within(
        cls, coefficients: Coefficients, least: Array | float, most: Array | float
    ) -> Constraints:
        ends = (
            np.broadcast_to(end, coefficients.lines).astype(np.float64) for end in (least, most)
        )
        return cls(coefficients, *ends)

    @classmethod
    def at_most(cls, coefficients: Coefficients, most: Array | float) -> Constraints:
        return cls.within(coefficients, -np.inf, most)

    @classmethod
    def at_least(cls, coefficients: Coefficients, least: Array | float) -> Constraints:
        return cls.within(coefficients, least, np.inf)

    @classmethod
    def exactly(cls, coefficients: Coefficients, number: Array | float) -> Constraints:
        return cls.within(coefficients, number, number)

    @classmethod
    def stacked(cls, parts: Sequence[Constraints]) -> Constraints:
        """One below the other."""
        least = np.concatenate([np.zeros(0), *(part.least for part in parts)])
        most = np.concatenate([np.zeros(0), *(part.most for part in parts)])
        return cls(Coefficients.stacked([part.coefficients for part in parts]), least, most)

    @property
    def lines(self) -> int:
        return self.coefficients.lines

    def taken(self, multipliers: Array, count: int) -> tuple[Array, Array]:
        """What the rows at these multipliers take off each of the first unknowns, and the size of
        the terms, times their number where these are many (as their sum is rounded).
        """
        terms = multipliers[self.coefficients.line] * self.coefficients.number
        at = self.coefficients.column
        sums: Array = np.bincount(at, terms, count)[:count].astype(np.float64)
        sizes: Array = np.bincount(at, np.abs(terms), count)[:count].astype(np.float64)
        return sums, sizes * np.maximum(np.bincount(at, minlength=count)[:count], 1)


MOST_STEPS = 2**31 - 1
NOWHERE = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Solved:
    """``x`` and the multipliers of the rows: what one more unit of a row's end adds to the
    objective. ``optimal``: whether the solver says so; else they are the last it had. ``work``: so
    many steps were taken, times the rows and columns, which is what a step costs.
    """

    optimal: bool
    status: str
    objective: float
    x: Array
    multipliers: Array
    work: float


class SilentHighs(highspy.Highs):
    """A solver that prints nothing, not even who made it.

    HiGHS 1.16 prints two lines to standard output, by itself and not by way of ``sys.stdout``, as
    soon as callbacks are enabled. The constructor of ``highspy.Highs`` does that, so an option that
    is set afterwards comes too late.
    """

    def enableCallbacks(self) -> None:
        """Turn all output off, then enable callbacks as the constructor asks for."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]  # it has no types


class Program:
    """Maximise ``worth`` . x with x in [lower, upper] within the rows.

    Rows, columns and numbers may be changed; the next solution starts from the last one.
    ``presolve``: whether rows and columns are first taken out that follow from others.
    """

    def __init__(
        self, worth: Array, rows: Constraints, lower: Array, upper: Array, presolve: bool = False
    ) -> None:
        self.highs: Any = SilentHighs()  # type: ignore[no-untyped-call]  # nor has its base
        for name, value in {**OPTIONS, "presolve": "on" if presolve else "off"}.items():
            self.highs.setOptionValue(name, value)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(worth), rows.lines
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = worth, lower, upper
        lp.row_lower_, lp.row_upper_ = rows.least, rows.most
        lp.sense_ = highspy.ObjSense.kMaximize
        starts, columns, numbers = rows.coefficients.compressed()
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.append(starts, len(columns)).astype(np.int32)
        lp.a_matrix_.index_ = columns.astype(np.int32)
        lp.a_matrix_.value_ = numbers
        self._expect(self.highs.passModel(lp))

    @property
    def size(self) -> int:
        """Rows and columns."""
        return int(self.highs.getNumRow() + self.highs.getNumCol())

    def solve(self, work: float = np.inf, primal: bool = False) -> Solved:
        """The best x; after so much work the last one, which is not ``optimal``.

        Counted, not timed: what is found is the same on every machine, however busy.
        """
        steps = int(min(max(work / self.size, 1), MOST_STEPS))
        self.highs.setOptionValue("simplex_iteration_limit", steps)
        for strategy in (PRIMAL, DUAL) if primal else (DUAL, PRIMAL):
            self.highs.setOptionValue("simplex_strategy", strategy)
            found = self._ran()
            if self.highs.getModelStatus() not in GAVE_UP:
                return found
            self.highs.clearSolver()  # numbers are far apart: the other way
        with self._set({"presolve": "on"}):
            return self._ran()

    def solve_anew(self, work: float) -> Solved:
        """From nothing, less what follows from the rest: where most unknowns are fixed by now."""
        with self._set({"presolve": "on"}):
            self.highs.clearSolver()
            return self.solve(work)

    def solve_inside(self) -> Solved:
        """By an interior point, from nothing: where many rows bind at once, and steps from vertex
        to vertex are very many.
        """
        for tolerance in (CLOSE, USUAL):
            with self._set({**INSIDE, "ipm_optimality_tolerance": tolerance}):
                self.highs.clearSolver()
                found = self._ran()
            if found.optimal:
                return found
        # It knows no better, but keeps its rows: what it found is rounded and bounded all the same.
        kept = self.highs.getInfo().max_primal_infeasibility <= USUAL
        unknown = self.highs.getModelStatus() == highspy.HighsModelStatus.kUnknown
        return replace(found, optimal=unknown and kept)

    @contextmanager
    def _set(self, options: Mapping[str, str | float]) -> Iterator[None]:
        before = {name: self.highs.getOptionValue(name)[1] for name in options}
        for name, value in options.items():
            self.highs.setOptionValue(name, value)
        yield
        for name, value in before.items():
            self.highs.setOptionValue(name, value)

    def _ran(self) -> Solved:
        self.highs.run()
        status = self.highs.getModelStatus()
        solution = self.highs.getSolution()
        return Solved(
            status == highspy.HighsModelStatus.kOptimal,
            self.highs.modelStatusToString(status).lower(),
            self.highs.getObjectiveValue(),
            np.array(solution.col_value, dtype=np.float64),
            np.array(solution.row_dual, dtype=np.float64),
            float(self.highs.getInfo().simplex_iteration_count) * self.size,
        )

    def add_rows(self, rows: Constraints) -> None:
        starts, columns, numbers = rows.coefficients.compressed()
        self._expect(
            self.highs.addRows(
                rows.lines, rows.least, rows.most, len(columns), starts.astype(np.int32),
                columns.astype(np.int32), numbers,
            )
        )  # fmt: skip

    def add_columns(self, worth: Array, columns: Coefficients, lower: Array, upper: Array) -> None:
        """``columns``: a line for each new column, at the rows."""
        starts, rows, numbers = columns.compressed()
        self._expect(
            self.highs.addCols(
                columns.lines, worth, lower, upper, len(rows), starts.astype(np.int32),
                rows.astype(np.int32), numbers,
            )
        )  # fmt: skip

    def change_worth(self, worth: Array) -> None:
        at = np.arange(len(worth), dtype=np.int32)
        self._expect(self.highs.changeColsCost(len(at), at, worth))

    def change_bounds(self, columns: Codes, lower: Array, upper: Array) -> None:
        """In which interval some unknowns are."""
        at = columns.astype(np.int32)
        self._expect(self.highs.changeColsBounds(len(at), at, lower, upper))

    @staticmethod
    def _expect(status: highspy.HighsStatus) -> None:
        """A warning (a tiny number left out, say) is none of an error; what is found is checked."""
        if status == highspy.HighsStatus.kError:
            raise TooLarge(
                "plan: the solver does not take numbers of such different sizes; merge rare labels"
            )
