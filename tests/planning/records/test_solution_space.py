"""Linear equations in whole numbers: solutions hold exactly, and are near what was rounded."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.planning.records.solution_space import SolutionSpace

SCALE = 2**62


def _space(values, equations):
    space = SolutionSpace(np.array(values))
    for equation in equations:
        space.add(equation)
    return space


@given(
    st.lists(
        st.dictionaries(st.integers(0, 5), st.integers(-40, 40).filter(bool), min_size=1),
        max_size=6,
    ),
    st.integers(0, 2**32 - 1),
)
def test_every_equation_holds_exactly(equations, seed):
    rng = np.random.default_rng(seed)
    space = _space(rng.uniform(0, 1, 6), equations)
    found = space.nearest_solution(SCALE, space.steps())
    assert all(isinstance(number, int) for number in found.tolist())
    for equation in equations:
        assert sum(c * found[j] for j, c in equation.items()) == 0


@given(st.integers(0, 2**32 - 1))
def test_a_solution_is_rounded_to_one_near_by(seed):
    """Values that solve the equations but for rounding move by a few units in 2^62."""
    rng = np.random.default_rng(seed)
    equations = [
        dict(zip(rng.choice(8, 3, replace=False).tolist(), (1, -1, -2), strict=True))
        for _ in range(3)
    ]
    matrix = np.zeros((3, 8))
    for line, equation in enumerate(equations):
        for j, c in equation.items():
            matrix[line, j] = c
    start = rng.uniform(0, 1, 8)
    values = start - np.linalg.pinv(matrix) @ (matrix @ start)  # on all solutions, the nearest
    space = _space(values, equations)
    steps = space.steps()
    found = space.nearest_solution(SCALE, steps)
    allowed = max(steps.values(), default=1) / SCALE + 1e-12
    for j, number in enumerate(found.tolist()):
        assert abs(number / SCALE - values[j]) <= 40 * allowed


@pytest.mark.parametrize(
    ("equations", "rank"),
    [
        ([], 0),
        ([{0: 2, 1: -1}], 1),
        ([{0: 2, 1: -1}, {0: -4, 1: 2}], 1),
        ([{0: 1, 1: -1}, {1: 1, 2: -1}, {0: 1, 2: -1}], 2),
        ([{0: 1}, {1: 3}, {0: 1, 1: 1, 2: 5}], 3),
        ([{0: 0}], 0),
    ],
)
def test_what_follows_from_others_adds_nothing(equations, rank):
    assert len(_space(np.ones(3), equations).solved) == rank


def test_free_unknowns_are_multiples_of_what_others_are_divided_by():
    space = _space([0.9, 0.4, 0.1], [{0: 3, 1: -5, 2: -1}])
    assert space.solved == {0: {1: Fraction(5, 3), 2: Fraction(1, 3)}} or space.solved == {
        2: {0: 3, 1: -5}
    }
    found = space.nearest_solution(1000, space.steps())
    assert 3 * found[0] == 5 * found[1] + found[2]


def test_a_small_unknown_is_not_solved_for():
    """What follows from rounded numbers could come out negative there."""
    assert 0 not in _space([1e-12, 0.5, 0.5], [{0: 1, 1: 1, 2: -1}]).solved
