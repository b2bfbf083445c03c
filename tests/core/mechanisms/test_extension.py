"""More of a record later, beside what is out: views of pairs, golden numbers, attacks."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from tests.core.mechanisms.worlds_of_records import (
    Law,
    Record,
    World,
    compare,
    masses,
    worlds,
    worst_odds,
)
from tests.core.numerics import reference
from unspoken import WITHHELD, Adversary, Extension, Suppression
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.mechanisms import InEpoch, RecordCoin, Together, from_description
from unspoken.core.mechanisms.record_chain import EARLIER
from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.storage.coins import Coins, MasterKey, encode_keys

HALF = WHOLE >> 1
MASTER = bytes(range(1, 33))
DIGEST = "e99cb539a5b101db38a856cc23dea7f53192b87551e8d662b8ec5dcab354d038"
NUMBERS = ["8fe78b7b3c6dbb1e", "77dedfac9b18f22a", "41445d77f2cfdb6c"]
SHOWN: list[tuple[list[int], list[str]]] = [
    ([0, 0], []), ([0, 1], ["x1"]), ([1, 0], ["x0", "x1"]), ([1, 0], ["x1"]), ([1, 0], ["x1"]),
    ([1, 1], []), ([1, 1], ["x0"]), ([1, 1], []), ([0, 1], []), ([1, 1], ["x0", "x1"]),
]  # fmt: skip
Shown = tuple[tuple[str, ...], ...]  # after each coin
Adds = Mapping[tuple[Record, Shown], Mapping[tuple[str, ...], int]]


def added_of(drawn: World, adds: Adds) -> Suppression:
    """The table of a second coin."""
    earlier = list(dict.fromkeys(label(history) for _, history in adds)) or [label(((),))]
    return Suppression(
        {(*record, label(history)): own for (record, history), own in adds.items()},
        [*drawn.names, EARLIER],
        [*map(range, drawn.counts.shape), earlier],
        {**drawn.hidden, EARLIER: earlier},
    )


def label(history: Shown) -> str:
    return json.dumps([sorted(own) for own in history])


def histories(drawn: World, record: Record, tables: Sequence[Adds]) -> dict[Shown, Fraction]:
    """What may be shown of a record after each coin, and how likely."""
    law: dict[Shown, Fraction] = {(): Fraction(1)}
    for adds in tables:
        after: dict[Shown, Fraction] = {}
        for history, p in law.items():
            before = history[-1] if history else ()
            own = adds.get((record, history), {})
            for names, weight in [*own.items(), ((), WHOLE - sum(own.values()))]:
                shown = (*history, tuple(sorted({*before, *names})))
                after[shown] = after.get(shown, Fraction(0)) + p * Fraction(weight, WHOLE)
        law = after
    return law


def law_of(
    drawn: World, tables: Sequence[Adds], sees: Sequence[Sequence[str]]
) -> Callable[[Record], Law]:
    """What is seen by who sees some names of what is shown after each coin."""

    def of(record: Record) -> Law:
        law: dict[tuple[Any, ...], Fraction] = {}
        own = dict(zip(drawn.names, record, strict=True))
        for shown, p in histories(drawn, record, tables).items():
            y = tuple(
                own[name] if name in after else WITHHELD
                for after, seen in zip(shown, sees, strict=True)
                for name in seen
            )
            law[y] = law.get(y, Fraction(0)) + p
        return law

    return of


def adds_more(rng: Any, drawn: World, tables: Sequence[Adds]) -> Adds:
    """Something to add to some of what may be out, in steps that make exact tables of the union."""
    found: dict[tuple[Record, Shown], dict[tuple[str, ...], int]] = {}
    for record in itertools.product(*map(range, drawn.counts.shape)):
        for history in histories(drawn, record, tables):
            out = history[-1] if history else ()
            free = [
                name
                for name, label in zip(drawn.names, record, strict=True)
                if label not in drawn.hidden[name] and name not in out
            ]
            patterns = [s for r in range(len(free)) for s in itertools.combinations(free, r + 1)]
            rng.shuffle(patterns)
            weights = rng.multinomial(1 << 10, np.full(3, 1 / 3))[: len(patterns)]
            if patterns and rng.random() < 0.8:
                chosen = zip(patterns, weights.tolist(), strict=False)
                found[record, history] = {tuple(p): w << 52 for p, w in chosen if w}
    return found


def first_of(rng: Any, drawn: World) -> Adds:
    return adds_more(rng, drawn, [])


def coin_of(drawn: World, adds: Adds) -> Suppression:
    return drawn.coin_of({record: dict(own) for (record, _), own in adds.items()})


def test_the_view_is_of_pairs() -> None:
    """Who saw what was out and sees what is now; who comes later sees their union alone."""
    for rng, drawn, who in worlds(11, rounds=3):
        one = first_of(rng, drawn)
        two = adds_more(rng, drawn, [one])
        first = coin_of(drawn, one)
        extended = Extension(first, added_of(drawn, two))
        seen = list(who.sees or ())
        part = seen[: int(rng.integers(0, len(seen) + 1))]
        both = Together([first.showing(part), extended.showing(seen)])
        law = law_of(drawn, [one, two], [sorted(part), sorted(seen)])
        for mechanism in (both, InEpoch("2026", both)):
            compare(drawn, mechanism, who, law, [*sorted(part), *sorted(seen)])
        later = law_of(drawn, [one, two], [(), sorted(seen)])
        compare(drawn, extended.showing(seen), who, later, sorted(seen))


def test_extensions_of_extensions() -> None:
    for rng, drawn, who in worlds(12, rounds=1):
        tables = [first_of(rng, drawn)]
        coins: list[RecordCoin] = [coin_of(drawn, tables[0])]
        for _ in range(2):
            tables.append(adds_more(rng, drawn, tables))
            coins.append(Extension(coins[-1], added_of(drawn, tables[-1])))
        seen = sorted(who.sees or ())
        law = law_of(drawn, tables, [seen, (), seen])
        compare(drawn, Together([coins[2], coins[0]]), who, law, seen * 2)


def test_the_union_is_one_table() -> None:
    """sum_S W(S | x) E(S' | S, x): who sees S' alone sees a suppression."""
    for rng, drawn, who in worlds(13, rounds=2):
        one = first_of(rng, drawn)
        two = adds_more(rng, drawn, [one])
        shows: dict[Record, dict[tuple[str, ...], int]] = {}
        for record in itertools.product(*map(range, drawn.counts.shape)):
            own = shows.setdefault(record, {})
            for (_, after), p in histories(drawn, record, [one, two]).items():
                if after:
                    own[after] = own.get(after, 0) + int(p * WHOLE)
        extended, union = Extension(coin_of(drawn, one), added_of(drawn, two)), drawn.coin_of(shows)
        told = unspoken.leakage(drawn.belief, extended, who, "odds")
        same = unspoken.leakage(drawn.belief, union, who, "odds")
        assert told.high == pytest.approx(same.high, rel=1e-12)
        for name, often in extended.shown(drawn.belief).items():
            assert often == pytest.approx(union.shown(drawn.belief)[name], rel=1e-12)
        given = extended.shown_given(drawn.belief)
        for name, each in union.shown_given(drawn.belief).items():
            assert given[name] == pytest.approx(each, rel=1e-12)


# ---------------------------------------------------------------- golden numbers

DAYS = World(np.ones((2, 2), dtype=int), {}, {"x0": [0], "x1": []})
FIRST = DAYS.coin_of({(1, 0): {("x1",): HALF}, (1, 1): {("x0",): HALF, ("x0", "x1"): HALF // 2}})
ADDED = added_of(
    DAYS,
    {
        ((1, 0), ((),)): {("x0", "x1"): HALF},
        ((1, 1), (("x0",),)): {("x1",): HALF},
        ((0, 1), ((),)): {("x1",): HALF},
    },
)
GOLDEN = Extension(FIRST, ADDED)


def test_the_coin_is_frozen() -> None:
    """Its digest, its numbers and what they show; by the kernel, and one at a time without it."""
    assert GOLDEN.digest == DIGEST
    assert from_description(json.loads(json.dumps(GOLDEN.describe()))) == GOLDEN
    coins = Coins(MasterKey(MASTER), "2026", encode_keys([pa.array(range(len(SHOWN)))]))
    drawn = [f"{number:016x}" for number in coins.of_record(DIGEST).tolist()]
    assert drawn[: len(NUMBERS)] == NUMBERS
    codes = {name: np.array([v[k] for v, _ in SHOWN]) for k, name in enumerate(DAYS.names)}
    shown = GOLDEN.let_out(DAYS.belief.domain, codes, coins)
    for key, (record, names) in enumerate(SHOWN):
        out, added = (table.describe() for table in (FIRST, ADDED))
        numbers = [reference.record_coin(MASTER, d, "2026", (key,)) for d in GOLDEN.coins]
        before = reference.shown(out, record, numbers[0])
        own: dict[str, Any] = dict(zip(DAYS.names, record, strict=True))
        own[EARLIER] = label((tuple(before),))
        after = before | reference.shown(added, [own[n] for n in ADDED.names], numbers[1])
        assert after == {*names} == {name for name, mask in shown.items() if mask[key]}


def test_what_is_out_stays_out() -> None:
    """Whatever the second coin says, and what is sensitive never comes."""
    many = 4096
    keys = encode_keys([pa.array(range(many))])
    coins = Coins(MasterKey(MASTER), "2026", keys)
    rng = np.random.default_rng(5)
    codes = {name: rng.integers(0, 2, many) for name in DAYS.names}
    before, after = (each.let_out(DAYS.belief.domain, codes, coins) for each in (FIRST, GOLDEN))
    for name in DAYS.names:
        assert (after[name] >= before[name]).all()
        assert after[name].sum() > before[name].sum()
    assert not (after["x0"] & (codes["x0"] == 0)).any()


# ---------------------------------------------------------------- attacks


def test_that_it_came_later_tells() -> None:
    """x1 is shown of everybody in the end, of those with the secret only later."""
    drawn = World(np.ones((2, 2), dtype=int), {}, {"x0": [0], "x1": []})
    adds: Adds = {((0, v), ((),)): {("x1",): WHOLE} for v in (0, 1)}
    first = drawn.coin_of({(1, v): {("x1",): WHOLE} for v in (0, 1)})
    extended, who = Extension(first, added_of(drawn, adds)), Adversary("x0", [0], sees=["x1"])
    assert unspoken.leakage(drawn.belief, extended, who, "odds").low == 1
    assert (
        unspoken.leakage(drawn.belief, Together([first, extended]), who, "odds").value == math.inf
    )
    apart = [InEpoch("2025", first), InEpoch("2026", extended)]
    assert unspoken.leakage(drawn.belief, Together(apart), who, "odds").value == math.inf


def test_two_extensions_of_one_table_are_not_counted() -> None:
    other = Extension(FIRST, added_of(DAYS, {((0, 1), ((),)): {("x1",): HALF}}))
    with pytest.raises(TooLarge, match="two extensions of one table"):
        unspoken.odds(DAYS.belief, Together([GOLDEN, other]), Adversary("x0", [0]), {})


@pytest.mark.parametrize(
    ("names", "values", "hidden", "said"),
    [
        (["x0", "x1"], [[0, 1]] * 2, {"x0": [0]}, "has an attribute"),
        (["x0", "x1", EARLIER], [[0, 1], [0, 1], ["[[]]"]], {"x0": [0]}, "is never shown"),
        (["x0", EARLIER], [[0, 1], ["[[]]"]], {"x0": [0], EARLIER: ["[[]]"]}, "x1 is out"),
        (["x0", "x1", EARLIER], [[0, 1], [0, 2], ["[[]]"]], {"x0": [0], EARLIER: ["[[]]"]},
         "other labels, and keeps"),
        (["x0", "x1", EARLIER], [[0, 1], [0, 1], ["[[]]"]], {"x0": [1], EARLIER: ["[[]]"]},
         "cannot be taken back"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(names: Any, values: Any, hidden: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Extension(FIRST, Suppression({}, names, values, hidden))


def test_worst_odds_by_hand() -> None:
    """The pair is what counts: 2 for one answer that the union alone would hide."""
    law = law_of(
        DAYS,
        [{((1, 0), ()): {("x1",): HALF}}, {((0, 0), ((),)): {("x1",): HALF}}],
        [("x1",), ("x1",)],
    )
    who = Adversary("x0", [0])
    first = DAYS.coin_of({(1, 0): {("x1",): HALF}})
    extended = Extension(first, added_of(DAYS, {((0, 0), ((),)): {("x1",): HALF}}))
    told = unspoken.leakage(DAYS.belief, Together([first, extended]), who, "odds")
    assert told.value == worst_odds(masses(DAYS, law, who)) == math.inf
