"""What local channels tell under any table of a set, held against linear programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken
from unspoken import WITHHELD
from unspoken.core.families import Box, Intervals, Rows

pytestmark = pytest.mark.slow

SHAPE = (2, 3)
SENSITIVE = {"x0": [0], "x1": [0]}
SHOWN = unspoken.OneSided({"x1": 1.2}, SENSITIVE)
# P(y | x1) of what it shows: withheld, or the value.
P = 1 - math.exp(-1.2)
LAWS = {WITHHELD: [1.0, 1 - P, 1 - P], 1: [0.0, P, 0.0], 2: [0.0, 0.0, P]}


def ends(rng: np.random.Generator) -> tuple[Any, Any]:
    law = rng.dirichlet(np.ones(6))
    wide = rng.uniform(0, 0.5, 6)
    low = np.where(rng.random(6) < 0.3, 0.0, law * (1 - wide))
    return low, np.minimum(law * (1 + wide), 1.0)


def extreme(cost: Any, low: Any, up: Any, equal: Any, to: Any, sign: int) -> float:
    """The largest (1) or least (-1) cost P with equal P = to, by a linear program."""
    bounds = list(zip(low, up, strict=True))
    solved = linprog(-sign * np.asarray(cost), A_eq=equal, b_eq=to, bounds=bounds)
    return -sign * float(solved.fun) if solved.success else math.nan


@pytest.mark.parametrize("seed", range(6))
def test_odds_over_a_box_are_those_of_linear_programs(seed: int) -> None:
    """For every mass of the secret the best of both sides, on a fine grid of masses."""
    rng = np.random.default_rng(seed)
    low, up = ends(rng)
    box, who = Box(low.reshape(SHAPE), up.reshape(SHAPE)), unspoken.Adversary("x0", secret=[0])
    first, last = max(low[:3].sum(), 1 - up[3:].sum()), min(up[:3].sum(), 1 - low[3:].sum())
    for shown, law in LAWS.items():
        kernel, ratios = np.array(law), []
        for t in np.linspace(first, last, 60)[1:-1]:
            one = extreme(kernel, low[:3], up[:3], np.ones((1, 3)), [t], 1) / t
            other = extreme(kernel, low[3:], up[3:], np.ones((1, 3)), [1 - t], -1) / (1 - t)
            ratios.append(one / other if other > 0 else math.inf)
        bound = unspoken.odds(box, SHOWN, who, {"x1": shown})
        assert bound.exact
        assert max(ratios) <= bound.high * (1 + 1e-9)
        assert bound.high <= max(ratios) * 1.02


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_odds_over_intervals_are_two_linear_programs(seed: int, knows: bool) -> None:
    """max Q W / min R W; where x0 is known, of what is left (after Charnes and Cooper)."""
    rng = np.random.default_rng(seed)
    inside = np.repeat([[True, False, False]], 2, axis=0)
    low, up = np.zeros(SHAPE), np.zeros(SHAPE)
    for side in (inside, ~inside):
        law = rng.dirichlet(np.ones(side.sum()))
        wide = rng.uniform(0, 0.5, side.sum())
        low[side], up[side] = law * (1 - wide), np.minimum(law * (1 + wide), 1.0)
    centre = unspoken.Joint(np.ones(SHAPE))
    family = Intervals(centre, {("x1", (0,)): (low, up)}, premise="box(95 %)")
    one = unspoken.Finite("x1", [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2]])
    shown = unspoken.Together([one, unspoken.Finite("x0", [[0.6, 0.4], [0.1, 0.9]])])
    who = unspoken.Adversary("x1", secret=[0], knows={"x0": 1} if knows else ())
    laws = np.array([[0.6, 0.4], [0.1, 0.9]])[:, None, :, None]
    laws = laws * np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2]])[None, :, None, :]
    if knows:
        laws = laws.sum(2, keepdims=True)
    worst = 0.0
    for y in np.ndindex(laws.shape[2:]):
        kernel = laws[(..., *y)]
        best = []
        for side, sign in ((inside, 1), (~inside, -1)):
            held = np.broadcast_to(np.array([[0.0], [1.0]]) if knows else 1.0, SHAPE)[side]
            best.append(quotient(kernel[side], held, low[side], up[side], sign))
        worst = max(worst, best[0] / best[1])
    bound = unspoken.leakage(family, shown, who, "odds")
    assert bound.exact
    assert bound.premise == "box(95 %)"
    assert bound.high == pytest.approx(worst, rel=1e-7)


def quotient(kernel: Any, held: Any, low: Any, up: Any, sign: int) -> float:
    """The largest or least sum P k held / sum P held with sum P = 1: over P / sum P held."""
    n = len(kernel)
    above = np.hstack([np.eye(n), -up[:, None]])  # z <= up s, low s <= z, sum z = s, z held = 1
    below = np.hstack([-np.eye(n), low[:, None]])
    equal = [np.append(np.ones(n), -1.0), np.append(held, 0.0)]
    solved = linprog(
        -sign * np.append(kernel * held, 0.0),
        A_ub=np.vstack([above, below]),
        b_ub=np.zeros(2 * n),
        A_eq=equal,
        b_eq=[0.0, 1.0],
        bounds=[(0, None)] * (n + 1),
    )
    assert solved.success
    return -sign * float(solved.fun)


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_programs_of_their_own(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(3), 2)
    low, up = laws * 0.7, np.minimum(laws * 1.4, 1.0)
    family, who = Rows(low, up, ["x0"]), unspoken.Adversary("x0")
    for shown, law in LAWS.items():
        kernel, one = np.array(law), np.ones((1, 3))
        apart = [
            extreme(kernel, low[a], up[a], one, [1], 1)
            / extreme(kernel, low[b], up[b], one, [1], -1)
            for a, b in ((0, 1), (1, 0))
        ]
        both = unspoken.odds(family, SHOWN, unspoken.Adversary("x0", secret=[0]), {"x1": shown})
        assert both.high == pytest.approx(apart[0], rel=1e-7)
    assert unspoken.leakage(family, SHOWN, who).exact


def test_a_point_is_its_one_member() -> None:
    """A box of no width answers as the table does, means too."""
    joint = unspoken.Joint([[3, 2, 5], [1, 1, 8]])
    who = unspoken.Adversary("x0")
    event = {("x0", (0,)): (joint.table / 0.5, np.minimum(joint.table / 0.5, 1.0))}
    certain = Intervals(joint, event, {("x0", (0,)): (0.5, 0.5)})
    for family in (Box(joint.table, joint.table), certain):
        for measure in ("max-log-ratio", "odds", "mutual-information", "delta", "exclusion"):
            bound = unspoken.leakage(family, SHOWN, who, measure)
            truth = unspoken.leakage(joint, SHOWN, who, measure)
            assert bound.high == pytest.approx(truth.high, rel=1e-9), measure
            assert bound.low == pytest.approx(truth.low, rel=1e-9), measure


def test_the_odds_of_intervals_need_no_probability() -> None:
    """Both laws, whatever the secret's share; the information does depend on it."""
    joint = unspoken.Joint([[3, 2, 5], [1, 1, 8]])
    event = ("x0", (0,))
    ends = joint.table / 0.5 * 0.9, np.minimum(joint.table / 0.5 * 1.1, 1.0)
    free, half = (Intervals(joint, {event: ends}, p) for p in (None, {event: (0.01, 0.02)}))
    who = unspoken.Adversary("x0", secret=[0])
    odds = [unspoken.leakage(own, SHOWN, who, "odds").high for own in (free, half)]
    bits = [unspoken.leakage(own, SHOWN, who, "mutual-information").high for own in (free, half)]
    assert odds[0] == odds[1]
    assert bits[1] < 0.2 * bits[0]


def test_another_event_is_answered_from_single_cells() -> None:
    joint = unspoken.Joint([[3, 2, 5], [1, 1, 8]])
    event = ("x0", (0,))
    ends = joint.table / 0.5 * 0.9, np.minimum(joint.table / 0.5 * 1.1, 1.0)
    family = Intervals(joint, {event: ends}, {event: (0.4, 0.6)})
    who = unspoken.Adversary("x1", secret=[0])
    assert (
        unspoken.leakage(family, unspoken.OneSided({"x0": 1.0}, SENSITIVE), who, "odds").high
        == unspoken.leakage(
            family.joint_cells, unspoken.OneSided({"x0": 1.0}, SENSITIVE), who, "odds"
        ).high
    )


@pytest.mark.parametrize(
    ("intervals", "probability", "words"),
    [
        ({}, None, "an event at least"),
        ({("x0", (0,)): ([[0.1, 0.1], [0, 0]], [[0.2, 0.2], [1, 1]])}, None, "is empty"),
        ({("x0", (0,)): ([[0.9, 0.9], [0, 0]], [[1, 1], [1, 1]])}, None, "is empty"),
        ({("x0", (0,)): ([[0, 0], [0.6, 0.6]], [[1, 1], [1, 1]])}, None, "is empty"),
        ({("x0", (0, 1)): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "not all"),
        ({("x0", ()): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "name some"),
        ({("z", (0,)): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "no .z"),
        ({("x0", (7,)): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "7"),
        ({("x0", 0): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "list is expected"),
        ({"x0": ([[0, 0], [0, 0]], [[1, 1], [1, 1]])}, None, "is no event"),
        ({("x0", (0,)): ([[0, 0]], [[1, 1]])}, None, "entries"),
        ({("x0", (0,)): [[0, 0], [0, 0], [0, 0]]}, None, "pair of tables"),
        (
            {("x0", (0,)): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])},
            {("x0", (0,)): (0.6, 0.4)},
            "least <= most",
        ),
        (
            {("x0", (0,)): ([[0, 0], [0, 0]], [[1, 1], [1, 1]])},
            {("x1", (0,)): (0.4, 0.6)},
            "not among",
        ),
    ],
)
def test_what_are_no_intervals_is_refused(intervals: Any, probability: Any, words: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words) as refused:
        Intervals(unspoken.Joint([[1, 1], [1, 1]]), intervals, probability)
    assert "\n" not in str(refused.value)


def test_an_impossible_answer() -> None:
    box = Box([[0, 0.5], [0, 0.4]], [[0, 0.6], [0, 0.5]])
    shown = unspoken.Finite("x1", [[1, 0], [0, 1]])
    who = unspoken.Adversary("x0", secret=[0])
    assert unspoken.odds(box, shown, who, {"x1": 0}).status == "impossible"
    assert unspoken.odds(box, shown, who, {"x1": 1}).status == "ok"


def test_files_list_intervals_as_tables() -> None:
    joint = unspoken.Joint([[3, 2, 5], [1, 1, 8]])
    low, up = [[0.2, 0.1, 0.4], [0.0, 0.0, 0.7]], [[0.4, 0.3, 0.6], [0.2, 0.2, 0.9]]
    written = {"name": "x0", "values": [0], "lower": low, "upper": up, "probability": [0.4, 0.6]}
    event = ("x0", (0,))
    listed, keyed = (
        Intervals(joint, [written]),
        Intervals(joint, {event: (low, up)}, {event: (0.4, 0.6)}),
    )
    assert listed == keyed
    assert listed != Intervals(joint, {event: (low, up)})
    wrong: Any
    for wrong in (
        [{"name": "x0"}],
        [{**written, "more": 1}],
        [3],
        "x",
        [{**written, "probability": 1}],
    ):
        with pytest.raises(unspoken.UnspokenError, match="intervals") as refused:
            Intervals(joint, wrong)
        assert "\n" not in str(refused.value)


def test_cells_that_cannot_be_are_none_whatever_rounding_leaves_them() -> None:
    """.7 + .2 + .1 is less than 1, as floats: nothing is left for the others all the same."""
    row = [0.7, 0.2, 0.1]
    assert sum(row) < 1
    table = [[0.0, 0.0, 0.0], row]
    point = Box(table, table)
    about = unspoken.Adversary("x1", secret=[0], knows=["x0"])
    shown = unspoken.OneSided({"x1": 1.0}, {"x1": [0]})
    for measure in ("exclusion", "odds", "delta"):
        told = unspoken.leakage(point, shown, about, measure)
        single = unspoken.leakage(unspoken.Joint(table), shown, about, measure)
        assert told.high == pytest.approx(single.high, rel=1e-9), measure


def test_no_more_is_told_than_there_is_to_know() -> None:
    """Any law whatever of three values: log 3, be some answer possible under one of them only."""
    every = Box(np.zeros((3, 2)), np.ones((3, 2)))
    shown = unspoken.Together([unspoken.OneSided({name: math.inf}, {}) for name in ("x0", "x1")])
    told = unspoken.leakage(
        every, shown, unspoken.Adversary("x0", secret=[0, 1]), "mutual-information"
    )
    assert told.high == pytest.approx(math.log(3), rel=1e-9)
