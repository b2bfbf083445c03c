"""Boxes and rows of tables: no member leaks more than they say; what is called exact is reached."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken
from tests.core.families.families import REL, ROUNDING, X0, kind, leak, member
from unspoken import leakage
from unspoken.core.families import Ball, Box, Rows
from unspoken.core.mechanisms import Geometric, Laplace


def kernel(sums: np.ndarray, answer: float, scale: float) -> np.ndarray:
    return np.exp(-np.abs(answer - sums) / scale)


def most(low: np.ndarray, up: np.ndarray, k: np.ndarray, free: bool = True) -> float:
    """max <m, k> / <m, 1> over low <= m <= up, by a linear program; not free: <m, 1> = 1.

    Charnes and Cooper: m = y / t with <y, 1> = 1, so that t low <= y <= t up.
    """
    n = len(k)
    if not free:
        done = linprog(-k, A_eq=np.ones((1, n)), b_eq=[1], bounds=list(zip(low, up, strict=True)))
        return float(-done.fun)
    sides = np.block([[-np.eye(n), low[:, None]], [np.eye(n), -up[:, None]]])
    done = linprog(
        np.append(-k, 0.0),
        A_ub=sides,
        b_ub=np.zeros(2 * n),
        A_eq=[[1.0] * n + [0.0]],
        b_eq=[1],
        bounds=[(0, None)] * (n + 1),
    )
    return float(-done.fun)


def by_programs(
    low: np.ndarray, up: np.ndarray, sums: np.ndarray, scale: float, free: bool
) -> float:
    """The largest log-ratio of two rows of x0, each by a linear program of its own."""
    worst = 0.0
    for answer in np.unique(sums):
        for a, b in itertools.permutations(range(len(low)), 2):
            k = [kernel(sums[row], answer, scale).ravel() for row in (a, b)]
            above = most(low[a].ravel(), up[a].ravel(), k[0], free)
            below = -most(low[b].ravel(), up[b].ravel(), -k[1], free)
            worst = max(worst, math.log(above / below))
    return worst


def box_of(rng: np.random.Generator) -> tuple[Box, Laplace, unspoken.Adversary]:
    sizes = tuple(rng.integers(2, 4, size=rng.integers(1, 4)))
    joint = unspoken.Joint(rng.dirichlet(np.ones(math.prod(sizes))).reshape(sizes))
    weights = rng.choice([-1.0, 0.0, 0.5, 1.0, 2.0], len(sizes)).tolist()
    eta = float(rng.choice([0.01, 0.05, 0.3]))
    made = Box.within(joint, eta) if rng.random() < 0.5 else Box.around(joint, eta / 3)
    others = [name for name in joint.domain.names[1:] if rng.random() < 0.4]
    return (
        made,
        Laplace(float(rng.uniform(0.4, 4)), weights),
        unspoken.Adversary("x0", knows=others),
    )


# Boxes.


@kind("theta_box")
def test_the_boxes_of_the_theory(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    joint = unspoken.Joint(v["counts"], values=v["dom"])
    mechanism = Laplace(float(v["lam"]), v["w"])
    found = leakage(Box.around(joint, float(v["eta"])), mechanism, unspoken.Adversary(f"x{v['i']}"))
    assert found.value == pytest.approx(expected["bound"], rel=REL)
    assert found.value >= expected["bound"]
    assert leak(joint, mechanism) == pytest.approx(expected["nominal"], rel=REL)
    assert expected["nominal"] < found.low <= found.high


@pytest.mark.slow
def test_no_belief_in_a_box_leaks_more(effort: int) -> None:
    exact = 0
    for seed in range(200 * effort):
        rng = np.random.default_rng(seed)
        box, mechanism, adversary = box_of(rng)
        bound = leakage(box, mechanism, adversary)
        exact += bound.exact
        for _ in range(5):
            table = member(rng, box)
            assert abs(table.sum() - 1) < 1e-12
            belief = unspoken.Joint(table / table.sum())
            assert leak(belief, mechanism, adversary) <= bound.high + ROUNDING
    assert exact > 50 * effort


@pytest.mark.slow
def test_a_box_is_two_linear_programs() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        joint = unspoken.Joint(rng.dirichlet(np.ones(12)).reshape(2, 3, 2))
        box = Box.around(joint, float(rng.choice([0.01, 0.05])))
        sums = np.add.outer(np.add.outer([0, 1.0], [0, -1.0, -2.0]), [0, 0.5])
        bound = leakage(box, Laplace(0.8, [1, -1, 0.5]), X0)
        expected = by_programs(box.ends.lower, box.ends.upper, sums, 0.8, free=True)
        assert bound.value == pytest.approx(expected, rel=1e-7)


def corners(low: np.ndarray, up: np.ndarray) -> np.ndarray:
    """All tables of mass 1 with every cell but one at one of its ends."""
    n = low.size
    found = []
    for free, ends in itertools.product(range(n), itertools.product((0, 1), repeat=n - 1)):
        table = np.where(np.insert(ends, free, 0), up.ravel(), low.ravel())
        table[free] += 1 - table.sum()
        if low.ravel()[free] - 1e-13 <= table[free] <= up.ravel()[free] + 1e-13:
            found.append(table.reshape(low.shape))
    return np.array(found)


def plain(tables: np.ndarray, scale: float) -> np.ndarray:
    """Leakages about x0 of x0 + x1 (+ x2, which is known)."""
    sums = np.add.outer(np.arange(tables.shape[1]), np.arange(tables.shape[2]))
    tables = tables.reshape(*tables.shape[:3], -1)
    worst = np.zeros(len(tables))
    for answer in np.unique(sums):
        logs = np.einsum("tijk,ij->tik", tables, kernel(sums, answer, scale)) / tables.sum(2)
        worst = np.maximum(worst, np.ptp(np.log(logs), axis=1).max(-1))
    return worst


@pytest.mark.slow
def test_what_is_called_exact_is_reached_at_a_corner() -> None:
    """And what is not called so is bounded from below by what some table really leaks."""
    exact, others = 0, 0
    for shape, seed in itertools.product([(2, 2), (3, 2), (2, 3), (2, 2, 2)], range(25)):
        adversary = unspoken.Adversary("x0", knows=["x2"] if len(shape) > 2 else [])
        rng = np.random.default_rng(seed)
        joint = unspoken.Joint(
            (0.3 / math.prod(shape) + rng.dirichlet(np.ones(shape).ravel()) * 0.7).reshape(shape)
        )
        box = Box.within(joint, 0.2) if seed % 2 else Box.around(joint, 0.03)
        bound = leakage(box, Laplace(0.8), adversary)
        found = plain(corners(box.ends.lower, box.ends.upper), 0.8).max()
        assert found <= bound.high + ROUNDING
        assert found >= bound.low * 0.999
        assert bound.low >= found * 0.99
        if bound.exact:
            assert found == pytest.approx(bound.high, rel=1e-12)
        exact, others = exact + bound.exact, others + (not bound.exact)
    assert exact > 20
    assert others > 20


@pytest.mark.parametrize("radius", [0.02, 0.08])
def test_the_lower_end_of_a_box_against_a_dense_search(radius: float) -> None:
    """All tables 2 x 2 on a grid of the box: the largest lies between the ends."""
    steps = np.linspace(-radius, radius, 25)
    moves = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    moves = np.column_stack([moves, -moves.sum(1)])
    moves = moves[np.abs(moves[:, 3]) <= radius + 1e-12]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        joint = unspoken.Joint((0.1 + rng.dirichlet(np.ones(4)) * 0.6).reshape(2, 2))
        worst = plain((joint.table.ravel() + moves).reshape(-1, 2, 2), 1.0).max()
        bound = leakage(Box.around(joint, radius), Laplace(1.0), X0)
        assert worst <= bound.high + ROUNDING
        assert bound.low == pytest.approx(worst, rel=0.01)


def test_what_is_known_is_looked_at_alone_if_its_value_is_given() -> None:
    joint = unspoken.Joint(np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2))
    box = Box.within(joint, 0.1)
    each = [
        leakage(box, Laplace(1.0), unspoken.Adversary("x0", knows={"x2": k})).value for k in (0, 1)
    ]
    assert leakage(box, Laplace(1.0), unspoken.Adversary("x0", knows=["x2"])).value == max(each)
    assert each[0] != each[1]


def test_a_point_is_a_box() -> None:
    """Also of geometric noise, of rows that cannot be, and of a target without weight."""
    table = np.array([[[3, 1], [2, 2]], [[0, 0], [1, 3]], [[0, 0], [0, 0]]])
    joint = unspoken.Joint(table)
    for mechanism in (Laplace(0.7), Laplace(2.0, [0, 1, 1]), Geometric(0.4, [1, 2, 1])):
        for known in ((), ("x1",), ("x1", "x2")):
            adversary = unspoken.Adversary("x0", knows=known)
            found = leakage(Box.around(joint, 0.0), mechanism, adversary)
            assert found.exact
            assert found.value == pytest.approx(leak(joint, mechanism, adversary), abs=1e-13)


def test_an_unbounded_row_is_a_group() -> None:
    """Lower ends of 0: a row may be any of its cells, and two rows as far apart as they can."""
    bound = leakage(Box(np.zeros((2, 3)), np.ones((2, 3))), Laplace(1.0), X0)
    assert bound.exact
    assert bound.value == pytest.approx(3.0, rel=1e-13)


def test_more_uncertain_is_more() -> None:
    joint = unspoken.Joint([[3, 2, 5], [1, 1, 8]])
    for make in (Box.around, Box.within):
        values = [leakage(make(joint, eta), Laplace(1.0), X0).value for eta in (0, 0.01, 0.02, 0.1)]
        assert values == sorted(values)
    box, ball = Box.within(joint, 0.1), Ball(joint, 0.1)
    assert leakage(box, Laplace(1.0), X0).high <= leakage(ball, Laplace(1.0), X0).high


def test_what_is_no_box_is_refused() -> None:
    cases: list[tuple[Any, Any, str]] = [
        ([[0.1, 0.1]], [[0.2, 0.2]], "empty"),
        ([[0.6, 0.6]], [[0.7, 0.7]], "empty"),
        ([[0.5, 0.5]], [[0.4, 0.6]], "everywhere"),
        ([[math.nan, 0.5]], [[0.4, 0.6]], "everywhere"),
        ([[0.1, 0.5]], [[0.4]], "two tables alike"),
        ([["a", 0.5]], [[0.4, 1]], "numbers"),
    ]
    for low, up, words in cases:
        with pytest.raises(unspoken.UnspokenError, match=words):
            Box(low, up)
    box = Box.around(unspoken.Joint([[1, 1], [1, 1]]), 0.1)
    for measure in ("mutual-information", "guessing", "max-information"):
        with pytest.raises(unspoken.UnspokenError, match=f"box: .* not {measure}"):
            leakage(box, Laplace(1.0), X0, measure)
    with pytest.raises(unspoken.UnspokenError, match="600"):
        leakage(box, Laplace(1e-4), X0)
    for wrong in (-1.0, math.nan):
        for make in (Box.around, Box.within):
            with pytest.raises(unspoken.UnspokenError, match="0 or more"):
                make(unspoken.Joint([[1, 1]]), wrong)


@pytest.mark.parametrize("seed", range(4))
def test_sums_answer_by_answer_and_by_sorting_agree(seed: int) -> None:
    """A declared secret of two values is looked at answer by answer, all values by their sums."""
    rng = np.random.default_rng(seed)
    joint = unspoken.Joint(rng.dirichlet(np.ones(6)).reshape(2, 3))
    box, noise = Box.within(joint, 0.1), Laplace(1.0, [1, 2])
    sorted_, looked_at = (
        leakage(box, noise, unspoken.Adversary("x0", secret=secret)) for secret in (None, [0, 1])
    )
    assert sorted_.low <= looked_at.high * (1 + 1e-9)
    assert looked_at.high <= sorted_.high * (1 + 1e-9)
    assert looked_at.exact


# Rows.


@pytest.mark.slow
def test_rows_are_linear_programs() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        laws = rng.dirichlet(np.ones(6), size=2).reshape(2, 3, 2)
        low = laws * rng.uniform(0, 1, laws.shape)
        up = np.minimum(laws * rng.uniform(1, 2, laws.shape), 1.0)
        sums = np.add.outer(np.add.outer([0, 1.0], [0, 2.0, 4.0]), [0, -1.0])
        bound = leakage(Rows(low, up, ["x0"]), Laplace(1.5, [1, 2, -1]), X0)
        assert bound.exact
        expected = by_programs(low, up, sums, 1.5, free=False)
        assert bound.value == pytest.approx(expected, rel=1e-7)


def test_rows_of_points_are_the_belief() -> None:
    joint = unspoken.Joint(np.random.default_rng(2).dirichlet(np.ones(12)).reshape(2, 2, 3))
    laws = joint.table / joint.table.sum(axis=2, keepdims=True)
    adversary = unspoken.Adversary("x1", knows=["x0"])
    found = leakage(Rows(laws, laws, ["x0", "x1"]), Laplace(0.6), adversary)
    assert found.value == pytest.approx(leak(joint, Laplace(0.6), adversary), rel=1e-12)


def test_rows_that_cannot_be_are_left_out() -> None:
    laws = np.array([[0.5, 0.5], [0.2, 0.8], [0.0, 0.0]])
    found = leakage(Rows(laws, laws, ["x0"]), Laplace(1.0), X0)
    alone = leakage(Rows(laws[:2], laws[:2], ["x0"]), Laplace(1.0), X0)
    assert found.value == pytest.approx(alone.value, rel=1e-14)


def test_what_are_no_rows_is_refused() -> None:
    with pytest.raises(unspoken.UnspokenError, match="no mass 1"):
        Rows([[0.6, 0.6]], [[0.7, 0.7]], ["x0"])
    for given in ([], ["x0", "x0"]):
        with pytest.raises(unspoken.UnspokenError, match="once each"):
            Rows([[0.4, 0.4]], [[0.6, 0.6]], given)
    no_name: Any = [[]]
    with pytest.raises(unspoken.UnspokenError, match="there is no"):
        Rows([[0.4, 0.4]], [[0.6, 0.6]], no_name)
    rows = Rows([[0.4, 0.4]], [[0.6, 0.6]], ["x0"])
    with pytest.raises(unspoken.UnspokenError, match="given x0"):
        leakage(rows, Laplace(1.0), unspoken.Adversary("x0", knows=["x1"]))


def test_a_box_within_a_factor_has_both_its_ends() -> None:
    joint = unspoken.Joint([[1, 2], [3, 4]])
    box = Box.within(joint, 0.3)
    assert box.ends.lower == pytest.approx(joint.table * math.exp(-0.3))
    assert box.ends.upper == pytest.approx(joint.table * math.exp(0.3))
