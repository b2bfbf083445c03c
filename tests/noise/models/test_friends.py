"""The distance model of friends, against loops; what is sound of it, against the truth."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.beliefs import Joint
from unspoken.core.mechanisms import Laplace
from unspoken.noise.models.friends import Neighbour, blocked, grid, kernel

FOLDER = Path(__file__).parents[2] / "vectors"
VECTORS = json.loads((FOLDER / "ddp.json").read_text("utf-8"))["vectors"]


def kind(name: str) -> pytest.MarkDecorator:
    chosen = [v for v in VECTORS if v["kind"] == name]
    assert chosen, name
    return pytest.mark.parametrize("v", chosen, ids=[str(v["id"]) for v in chosen])


def same(got: float, expected: Any, rel: float = 1e-9) -> None:
    assert got == pytest.approx(float(expected), rel=rel, abs=0.0)


@kind("friend_model")
def test_printed_rows_are_no_probabilities(v: dict[str, Any]) -> None:
    given, expected = v["input"], v["expected"]
    constants = {"b": float(given["b"]), "c": float(given["c"])}
    cells = grid(given["grid"])
    centre = len(cells) // 2 + given["grid"] // 2
    sums = kernel(cells, cells, **constants).sum(1)
    printed = float(given["a"]) * sums
    same(sums[0], expected["Z_corner"])
    same(sums[centre], expected["Z_centre"])
    same(printed[0], expected["raw_row_sum_corner"])
    same(printed[centre], expected["raw_row_sum_centre"])
    assert np.abs(printed - 1).min() > 1e-4  # nowhere
    law = Neighbour.by_distance(cells, **constants).law
    assert law.sum(1) == pytest.approx(1.0, abs=1e-14)
    same(law[0, 0], expected["P_stay_corner"])
    same(law[0, -1], expected["P_opposite_corner"])


def test_how_far_printed_rows_are_from_one_is_an_accident_of_the_grid() -> None:
    ends = {}
    for size in (10, 20, 40):
        printed = 0.0019 * kernel(grid(size), grid(size)).sum(1)
        ends[size] = (round(printed.min(), 2), round(printed.max(), 2))
    assert ends[10] == (0.22, 0.32)
    assert ends[20] == (0.80, 1.25)
    assert ends[40][0] > 3.0


@kind("friend_rho")
def test_rho(v: dict[str, Any]) -> None:
    law = Neighbour.by_distance(grid(v["input"]["grid"]))
    same(law.width, 1.9)
    same(law.coefficient(float(Fraction(v["input"]["sigma"]))), v["expected"]["rho_B"])


@kind("friend_rho_mean")
def test_mean_rho(v: dict[str, Any]) -> None:
    law = Neighbour.by_distance(grid(v["input"]["grid"]))
    same(law.coefficient(1.0, "M"), v["expected"]["rho_M"])
    assert round(law.coefficient(1e4, "14"), 3) == 0.219
    assert law.coefficient(1e6) == pytest.approx(law.coefficient(1.0, "M"), rel=1e-5)


def by_hand(law: Neighbour, sigma: float, reading: str) -> float:
    """A number at a time, the ends and outputs from a grid finer than is needed."""
    axes = [np.linspace(lo, hi, 9) for lo, hi in zip(law.low, law.high, strict=True)]
    axes = [np.union1d(a, law.places[:, k]) for k, a in enumerate(axes)]
    worst = -math.inf
    for point in itertools.product(*axes):
        apart = [math.fsum(abs(p - q) for p, q in zip(y, point, strict=True)) for y in law.places]
        sign = -1 if reading == "14" else 1
        means = [
            math.fsum(p * (d if reading == "M" else math.exp(sign * d / sigma)) for p, d in cells)
            for cells in ([(p, d) for p, d in zip(row, apart, strict=True)] for row in law.law)
        ]
        if reading == "M":
            worst = max(worst, max(means))
        elif reading == "B":
            worst = max(worst, sigma * math.log(max(means)))
        else:
            worst = max(worst, sigma * math.log(max(means) / min(means)))
    return worst / law.width


@pytest.mark.parametrize("reading", ["B", "M", "14"])
@pytest.mark.parametrize("sigma", [0.1, 1.0, 7.0])
def test_coefficients_by_hand(reading: str, sigma: float) -> None:
    rng = np.random.default_rng(8)
    for law in (
        Neighbour.by_distance(grid(3)),
        Neighbour.by_distance(rng.random((3, 2)), rng.random((4, 2)), b=0.5, c=2.0),
        Neighbour.of(rng.dirichlet(np.ones(3), 2), [0.0, 0.3, 1.0], low=-0.5, high=1.5),
    ):
        same(law.coefficient(sigma, reading), by_hand(law, sigma, reading))


def test_scales_beyond_the_range_of_floats() -> None:
    law = Neighbour.by_distance(grid(4))
    assert law.coefficient(1e-4) == pytest.approx(1.0, abs=1e-3)
    assert law.coefficient(1e-4, "14") == pytest.approx(
        1e-4 * math.log(law.law.max(0).max() / law.law.min()) / law.width, rel=0.5
    )
    copy = Neighbour.of(np.eye(3), [0, 1, 2])
    for sigma in (1e-5, 1.0, 1e5):
        for reading in ("B", "14"):
            same(copy.coefficient(sigma, reading), 1.0)


def test_the_kernel_is_reversible() -> None:
    """pi ~ Z makes P(x, y) ~ K: an edge has the same law from either end."""
    weights = kernel(grid(5), grid(5))
    law, mass = weights / weights.sum(1, keepdims=True), weights.sum(1) / weights.sum()
    assert np.abs(mass[:, None] * law - (mass[:, None] * law).T).max() < 1e-17


def tree(law: Neighbour, weights: np.ndarray, parents: list[int]) -> Joint:
    """Users on a tree, each edge with this law; the table cell by cell."""
    users, size = len(parents) + 1, len(law.law)
    table = np.zeros([size] * users)
    mass = weights.sum(1) / weights.sum()
    for cell in itertools.product(range(size), repeat=users):
        steps = [law.law[cell[p], cell[k]] for k, p in enumerate(parents, start=1)]
        table[cell] = mass[cell[0]] * math.prod(steps)
    places = law.places[:, 0].tolist()
    return Joint(table / table.sum(), values=[places] * users)


@given(seed=st.integers(0, 10**6), limit=st.sampled_from([0.3, 1.0, 3.0]))
@examples(30)
def test_blocks_that_are_trees_keep_the_limit(seed: int, limit: float) -> None:
    rng = np.random.default_rng(seed)
    users, size = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    places = np.sort(rng.random(size))[:, None]
    b, c = float(rng.uniform(0.02, 0.5)), float(rng.uniform(0.5, 4))
    law = Neighbour.by_distance(places, b=b, c=c)
    parents = [int(rng.integers(0, k)) for k in range(1, users)]
    belief = tree(law, kernel(places, places, b, c), parents)
    reach = law.width * 2
    w = rng.choice([-2.0, 2.0, 1.0], users).tolist()
    scale = blocked(users, limit=limit, reach=reach, friends=law).scale
    assert scale <= blocked(users, limit=limit, reach=reach).scale * (1 + 1e-12)
    for bound in unspoken.leakages(belief, Laplace(scale, w)).values():
        assert bound.value <= limit * (1 + 1e-12)


def test_two_friends_who_release_where_they_are() -> None:
    """Both places with noise on each number: own likelihood times the friend's, at any output."""
    law = Neighbour.by_distance(grid(3))
    for limit in (0.5, 2.0):
        scale = blocked(2, limit=limit, reach=law.width, friends=law).scale
        apart = np.abs(grid(3)[:, None] - grid(3)[None]).sum(2) / scale
        told = np.log(law.law @ np.exp(-apart))
        friend = (told[:, None] - told[None]).max(2)
        assert (apart + friend).max() <= limit


def test_group_privacy_of_blocks() -> None:
    same(blocked(7, limit=0.5, reach=1.9).scale, 7 * 1.9 / 0.5, 1e-12)
    assert blocked(7, limit=0.5, reach=1.9).scale >= 26.6
    assert blocked(1, limit=2.0, reach=3.0).bound.value == 2.0
    shown = repr(blocked(3, limit=1.0, reach=1.0, friends=Neighbour.by_distance([0, 1])))
    assert "jointly independent" in shown
    assert "mixture" in shown


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: grid(0), "grid"),
        (lambda: Neighbour.by_distance([[0, 1], [1]]), "places"),
        (lambda: Neighbour.by_distance([0, math.nan]), "friends.own"),
        (lambda: Neighbour.by_distance([0, 1], [[0, 1]]), "numbers"),
        (lambda: Neighbour.by_distance([0, 1], b=0), "b = 0"),
        (lambda: Neighbour.by_distance(np.zeros((9000, 1))), "coarser"),
        (lambda: Neighbour.of([[0.5, 0.5]], [0, 1, 2]), "columns"),
        (lambda: Neighbour.of([[0.5, 0.6]], [0, 1]), "sums to"),
        (lambda: Neighbour.of([[0.5, 0.5]], [0, 1], high=0.5), "outside"),
        (lambda: Neighbour.of(np.ones((1, 1)), np.zeros((1, 13))), "13 numbers"),
        (lambda: Neighbour.by_distance([0, 1]).coefficient(1.0, "m"), 'no "m"'),
        (lambda: Neighbour.by_distance([0, 1]).coefficient(0.0), "sigma"),
        (lambda: blocked(0, limit=1, reach=1), "largest"),
        (lambda: blocked(2, limit=0, reach=1), "limit"),
    ],
)
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words):
        ask()


def test_a_place_has_no_range() -> None:
    law = Neighbour.by_distance([[1.0, 2.0]])
    assert law.coefficient(1.0) == 0.0
    assert "range" in repr(law)
