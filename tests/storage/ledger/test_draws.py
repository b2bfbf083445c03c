"""Draws of released cells: n of them tell what n coins tossed side by side do, of their epochs."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from tests.storage.ledger.histories import event
from tests.storage.ledger.test_record_coins import EVERYBODY, release, table
from unspoken import Adversary, Joint, OneSided, leakage
from unspoken.core.mechanisms import InEpoch, Mechanism
from unspoken.storage.ledger import Account, Release, fold, tossing

SECRETS = {"a": ["s"]}
COUNTS = {("s", "t"): 3, ("s", "u"): 1, ("f", "t"): 2, ("f", "u"): 4}  # of (a, b): what is believed


def belief() -> Joint:
    cells = [[COUNTS[a, b] for b in ("t", "u")] for a in ("s", "f")]
    return Joint(cells, ["a", "b"], [["s", "f"], ["t", "u"]])


def cells(draw: int, epsilon: float, *days: str) -> Release:
    readings = {day: dict.fromkeys(("a", "b"), "same") for day in days or ("1",)}
    shown = OneSided({"a": epsilon, "b": epsilon}, {"a": ["s"], "b": []})
    return Release("t", "day", True, shown, readings, "k", "c", {}, {}, draw=draw)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_n_draws_of_one_record_tell_what_the_account_says(count: int) -> None:
    """Every outcome of n coins a cell, by hand, beside the fold of the account (Corollary 1)."""
    p = Fraction(1, 3)
    epsilon = -math.log1p(-1 / 3)
    account = Account.of([cells(n, epsilon) for n in range(1, count + 1)])
    (past,) = account.before(cells(count + 1, epsilon), account.readers())
    told = leakage(belief(), past.fold(SECRETS), Adversary("a", secret=["s"]), "odds").odds
    law: dict[tuple[object, ...], dict[bool, Fraction]] = {}
    for (a, b), weight in COUNTS.items():
        for coins in product((True, False), repeat=2 * count):
            shown = tuple(
                (a if a_out and a != "s" else None, b if b_out else None)
                for a_out, b_out in zip(coins[::2], coins[1::2], strict=True)
            )
            mass = math.prod((p if out else 1 - p for out in coins), start=Fraction(weight))
            of = law.setdefault(shown, {True: Fraction(0), False: Fraction(0)})
            of[a == "s"] += mass
    prior = Fraction(4, 6)  # 4 secret to 6 free
    worst = max(of[True] / of[False] for of in law.values() if of[False]) / prior
    assert told == pytest.approx(float(worst), rel=1e-9)
    exponents = past.exponents(cells(count + 1, epsilon).mechanism.exponents())
    assert exponents == pytest.approx({"a": (count + 1) * epsilon, "b": (count + 1) * epsilon})


def test_a_draw_counts_for_its_own_epochs_alone() -> None:
    days = [cells(1, 0.5, "1", "2"), cells(2, 0.25, "1"), cells(3, 0.125, "2")]
    account, everybody = Account.of(days), ((),)
    told = {
        day: account.before(cells(4, 1.0, day), everybody)[0].exponents().get("a", 0.0)
        for day in ("1", "2", "3")
    }
    assert told == {"1": 0.75, "2": 0.625, "3": 0.0}


def test_draws_of_other_labels_may_be_about_any_cell() -> None:
    account = Account.of([cells(1, 0.5), replace(cells(2, 0.25), epoch="week")])
    (past,) = account.before(cells(2, 1.0, "9"), ((),))
    assert past.exponents() == {"a": 0.25, "b": 0.25}
    assert account.exposure(((),)).exponents() == {"a": 0.75, "b": 0.75}


def test_the_same_draw_is_free_and_another_is_not() -> None:
    account = Account.of([cells(2, 0.5)])
    assert account.covers(cells(2, 0.5), EVERYBODY)
    assert not account.covers(cells(1, 0.5), EVERYBODY)
    assert not account.covers(cells(3, 0.5), EVERYBODY)


def test_draws_of_whole_records_are_records_side_by_side() -> None:
    def of(draw: int, *days: str) -> Release:
        one = replace(release(table()), epoch="day", per_key=True, draw=draw)
        (read,) = one.readings.values()
        return replace(one, readings=dict.fromkeys(days, read))

    first, second = of(1, "1", "2"), of(2, "1")
    account = Account.of([first, second])
    assert account.covers(second, EVERYBODY)
    assert not account.covers(of(2, "2"), EVERYBODY)
    past = {day: account.before(of(3, day), EVERYBODY)[0] for day in ("1", "2", "3")}
    draws: list[Mechanism] = [InEpoch(tossing(each), table()) for each in (first, second)]
    assert {*past["1"].other_records} == {*draws}
    assert past["2"].other_records == (draws[0],)
    assert past["3"].other_records == ()


def test_an_event_says_its_draw_and_the_first_is_as_it_was() -> None:
    first, second = event("month", a=0.5), replace(event("month", a=0.5), draw=2)
    assert '"draw"' not in first.to_json()
    assert Release.from_json(second.to_json()) == second
    assert (tossing(first), tossing(second)) == ("of month", "draw 2 of month")
    assert fold([first, second], {}) == OneSided({"a": 1.0}, {})
