"""Sets x mechanisms x measures: a bound for every member, or one line that says what works.

Members are drawn from corners and from between them, and climb; none of them leaks more than the
upper end, and one of them leaks the lower one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from unspoken.core.families import (
    FAMILIES,
    Ball,
    Beliefs,
    Box,
    Family,
    Frechet,
    GaussianBall,
    Intervals,
    Rows,
)
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import MECHANISMS
from unspoken.core.mechanisms.record_chain import EARLIER

pytestmark = pytest.mark.slow

Rng = np.random.Generator
Draw = Callable[[Rng], unspoken.Joint]

SHAPE = (2, 3)
MEMBERS = 6
VALUES = {"x0": [0], "x1": [0]}
SHOWN: dict[str, Any] = {
    "one-sided": unspoken.OneSided({"x1": 1.5}, VALUES),
    "bits": unspoken.OneSided({"x0": 0.3, "x1": 1.5}, VALUES, shows="bit"),
    "finite": unspoken.Finite("x1", [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]]),
    "randomized-response": unspoken.RandomizedResponse("x1", 1.0),
    "laplace": unspoken.Laplace(1.0),
    "geometric": unspoken.Geometric(0.6),
    "one-sided-noise": unspoken.OneSidedNoise(0.6, {"x0": {1: 1}, "x1": {1: 1, 2: 1}}, VALUES),
    "record-counts": unspoken.RecordCounts(0.6, {"x0": [1], "x1": [1, 2]}, [[[1, 0]], [[0, 2]]]),
    "suppression": unspoken.Suppression(
        {(1, 1): {("x0", "x1"): 2**61}, (0, 2): {("x1",): 2**60}, (1, 2): {("x1",): 2**59}},
        ["x0", "x1"],
        [[0, 1], [0, 1, 2]],
        VALUES,
    ),
    "extension": unspoken.Extension(
        unspoken.Suppression({(1, 1): {("x0",): 2**61}}, ["x0", "x1"], [[0, 1], [0, 1, 2]], VALUES),
        unspoken.Suppression(
            {(1, 1, '[["x0"]]'): {("x1",): 2**61}, (1, 2, "[[]]"): {("x0", "x1"): 2**60}},
            ["x0", "x1", EARLIER],
            [[0, 1], [0, 1, 2], ['[["x0"]]', "[[]]"]],
            {**VALUES, EARLIER: ['[["x0"]]', "[[]]"]},
        ),
    ),
    "together": unspoken.Together([unspoken.OneSided({"x1": 1.0}, VALUES), unspoken.Laplace(2.0)]),
}
WHO = {
    "nobody else": unspoken.Adversary("x0", secret=[0]),
    "every value": unspoken.Adversary("x0"),
    "of three": unspoken.Adversary("x1", secret=[0, 2]),
    "knowing a name": unspoken.Adversary("x1", secret=[0], knows=["x0"]),
    "knowing a value": unspoken.Adversary("x1", secret=[0], knows={"x0": 1}),
}


def between(rng: Rng, low: Any, up: Any) -> Any:
    """A corner of {low <= P <= up, sum P = 1}, or something between two."""
    made = np.zeros(low.size)
    for share in rng.dirichlet([0.3, 0.3]):
        corner, left = low.copy(), 1 - low.sum()
        for cell in rng.permutation(low.size):
            step = min(max(left, 0.0), up[cell] - low[cell])
            corner[cell] += step
            left -= step
        made += share * corner
    return made / made.sum()


def around(rng: Rng, law: Any) -> tuple[Any, Any]:
    """Intervals that hold the law; some of them down to 0."""
    wide = rng.uniform(0, 0.4, law.shape)
    low = np.where(rng.random(law.shape) < 0.2, 0.0, law * (1 - wide))
    return low, np.minimum(law * (1 + wide), 1.0)


def finite(rng: Rng) -> tuple[Family, Draw]:
    members = [unspoken.Joint(rng.dirichlet(np.ones(6)).reshape(SHAPE)) for _ in range(3)]
    return Beliefs(members), lambda rng: members[int(rng.integers(3))]


def box(rng: Rng) -> tuple[Family, Draw]:
    low, up = around(rng, rng.dirichlet(np.ones(6)))
    made = Box(low.reshape(SHAPE), up.reshape(SHAPE))
    return made, lambda rng: unspoken.Joint(between(rng, low, up).reshape(SHAPE))


def rows(rng: Rng, given: tuple[str, ...] = ("x0",)) -> tuple[Family, Draw]:
    """P(x1 | x0), whatever P(x0) is."""
    ends = [around(rng, rng.dirichlet(np.ones(3))) for _ in range(2)]
    low, up = (np.array(own) for own in zip(*ends, strict=True))

    def draw(rng: Rng) -> unspoken.Joint:
        laws = np.array([between(rng, *own) for own in ends])
        return unspoken.Joint(rng.dirichlet([0.5, 0.5])[:, None] * laws)

    return Rows(low, up, given), draw


def intervals(rng: Rng) -> tuple[Family, Draw]:
    """P(x | x1 = 0) and P(x | x1 != 0)."""
    centre = rng.dirichlet(np.ones(6)).reshape(SHAPE)
    inside = np.zeros(SHAPE, dtype=bool)
    inside[:, 0] = True
    low, up = np.zeros(SHAPE), np.zeros(SHAPE)
    for side in (inside, ~inside):
        low[side], up[side] = around(rng, centre[side] / centre[side].sum())
    free = rng.random() < 0.5
    least, most = (0.0, 1.0) if free else sorted(rng.uniform(0.1, 0.9, 2))
    event = ("x1", (0,))
    chosen: Any = None if free else {event: (least, most)}
    made = Intervals(unspoken.Joint(centre), {event: (low, up)}, chosen)

    def draw(rng: Rng) -> unspoken.Joint:
        table, weight = np.zeros(SHAPE), rng.uniform(least, most)
        for side, share in ((inside, weight), (~inside, 1 - weight)):
            table[side] = share * between(rng, low[side], up[side])
        return unspoken.Joint(table)

    return made, draw


def ball(rng: Rng) -> tuple[Family, Draw]:
    centre, eta = rng.dirichlet(np.ones(6)), float(rng.uniform(0, 0.3))
    low, up = centre * np.exp(-eta), np.minimum(centre * np.exp(eta), 1.0)
    made = Ball(unspoken.Joint(centre.reshape(SHAPE)), eta)
    return made, lambda rng: unspoken.Joint(between(rng, low, up).reshape(SHAPE))


def frechet(rng: Rng) -> tuple[Family, Draw]:
    """The laws of x0 and x1 and nothing of both."""
    laws = [rng.dirichlet(np.ones(size)) for size in SHAPE]
    made = Frechet({"x0": laws[0], "x1": laws[1]})

    def draw(rng: Rng) -> unspoken.Joint:
        """Filled greedily in some order, as corners are, or between two."""
        table = np.zeros(SHAPE)
        for share in rng.dirichlet([0.3, 0.3]):
            left = [law.copy() for law in laws]
            for cell in rng.permutation(6):
                i, j = divmod(int(cell), 3)
                mass = min(left[0][i], left[1][j])
                table[i, j] += share * mass
                left[0][i] -= mass
                left[1][j] -= mass
        return unspoken.Joint(table)

    return made, draw


SETS: dict[str, Callable[[Rng], tuple[Family, Draw]]] = {
    "ball": ball,
    "beliefs": finite,
    "box": box,
    "frechet": frechet,
    "intervals": intervals,
    "rows": rows,
}


def options(measure: Any) -> dict[str, float]:
    return {"eps": 0.3} if measure == "delta" else {}


def leak(belief: Any, mechanism: Any, who: Any, measure: Any) -> Any:
    return unspoken.leakage(belief, mechanism, who, measure, **options(measure))


def answered(ask: Callable[..., Any], *asked: Any) -> Any:
    """What is answered; None where it is refused, in one line that says what works."""
    try:
        return ask(*asked)
    except unspoken.UnspokenError as refused:
        said = str(refused)
        assert "\n" not in said
        assert any(word in said for word in ("give ", "must be those", "ask ", "leave out"))
        return None


def looked_at(cloud: Any, measure: Any) -> Any:
    """`leakage` of a view that is there: each measure reads the same one."""
    return MEASURES[measure].rounded(cloud, **options(measure)).outward()


def without_why(bound: Any) -> Any:
    """`leakage` says more of what is infinite."""
    return None if bound is None else replace(bound, why="")


def at_most(value: float, end: float) -> bool:
    return value <= end * (1 + 1e-9) + 1e-12


LOCAL = ("one-sided", "bits", "finite", "randomized-response", "suppression", "extension")
EXACT = ("max-log-ratio", "exclusion", "odds")


def must_answer(kind: str, shown: str, who: str, measure: Any) -> bool:
    """What a set may not refuse."""
    if kind == "beliefs":
        return True
    if kind == "rows" and who != "every value":
        return False
    if kind == "ball":
        return measure in EXACT
    return measure in EXACT or (shown in LOCAL and measure in ("delta", "mutual-information"))


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("kind", SETS)
def test_no_member_leaks_more(kind: str, shown: str, who: str) -> None:
    rng = np.random.default_rng([len(kind), len(shown), len(who)])
    for _ in range(EFFORT):
        family, draw = SETS[kind](rng)
        members = list(getattr(family, "members", ())) or [draw(rng) for _ in range(MEMBERS)]
        clouds: Any = [unspoken.view(own, SHOWN[shown], WHO[who]) for own in members]
        cloud = answered(unspoken.view, family, SHOWN[shown], WHO[who])
        for measure in MEASURES:
            bound = None if cloud is None else answered(looked_at, cloud, measure)
            if who == "nobody else":
                assert without_why(bound) == without_why(
                    answered(leak, family, SHOWN[shown], WHO[who], measure)
                )
            if bound is None:
                assert not must_answer(kind, shown, who, measure), measure
                continue
            assert bound.premise == family.premise
            truth = [looked_at(own, measure) for own in clouds]
            assert all(at_most(own.low, bound.high) for own in truth), measure
            assert bound.low <= bound.high
            if kind == "beliefs":
                assert max(own.high for own in truth) == bound.high
                assert max(own.low for own in truth) == bound.low


@pytest.fixture(scope="module", params=["box", "intervals"])
def drawn(request: pytest.FixtureRequest) -> list[tuple[Any, list[Any]]]:
    """Some sets, each with many of its members: the views of them."""
    rng, found = np.random.default_rng(7), []
    who = WHO["nobody else" if request.param == "box" else "knowing a name"]
    for _ in range(6):
        family, draw = SETS[request.param](rng)
        members = [unspoken.view(draw(rng), SHOWN["one-sided"], who) for _ in range(200)]
        found.append((unspoken.view(family, SHOWN["one-sided"], who), members))
    return found


@pytest.mark.parametrize("measure", [*EXACT, "mutual-information", "delta"])
def test_the_lower_end_is_what_a_member_leaks(
    drawn: list[tuple[Any, list[Any]]], measure: Any
) -> None:
    """Exact for likelihood ratios; for means found by climbing as well, not far below."""
    for cloud, members in drawn:
        bound = looked_at(cloud, measure)
        best = max(looked_at(member, measure).high for member in members)
        assert bound.exact or measure not in EXACT
        assert best <= bound.high * (1 + 1e-9) + 1e-12
        assert bound.low >= 0.7 * best


def test_every_family_and_mechanism_is_drawn() -> None:
    assert {*SETS, "gaussian ball"} >= {*FAMILIES, Ball.kind, GaussianBall.kind}
    assert {*SHOWN} >= {*MECHANISMS}
