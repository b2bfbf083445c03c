"""Exchangeable beliefs against the joint table they stand for."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed, computed_log_odds
from tests.effort import examples
from unspoken.core.beliefs.exchangeable import Exchangeable
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Geometric, Laplace, OneSided, RandomizedResponse, Together
from unspoken.core.views import FiniteView

SUPS = ("max-log-ratio", "max-information", "relative-entropy", "odds")


def names(indices: Any) -> list[str]:
    return [f"x{i}" for i in indices]


def table_of(counts: list[int]) -> np.ndarray:
    """P(x) = P(c) / C(n, c), cell by cell, from exact fractions."""
    n, total = len(counts) - 1, sum(counts)
    table = np.zeros((2,) * n)
    for cell in itertools.product((0, 1), repeat=n):
        table[cell] = Fraction(counts[sum(cell)], total * math.comb(n, sum(cell)))
    return table


def leaks(belief: unspoken.Joint | Exchangeable, mechanism: Any, adversary: Any) -> list[float]:
    """Largest values, and a mean where the cloud is listed (elsewhere it takes long)."""
    cloud = unspoken.view(belief, mechanism, adversary)
    means = ["mutual-information"] if isinstance(cloud, FiniteView) else []
    return [MEASURES[name].of(cloud).nats for name in [*SUPS, *means]]


@st.composite
def counted(draw: st.DrawFn, largest: int = 5) -> list[int]:
    n = draw(st.integers(2, largest))
    counts = st.one_of(st.just(0), st.integers(1, 40), st.just(100_000))
    return draw(st.lists(counts, min_size=n + 1, max_size=n + 1).filter(any))


def mechanisms(n: int) -> st.SearchStrategy[Any]:
    scales = st.floats(-2, 3).map(math.exp)
    weights = st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=n, max_size=n)
    epsilon = dict(zip(names(range(n)), [0.1, 1.0, math.inf, 2.0, 0.5, 0.7], strict=False))
    laplace = st.one_of(st.builds(Laplace, scales), st.builds(Laplace, scales, weights.filter(any)))
    return st.one_of(
        laplace,
        st.builds(Geometric, st.floats(0.1, 0.9), weights),
        st.sampled_from([OneSided(epsilon), OneSided(epsilon, shows="bit")]),
        st.builds(RandomizedResponse, st.sampled_from(names(range(n))), st.floats(0, 3)),
        st.builds(lambda a: Together([a, RandomizedResponse("x1", 0.7)]), laplace),
        st.builds(
            lambda scale, w: Laplace(scale, dict(zip(names(range(n)), w, strict=False))),
            scales,
            st.lists(st.sampled_from([[1, 0], [0, 1], [1, -1]]), min_size=n, max_size=n),
        ),
    )


@examples(60)
@given(counted(), st.data())
def test_leakage_is_the_joint_tables(counts: list[int], data: st.DataObject) -> None:
    n = len(counts) - 1
    belief, joint = Exchangeable(counts, n), unspoken.Joint(table_of(counts))
    targets = data.draw(st.sampled_from(["x0", ["x0", "x1"]] if n > 2 else ["x0"]))
    rest = names(range(2 if targets != "x0" else 1, n))
    knows: Any = data.draw(st.lists(st.sampled_from(rest), unique=True))
    if knows and data.draw(st.booleans()):
        open_ones = np.argwhere(joint.marginal(knows) > 0).tolist()
        knows = dict(zip(knows, data.draw(st.sampled_from(open_ones)), strict=True))
    adversary = unspoken.Adversary(targets, knows=knows)
    mechanism = data.draw(mechanisms(n))
    got, expected = (leaks(own, mechanism, adversary) for own in (belief, joint))
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)


@examples(50)
@given(counted(), st.data())
def test_odds_after_one_event(counts: list[int], data: st.DataObject) -> None:
    """Events about many variables, by messages over the number of ones."""
    n = len(counts) - 1
    belief, joint = Exchangeable(counts, n), unspoken.Joint(table_of(counts))
    mechanism = OneSided(dict.fromkeys(names(range(n)), data.draw(st.floats(0.01, 5))))
    words = st.sampled_from([unspoken.WITHHELD, 1])
    outcome = data.draw(st.dictionaries(st.sampled_from(names(range(n))), words, min_size=1))
    known = data.draw(st.sampled_from([(), ("x1",), ("x2", "x1")] if n > 2 else [()]))
    adversary = unspoken.Adversary("x0", secret=[0], knows=known)
    got, expected = (unspoken.odds(b, mechanism, adversary, outcome) for b in (belief, joint))
    assert got.status == expected.status
    if got.status == "ok":
        assert got.logs == pytest.approx(expected.logs, rel=1e-9, abs=1e-12)


@examples(50)
@given(counted(6), st.data())
def test_tables_and_bayes(counts: list[int], data: st.DataObject) -> None:
    n = len(counts) - 1
    belief, joint = Exchangeable(counts, n), unspoken.Joint(table_of(counts))
    asked = data.draw(st.permutations(names(range(n))))[: data.draw(st.integers(0, n))]
    assert belief.marginal(asked) == pytest.approx(joint.marginal(asked), rel=1e-13, abs=1e-16)
    cell = data.draw(st.sampled_from(np.argwhere(joint.table > 0).tolist()))
    known = dict(zip(names(range(n)), cell, strict=True))
    known = {name: known[name] for name in asked[:-1]}
    later, expected = belief.given(known), joint.given(known)
    assert later.domain == expected.domain
    left = later.domain.names
    assert later.marginal(left) == pytest.approx(expected.marginal(left), rel=1e-13, abs=1e-16)


@examples(30)
@given(counted(6), st.data())
def test_known_ones_are_counted(counts: list[int], data: st.DataObject) -> None:
    """The law given the number of ones among the known is the law given any such values."""
    n = len(counts) - 1
    belief = Exchangeable(counts, n)
    k = data.draw(st.integers(2, n))
    later, (label,) = belief.knowing(names(range(n - k, n)))
    table = later.marginal([label, *names(range(n - k))])
    possible = table.reshape(k + 1, -1).sum(1) > 0
    assert table.sum() == pytest.approx(1.0)
    for ones in range(k + 1):
        values = dict(zip(names(range(n - k, n)), [1] * ones + [0] * (k - ones), strict=True))
        if not possible[ones]:
            with pytest.raises(InputError, match="impossible"):
                belief.given(values)
            continue
        expected = belief.given(values).marginal(names(range(n - k)))
        assert table[ones] * possible.sum() == pytest.approx(expected, rel=1e-12, abs=1e-16)
        same = later.given({label: ones}).marginal(names(range(n - k)))
        assert same == pytest.approx(expected, rel=1e-12, abs=1e-16)


def by_definition(n: int, law: Any, scale: float, known: int, ones: int) -> float:
    """The log-ratio of one node, worst over all points: straight from the double sum."""

    def density(r: float, x: int) -> float:
        chance = total = 0.0
        for rest in itertools.product((0, 1), repeat=n - 1 - known):
            c = ones + x + sum(rest)
            mass = law[c] / math.comb(n, c)
            total += mass
            chance += mass * math.exp(-abs(r - x - sum(rest)) / scale)
        return chance / total

    points = range(n - known + 1)
    return max(abs(math.log(density(r, 1) / density(r, 0))) for r in points)


def beta_binomial(n: int, a: int, b: int) -> np.ndarray:
    """C(n, c) B(c + a, n - c + b), exactly, then rounded once."""
    ways = [
        math.comb(n, c) * Fraction(1, math.comb(n + a + b - 2, c + a - 1)) for c in range(n + 1)
    ]
    total = sum(ways)
    return np.array([float(w / total) for w in ways])


@pytest.mark.parametrize("n", [2, 5, 8])
def test_nodes_by_definition(n: int) -> None:
    law = beta_binomial(n, 2, 3)
    belief = Exchangeable(law, n)
    for known in range(n):
        nodes = [by_definition(n, law, 5.0, known, ones) for ones in range(known + 1)]
        adversary = unspoken.Adversary("x0", knows=names(range(1, known + 1)))
        got = computed(belief, Laplace(5.0), adversary)
        assert got.exact
        assert got.value == pytest.approx(max(nodes), rel=1e-12)
        for ones, expected in enumerate(nodes):
            values = [1] * ones + [0] * (known - ones)
            exact = dict(zip(names(range(1, known + 1)), values, strict=True))
            adversary = unspoken.Adversary("x0", knows=exact)
            node = computed(belief, Laplace(5.0), adversary).value
            assert node == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_a_thousand_variables() -> None:
    """Theory, section 1: strongest 0.2, worst 4.70, which is the weakest here."""
    belief = Exchangeable(beta_binomial(1000, 2, 3), 1000)

    def leak(known: int) -> float:
        adversary = unspoken.Adversary("x0", knows=names(range(1, known + 1)))
        return computed(belief, Laplace(5.0), adversary).value

    assert leak(999) == pytest.approx(0.2, rel=1e-12)
    assert leak(0) == pytest.approx(4.70, abs=5e-3)
    assert leak(0) > leak(1) > leak(10) > leak(100) > 0.2


def test_independent_ones_leak_their_own_change() -> None:
    """Binomial counts are independent variables: theorem 1 of paper 003, far beyond float range."""
    counts = [math.comb(300, c) * 0.2**c * 0.8 ** (300 - c) for c in range(301)]
    belief = Exchangeable(counts, 300)
    for scale in (0.05, 1.0, 1e4):
        for known in (0, 40):
            adversary = unspoken.Adversary("x0", knows=names(range(1, known + 1)))
            bound = computed(belief, Laplace(scale), adversary)
            assert bound.value == pytest.approx(1 / scale, rel=1e-9)


def test_rare_known_ones_are_not_lost() -> None:
    """That all of 1,200 known ones are 0 has a probability below 1e-700."""
    counts = np.zeros(2401)
    counts[1200:1202] = 1.0
    belief = Exchangeable(counts, 2400)
    knows = names(range(1200, 2400))
    later, (label,) = belief.knowing(knows)
    table = later.marginal([label, "x0"])
    # c = 1200 or 1201 are 1, so all 1,200 others are 1, and one known one too or none.
    assert table[:2].min(1) == pytest.approx([0.0, table[1].sum() / 1201], rel=1e-9)
    adversary = unspoken.Adversary("x0", knows=dict.fromkeys(knows[1:], 0))
    odd = 1201 / 1200  # C(2400, 1200) / C(2400, 1201): all 1,201 left are 1, or all but one
    expected = math.log1p(odd / (odd + 1200) * math.expm1(1.0))
    bound = computed(belief, Laplace(1.0), adversary)
    assert bound.value == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon"), [(60, 3.0), (60, 0.01), (400, 5.0)])
def test_many_cells_withheld(n: int, epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By Bayes over the number of ones, in exact fractions, and on either arithmetic."""
    law = [Fraction(p) for p in beta_binomial(n, 2, 3).tolist()]
    keep = Fraction(math.exp(-epsilon))
    seats = [[Fraction(n - c, n), Fraction(c, n)] for c in range(n + 1)]
    joint, prior = (
        [sum(law[c] * seats[c][x] * k ** max(c - x, 0) for c in range(n + 1)) for x in (0, 1)]
        for k in (keep, Fraction(1))
    )
    expected = math.log(float(joint[0] * prior[1] / (joint[1] * prior[0])))
    belief = Exchangeable(beta_binomial(n, 2, 3), n)
    mechanism = OneSided(dict.fromkeys(names(range(n)), epsilon))
    seen = dict.fromkeys(names(range(1, n)), unspoken.WITHHELD)

    def log_odds() -> float:
        channels = {name: mechanism.channel(belief.domain, name) for name in seen}
        events = {name: own.event("-", [unspoken.WITHHELD]) for name, own in channels.items()}
        lifts = belief.outputs(["x0"], events).lifts(np.eye(2, dtype=bool))
        return float(lifts.log_lift[0, 0, 0] - lifts.log_lift[0, 0, 1])

    assert log_odds() == pytest.approx(expected, rel=1e-11)
    if n <= 60:
        about = unspoken.Adversary("x0", secret=[0])
        odds = computed_log_odds(belief, mechanism, about, seen)
        assert odds == pytest.approx(expected, rel=1e-11)
    monkeypatch.setattr("unspoken.core.beliefs.exchangeable.RANGE", -1.0)
    assert log_odds() == pytest.approx(expected, rel=1e-9)


def test_an_event_about_what_is_known_narrows_the_contexts() -> None:
    """x1 was released, so it is 1, whatever the others known are; it says no more of x0."""
    counts = [3, 1, 4, 1, 5]
    belief, joint = Exchangeable(counts, 4), unspoken.Joint(table_of(counts))
    mechanism = OneSided(dict.fromkeys(names(range(4)), 1.0))
    about = unspoken.Adversary("x0", secret=[0], knows=["x1", "x2"])
    for outcome in ({"x1": 1}, {"x1": 1, "x2": 1, "x3": unspoken.WITHHELD}):
        got, expected = (unspoken.odds(own, mechanism, about, outcome) for own in (belief, joint))
        assert got.value == pytest.approx(expected.value, rel=1e-12)


def test_events_no_float_can_hold() -> None:
    """e^-2000 is none; own outputs of the target count too."""
    belief = Exchangeable([1.0, 0.0, 0.0, 1.0], 3)
    mechanism = OneSided(dict.fromkeys(names(range(3)), 1000.0))
    seen = dict.fromkeys(names(range(3)), unspoken.WITHHELD)
    bound = unspoken.odds(belief, mechanism, unspoken.Adversary("x0", secret=[0]), seen)
    assert bound.nats == pytest.approx(3000.0, rel=1e-12)
    known = unspoken.Adversary("x0", secret=[0], knows=["x1", "x2"])
    assert unspoken.odds(belief, mechanism, known, {"x0": unspoken.WITHHELD}).value == 1.0


def test_sampling_draws_the_law() -> None:
    belief = Exchangeable([1, 2, 3, 4], 3)
    rows = belief.sample(np.random.default_rng(5), 40_000)
    assert np.bincount(rows.sum(1)) / 40_000 == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.01)
    assert rows.mean(0) == pytest.approx([2 / 3] * 3, abs=0.01)
    later, _ = belief.knowing(["x0", "x2"])
    assert later.sample(np.random.default_rng(5), 10).shape == (10, 2)


@pytest.mark.parametrize(
    ("counts", "n", "says"),
    [
        ([1, 1, 1], 3, "4 numbers are expected"),
        ([[1, 1], [1, 1]], 1, "2 numbers are expected"),
        ([0.5, 0.4], 1, "sums to 0.9"),
        ([1, -1], 1, "negative"),
        ([1, math.nan], 1, "NaN"),
        ([1], 0, "no number of variables"),
        ([1, 1], "1", "no number of variables"),
        ([1, 1], 1.0, "no number of variables"),
    ],
)
def test_bad_input_is_named(counts: Any, n: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Exchangeable(counts, n)


def test_refusals() -> None:
    belief = Exchangeable(beta_binomial(60, 2, 3), 60)
    with pytest.raises(TooLarge, match="different weights"):
        belief.sums(["x0"], [{f"x{i}": float(i) for i in range(60)}])
    with pytest.raises(InputError, match="impossible"):
        Exchangeable([1, 0, 1], 2).given({"x0": 0}).given({"x1": 1})
    with pytest.raises(InputError, match="there is no"):
        belief.given({"x0": 2})
