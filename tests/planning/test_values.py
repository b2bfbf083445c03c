"""Plans that hold what pooled values tell, against an enumeration that shares no code with them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import unspoken
from tests.effort import EFFORT, examples
from tests.planning.enumerated import Enumerated
from tests.work import count_calls
from unspoken.core.types.bound import LOG2
from unspoken.planning.block import Block
from unspoken.planning.chosen import Chosen
from unspoken.planning.joint_law import AnswerLaw
from unspoken.planning.limits import Limits
from unspoken.planning.problem import CellOptions, ReleaseProblem
from unspoken.planning.protection import Protection
from unspoken.planning.values import plan_values

pytestmark = pytest.mark.slow

INF = math.inf


def plan_of(
    belief: Any,
    sensitive: Mapping[str, Sequence[Any]],
    limit: float | Mapping[str, float] = INF,
    odds_cap: float = INF,
    exceed: float = 0.0,
    weights: Any = None,
    caps: Any = None,
    secrets: Mapping[str, Sequence[Any]] | None = None,
    coalitions: Sequence[Sequence[str]] | None = None,
) -> Chosen:
    """``limit`` in nats."""
    bits = (
        {name: nats / LOG2 for name, nats in limit.items()}
        if isinstance(limit, Mapping)
        else limit / LOG2
    )
    protection = Protection(bits, sensitive, secrets, odds_cap, coalitions)
    options = CellOptions(caps=caps, exceed=exceed)
    return plan_values(ReleaseProblem.of(belief, protection, options, weights))


def plan_enumerated(e: Enumerated, **limits: Any) -> Chosen:
    belief = unspoken.Joint(e.table)
    hidden = {f"x{i}": tuple(own) for i, own in enumerate(e.sensitive)}
    secrets = {f"x{i}": tuple(own) for i, own in enumerate(e.secrets or e.sensitive)}
    return plan_of(belief, hidden, secrets=secrets, **limits)


def drawn(rng: np.random.Generator, n: int, d: int) -> Enumerated:
    shape = tuple(int(size) for size in rng.integers(2, d + 1, n))
    table = rng.dirichlet(np.full(math.prod(shape), rng.choice([0.3, 1.0, 5.0]))).reshape(shape)
    if rng.random() < 0.3:
        table = table * (rng.random(shape) < 0.7)
        table[(0,) * n] += 0.01
        table[tuple(size - 1 for size in shape)] += 0.01
    hidden = []
    for size in shape:
        kind = rng.choice(["one", "none", "some", "all"], p=[0.6, 0.15, 0.2, 0.05])
        count = {"one": 1, "none": 0, "some": int(rng.integers(1, size)), "all": size}[kind]
        hidden.append(tuple(sorted(rng.permutation(size)[:count].tolist())))
    return Enumerated(table / table.sum(), hidden)


LIMITS: list[dict[str, float]] = [
    {"limit": 0.05},
    {"limit": 0.3, "odds_cap": 4.0},
    {"odds_cap": 2.0},
    {"limit": 0.01, "odds_cap": 10.0},
    {"limit": 1e-6},
]


def grid(levels: int, n: int) -> np.ndarray:
    return np.array(list(itertools.product(np.linspace(0.0, 1.0, levels), repeat=n)))


def no_point_beats(e: Enumerated, found: Chosen, points: np.ndarray, **limits: float) -> None:
    """No point that keeps the limits, by enumeration, reaches more than the certificate."""
    reached = points @ e.free
    for k in np.argsort(-reached):
        if reached[k] <= found.upper * (1 + 1e-9) + 1e-15:
            return
        assert not e.keeps(points[k], slack=-1e-9, **limits), points[k]


def is_kept(e: Enumerated, found: Chosen, **limits: float) -> None:
    assert ((found.p >= 0) & (found.p <= 1)).all()
    assert e.keeps(found.p, **limits)
    assert found.objective == pytest.approx(float(e.free @ found.p), abs=1e-14)
    assert found.objective <= found.upper
    for bound in found.information.values():
        assert bound.high * (1 + 1e-12) <= limits.get("limit", INF)
    if not limits.get("exceed"):
        assert found.odds.high <= limits.get("odds_cap", INF) * (1 + 2e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS))
@example(680, LIMITS[0])
@examples(30)
def test_two_variables_against_a_grid(seed: int, limits: dict[str, float]) -> None:
    e = drawn(np.random.default_rng(seed), 2, 3)
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    no_point_beats(e, found, grid(26, 2), **limits)
    assert found.upper <= found.objective * 1.0011 + 1e-8


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS))
@example(34, LIMITS[3])
@examples(10)
def test_three_variables_against_a_grid(seed: int, limits: dict[str, float]) -> None:
    e = drawn(np.random.default_rng(seed), 3, 3)
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    no_point_beats(e, found, grid(11, 3), **limits)
    near = 1.0011 if "odds_cap" in limits else 1.05  # bits alone are bounded less closely
    assert found.upper <= found.objective * near + 1e-8


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:3]), st.integers(4, 6))
@examples(3)
def test_no_random_search_finds_more(seed: int, limits: dict[str, float], n: int) -> None:
    """Random directions out of random supports, each followed to the boundary."""
    rng = np.random.default_rng(seed)
    e = drawn(rng, n, 2)
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    for _ in range(15 * EFFORT):
        way = rng.random(n) * (rng.random(n) < 0.7)
        inside, outside = 0.0, 1.0 / max(way.max(), 1e-9)
        for _ in range(20):
            middle = 0.5 * (inside + outside)
            kept = e.keeps(middle * way, slack=-1e-9, **limits)
            inside, outside = (middle, outside) if kept else (inside, middle)
        assert inside * float(e.free @ way) <= found.upper * (1 + 1e-9) + 1e-15


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.1]))
@examples(8)
def test_exempt_answers_against_a_grid(seed: int, exceed: float) -> None:
    e = drawn(np.random.default_rng(seed), 2, 3)
    limits = {"limit": 0.2, "odds_cap": 3.0, "exceed": exceed}
    found = plan_enumerated(e, **limits)
    is_kept(e, found, **limits)
    assert all(above <= exceed for above in found.exceeded.values())
    no_point_beats(e, found, grid(31, 2), **limits)
    without = plan_enumerated(e, limit=0.2, odds_cap=3.0)
    assert found.objective >= without.objective * (1 - 1e-3)


XOR = np.zeros((2, 2, 2))
for first, second in itertools.product((0, 1), repeat=2):
    XOR[first, second, first ^ second] = 0.25


@pytest.mark.parametrize("hidden", [(0,), (0, 1)])
def test_what_only_pairs_tell_is_limited(hidden: tuple[int, ...]) -> None:
    """V1, V2 fair, S = V1 xor V2: either value alone says nothing about S, both say everything."""
    e = Enumerated(XOR, [(), (), hidden])
    found = plan_enumerated(e, limit=0.05)
    is_kept(e, found, limit=0.05)
    no_point_beats(e, found, grid(21, 3), limit=0.05)
    if len(hidden) == 2:  # S itself is never released: p1 p2 log 2 <= 0.05, and one of them is free
        assert found.objective == pytest.approx(1.0 + 0.05 / math.log(2), rel=1e-3)


def keeps_pairs(e: Enumerated, p: np.ndarray, limit: float) -> bool:
    """The fault: every released variable on its own, summed over variables."""
    totals = np.zeros(len(e.sensitive))
    for alone in np.diag(p):
        for k, (told, *_) in enumerate(e.said(alone)):
            totals[k] += told
    return bool((totals <= limit).all())


def test_summed_pairs_would_be_caught() -> None:
    e = Enumerated(XOR, [(), (), (0, 1)])
    everything = np.array([1.0, 1.0, 0.0])
    assert keeps_pairs(e, everything, 0.05)
    assert not e.keeps(everything, 0.05)
    assert plan_enumerated(e, limit=0.05).upper < everything.sum() - 0.9


def test_a_search_that_sums_pairs_is_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted in the search itself: the last check, by views, lets none of it out."""

    def summed(answers: AnswerLaw) -> np.ndarray:
        n = len(answers.p)
        alone = [
            real.func(answers.joint.at(np.where(np.arange(n) == i, answers.p, 0))) for i in range(n)
        ]
        return np.sum(alone, axis=0)

    real: Any = AnswerLaw.information
    e = Enumerated(XOR, [(), (), (0, 1)])
    monkeypatch.setattr(AnswerLaw, "information", property(summed))
    belief, everything = unspoken.Joint(XOR), np.array([1.0, 1.0, 0.0])
    names = belief.domain.names
    block = Block(
        belief,
        {"x0": (), "x1": (), "x2": (0, 1)},
        {"x2": (0, 1)},
        names,
        np.ones(3),
        np.ones(3),
        Limits({"x2": 0.05}),
        {},
    )
    assert (block.limits.excesses(block.joint.at(everything)) <= 0).all()
    found = plan_enumerated(e, limit=0.05)
    assert e.keeps(found.p, 0.05)


def test_values_that_tell_too_much_are_not_released() -> None:
    """An always-sensitive column, and a released copy of it."""
    law = np.array([[0.3, 0.2], [0.25, 0.05], [0.1, 0.1]])
    table = np.zeros((3, 3, 2))
    table[np.arange(3), np.arange(3)] = law
    belief = unspoken.Joint(table, names=["hidden", "copy", "other"])
    sensitive = {"hidden": (0, 1, 2)}
    capped = plan_of(belief, sensitive, odds_cap=4.0)
    assert capped.p[1] == 0.0
    assert capped.p[2] > 0
    assert {(t.name, t.value, t.target) for t in capped.telling} == {
        ("copy", value, "hidden") for value in (0, 1, 2)
    }
    assert all(t.factor == INF for t in capped.telling)
    assert sum(t.probability for t in capped.telling) == pytest.approx(1.0)
    few = plan_of(belief, sensitive, odds_cap=4.0, exceed=0.05)
    assert few.p[1] == pytest.approx(0.05, rel=1e-6)
    assert few.exceeded["hidden"] <= 0.05
    limited = plan_of(belief, sensitive, limit=0.1)
    assert 0 < limited.p[1] < 0.2
    assert limited.information["hidden"].high == pytest.approx(0.1, rel=1e-6)


def test_telling_values_have_their_factor() -> None:
    """P(B=1 | A=0) / P(B=1 | A=1) = 0.45 / 0.05."""
    belief = unspoken.Joint([[0.11, 0.09], [0.76, 0.04]], names=["A", "B"])
    found = plan_of(belief, {"A": (0,)}, odds_cap=4.0)
    (told,) = found.telling
    assert (told.name, told.value, told.target, told.secret) == ("B", 1, "A", (0,))
    assert told.factor == pytest.approx(0.45 / 0.05)
    assert told.probability == pytest.approx(0.13)
    assert "B 1" in str(told)
    assert "A 0" in str(told)
    assert found.p[1] == 0.0


def test_a_rare_secret() -> None:
    """Bits alone would allow everything: H(S) is about 2e-8; the odds cap does not."""
    theta = 1e-9
    table = np.array([[theta * 0.9, theta * 0.1], [0.3, 0.7 - theta]])
    e = Enumerated(table / table.sum(), [(0,), ()])
    for limits in ({"limit": 1e-7, "odds_cap": 4.0}, {"limit": 1e-10}, {"odds_cap": 2.0}):
        found = plan_enumerated(e, **limits)
        is_kept(e, found, **limits)
        no_point_beats(e, found, grid(41, 2), **limits)
        assert found.upper <= found.objective * 1.002
    free = plan_enumerated(e, limit=1e-7)
    assert (free.p == 1.0).all()


def test_certain_dependence() -> None:
    equal = unspoken.Joint([[0.3, 0.0], [0.0, 0.7]], names=["A", "B"])
    one = plan_of(equal, {"A": (0,)}, odds_cap=4.0)
    assert one.p.tolist() == [pytest.approx(0.75), 0.0]
    both = plan_of(equal, {"A": (0,), "B": (0,)}, odds_cap=4.0)
    # Both are withheld with probability (1-p)(1-q): 1 over that is the factor.
    assert (1 - both.p[0]) * (1 - both.p[1]) == pytest.approx(0.25)
    assert both.upper <= 0.75 * 0.7 + 0.35 * 1.01


def test_a_limit_of_nothing() -> None:
    """Only what says nothing is released: one of the two parts of an exclusive or."""
    found = plan_enumerated(Enumerated(XOR, [(), (), (0, 1)]), limit=0.0)
    assert sorted(found.p.tolist()) == [0.0, 0.0, 1.0]
    assert found.upper == pytest.approx(1.0, abs=1e-6)
    coupled = unspoken.Joint([[0.3, 0.1], [0.2, 0.4]])
    nothing = plan_of(coupled, {"x0": (0,)}, limit=0.0)
    assert nothing.p.tolist() == [0.0, 0.0]
    assert nothing.objective == 0.0


def test_where_nothing_is_sensitive_everything_is_released() -> None:
    belief = unspoken.Joint(np.arange(1.0, 13.0).reshape(2, 3, 2))
    found = plan_of(belief, {}, limit=0.0, odds_cap=1.0)
    assert (found.p == 1.0).all()
    assert found.objective == found.upper == pytest.approx(3.0)
    assert found.information == {}
    capped = plan_of(belief, {}, limit=0.0, caps=[math.log(2.0), 0.25, INF])
    assert capped.p.tolist() == [0.5, pytest.approx(-math.expm1(-0.25)), 1.0]


def test_what_is_impossible_is_no_secret() -> None:
    belief = unspoken.Joint([[0.0, 0.0], [0.4, 0.6]])
    found = plan_of(belief, {"x0": (0,)}, limit=0.0, odds_cap=1.0)
    assert (found.p == 1.0).all()


def test_weights_caps_and_single_targets_count() -> None:
    belief = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names=["A", "B"])
    hidden = {"A": (0,), "B": (0,)}
    left = plan_of(belief, hidden, limit=0.02, weights=[1.0, 0.0])
    assert left.p[1] == 0.0
    right = plan_of(belief, hidden, limit=0.02, weights=[1e-3, 1.0])
    assert right.p[1] > left.p[1]
    capped = plan_of(belief, hidden, limit=0.3, caps=[0.01, INF])
    assert capped.p[0] <= 0.01
    own = plan_of(belief, hidden, limit={"A": 0.01})
    assert own.information["A"].high <= 0.01
    assert own.information["B"].high > 0.01


def test_many_independent_variables_are_planned_one_by_one() -> None:
    """Work is counted: three million calls are enough for them, a search among all is not."""
    rng = np.random.default_rng(1)
    belief = unspoken.Independent(rng.dirichlet(np.ones(3), 200))
    hidden = dict.fromkeys(belief.domain.names, (0,))
    plans = list[Chosen]()
    calls = count_calls(lambda: plans.append(plan_of(belief, hidden, limit=0.05, odds_cap=4.0)))
    assert calls < 6_000_000
    (found,) = plans
    assert found.upper <= found.objective * 1.001
    for name, p in zip(belief.domain.names, found.p, strict=True):
        alone = Enumerated(belief.marginal([name]), [(0,)])
        assert alone.keeps([p], 0.05, 4.0)
        assert p == 1.0 or not alone.keeps([p * (1 + 1e-6)], 0.05, 4.0)


def test_independent_blocks_do_not_share_their_limit() -> None:
    table = np.array([[0.2, 0.1], [0.1, 0.6]])
    alone = plan_of(unspoken.Joint(table), {"x0": (0,), "x1": (0,)}, limit=0.05)
    belief = unspoken.Pairwise(
        {name: [0.3, 0.7] for name in "ABCD"}, {("A", "B"): table, ("C", "D"): table}
    )
    both = plan_of(belief, dict.fromkeys("ABCD", (0,)), limit=0.05)
    assert both.objective == pytest.approx(2 * alone.objective, rel=1e-9)
    assert both.upper == pytest.approx(2 * alone.upper, rel=1e-9)


def test_three_variables_known_in_pairs() -> None:
    """Their joint is not known: no odds of two are bounded, so an odds cap leaves one of them."""
    table = np.array([[0.2, 0.1], [0.1, 0.6]])
    belief = unspoken.Pairwise(
        {name: [0.3, 0.7] for name in "ABC"}, {("A", "B"): table, ("B", "C"): table}
    )
    hidden = dict.fromkeys("ABC", (0,))
    limited = plan_of(belief, hidden, limit=0.05)
    assert all(bound.high <= 0.05 for bound in limited.information.values())
    # Whatever the joint is, the plan keeps the limit: here with A and C independent given B.
    step = table / table.sum(1, keepdims=True)
    joint = table[:, :, None] * step[None]
    assert Enumerated(joint, [(0,)] * 3).keeps(limited.p, 0.05)
    capped = plan_of(belief, hidden, odds_cap=4.0)
    assert np.count_nonzero(capped.p) == 1
    assert capped.objective <= capped.upper
    known = plan_of(unspoken.Joint(joint), {"x0": (0,), "x1": (0,), "x2": (0,)}, limit=0.05)
    assert limited.objective <= known.upper
    assert known.objective <= limited.upper


def test_more_variables_than_can_be_searched() -> None:
    rng = np.random.default_rng(2)
    belief = unspoken.Joint(rng.dirichlet(np.full(2**13, 1.0)).reshape((2,) * 13))
    hidden = dict.fromkeys(belief.domain.names, (0,))
    found = plan_of(belief, hidden, limit=0.1)
    assert all(bound.high <= 0.1 for bound in found.information.values())
    assert 0.9 * found.upper <= found.objective <= found.upper


def test_plans_are_the_same_every_time() -> None:
    e = drawn(np.random.default_rng(7), 3, 3)
    once, again = (plan_enumerated(e, limit=0.1, odds_cap=4.0) for _ in range(2))
    assert (once.p == again.p).all()
    assert once.upper == again.upper
