"""What one coin a record tells, against plain enumeration with fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.core.mechanisms.worlds_of_records import (
    Law,
    Masses,
    Record,
    both,
    compare,
    factor,
    masses,
    same,
    shown,
    worlds,
)
from unspoken import WITHHELD, Adversary
from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.mechanisms import InEpoch, OneSided, Suppression, Together

pytestmark = pytest.mark.stress


def test_every_point_of_the_cloud() -> None:
    for _, drawn, who in worlds(1, rounds=10):
        sees = list(who.sees or ())
        compare(drawn, drawn.coin, who, drawn.law(drawn.shows, sees), sees)


@pytest.mark.slow
def test_parts_of_one_coin_are_their_union() -> None:
    """Whoever gets two parts sees what one gets who is given both; of two epochs they are two."""
    for rng, drawn, who in worlds(2):
        sees = list(who.sees or ())
        cut = int(rng.integers(0, len(sees) + 1))
        parts = [drawn.coin.showing(sees[:cut]), drawn.coin.showing(sees[max(0, cut - 1) :])]
        law = drawn.law(drawn.shows, sees)
        compare(drawn, Together(parts), who, law, sees)
        compare(drawn, InEpoch("2026", Together(parts)), who, law, sees)
        compare(drawn, Together([InEpoch("2026", part) for part in parts]), who, law, sees)


@pytest.mark.slow
def test_two_coins_are_independent_given_the_record() -> None:
    for rng, drawn, who in worlds(3):
        sees = list(who.sees or ())
        other = shown(rng, drawn.counts.shape, drawn.hidden)
        first, second = drawn.law(drawn.shows, sees), drawn.law(other, sees)
        if drawn.coin_of(other) != drawn.coin:
            two = Together([drawn.coin, drawn.coin_of(other)])
            compare(drawn, two, who, both(first, second), sees * 2)
        years = Together([InEpoch("2025", drawn.coin), InEpoch("2026", drawn.coin)])
        compare(drawn, years, who, both(first, first), sees * 2)


@pytest.mark.slow
def test_beside_channels_of_single_variables() -> None:
    """A coin of a cell, and a response: of known variables they tell nothing more."""
    for rng, drawn, who in worlds(4):
        sees = list(who.sees or ())
        own = str(rng.choice(sees))
        release = OneSided({own: float(rng.choice([0.5, 2.0, math.inf]))}, {own: [0]})
        p = Fraction(release.release_probability(own))
        at = drawn.names.index(own)

        def cell(record: Record, at: int = at, p: Fraction = p) -> Law:
            released = {(record[at],): p, (WITHHELD,): 1 - p}
            return released if record[at] else {(WITHHELD,): Fraction(1)}

        law, columns = both(drawn.law(drawn.shows, sees), cell), [*sees, own]
        if own in who.known:
            law, columns = drawn.law(drawn.shows, sees), sees
        compare(drawn, Together([drawn.coin, release]), who, law, columns)


@pytest.mark.slow
def test_events_of_some_of_the_names() -> None:
    """What is not asked about may be anything; WITHHELD is silence, RELEASED any label."""
    for rng, drawn, who in worlds(5):
        sees, other = list(who.sees or ()), shown(rng, drawn.counts.shape, drawn.hidden)
        two = Together([drawn.coin, drawn.coin_of(other)])
        law = both(drawn.law(drawn.shows, sees), drawn.law(other, sees))
        if drawn.coin_of(other) == drawn.coin:
            continue
        asked_of = [name for name in sees if rng.random() < 0.6] or sees[:1]
        words = [WITHHELD, unspoken.RELEASED, 0, 1]
        event = {name: words[int(rng.integers(4))] for name in asked_of}
        holds = {
            key: pair
            for key, pair in masses(drawn, law, who).items()
            if all(covers(word, flat_of(key[1], sees * 2, n)) for n, word in event.items())
        }
        bound = unspoken.odds(drawn.belief, two, who, event)
        if not holds:
            assert bound.status == "impossible"
            continue
        summed: Masses = {}
        for (known, _), (a, b) in holds.items():
            c, d = summed.get((known, ()), (Fraction(0), Fraction(0)))
            summed[known, ()] = (a + c, b + d)
        prior = masses(drawn, lambda _: {(): Fraction(1)}, who)
        expected = max(factor(pair, prior[key]) for key, pair in summed.items())
        assert bound.low <= expected * (1 + 1e-14) + 1e-300
        assert expected * (1 - 1e-14) <= bound.high <= expected * (1 + 1e-10) + 1e-300


def flat_of(y: Sequence[Any], columns: Sequence[str], name: str) -> list[Any]:
    return [each for column, each in zip(columns, y, strict=True) if column == name]


def covers(word: Any, outputs: list[Any]) -> bool:
    silent = all(output is WITHHELD for output in outputs)
    if word in (WITHHELD, unspoken.RELEASED):
        return silent == (word is WITHHELD)
    return word in outputs


def test_known_values_are_one_context() -> None:
    for rng, drawn, who in worlds(6):
        rest = [name for name in drawn.names if name not in who.targets]
        cells = np.argwhere(drawn.counts)
        record = cells[int(rng.integers(len(cells)))]
        knows = {name: int(record[drawn.names.index(name)]) for name in rest[:2]}
        fixed = Adversary(who.target, who.secret, knows=knows, sees=who.sees)
        found = masses(drawn, drawn.law(drawn.shows, list(who.sees or ())), fixed)
        own = {key: pair for key, pair in found.items() if key[0] == (*knows.values(),)}
        same(unspoken.leakage(drawn.belief, drawn.coin, fixed, "odds"), own)


@pytest.mark.slow
def test_beside_noisy_sums() -> None:
    """Ratios of likelihoods are largest at answers without noise: looked at one by one."""
    for rng, drawn, who in worlds(7, rounds=3):
        sees = list(who.sees or ())
        weights = {name: float(rng.integers(0, 3)) for name in drawn.names}
        weights[drawn.names[0]] = 1.0
        noise = unspoken.Laplace(2.0, weights)
        both_seen = Adversary(who.target, who.secret, who.knows, sees=[*sees, "answer"])
        bound = unspoken.leakage(drawn.belief, Together([drawn.coin, noise]), both_seen, "odds")
        sums = {c: sum(w * v for w, v in zip(weights.values(), c, strict=True))
                for c in np.ndindex(*drawn.counts.shape)}  # fmt: skip
        worst = 0.0
        for at in {sums[c] for c in sums if drawn.counts[c]}:

            def near(record: Record, at: float = at, sums: Any = sums) -> Law:
                kernel = Fraction(math.exp(-abs(at - sums[record]) / 2.0))
                return {(at,): kernel, ("else",): 1 - kernel}

            found = masses(drawn, both(drawn.law(drawn.shows, sees), near), both_seen)
            prior = masses(drawn, lambda _: {(): Fraction(1)}, both_seen)
            at_node = {key: pair for key, pair in found.items() if key[1][-1] == at}
            worst = max(worst, *(factor(p, prior[k[0], ()]) for k, p in at_node.items()))
        assert bound.low <= worst * (1 + 1e-9)
        assert worst * (1 - 1e-12) <= bound.high <= max(1.0, worst) * (1 + 1e-9)


@pytest.mark.slow
def test_coins_of_cells_are_a_product_table() -> None:
    for rng, drawn, who in worlds(8):
        rates = {name: float(rng.choice([0.0, 0.3, 2.0, math.inf])) for name in drawn.names}
        rates[drawn.names[0]] = 0.7
        cells = OneSided(rates, drawn.hidden)
        table = cells.as_suppression(drawn.belief.domain)
        measure: Any
        for measure in ("odds", "mutual-information", "max-log-ratio"):
            one = unspoken.leakage(drawn.belief, cells, who, measure)
            other = unspoken.leakage(drawn.belief, table, who, measure)
            assert other.high == pytest.approx(one.high, rel=1e-9, abs=1e-12), (measure, rates)
        assert table.shown(drawn.belief).keys() == {n for n, rate in rates.items() if rate}


def test_the_order_of_names_and_labels_in_a_belief_does_not_matter() -> None:
    for _, drawn, who in worlds(10, rounds=2):
        names, sizes = drawn.names[::-1], drawn.counts.shape[::-1]
        turned = np.flip(drawn.counts).transpose()
        belief = unspoken.Joint(turned, names, [range(d)[::-1] for d in sizes])
        for measure in ("odds", "mutual-information"):
            one, other = (
                unspoken.leakage(b, drawn.coin, who, measure) for b in (drawn.belief, belief)
            )
            assert other.high == pytest.approx(one.high, rel=1e-9, abs=1e-12)


def test_labels_that_the_table_does_not_have_show_nothing() -> None:
    """As if their records were not listed; whoever knows such a label sees nothing of the rest."""
    for _, drawn, who in worlds(11, rounds=2):
        last = drawn.counts.shape[0] - 1
        few = {record: shows for record, shows in drawn.shows.items() if record[0] != last}
        values = {name: range(d) for name, d in zip(drawn.names, drawn.counts.shape, strict=True)}
        less = {**values, "x0": range(last)}
        coins = [Suppression(few, drawn.names, own, drawn.hidden) for own in (values, less)]
        assert coins[0].digest != coins[1].digest
        one, other = (unspoken.leakage(drawn.belief, coin, who, "odds") for coin in coins)
        assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.slow
def test_sets_hold_for_every_member() -> None:
    """No member of a box is above it, some is as high; and it is the box of the cells' coins."""
    for rng, drawn, who in worlds(9, rounds=2):
        if len(who.targets) > 1 or drawn.counts.size > 27:
            continue
        law = drawn.counts / drawn.counts.sum()
        low, up = law * 0.7, np.minimum(1.0, law * 1.3 + 0.002)
        box = unspoken.Box(low, up, drawn.names)
        bound = unspoken.leakage(box, drawn.coin, who, "odds")
        for _ in range(20):
            member = np.clip(law * rng.uniform(0.75, 1.25, law.shape), low, up)
            member = member / member.sum()
            if ((member >= low) & (member <= up)).all():
                inside = unspoken.Joint(member, names=drawn.names)
                assert unspoken.leakage(inside, drawn.coin, who, "odds").low <= bound.high
        cells = OneSided(dict.fromkeys(drawn.names, 0.7), drawn.hidden)
        table = cells.as_suppression(box.domain)
        first, second = (unspoken.leakage(box, m, who, "odds") for m in (cells, table))
        assert second.high == pytest.approx(first.high, rel=1e-9)
        few = unspoken.Beliefs([drawn.belief, unspoken.Joint(np.ones_like(law), drawn.names)])
        each = [unspoken.leakage(b, drawn.coin, who, "odds") for b in few.members]
        assert unspoken.leakage(few, drawn.coin, who, "odds").high == max(b.high for b in each)


def test_beliefs_that_know_no_joint_are_refused_by_name() -> None:
    coin = Suppression({(1, 1, 1): {("x0",): 5}}, ["x0", "x1", "x2"], [[0, 1]] * 3, {})
    pair = [[0.3, 0.2], [0.1, 0.4]]
    pairs = unspoken.Pairwise(
        [[0.5, 0.5], [0.4, 0.6], [0.4, 0.6]], {("x0", "x1"): pair, ("x0", "x2"): pair}
    )
    who = Adversary("x1", secret=[0])
    with pytest.raises(NotKnown, match="pairwise"):
        unspoken.leakage(pairs, coin, who)
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 40)
    wide = Suppression({}, [f"x{i}" for i in range(40)], [[0, 1]] * 40, {})
    with pytest.raises(TooLarge, match="the table of 40 variables has"):
        unspoken.leakage(chain, wide, who)
    assert unspoken.leakage(chain, coin, who, "odds").value > 1  # knows any three
    strange = Together([coin, Suppression({}, ["z"], [[0, 1]], {})])
    with pytest.raises(InputError, match='suppression: there is no "z"'):
        unspoken.leakage(chain, strange, who)
    three = Suppression({}, ["x1"], [[0, 1, 2]], {})
    with pytest.raises(InputError, match='suppression, value of x1: there is no "2"'):
        unspoken.leakage(chain, three, who)
