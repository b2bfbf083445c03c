"""Coalitions that do not pool: each is held on its own, against an enumeration of what it sees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from tests.planning.test_values import LIMITS, XOR, drawn, grid, plan_enumerated
from unspoken.core.errors import InputError
from unspoken.core.types.bound import LOG2
from unspoken.planning.chosen import Chosen
from unspoken.planning.coalitions import overlapping

INF = math.inf
PAIRS = [[0, 1], [1, 2]]


def plan_apart(e: Enumerated, pools: Sequence[Sequence[int]], **limits: Any) -> Chosen:
    return plan_enumerated(e, coalitions=[[f"x{i}" for i in own] for own in pools], **limits)


def each_keeps(
    e: Enumerated, p: np.ndarray, pools: Sequence[Sequence[int]], **limits: float
) -> bool:
    """What others are shown a coalition does not see: as if it were never released."""
    axes = np.arange(len(p))
    return all(e.keeps(np.where(np.isin(axes, own), p, 0.0), **limits) for own in pools)


def check(
    e: Enumerated,
    pools: Sequence[Sequence[int]],
    levels: int,
    gap: float = 0.05,
    **limits: Any,
) -> Chosen:
    found = plan_apart(e, pools, **limits)
    assert each_keeps(e, found.p, pools, **limits)
    assert found.objective == pytest.approx(float(e.free @ found.p), abs=1e-14)
    assert found.upper <= found.objective * (1 + gap) + 1e-8
    points = grid(levels, len(found.p))
    reached = points @ e.free
    for k in np.argsort(-reached):
        if reached[k] <= found.upper * (1 + 1e-9) + 1e-15:
            break
        assert not each_keeps(e, points[k], pools, slack=-1e-9, **limits), points[k]
    return found


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:4]))
@examples(10)
def test_two_that_share_nothing(seed: int, limits: dict[str, float]) -> None:
    check(drawn(np.random.default_rng(seed), 2, 3), [[0], [1]], 21, **limits)


@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:4]))
@examples(6)
def test_two_that_share_a_variable(seed: int, limits: dict[str, float]) -> None:
    check(drawn(np.random.default_rng(seed), 3, 3), PAIRS, 7, **limits)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:3]))
@examples(4)
def test_three_in_a_ring(seed: int, limits: dict[str, float]) -> None:
    check(drawn(np.random.default_rng(seed), 3, 2), [[0, 1], [1, 2], [0, 2]], 9, **limits)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@examples(4)
def test_exempt_answers(seed: int) -> None:
    e = drawn(np.random.default_rng(seed), 3, 2)
    limits = {"limit": 0.2, "odds_cap": 3.0, "exceed": 0.05}
    check(e, PAIRS, 7, gap=1e9, **limits)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from(LIMITS[:3]))
@examples(4)
def test_who_pools_less_is_never_given_less(seed: int, limits: dict[str, float]) -> None:
    e = drawn(np.random.default_rng(seed), 3, 2)
    uppers = [plan_apart(e, pools, **limits) for pools in ([[0, 1, 2]], PAIRS, [[0], [1], [2]])]
    for less, more in zip(uppers[1:], uppers, strict=False):
        assert less.upper >= more.objective * (1 - 1e-9)
        assert less.objective >= more.objective * (1 - 2e-3)


def test_one_that_sees_all_is_everybody() -> None:
    e = drawn(np.random.default_rng(3), 3, 2)
    belief, hidden = unspoken.Joint(e.table), {f"x{i}": own for i, own in enumerate(e.sensitive)}
    said = [
        repr(unspoken.plan(belief, limit_bits=0.1, sensitive=hidden, coalitions=pools))
        for pools in (None, [["x0", "x1", "x2"]], [["x0"], ["x2", "x1", "x0"], ["x1", "x2"]])
    ]
    assert said[0] == said[1] == said[2]


def test_two_halves_of_a_secret() -> None:
    """S = V1 xor V2: each coalition has one half and may see all of it; pooled, they know S."""
    belief = unspoken.Joint(XOR, names=["a", "b", "s"])
    secret = {"s": [0, 1]}
    split = unspoken.plan(
        belief, limit_bits=0.05 / LOG2, sensitive=secret, coalitions=[["a"], ["b"]]
    )
    assert (split.p["a"], split.p["b"], split.information["s"].high) == (1.0, 1.0, 0.0)
    pooled = unspoken.leakage(
        belief, split.mechanism, unspoken.Adversary("s"), "mutual-information"
    )
    assert pooled.low == pytest.approx(math.log(2))
    held = unspoken.plan(belief, limit_bits=0.05 / LOG2, sensitive=secret, coalitions=[["a", "b"]])
    assert held.objective < split.objective - 0.9
    assert held.information["s"].high <= 0.05


def test_the_plan_says_the_worst_any_coalition_is_told() -> None:
    belief = unspoken.Joint([[15, 5], [10, 70]], names=["a", "o"])
    found = unspoken.plan(belief, limit_bits=0.03 / LOG2, coalitions=[["a"], ["o"]])
    for target in ("a", "o"):
        told = [
            computed(
                belief,
                found.mechanism,
                unspoken.Adversary(target, sees=[name]),
                "mutual-information",
            ).high
            for name in ("a", "o")
        ]
        assert found.information[target].high == max(told)
        assert max(told) <= 0.03
    assert found.gap <= 1e-3
    both = unspoken.leakage(belief, found.mechanism, unspoken.Adversary("a"), "mutual-information")
    assert both.low > 0.03


def test_what_nobody_sees_is_not_released() -> None:
    belief = unspoken.Joint([[15, 5], [10, 70]], names=["a", "o"])
    found = unspoken.plan(belief, limit_bits=None, odds_cap=None, coalitions=[["a"]])
    assert found.p == {"a": 1.0, "o": 0.0}
    none = unspoken.plan(belief, limit_bits=0.1, coalitions=[])
    assert none.p == {"a": 0.0, "o": 0.0}
    assert none.information["a"].high == 0.0


def test_known_in_pairs() -> None:
    """No coalition sees three variables, so each can be held, whatever the joint is."""
    table = np.array([[0.2, 0.1], [0.1, 0.6]])
    belief = unspoken.Pairwise(
        {name: [0.3, 0.7] for name in "ABC"}, {("A", "B"): table, ("B", "C"): table}
    )
    pools = [["A", "B"], ["B", "C"]]
    hidden = dict.fromkeys("ABC", (0,))
    found = unspoken.plan(
        belief, limit_bits=0.05 / LOG2, sensitive=hidden, odds_cap=None, coalitions=pools
    )
    step = table / table.sum(1, keepdims=True)
    joint = Enumerated(table[:, :, None] * step[None], [(0,)] * 3)
    assert each_keeps(joint, np.array(list(found.p.values())), [[0, 1], [1, 2]], limit=0.05)
    assert 0 < found.objective <= found.bound.high


def test_groups() -> None:
    assert overlapping("abcd", ["ab", "cd"]) == [[["a", "b"]], [["c", "d"]]]
    assert overlapping("abcd", ["ab", "cd", "bc"]) == [[["a", "b"], ["c", "d"], ["b", "c"]]]
    assert overlapping("abcd", ["ba", "a", "ab", "x"]) == [[["a", "b"]]]
    assert overlapping("abc", []) == []
    assert overlapping("abcd", ["ba", "a", "ab"], exempt=True) == [[["a", "b"], ["a"]]]


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"coalitions": [["arival"]]}, 'Did you mean "arrival"?'),
        ({"coalitions": ["arrival"]}, "write ['arrival']"),
        ({"coalitions": [["arrival"]], "account": "bit"}, 'plan.coalitions needs account="value"'),
    ],
)
def test_what_makes_no_sense_is_refused(given_: dict, said: str) -> None:
    days = unspoken.Joint([[15, 5], [10, 70]], names=["arrival", "occupancy"])
    with pytest.raises(InputError) as refused:
        unspoken.plan(days, limit_bits=0.1, **given_)
    assert said in str(refused.value)
