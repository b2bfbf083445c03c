"""What is neither read nor secret may be looked at: of several laws that shows more, of one not."""

import numpy as np
import pytest

import unspoken
from unspoken.planning.records import problem

NAMES = ["s", "r", "u"]
ASKED = {"by": "record", "sensitive": {"s": [0], "r": [], "u": []}, "odds_cap": 1.5}


def laws():
    drawn = np.random.default_rng(3).dirichlet(np.full(8, 0.4), 2)
    return [unspoken.Joint(law.reshape(2, 2, 2), NAMES, [[0, 1]] * 3) for law in drawn]


def given(kind):
    one, other = laws()
    return {
        "beliefs": {"belief": unspoken.Beliefs([one, other])},
        "contexts": {"contexts": [(30, one), (70, other)]},
        "box": {"belief": unspoken.Box.within(one, 0.3)},
        "floor": {"belief": one, "floor": 0.4},
        "one": {"belief": one},
    }[kind]


def plans(kind):
    """With u out of sight, and as something that is read and worth nothing."""
    least = unspoken.plan(**given(kind), reads=["r"], **ASKED)
    most = unspoken.plan(**given(kind), reads=["r", "u"], weights={"r": 1.0, "u": 0.0}, **ASKED)
    return least, most


@pytest.mark.parametrize("kind", ["beliefs", "contexts", "box", "floor", "one"])
def test_no_release_that_looks_at_more_exceeds_the_bound(kind):
    least, most = plans(kind)
    assert least.bound.high >= most.objective * (1 - 1e-9)
    assert least.objective == pytest.approx(most.objective, rel=1e-5)
    assert "do not look at" not in least.bound.why


@pytest.mark.parametrize("kind", ["beliefs", "contexts"])
def test_where_there_is_no_room_the_bound_says_what_it_is_about(kind, monkeypatch):
    """It is about less, and a release that looks at more exceeds it."""
    monkeypatch.setattr(problem, "LOOKED_AT", 15)
    least, most = plans(kind)
    assert "of releases that do not look at u of a record" in least.bound.why
    assert least.bound.high < most.objective
    assert "do not look at" not in most.bound.why


def test_of_one_law_it_is_left_out():
    least, _ = plans("one")
    assert set(least.mechanism.names) == {"s", "r"}
