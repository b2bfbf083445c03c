"""The account against every coin: what all events show together, by enumeration.

A cell has one value. Its coin in an epoch is one number; an event shows the cell where that number
is below its threshold. What an adversary with all outputs learns is worked out from the joint law
of cells and outputs (tests/oracle.py), and held against the one mechanism that `fold` gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from tests.storage.ledger.histories import FUNCTIONS, eps, event, exposure
from unspoken import Adversary, Joint, OneSided, leakage
from unspoken.core.mechanisms import Mechanism
from unspoken.storage.ledger import Account, Release, fold, reaches

EPS = [0.0, 0.1, 0.5, math.log(2), 1.5, math.inf]


@dataclass(frozen=True)
class Case:
    values: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    sensitive: tuple[tuple[int, ...], ...]
    events: tuple[Release, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"a{i}" for i in range(len(self.values)))

    @property
    def secrets(self) -> dict[str, tuple[int, ...]]:
        return dict(zip(self.names, self.sensitive, strict=True))

    def belief(self) -> Joint:
        shape = [len(own) for own in self.values]
        table = np.array(self.counts, dtype=float).reshape(shape)
        return Joint(table / table.sum(), self.names, self.values)

    def setting(self) -> oracle.Setting:
        cells = product(*self.values)
        counts = {cell: n for cell, n in zip(cells, self.counts, strict=True) if n}
        values = dict(zip(self.names, self.values, strict=True))
        return oracle.Setting(self.names, values, counts, {}, self.secrets)


def adding(event: Release, account: Account, audience: Any = None) -> list[dict[str, float]]:
    """What an account says was shown, with the event, of the cells that it shows more of."""
    found: list[dict[str, float]] = []
    for shown in account.before(event, account.readers() if audience is None else audience):
        after = shown.exponents(event.mechanism.exponents())
        if after != shown.exponents() and after not in found:
            found.append(after)
    return found


def transcripts(case: Case, name: str, value: int) -> dict[oracle.Transcript, Fraction]:
    """What all events show of one attribute with this value, over every coin it has."""
    own = [one for one in case.events if name in eps(one)]
    coins: dict[tuple[str, int], list[Fraction]] = {}
    p = [chance(eps(one)[name]) for one in own]
    for one, share in zip(own, p, strict=True):
        coins.setdefault(coin(one), []).append(share)
    seen: dict[oracle.Transcript, Fraction] = {}
    for sides in product(*(pieces(shares) for shares in coins.values())):
        low = dict(zip(coins, (start for start, _ in sides), strict=True))
        free = value not in case.secrets[name]
        shown = tuple(
            value if free and low[coin(one)] < share else oracle.WITHHELD
            for one, share in zip(own, p, strict=True)
        )
        mass = math.prod((width for _, width in sides), start=Fraction(1))
        seen[shown] = seen.get(shown, Fraction(0)) + mass
    return {shown: mass for shown, mass in seen.items() if mass}


def coin(event: Release) -> tuple[str, int]:
    """Which coin of a cell it looks at."""
    return FUNCTIONS.get(event.epoch, event.epoch), event.draw


def chance(epsilon: float) -> Fraction:
    release, withhold = oracle.coin(epsilon)
    return Fraction(release, release + withhold)


def pieces(shares: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """The unit interval cut at every threshold: where each piece begins, and how long it is."""
    cuts = sorted({Fraction(0), *shares, Fraction(1)})
    return [(a, b - a) for a, b in pairwise(cuts)]


def joint_law(case: Case) -> oracle.Law:
    law: dict[Any, Fraction] = {}
    for cell, count in case.setting().counts.items():
        columns = [transcripts(case, n, v).items() for n, v in zip(case.names, cell, strict=True)]
        for row in product(*columns):
            mass = math.prod((m for _, m in row), start=Fraction(count))
            law[cell, tuple(shown for shown, _ in row)] = mass
    one = math.lcm(*(mass.denominator for mass in law.values()))
    return {key: int(mass * one) for key, mass in law.items()}


def compared(case: Case) -> list[tuple[float, float]]:
    """For each secret and measure: what is learned from everything, and what the account says."""
    return held(case, fold(case.events, case.secrets))


def held(case: Case, mechanism: Mechanism) -> list[tuple[float, float]]:
    setting, law = case.setting(), joint_law(case)
    found = []
    for target in case.names:
        if case.secrets[target]:
            for name in ("mutual-information", "odds"):
                truth = oracle.measure(name, setting, oracle.Look(target), law)
                said = leakage(case.belief(), mechanism, Adversary(target), name)
                said_value = said.odds if name == "odds" else said.nats
                found.append((truth, said_value))
    return found


@st.composite
def cases(draw: Any, epochs: Sequence[str], most: int = 4) -> Case:
    sizes = draw(st.lists(st.integers(2, 3), min_size=1, max_size=3))
    values = tuple(tuple(range(size)) for size in sizes)
    cells = math.prod(sizes)
    counts = draw(st.lists(st.integers(0, 5), min_size=cells, max_size=cells).filter(any))
    table = np.array(counts).reshape(sizes)
    sensitive = tuple(draw(st.sampled_from([(0,), (0, 1), ()])) for _ in sizes)
    if not any(sensitive) or (table.sum(tuple(range(1, len(sizes)))) == 0).any():
        counts, sensitive = [n + 1 for n in counts], ((0,), *sensitive[1:])
    names = [f"a{i}" for i in range(len(sizes))]
    events = []
    for _ in range(draw(st.integers(1, most))):
        some = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        epsilon = {name: draw(st.sampled_from(EPS)) for name in some}
        one = event(draw(st.sampled_from(epochs)), **epsilon)
        events.append(replace(one, draw=draw(st.sampled_from([1, 1, 2, 3]))))
    return Case(values, tuple(counts), sensitive, tuple(events))


@given(cases(["1", "2", "month", "year", "constant", "x", "2026"]))
def test_no_joint_view_exceeds_the_account(case: Case) -> None:
    """Labels, functions of the key, and labels that have the name that a function gives."""
    for truth, said in compared(case):
        assert truth <= said * (1 + 1e-9) + 1e-12


@pytest.mark.slow
@given(cases(["1", "2", "month", "year"]))
def test_the_account_says_no_more_than_is_so(case: Case) -> None:
    """Where no coin has two names, adding is exact (Theorem 1)."""
    for truth, said in compared(case):
        assert said == pytest.approx(truth, rel=1e-9, abs=1e-12)


FAIR = Case(((0, 1), (0, 1)), (2, 1, 1, 2), ((0,), (0,)), ())


def told(events: Sequence[Release], counted: Callable[..., Any] = exposure) -> tuple[float, float]:
    case = Case(FAIR.values, FAIR.counts, FAIR.sensitive, tuple(events))
    truth = oracle.measure("odds", case.setting(), oracle.Look("a0"), joint_law(case))
    mechanism = OneSided(counted(events), case.secrets)
    return truth, leakage(case.belief(), mechanism, Adversary("a0"), "odds").odds


def test_the_enumeration_finds_a_wrong_account() -> None:
    """Every shortcut is caught: labels that nest, functions that nest, events forgotten."""
    events = [event("1", a0=0.5), event("2", a0=0.5), event("month", a1=1.0), event("year", a1=1.0)]
    truth, said = told(events)
    assert truth == pytest.approx(said)

    def nested(some: Sequence[Release]) -> dict[str, float]:
        return {n: max(eps(e).get(n, 0.0) for e in some) for n in ("a0", "a1")}

    def labels_only(some: Sequence[Release]) -> dict[str, float]:
        months = {n: max(eps(e).get(n, 0.0) for e in some if e.per_key) for n in ("a0", "a1")}
        rest = exposure([one for one in some if not one.per_key])
        return {n: months[n] + rest.get(n, 0.0) for n in months}

    for wrong in (nested, labels_only, lambda some: exposure(some[:2])):
        assert told(events, wrong)[1] < truth * 0.99


def test_one_epoch_only() -> None:
    events = [event("1", a0=0.5, a1=0.25), event("2", a1=0.75), event("2", a1=0.5)]
    assert fold(events, {}) == OneSided({"a0": 0.5, "a1": 1.0}, {})
    assert fold([]) == fold([], {}) == OneSided({}, {})


def month(names: Sequence[str], **epsilon: float) -> Release:
    readings = {name: dict.fromkeys(epsilon, "same") for name in names}
    return Release("t", "month", True, OneSided(epsilon), readings, "k", "c", {}, {})


def test_cells_are_counted_by_the_events_that_had_them() -> None:
    """A month that an event has not had owes nothing to it; a label may be about any month."""
    may, june = month(["05"], a=1.0), month(["06"], a=0.5)

    def added_to(event: Release, earlier: Sequence[Release]) -> list[dict[str, float]]:
        return adding(event, Account.of(earlier))

    assert added_to(june, [may]) == [{"a": 0.5}]
    assert added_to(may, [june, may]) == []
    both = month(["05", "06"], a=0.75)
    assert added_to(both, [may, june]) == [{"a": 0.75}]  # June only
    assert added_to(both, [may, event("1", a=0.5)]) == [{"a": 1.25}]
    more = month(["05", "06"], a=2.0)
    assert added_to(more, [may, june, event("1", b=1.0)]) == [{"a": 2.0, "b": 1.0}]
    assert added_to(month(["05"], b=0.5), [may, june]) == [{"a": 1.0, "b": 0.5}]


def changing(*table: Sequence[float]) -> tuple[float, float]:
    """Two labels, one attribute each time, with eps = ln 2: the worst odds, and the account's.

    Rows: the value under the first label, 0 and 1 free; columns: under the second, 0 sensitive.
    """
    both = Joint(np.array(table) / np.sum(table), ["then", "now"], [["a", "b", "s"], ["s", "b"]])
    half = math.log(2)
    truth = OneSided({"then": half, "now": half}, {"then": ["s"], "now": ["s"]})
    now = both.marginal(["now"])
    alone = Joint(now, ["now"], [["s", "b"]])
    account = OneSided({"now": 2 * half}, {"now": ["s"]})
    return (
        leakage(both, truth, Adversary("now"), "odds").odds,
        leakage(alone, account, Adversary("now"), "odds").odds,
    )


def test_values_that_change_between_labels() -> None:
    """Kept, or drawn anew: within the account. Secret because of what it was: not (limits.md)."""
    kept = changing([0, 0], [0, 1], [1, 0])
    assert kept[0] == pytest.approx(kept[1])
    drawn = changing([0, 0], [0.1, 0.9], [0.9, 0.1])
    assert drawn[0] < drawn[1]
    moved = changing([1, 0], [0, 1], [0, 0])  # everybody with "a" then has the secret now
    assert moved[0] == math.inf
    assert moved[1] == pytest.approx(4)


def test_who_has_seen_what() -> None:
    """Its members' files, everybody's, and those of readers who are not there any more."""
    readers = [("lighting",), ("planning",), (), ("gone",), ("gone", "planning")]
    events = [replace(event("1", a=0.5), readers=own) for own in readers]

    def seen(*coalition: str) -> list[int]:
        declared = ["lighting", "planning", "cleaning"]
        found = [one for one in events if reaches(one.readers, coalition, declared)]
        assert Account.of(events).reaching(coalition, declared) == [one.readers for one in found]
        return [events.index(one) for one in found]

    assert seen("lighting") == [0, 2, 3, 4]
    assert seen("planning") == [1, 2, 3, 4]
    assert seen("cleaning") == [2, 3, 4]
    assert seen("lighting", "planning") == [0, 1, 2, 3, 4]
