"""More of what is out, planned beside it: pairs of answers keep every cap, by plain enumeration."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken import Adversary, Together
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Extension
from unspoken.core.mechanisms.record_chain import EARLIER

WHOLE = 2**62
HIDDEN: dict[str, list[Any]] = {"a": [0], "b": [0], "c": []}
Weights = dict[tuple[Any, ...], dict[frozenset[str], Fraction]]


def joint(seed: int, sizes: tuple[int, ...] = (3, 2, 2)) -> unspoken.Joint:
    return unspoken.Joint(np.random.default_rng(seed).integers(1, 60, sizes), names=list("abc"))


def planned(belief: Any, **asked: Any) -> Any:
    return unspoken.plan(belief, by="record", sensitive=HIDDEN, **asked)


def table(description: Any) -> Weights:
    """{(label of each name): {names: Fraction}} of a suppression's description."""
    names, found = description["names"], Weights()
    parts = (description[key] for key in ("codes", "masks", "weights"))
    for codes, masks, weights in zip(*parts, strict=True):
        labels = tuple(description["values"][n][c] for n, c in zip(names, codes, strict=True))
        found[labels] = {
            frozenset(n for k, n in enumerate(names) if m >> k & 1): Fraction(w, WHOLE)
            for m, w in zip(masks, weights, strict=True)
        }
    return found


def pairs(plan: Any, record: dict[str, Any]) -> dict[tuple[frozenset[str], ...], Fraction]:
    """P(S, S' | x)."""
    told = plan.mechanism.describe()
    first, added = table(told["first"]), table(told["added"])
    found: dict[tuple[frozenset[str], ...], Fraction] = {}
    for out, p in every(first, [record[n] for n in told["first"]["names"]]).items():
        own = {**record, EARLIER: json.dumps([sorted(out)])}
        for more, q in every(added, [own[n] for n in told["added"]["names"]]).items():
            found[out, out | more] = found.get((out, out | more), Fraction(0)) + p * q
    return found


def every(shown: Weights, labels: list[Any]) -> dict[frozenset[str], Fraction]:
    own = shown.get(tuple(labels), {})
    return {**own, frozenset(): own.get(frozenset(), Fraction(0)) + 1 - sum(own.values())}


Is = Callable[[dict[str, Any]], bool]


def worst(plan: Any, belief: Any, before: set[str], sees: set[str], inside: Is, outside: Is) -> Any:
    """max P(y | inside) / P(y | outside), y being what is seen before and then."""
    sums: tuple[dict[Any, Fraction], dict[Any, Fraction]] = {}, {}
    totals = [Fraction(0), Fraction(0)]
    law = belief.marginal(belief.domain.names).ravel().tolist()
    for labels, mass in zip(product(*belief.domain.values), law, strict=True):
        record = dict(zip(belief.domain.names, labels, strict=True))
        for side, is_there in enumerate((inside, outside)):
            if is_there(record) and mass:
                totals[side] += Fraction(mass)
                for (out, after), p in pairs(plan, record).items():
                    y = tuple(
                        frozenset((n, record[n]) for n in own & seen)
                        for own, seen in ((out, before), (after, sees))
                    )
                    sums[side][y] = sums[side].get(y, Fraction(0)) + Fraction(mass) * p
    if not all(totals):
        return 0
    return max(
        mass / totals[0] / (sums[1][y] / totals[1]) if sums[1].get(y) else math.inf
        for y, mass in sums[0].items()
        if mass
    )


def events() -> list[tuple[Is, Is]]:
    """Each secret against none of it, any secret, and both."""

    def other(event: Is) -> Is:
        return lambda record: not event(record)

    found: list[Is] = [
        lambda x: x["a"] == 0,
        lambda x: x["b"] == 0,
        lambda x: x["a"] == 0 or x["b"] == 0,
        lambda x: x["a"] == 0 and x["b"] == 0,
    ]
    return [(event, other(event)) for event in found]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("asked", ["limit", "attribute", "application"])
def test_pairs_keep_every_cap(seed: int, asked: str) -> None:
    belief = joint(seed)
    reads = ["a", "b"]
    first = planned(belief, odds_cap=2.5, reads=reads)
    more: dict[str, Any] = {
        "limit": {"odds_cap": 4.0, "reads": reads},
        "attribute": {"odds_cap": 2.6, "reads": ["a", "b", "c"]},
        "application": {"odds_cap": 2.6, "coalitions": [["a", "b"], ["b", "c"]]},
    }[asked]
    cap = more["odds_cap"]
    plan = planned(belief, extends=first.mechanism, **more)
    coalitions = more.get("coalitions") or [more["reads"]]
    for pool in coalitions:
        for inside, outside in events():
            before = {*pool} & {*reads}
            assert worst(plan, belief, before, {*pool}, inside, outside) <= cap
    assert plan.share >= plan.floor.share >= 0
    assert plan.objective <= plan.bound.high
    assert plan.share > plan.floor.share + 0.01
    for name in reads:
        assert plan.p[name] >= first.p[name] - 1e-9


def test_the_odds_it_says_are_those_of_pairs() -> None:
    belief = joint(7)
    first = planned(belief, odds_cap=2.0, reads=["a", "b"])
    plan = planned(belief, odds_cap=3.0, extends=first.mechanism)
    told = Together([first.mechanism, plan.mechanism])
    reached = [
        unspoken.leakage(belief, told, Adversary(name, [0]), "odds").value for name in ("a", "b")
    ]
    assert max(reached) <= plan.odds.odds * (1 + 1e-9)
    assert plan.odds.odds <= 3.0 * (1 + 1e-12)
    alone = [
        unspoken.leakage(belief, plan.mechanism, Adversary(n, [0]), "odds") for n in ("a", "b")
    ]
    assert max(each.low for each in alone) <= max(reached)


def test_every_belief_of_a_set() -> None:
    belief = joint(3)
    box = unspoken.Box.within(belief, 0.05)
    first = planned(box, odds_cap=2.5, reads=["a", "b"])
    plan = planned(box, odds_cap=4.0, extends=first.mechanism)
    rng, size = np.random.default_rng(0), belief.domain.sizes
    assert plan.share > plan.floor.share + 0.01
    told = Together([first.mechanism, plan.mechanism])
    for _ in range(4):
        law = belief.marginal(list("abc")) * rng.choice([0.976, 1.024], size)  # e^-.05 .. e^.05
        own = unspoken.Joint(law / law.sum(), names=list("abc"))
        for inside, outside in events():
            assert worst(plan, own, {"a", "b"}, {*"abc"}, inside, outside) <= 4.0
        for name in ("a", "b"):
            assert unspoken.leakage(own, told, Adversary(name, [0]), "odds").high <= 4.0 * (
                1 + 1e-9
            )


def test_sets_lose_nothing_to_rounding() -> None:
    """What the program found is kept to the last digits, and its rows are those that are checked"""
    box = unspoken.Box.within(joint(3), 0.05)
    first = planned(box, odds_cap=2.5, reads=["a", "b"])
    plan = planned(box, odds_cap=4.0, reads=["a", "b"], extends=first.mechanism)
    assert plan.objective >= plan.bound.high * (1 - 1e-3)
    assert 3.9 < plan.odds.odds <= 4.0 * (1 + 1e-12)


def test_contexts() -> None:
    """Whatever is known of which of two a record is from."""
    beliefs = [joint(8), joint(9)]
    contexts = [(2, beliefs[0]), (3, beliefs[1])]
    asked: dict[str, Any] = {"belief": beliefs[0], "contexts": contexts, "reads": ["a", "b"]}
    first = planned(odds_cap=2.0, **asked)
    plan = planned(odds_cap=3.0, extends=first.mechanism, **asked)
    assert plan.share > plan.floor.share + 0.01
    for weight in (0.0, 0.4, 1.0):
        parts = (
            w * b.marginal(list("abc")) for w, b in zip((weight, 1 - weight), beliefs, strict=True)
        )
        own = unspoken.Joint(sum(parts), names=list("abc"))
        for inside, outside in events():
            assert worst(plan, own, {"a", "b"}, {"a", "b"}, inside, outside) <= 3.0 * (1 + 1e-9)


def test_limits_on_bits() -> None:
    belief = joint(5)
    first = planned(belief, odds_cap=4.0, limit_bits=0.02, reads=["a", "b"])
    plan = planned(belief, odds_cap=4.0, limit_bits=0.05, extends=first.mechanism)
    told = Together([first.mechanism, plan.mechanism])
    for name in ("a", "b"):
        leak = unspoken.leakage(belief, told, Adversary(name, [0]), "mutual-information")
        assert leak.bits <= 0.05 * (1 + 1e-9)
    assert plan.share > plan.floor.share + 0.005
    with pytest.raises(InputError, match="bit, and the limit is"):
        planned(belief, odds_cap=4.0, limit_bits=0.01, extends=first.mechanism)


def test_an_extension_is_extended() -> None:
    belief = joint(2, (2, 2, 2))
    caps, mechanism, shares = [2.0, 3.0, 4.0], None, list[float]()
    for cap in caps:
        plan = planned(belief, odds_cap=cap, extends=mechanism)
        mechanism, shares = plan.mechanism, [*shares, plan.share]
    assert shares == sorted(shares)
    assert shares[2] > shares[0] + 0.01
    assert isinstance(mechanism, Extension)
    assert isinstance(mechanism.first, Extension)
    assert len(mechanism.coins) == 3
    every_one = Together([mechanism.first.first, mechanism.first, mechanism])
    for name, other in combinations(("a", "b"), 2):
        for who in (Adversary(name, [0]), Adversary(other, [0])):
            assert unspoken.leakage(belief, every_one, who, "odds").high <= 4.0 * (1 + 1e-9)


@pytest.mark.parametrize("seed", [14, 5, 22, 50, 58])
def test_what_readers_had_before_they_were_given_less_counts(seed: int) -> None:
    """b and c are out, then only c is given, then all: the first answer was seen all the same."""
    belief, reads = joint(seed), ["b", "c"]
    first = planned(belief, odds_cap=2.0, reads=reads).mechanism.showing(reads)
    second = planned(belief, odds_cap=2.0, reads=["c"], extends=first)
    less = second.mechanism.showing(["c"])
    plan = planned(belief, odds_cap=3.0, extends=less)
    for cap, given in ((2.0, [first, less]), (3.0, [first, less, plan.mechanism])):
        for name in ("a", "b"):
            told = unspoken.leakage(belief, Together(given), Adversary(name, [0]), "odds")
            assert told.high <= cap * (1 + 1e-9)


def reached(
    belief: Any, plan: Any, before: list[str], sees: list[str], knows: tuple[str, ...] = ()
) -> float:
    """The worst odds of who was given some names by the first coin and others by both."""
    told = Together([plan.mechanism.first.showing(before), plan.mechanism.showing(sees)])
    each = (Adversary(name, [0], knows=knows) for name in ("a", "b"))
    return max(unspoken.leakage(belief, told, who, "odds").high for who in each)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_all_pooled_have_what_nobody_reads_any_more(seed: int) -> None:
    """Those who do not pool, too, are held together to the cap of who pools all."""
    belief = joint(seed, (3, 3, 2))
    first = planned(belief, odds_cap=2.0, reads=["b", "c"]).mechanism
    asked: dict[str, Any] = {"reads": ["a", "c"], "coalitions": [["a"], ["c"]], "extends": first}
    plan = planned(belief, odds_cap=3.0, pooled_cap=3.0, **asked)
    assert reached(belief, plan, ["b", "c"], ["a", "c"]) <= 3.0 * (1 + 1e-9)
    apart = planned(belief, odds_cap=3.0, **asked)
    assert reached(belief, apart, ["b", "c"], ["a", "c"]) > 3.1
    assert reached(belief, apart, ["c"], ["c"]) <= 3.0 * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_who_knows_more_has_what_they_had(seed: int) -> None:
    """Of one who knows c and had b, and reads a now."""
    belief = joint(seed, (3, 3, 2))
    first = planned(belief, odds_cap=2.0, reads=["b"], knows=[(["b"], ["c"])]).mechanism
    plan = planned(belief, odds_cap=2.5, reads=["a"], knows=[(["a"], ["c"])], extends=first)
    assert reached(belief, plan, ["b"], ["a"], ("c",)) <= 2.5 * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_coalition_may_have_what_nobody_reads_any_more(seed: int) -> None:
    """It is named with it, and held to the cap for both."""
    belief = joint(seed, (3, 3, 2))
    first = planned(belief, odds_cap=2.0, reads=["b", "c"]).mechanism
    asked: dict[str, Any] = {"odds_cap": 2.5, "reads": ["a", "c"], "extends": first}
    plan = planned(belief, coalitions=[["a", "b"], ["c"]], **asked)
    assert reached(belief, plan, ["b"], ["a"]) <= 2.5 * (1 + 1e-9)
    apart = planned(belief, coalitions=[["a"], ["c"]], **asked)
    assert reached(belief, apart, ["b"], ["a"]) > 2.5


@pytest.mark.parametrize("seed", range(4))
def test_a_floor_counts_what_was_read_before(seed: int) -> None:
    """No pair of answers is e^1.2 times likelier of a record than of one without its secret."""
    belief, factor = joint(seed, (3, 2, 2)), Fraction(math.exp(1.2))
    first = planned(belief, odds_cap=4.0, floor=1.0, reads=["b", "c"]).mechanism
    plan = planned(belief, odds_cap=4.0, floor=1.2, reads=["a"], extends=first)
    for labels in product(*belief.domain.values):
        record = dict(zip(belief.domain.names, labels, strict=True))
        own = pairs(plan, record)
        for name in ("a", "b"):
            for value in belief.domain.values_of(name) if record[name] == 0 else ():
                other = pairs(plan, {**record, name: value})
                for shown, p in own.items():
                    assert value == 0 or p <= factor * other.get(shown, Fraction(0))


def test_what_is_refused() -> None:
    belief = joint(1)
    first = planned(belief, odds_cap=4.0, reads=["a", "b"]).mechanism
    with pytest.raises(InputError, match=r"what is out already multiplies .* the cap is 2"):
        planned(belief, odds_cap=2.0, extends=first)
    apart = planned(belief, odds_cap=4.0, coalitions=[["a"], ["b"]]).mechanism
    with pytest.raises(InputError, match=r"what is out already multiplies"):
        planned(belief, odds_cap=4.0, coalitions=[["a", "b"]], extends=apart)
    with pytest.raises(InputError, match=r"plan\.own_reads: no extension has it"):
        planned(belief, extends=first, own_reads=True)
    with pytest.raises(InputError, match="was shown by other labels"):
        planned(joint(1, (4, 2, 2)), extends=first)
    with pytest.raises(InputError, match="cannot be taken back"):
        unspoken.plan(belief, by="record", sensitive={**HIDDEN, "a": [0, 1]}, extends=first)
    with pytest.raises(InputError, match="give the mechanism of a plan by record"):
        planned(belief, extends=unspoken.OneSided({"a": 1.0}))
    with pytest.raises(InputError, match='by="record"'):
        unspoken.plan(belief, sensitive=HIDDEN, extends=first)
