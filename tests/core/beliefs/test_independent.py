"""Independent beliefs: sums of many variables, and theorem 1 of paper 003 as a law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed
from tests.effort import examples
from unspoken.core.beliefs import independent
from unspoken.core.beliefs.independent import law_of_sum
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Geometric, Laplace, OneSided, RandomizedResponse, Together

SUPS = ("max-log-ratio", "max-information", "relative-entropy")


def names(indices: Any) -> list[str]:
    return [f"x{i}" for i in indices]


@st.composite
def beliefs(draw: st.DrawFn) -> unspoken.Independent:
    n = draw(st.integers(2, 5))
    sizes = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    counts = [draw(st.lists(st.integers(0, 9), min_size=d, max_size=d).filter(any)) for d in sizes]
    numbers = st.sampled_from([-2, -1, 0, 0.5, 1, 3])
    values = [draw(st.lists(numbers, min_size=d, max_size=d, unique=True)) for d in sizes]
    return unspoken.Independent(counts, values=values)


def as_joint(belief: unspoken.Independent) -> unspoken.Joint:
    table = belief.marginal(belief.domain.names)
    return unspoken.Joint(table, belief.domain.names, belief.domain.values)


def weights_for(n: int) -> st.SearchStrategy[list[float]]:
    each = st.sampled_from([-1.0, 0.0, 0.1, 0.25, 1.0, 2.0, 1 / 3])
    return st.lists(each, min_size=n, max_size=n)


@examples(40)
@given(beliefs(), st.data())
def test_sums_are_those_of_the_joint_table(
    belief: unspoken.Independent, data: st.DataObject
) -> None:
    """The law on multiples of a unit, whether or not it is the shorter way."""
    n = len(belief.domain.names)
    whole = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=n, max_size=n)
    one, two = weights_for(n).map(lambda row: [row]), st.lists(whole, min_size=2, max_size=2)
    rows = data.draw(st.one_of(one, two))
    queries = [dict(zip(belief.domain.names, row, strict=True)) for row in rows]
    keep = data.draw(st.permutations(belief.domain.names))[: data.draw(st.integers(0, 2))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            unspoken.Independent, "cells", lambda self, names: 4 if names == keep else 1e6
        )
        got = belief.sums(keep, queries)
    assert not got.in_logs  # what never happens is not rare
    expected = as_joint(belief).sums(keep, queries)
    apart = [own - at[:, None] for own, at in zip(expected.points, got.points, strict=True)]
    near = [np.abs(own) < 1e-9 for own in apart]  # the table's sums may differ by rounding
    assert all(own.any(0).all() for own in near)
    merged = expected.table
    for axis, own in enumerate(near, start=len(keep)):
        merged = np.moveaxis(np.tensordot(merged, own.astype(float), (axis, 1)), -1, axis)
    assert got.table == pytest.approx(merged, rel=1e-13, abs=1e-17)


@examples(40)
@given(beliefs(), st.data())
def test_leakage_is_the_joint_tables(belief: unspoken.Independent, data: st.DataObject) -> None:
    n, scale = len(belief.domain.names), data.draw(st.floats(0.1, 20))
    weights = data.draw(weights_for(n))
    whole = [float(round(10 * w)) * 2 for w in weights]
    mechanism = data.draw(
        st.sampled_from(
            [
                Laplace(scale, weights),
                Geometric(math.exp(-1 / scale), whole),
                Together([Laplace(scale, weights), RandomizedResponse("x0", 0.5)]),
                Together([Laplace(scale, weights), RandomizedResponse("x1", 0.5)]),
                OneSided({"x0": 1.0, "x1": 0.5}, {"x0": belief.domain.values_of("x0")[:1]}),
                RandomizedResponse("x0", 2.0),
            ]
        )
    )
    knows: Any = data.draw(st.lists(st.sampled_from(belief.domain.names[1:]), unique=True))
    if data.draw(st.booleans()):
        tables = {name: belief.marginal([name]) for name in knows}
        knows = {k: belief.domain.values_of(k)[int(tables[k].argmax())] for k in knows}
    adversary = unspoken.Adversary("x0", knows=knows)
    clouds = [unspoken.view(own, mechanism, adversary) for own in (belief, as_joint(belief))]
    got, expected = ([MEASURES[name].of(cloud).nats for name in SUPS] for cloud in clouds)
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-13)


@examples(40)
@given(st.data())
def test_theorem_1(data: st.DataObject) -> None:
    """Independent data: every adversary gains exactly D_i / scale, whoever knows whatever."""
    n = data.draw(st.integers(2, 40))
    counts = st.lists(st.integers(1, 9), min_size=2, max_size=3)
    belief = unspoken.Independent(data.draw(st.lists(counts, min_size=n, max_size=n)))
    scale = data.draw(st.floats(-3, 5).map(math.exp))
    weights = data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    i = data.draw(st.integers(0, n - 1))
    others = [j for j in range(n) if j != i]
    knows = names(data.draw(st.lists(st.sampled_from(others), unique=True)))
    change = abs(weights[i]) * (len(belief.domain.values_of(f"x{i}")) - 1)
    adversary = unspoken.Adversary(f"x{i}", knows=knows)
    bound = unspoken.leakage(belief, Laplace(scale, weights), adversary)
    assert bound.exact
    assert bound.value == pytest.approx(change / scale, rel=1e-11)


def test_of_whom_nothing_is_added_nothing_is_learned() -> None:
    """Exactly: quotients of numbers that were rounded apart were next to 1, which is not 1."""
    belief = unspoken.Independent([[1] * 3] * 37)
    weights = [0.0] * 35 + [3.0, 3.0]
    for scale in (math.exp(-3), 50.0):
        seen, alone = (
            unspoken.view(own, Laplace(scale, own_weights), unspoken.Adversary("x0"))
            for own, own_weights in (
                (belief, weights),
                (unspoken.Independent([[1] * 3] * 3), [0.0, 3.0, 3.0]),
            )
        )
        for name in SUPS:
            bound = MEASURES[name].rounded(seen).outward()
            assert (bound.low, bound.high) == (0, 0)
        clouds: Any = seen, alone
        masses = [[point.mass for point in cloud.outcomes()] for cloud in clouds]
        assert masses[0] == pytest.approx(masses[1], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.01, 5.0, 1e7])
def test_theorem_1_for_a_thousand(scale: float) -> None:
    rng = np.random.default_rng(1)
    belief = unspoken.Independent(rng.dirichlet([1, 1, 1], 1000))
    weights = rng.integers(1, 8, 1000) / 10
    for knows in ([], names(range(1, 1000))):
        adversary = unspoken.Adversary("x0", knows=knows)
        bound = computed(belief, Laplace(scale, weights.tolist()), adversary)
        assert bound.value == pytest.approx(2 * weights[0] / scale, rel=1e-11)


def test_many_variables_beside_local_outputs() -> None:
    """Noise and a released value about the target; two targets; whole-number noise."""
    belief = unspoken.Independent(np.full((400, 2), 0.5))
    both = Together([Laplace(5.0), RandomizedResponse("x0", 0.3)])
    assert unspoken.leakage(belief, both, unspoken.Adversary("x0")).value == pytest.approx(0.5)
    two = unspoken.Adversary(["x0", "x1"])
    assert unspoken.leakage(belief, Laplace(5.0), two).value == pytest.approx(0.4)
    one = unspoken.leakage(belief, Geometric(0.9), unspoken.Adversary("x0"))
    assert one.value == pytest.approx(-math.log(0.9))
    shared = unspoken.leakage(
        belief, Geometric(0.9), unspoken.Adversary("x0"), "mutual-information"
    )
    assert 0 < shared.value < 1e-3


def test_knowing_the_others_is_the_least_noise() -> None:
    """A mean: what is known is no noise any more, and more is learned of the target."""
    belief = unspoken.Independent([[1, 1]] * 12)
    mechanism = Geometric(0.5)
    means = [
        unspoken.leakage(
            belief,
            mechanism,
            unspoken.Adversary("x0", knows=names(range(1, k))),
            "mutual-information",
        ).value
        for k in (1, 6, 12)
    ]
    assert means == sorted(means)
    alone = unspoken.Independent([[1, 1]])
    expected = unspoken.leakage(
        alone, mechanism, unspoken.Adversary("x0"), "mutual-information"
    ).value
    assert means[-1] == pytest.approx(expected, rel=1e-12)


def test_events_about_what_is_known_say_nothing() -> None:
    belief = unspoken.Independent([[1, 1], [1, 3], [0, 1]])
    mechanism = OneSided(dict.fromkeys(names(range(3)), 1.0))
    about = unspoken.Adversary("x0", secret=[0], knows=["x1", "x2"])
    assert unspoken.odds(belief, mechanism, about, {"x1": unspoken.WITHHELD}).value == 1.0
    assert unspoken.odds(belief, mechanism, about, {"x2": 0}).status == "impossible"
    seen = {"x0": unspoken.WITHHELD, "x1": 1}
    assert unspoken.odds(belief, mechanism, about, seen).nats == pytest.approx(1.0)


def test_numbers_are_taken_as_meant() -> None:
    numbers = np.array([0.0, 1.0, 2.0])
    tenths = Lattice.of([{"A": 0.1 * numbers, "B": 0.2 * numbers, "C": -0.3 * numbers}])
    assert tenths is not None
    assert (tenths.size, tenths.base) == (13, (-0.6,))
    assert tenths.units[0] == pytest.approx(0.1)
    thirds = Lattice.of([{"A": numbers / 3, "B": numbers, "C": numbers / 2}])
    assert thirds is not None
    assert thirds.size == 23
    assert thirds.units[0] == pytest.approx(1 / 6)


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), max_size=6))
def test_the_law_of_a_sum_is_a_convolution(counts: list[list[int]]) -> None:
    tables = [np.array(own) / sum(own) for own in counts]
    expected = np.ones(1)
    for own in tables:
        expected = np.convolve(expected, own)
    got = law_of_sum(tables, [list(range(len(own))) for own in tables])
    assert got == pytest.approx(expected, rel=1e-13)


def test_sums_beyond_the_budget() -> None:
    rng = np.random.default_rng(2)
    belief = unspoken.Independent(np.full((100, 2), 0.5))
    with pytest.raises(TooLarge, match="more coarsely"):
        belief.sums(["x0"], [dict(zip(belief.domain.names, rng.random(100), strict=True))])
    words = unspoken.Independent([[1, 1], [1, 1]], values=[["a", "b"], [0, 1]])
    with pytest.raises(InputError, match="no numbers"):
        words.sums(["x1"], [{"x0": 1.0, "x1": 1.0}])
    assert words.sums(["x1"], [{"x0": 0.0, "x1": 1.0}]).points[0].tolist() == [0.0, 1.0]


@pytest.mark.slow
def test_the_rarest_ends_move_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving out what is rarer than e^-400 keeps every digit that leaving out more keeps."""
    belief = unspoken.Independent(np.full((700, 2), 0.5))
    target = unspoken.Adversary("x0")
    before = [computed(belief, Laplace(b), target).value for b in (0.3, 3.0, 300.0)]
    monkeypatch.setattr(independent, "NEGLIGIBLE", math.exp(-200))
    after = [computed(belief, Laplace(b), target).value for b in (0.3, 3.0, 300.0)]
    assert after == pytest.approx(before, rel=1e-11)
