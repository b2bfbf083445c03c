"""A measure that counts an excluded value as infinite says so, and what to ask for instead."""

from __future__ import annotations

import math

import pytest

import unspoken
from unspoken import Adversary, Joint, OneSided

DAYS = Joint(
    [[15, 5], [10, 70]],
    names=["arrival", "occupancy"],
    values=[["late", "on time"], ["low", "normal"]],
)
HIDDEN = {"arrival": ["late"], "occupancy": ["low"]}
EVERYTHING = Adversary("occupancy", sees=["arrival", "occupancy"])


def test_a_plan_is_infinite_by_the_default_and_says_what_to_ask() -> None:
    mechanism = unspoken.plan(DAYS, by="record", sensitive=HIDDEN, odds_cap=4.0).mechanism
    bound = unspoken.leakage(DAYS, mechanism, EVERYTHING)
    assert math.isinf(bound.value)
    assert '"odds" asks how much likelier the secret becomes (4 times the odds' in bound.why
    assert unspoken.leakage(DAYS, mechanism, EVERYTHING, "odds").odds == pytest.approx(4.0)
    each = unspoken.leakages(DAYS, mechanism)
    assert '"odds" asks' in each["arrival"].why
    assert '"odds" asks' in repr(each)


def test_what_is_certain_is_not_explained_away() -> None:
    everything = OneSided(dict.fromkeys(HIDDEN, math.inf), HIDDEN)
    bound = unspoken.leakage(DAYS, everything, EVERYTHING)
    assert math.isinf(unspoken.leakage(DAYS, everything, EVERYTHING, "odds").odds)
    assert "asks" not in bound.why


def test_finite_numbers_have_their_reason_alone() -> None:
    mechanism = unspoken.plan(DAYS, by="record", sensitive=HIDDEN, odds_cap=4.0).mechanism
    alone = Adversary("occupancy", sees=["arrival"])
    assert "asks" not in unspoken.leakage(DAYS, mechanism, alone).why
    assert "why" not in repr(unspoken.leakages(DAYS, mechanism, "odds"))
