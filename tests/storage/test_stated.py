"""What is said of how often cells are shown holds for every record of the domain, by enumeration:

1 is said only of what all of them show, and names whose records show less than is said are named.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.core.mechanisms.test_extension import added_of, adds_more, coin_of, first_of, histories
from tests.core.mechanisms.worlds_of_records import KINDS, World, world
from tests.planning.records import enumerated
from unspoken import Extension, OneSided
from unspoken.core.mechanisms import Mechanism
from unspoken.storage.stated import less_often, stated, stated_given, unexpected
from unspoken.tables.learning.intervals import confidence

Shown = Callable[[tuple[Any, ...], str], Fraction]  # how often a record shows a name
NEARLY = Fraction(1, 10**9)  # by which rounding in integers takes off what is shown always


def check(mechanism: Mechanism, belief: Any, shows: Shown) -> int:
    """How many names are said to be shown always."""
    domain, law = belief.domain, belief.marginal(belief.domain.names)
    p, given = stated(mechanism, belief), stated_given(mechanism, belief)
    always, named = 0, unexpected(mechanism, belief)
    for axis, name in enumerate(domain.names):
        free = [
            (record, float(law[at]))
            for at, record in zip(
                np.ndindex(law.shape), itertools.product(*domain.values), strict=True
            )
            if record[axis] not in mechanism.hides(name)
        ]
        each = [(record, mass, shows(record, name)) for record, mass in free]
        mass = sum(Fraction(m) for _, m, _ in each)
        mean = sum(Fraction(m) * share for _, m, share in each) / mass if mass else Fraction(0)
        assert p[name] - Fraction(1, 10**8) <= mean
        all_of_them = all(share >= 1 - NEARLY for *_, share in each)
        assert (p[name] == 1) == bool(mass and all_of_them)
        always += p[name] == 1
        said = Fraction(int((mean + NEARLY) * 1000), 1000)  # rounded down
        less = [share for _, m, share in each if not m and share + NEARLY < said]
        assert (name in named) == bool(less)
        for value in domain.values[axis]:
            of = [share for record, _, share in each if record[axis] == value]
            if given[name].get(value) == 1:
                assert all(share >= 1 - NEARLY for share in of)
    return always


def with_certain(rng: Any, drawn: World) -> World:
    """The same, but for what every record that is expected shows always; of others who knows."""
    always = [name for name in drawn.names if rng.random() < 0.6]
    shows = dict(drawn.shows)
    for record in np.ndindex(drawn.counts.shape):
        label = dict(zip(drawn.names, record, strict=True))
        own = tuple(name for name in always if label[name] not in drawn.hidden[name])
        if drawn.counts[record] or rng.random() < 0.7:
            shows[record] = {own: 2**62} if own else {}
    return World(drawn.counts, shows, drawn.hidden)


@pytest.mark.parametrize("seed", range(60))
def test_tables_of_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = world(rng, KINDS[seed % len(KINDS)])
    for each in (drawn, with_certain(rng, drawn)):
        told = each.shows

        def shows(record: tuple[Any, ...], name: str, told: Any = told) -> Fraction:
            own = told.get(record, {})
            return Fraction(sum(w for names, w in own.items() if name in names), 2**62)

        check(each.coin, each.belief, shows)


def test_some_of_them_are_always_shown() -> None:
    """The test above looks at what it is about."""
    said: list[float] = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        each = with_certain(rng, world(rng, "sparse"))
        said += stated(each.coin, each.belief).values()
    assert 10 < said.count(1.0) < 100
    assert said.count(0.999) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_extensions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = world(rng, KINDS[seed % len(KINDS)])
    one = first_of(rng, drawn)
    two = adds_more(rng, drawn, [one])

    def shows(record: tuple[Any, ...], name: str) -> Fraction:
        law = histories(drawn, record, [one, two])
        return sum((p for after, p in law.items() if name in after[-1]), Fraction(0))

    check(Extension(coin_of(drawn, one), added_of(drawn, two)), drawn.belief, shows)


def test_coins_of_cells_are_the_same_for_all_records() -> None:
    belief = unspoken.Joint([[5, 0], [0, 3]], names=["a", "b"])
    coin = OneSided({"a": float("inf"), "b": 0.7}, {"a": [], "b": [1]})
    assert stated(coin, belief) == {"a": 1.0, "b": 0.503}
    assert (stated_given(coin, belief), unexpected(coin, belief)) == ({}, [])


def of_plan(plan: Any) -> Shown:
    table = enumerated.shown(plan)

    def shows(record: tuple[Any, ...], name: str) -> Fraction:
        own = dict(zip("abc", record, strict=True))
        found = enumerated.patterns(plan, own, table)
        return sum((w for names, w in found.items() if name in names), Fraction(0))

    return shows


def believed(rng: Any, scale: float = 4.0) -> tuple[Any, Any]:
    """Counts with noise, of which some come out at 0; the belief, and all they leave possible."""
    truth = np.rint(rng.dirichlet(np.full(12, 0.4)) * 2000).astype(int).reshape(3, 2, 2)
    noisy = truth + np.rint(rng.laplace(0, scale, truth.shape)).astype(int)
    belief = unspoken.Joint(np.maximum(noisy, 0), names=list("abc"))
    noisy = noisy.astype(np.int64)
    return belief, confidence.box(noisy, belief, {"a": (0,)}, rows=2000, scale=scale)


OPTIONS: list[Mapping[str, Any]] = [
    {}, {"odds_cap": 2.0}, {"own_reads": True, "coalitions": [["a", "b"], ["c"]]},
    {"unbiased": True}, {"floor": 1.5}, {"shares": {"who": ["b"], "else": ["c"]}},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("asked", OPTIONS, ids=lambda asked: " ".join(asked) or "plain")
def test_plans_for_what_counts_leave_possible(seed: int, asked: Mapping[str, Any]) -> None:
    belief, box = believed(np.random.default_rng(seed))
    plan = unspoken.plan(box, by="record", sensitive={"a": [0]}, **asked)
    check(plan.mechanism, belief, of_plan(plan))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_plans_given_contexts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (one, first), (two, second) = believed(rng), believed(rng)
    plan = unspoken.plan(by="record", sensitive={"a": [0]}, contexts=[(1, first), (1, second)])
    names = list("abc")
    belief = unspoken.Joint((one.marginal(names) + two.marginal(names)) / 2, names)
    check(plan.mechanism, belief, of_plan(plan))


@pytest.mark.parametrize("seed", range(12))
def test_what_costs_nothing_is_shown_of_unexpected_records_too(seed: int) -> None:
    """No answer of theirs can tell of a secret that nobody with the secret gives: so who shows
    all that others show with the same labels breaks no row.
    """
    belief, box = believed(np.random.default_rng(seed), 8.0)
    plan = unspoken.plan(box, by="record", sensitive={"a": [0]}, odds_cap=4.0)
    law, shows = belief.marginal(["a", "b", "c"]), of_plan(plan)
    for record in np.argwhere(law == 0).tolist():
        if record[0]:
            silent = 1 - max(shows(tuple(record), name) for name in "abc")
            others = [
                1 - max(shows(tuple(other), name) for name in "abc")
                for other in np.argwhere(law > 0).tolist()
                if other[0]
            ]
            assert silent <= max(others) + NEARLY


def test_four_rows_of_a_room_are_not_blank_for_nothing() -> None:
    """Counts of a room with noise, of which two come out below 0: both show both sensors."""
    noisy = np.array(
        [[[8207, 291, 276, 153], [-3, -13, 128, 148]], [[10, 139, 162, 71], [6, -21, 195, 297]]]
    )
    belief = unspoken.Joint(np.maximum(noisy, 0), names=list("abc"))
    box = confidence.box(noisy, belief, {"c": (0,)}, rows=10_129, scale=8.0)
    plan = unspoken.plan(box, by="record", sensitive={"c": [0]}, shares={"all": list("abc")})
    shows = of_plan(plan)
    for record in ((0, 1, 1), (1, 1, 1)):
        assert min(shows(record, "a"), shows(record, "b")) >= 1 - NEARLY
    assert stated(plan.mechanism, belief)["a"] == 1.0
    assert plan.objective >= plan.bound.high * (1 - 1e-6)


def test_nothing_sensitive_is_shown_of_all_records_there_may_be() -> None:
    belief = unspoken.Joint([[5, 0], [0, 3]], names=["a", "b"])
    plan = unspoken.plan(belief, by="record", sensitive={})
    assert stated(plan.mechanism, belief) == {"a": 1.0, "b": 1.0}


def test_in_words() -> None:
    assert less_often(["a", "b", "c"]).startswith(
        "Rows of combinations that the counts have at 0 may show a, b and c less often, or never:"
    )
    assert " may show a less often, or never: " in less_often(["a"])
