"""What others have done with releases like these: the view has to know all of it.

Union across readers, minimality (blanks that need not have been), composition over two tables, one
attribute known, soft knowledge of the context, side channels of a blank.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken import WITHHELD, Adversary
from unspoken.core.mechanisms import InEpoch, Suppression, Together
from unspoken.core.mechanisms.record_table import WHOLE

BITS = {"A": [0, 1], "B": [0, 1], "S": [0, 1]}
HIDDEN = {"S": [1]}
ABOUT_S = Adversary("S", secret=[1])
HALF = WHOLE // 2


def xor() -> unspoken.Joint:
    """S is A xor B."""
    table = np.zeros((2, 2, 2))
    for a, b in np.ndindex(2, 2):
        table[a, b, a ^ b] = 0.25
    return unspoken.Joint(table, names="ABS")


def always(*names: str) -> Suppression:
    """Every record shows just these."""
    records = itertools.product([0, 1], repeat=3)
    return Suppression({record: {names: WHOLE} for record in records}, list("ABS"), BITS, HIDDEN)


def worst(belief: Any, mechanism: Any, who: Adversary = ABOUT_S) -> float:
    return unspoken.leakage(belief, mechanism, who, "odds").high


def test_readers_who_are_told_nothing_each_know_all_together() -> None:
    """Of a xor each part is harmless; whoever pools is not bounded by what each of them learns."""
    both = always("A", "B")
    for name in "AB":
        alone = Adversary("S", secret=[1], sees=[name])
        assert worst(xor(), both, alone) == pytest.approx(1.0, rel=1e-14)
        assert worst(xor(), both.showing([name])) == pytest.approx(1.0, rel=1e-14)
    assert worst(xor(), both) == math.inf
    assert worst(xor(), Together([both.showing(["A"]), both.showing(["B"])])) == math.inf


def test_two_tables_of_one_record_show_the_union() -> None:
    """In two epochs, or in one: each shows one part of the xor, and both together decide it."""
    one, other = always("A"), always("B")
    years = Together([InEpoch("2025", one), InEpoch("2026", other)])
    for coins in (years, Together([one, other])):
        assert worst(xor(), coins) == math.inf
    for coin in (one, other):
        assert worst(xor(), coin) == pytest.approx(1.0, rel=1e-14)


def test_the_same_table_in_two_epochs_shows_more() -> None:
    """Either part with one half: once never both, in two years both with one half."""
    parts = {("A",): HALF, ("B",): HALF}
    records = itertools.product([0, 1], repeat=3)
    coin = Suppression(dict.fromkeys(records, parts), list("ABS"), BITS, HIDDEN)
    assert worst(xor(), coin) == pytest.approx(1.0, rel=1e-14)
    assert worst(xor(), Together([coin, coin])) == pytest.approx(1.0, rel=1e-14)
    again = Together([InEpoch("2025", coin), InEpoch("2026", coin)])
    assert worst(xor(), again) == math.inf
    shown: Any = unspoken.view(xor(), again, ABOUT_S).outcomes()
    both = [
        p.mass for p in shown if all(any(v is not WITHHELD for v in p.outcome[n]) for n in "AB")
    ]
    assert math.fsum(both) == pytest.approx(0.5)


def test_who_knows_one_attribute_is_certain_at_an_answer_that_tells_others_little() -> None:
    shows_a = always("A")
    assert worst(xor(), shows_a) == pytest.approx(1.0, rel=1e-14)
    assert worst(xor(), shows_a, Adversary("S", secret=[1], knows=["B"])) == math.inf
    fixed = Adversary("S", secret=[1], knows={"B": 0})
    after = unspoken.odds(xor(), shows_a, fixed, {"A": 1})
    assert after.high == math.inf
    assert unspoken.odds(xor(), shows_a, fixed, {"A": 0}).high == 0.0


def test_what_is_shown_of_a_known_attribute_tells() -> None:
    """A is shown where S is not the secret: who knows A learns from the blank all the same."""
    records = {r: {("A",): HALF} for r in itertools.product([0, 1], repeat=3) if not r[2]}
    coin = Suppression(records, list("ABS"), BITS, HIDDEN)
    knowing = Adversary("S", secret=[1], knows=["A"])
    assert worst(xor(), coin, knowing) == pytest.approx(2.0, rel=1e-14)
    seen = unspoken.view(xor(), coin, knowing).outcomes()
    assert {point.outcome["A"] for point in seen} == {0, 1, WITHHELD}


def test_independent_attributes_are_tied_by_what_is_shown() -> None:
    """B is shown where A and S agree: half of all rows, whatever S is, but for who knows A."""
    belief = unspoken.Independent([[0.5, 0.5]] * 3, names="ABS")
    shows = {(a, b, a): {("B",): WHOLE} for a, b in np.ndindex(2, 2)}
    coin = Suppression(shows, list("ABS"), BITS, HIDDEN)
    assert worst(belief, coin) == pytest.approx(1.0, rel=1e-14)
    assert worst(belief, coin, Adversary("S", secret=[1], knows=["A"])) == math.inf
    assert worst(belief, coin, Adversary("S", secret=[1], knows={"A": 1})) == math.inf


def test_minimality_a_blank_that_only_secrets_need_gives_them_away() -> None:
    """Least suppression: all of it unless something is secret. What is shown is then harmless."""
    shows = {(a, b, 0): {("A", "B", "S"): WHOLE} for a, b in np.ndindex(2, 2)}
    least = Suppression(shows, list("ABS"), BITS, HIDDEN)
    silence = {"A": WITHHELD, "B": WITHHELD, "S": WITHHELD}
    assert unspoken.odds(xor(), least, ABOUT_S, silence).low == math.inf
    assert unspoken.odds(xor(), least, ABOUT_S, {"A": 1, "B": 1}).high == 0.0
    often = {record: {("A", "B", "S"): WHOLE * 3 // 4} for record in shows}
    floor = Suppression(often, list("ABS"), BITS, HIDDEN)
    silent = unspoken.odds(xor(), floor, ABOUT_S, silence)
    assert silent.value == pytest.approx(4.0, rel=1e-14)  # 1 / (1 - 3/4), under any belief


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_floor_keeps_the_cap_under_any_belief_knowledge_and_secret(seed: int) -> None:
    """Rows with a secret show nothing, others all with 1 - 1/cap: no count, no noise, no box."""
    rng, hidden = np.random.default_rng(seed), {"A": [0], "S": [1]}
    free = [(a, b, s) for a, b, s in np.ndindex(2, 2, 2) if a and not s]
    floor = Suppression(
        {record: {("A", "B", "S"): WHOLE * 3 // 4} for record in free}, list("ABS"), BITS, hidden
    )
    counts = rng.integers(1, 50, (2, 2, 2)) * (rng.random((2, 2, 2)) < 0.8)
    counts[1, 1, 0] += 1
    belief = unspoken.Joint(counts, names="ABS")
    box = unspoken.Box(np.zeros((2, 2, 2)), np.ones((2, 2, 2)), names="ABS")
    for who in (
        Adversary("S", secret=[1]),
        Adversary("A", secret=[0], knows=["B"]),
        Adversary("S", secret=[1], knows=["A"]),
        Adversary(["A", "S"], secret=[(0, 1)]),
        Adversary("A", secret=[0], sees=["S"]),
    ):
        assert worst(belief, floor, who) <= 4.0 * (1 + 1e-12)
        assert worst(box, floor, who) <= 4.0 * (1 + 1e-12)


def test_soft_knowledge_of_the_context_is_a_belief_of_its_own() -> None:
    """Nothing in either context, little with none; much for who holds one of them for likelier.

    P(S | k) = .01, .9 and P(A = 1 | k) = .01, .5, whatever S is: A tells which context it is.
    """
    secret, says = np.array([0.01, 0.9]), np.array([0.01, 0.5])

    def belief(first: float) -> unspoken.Joint:
        weights = np.array([first, 1.0 - first])
        s, a = np.stack([1 - secret, secret]), np.stack([1 - says, says])
        return unspoken.Joint(np.einsum("k,sk,ak->sa", weights, s, a), names=["S", "A"])

    shows = {(s, a): {("A",): WHOLE} for s, a in np.ndindex(2, 2)}
    coin = Suppression(shows, ["S", "A"], {"S": [0, 1], "A": [0, 1]}, {"S": [1]})
    for context in (0.0, 1.0):
        assert worst(belief(context), coin) == pytest.approx(1.0, rel=1e-12)
    assert 1.0 < worst(belief(0.05), coin) < 2.0
    assert worst(belief(0.95), coin) > 10.0
    few = unspoken.Beliefs([belief(first) for first in (0.0, 0.05, 0.95, 1.0)])
    assert worst(few, coin) == worst(belief(0.95), coin)


def test_a_blank_of_one_name_tells_of_another() -> None:
    """Its label says nothing of S, being independent; whether it is shown does."""
    table = np.full((2, 2), 0.25)
    belief = unspoken.Joint(table, names=["A", "S"])
    shows = {(a, s): {("A",): WHOLE // (1 + 3 * s)} for a, s in np.ndindex(2, 2)}
    coin = Suppression(shows, ["A", "S"], {"A": [0, 1], "S": [0, 1]}, {"S": [1]})
    reader = Adversary("S", secret=[1], sees=["A"])
    told = unspoken.leakage(belief, coin, reader, "mutual-information")
    assert told.bits > 0.3
    assert unspoken.odds(belief, coin, reader, {"A": WITHHELD}).low == math.inf
    fair = {(a, s): {("A",): WHOLE // 4} for a, s in np.ndindex(2, 2)}
    same = Suppression(fair, ["A", "S"], {"A": [0, 1], "S": [0, 1]}, {"S": [1]})
    assert unspoken.leakage(belief, same, reader, "mutual-information").high < 1e-25
