"""The solver's one module: rows, columns and numbers may change, and its status is read."""

import subprocess
import sys

import highspy
import numpy as np
import pytest

import unspoken
from unspoken.core.errors import TooLarge
from unspoken.planning.records.solver import Coefficients, Constraints, Program

INF = np.inf


def coefficients(table):
    line, column = np.nonzero(np.array(table))
    return Coefficients(len(table), line, column, np.array(table, dtype=float)[line, column])


def small():
    """x + 1.5 y at most, x <= 2, x + y <= 3."""
    rows = Constraints.at_most(coefficients([[1, 0], [1, 1]]), np.array([2.0, 3.0]))
    return Program(np.array([1.0, 1.5]), rows, np.zeros(2), np.full(2, INF))


def found(program, objective, x, multipliers):
    solved = program.solve()
    assert solved.optimal
    assert solved.objective == pytest.approx(objective)
    assert solved.x == pytest.approx(np.array(x, dtype=float))
    assert solved.multipliers == pytest.approx(np.array(multipliers, dtype=float))


def test_a_program_is_changed_and_solved_again():
    program = small()
    found(program, 4.5, [0, 3], [0, 1.5])
    program.add_rows(Constraints.at_most(coefficients([[0, 1]]), 1.0))
    found(program, 3.5, [2, 1], [0, 1, 0.5])
    program.add_columns(np.array([5.0]), coefficients([[0, 1, 0]]), np.zeros(1), np.full(1, INF))
    found(program, 15, [0, 0, 3], [0, 5, 0])
    program.change_worth(np.array([1.0, 0.0, 0.0]))
    assert program.solve().objective == pytest.approx(2)


def test_what_has_no_solution_is_not_optimal():
    program = small()
    program.add_rows(Constraints.at_least(coefficients([[1, 1]]), 4.0))
    assert program.solve().status == "infeasible"
    assert not program.solve().optimal


def test_numbers_out_of_range_are_refused_in_one_line():
    with pytest.raises(TooLarge, match="merge rare labels"):
        small().add_rows(Constraints.at_most(coefficients([[1e300, 1]]), 1.0))


def test_parts_are_stacked():
    both = Coefficients.stacked([coefficients([[1, 0]]), coefficients([[0, 2], [3, 0]])])
    starts, columns, numbers = both.compressed()
    assert (starts.tolist(), columns.tolist(), numbers.tolist()) == (
        [0, 1, 2],
        [0, 1, 0],
        [1, 2, 3],
    )
    assert Coefficients.stacked([]).lines == 0


@pytest.mark.parametrize("seed", [27, 60, 70])
def test_where_one_way_gives_up_the_other_is_tried(seed):
    """Of a box with rare records the dual simplex ended without a status, and fewer patterns were
    said to be what there was time for.
    """
    table = np.random.default_rng(seed).gamma(0.3, size=(2, 2, 2)) + 1e-12
    belief = unspoken.Box.within(unspoken.Joint(table / table.sum(), names="abc"), 0.001)
    plan = unspoken.plan(belief, by="record", odds_cap=1.5, sensitive={"a": [0], "b": [], "c": []})
    assert "patterns" not in plan.bound.why
    assert plan.objective >= plan.bound.high * (1 - 1e-5)
    assert plan.odds.odds <= 1.5


SOLVE = """
import numpy as np
from unspoken.planning.records.solver import Coefficients, Constraints, Program
one = Coefficients(1, np.zeros(2, int), np.arange(2), np.ones(2))
for presolve in (False, True):
    program = Program(np.ones(2), Constraints.at_most(one, 3.0), np.zeros(2), np.ones(2), presolve)
    assert program.solve().optimal
    assert program.solve_inside().optimal
"""


@pytest.mark.slow
def test_the_solver_prints_nothing():
    """In a new process: what HiGHS prints about itself, it prints once in each."""
    ended = subprocess.run([sys.executable, "-c", SOLVE], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")


class GivesUpTwice:
    """A solver that knows no better for the first two runs."""

    def __init__(self, highs):
        self.highs, self.runs, self.presolve = highs, 0, []

    def __getattr__(self, name):
        return getattr(self.highs, name)

    def run(self):
        self.runs += 1
        self.presolve.append(self.highs.getOptionValue("presolve")[1])
        return self.highs.run()

    def getModelStatus(self):
        gave_up = highspy.HighsModelStatus.kUnknown
        return gave_up if self.runs < 3 else self.highs.getModelStatus()


def test_a_solver_that_gives_up_is_asked_in_other_ways():
    """Dual steps, primal steps, and once more with rows taken out that follow from others."""
    matrix = Coefficients(1, np.zeros(2, np.intp), np.arange(2), np.ones(2))
    rows = Constraints.at_most(matrix, 1.0)
    program = Program(np.array([1.0, 2.0]), rows, np.zeros(2), np.ones(2))
    program.highs = GivesUpTwice(program.highs)
    found = program.solve()
    assert found.optimal
    assert found.x.tolist() == [0.0, 1.0]
    assert program.highs.presolve == ["off", "off", "on"]
    assert program.highs.getOptionValue("presolve")[1] == "off"
