"""The perturbation itself: what is solved in another order comes back in the caller's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.perturbed import perturb
from unspoken.planning.records.solver import Coefficients, Constraints, Program


def _dense(matrix: np.ndarray) -> Coefficients:
    line, column = np.nonzero(matrix)
    return Coefficients(len(matrix), line, column, matrix[line, column])


def _solutions(seed: int) -> list[np.ndarray]:
    """x and multipliers after each kind of change to a program that has one solution."""
    rng = np.random.default_rng(seed)
    worth, matrix = rng.uniform(1, 2, 5), rng.uniform(0, 1, (3, 5))
    program = Program(worth, Constraints.at_most(_dense(matrix), 1.0), np.zeros(5), np.full(5, 0.9))
    found = []

    def solve() -> None:
        solved = program.solve()
        assert solved.optimal
        found.extend([solved.x, solved.multipliers])

    solve()
    program.add_rows(Constraints.at_most(_dense(rng.uniform(0, 1, (2, 5))), 0.5))
    solve()
    columns = _dense(rng.uniform(0, 1, (2, 5)))  # a line for each new column, at the rows
    program.add_columns(rng.uniform(1, 2, 2), columns, np.zeros(2), np.full(2, 0.3))
    solve()
    program.change_worth(rng.uniform(1, 2, 7))
    solve()
    program.change_bounds(np.array([4, 1]), np.array([0.1, 0.0]), np.array([0.1, 0.05]))
    solve()
    return found


@pytest.mark.parametrize("seed", range(6))
def test_solutions_are_put_back_in_order(seed: int) -> None:
    plain = _solutions(seed)
    with pytest.MonkeyPatch.context() as patch:
        perturb(patch, seed)
        other = _solutions(seed)
    assert len(plain) == len(other)
    for here, there in zip(plain, other, strict=True):
        assert there == pytest.approx(here, abs=1e-7)


def test_programs_are_in_another_order() -> None:
    with pytest.MonkeyPatch.context() as patch:
        perturb(patch, 1)
        matrix = np.eye(6)
        program = Program(
            np.ones(6), Constraints.at_most(_dense(matrix), 1.0), np.zeros(6), np.full(6, 9.0)
        )
    assert program.column.tolist() != [*range(6)]  # type: ignore[attr-defined]
