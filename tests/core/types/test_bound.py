"""A bound is an interval with a premise and a reason; an estimate is something else."""

from __future__ import annotations

import json
import math

import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.types.premise import STATED, Premise


def test_units() -> None:
    bound = unspoken.Bound(0.5, math.log(2))
    assert (bound.value, bound.bits, bound.exact) == (math.log(2), 1.0, False)
    assert bound.odds == pytest.approx(2.0)
    factor = unspoken.Bound(1.0, 4.0, "odds")
    assert (factor.value, factor.odds, factor.bits) == (4.0, 4.0, 2.0)
    with pytest.raises(InputError, match="no nats"):
        _ = unspoken.Bound(1.0, 2.0, "release").bits


@pytest.mark.parametrize("ends", [(2.0, 1.0), (math.nan, 1.0), (0.0, math.nan)])
def test_ends_in_order(ends: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="low <= high"):
        unspoken.Bound(*ends)


def test_impossible_has_no_number() -> None:
    bound = unspoken.Bound.impossible("odds", STATED, "never")
    assert bound.status == "impossible"
    assert not bound.value <= 4.0
    assert bound.as_json()["status"] == "impossible"


def test_json_is_plain() -> None:
    assert json.loads(json.dumps(unspoken.Bound(1.0, math.inf, "odds").as_json()))["high"] == "inf"


def test_premises() -> None:
    assert STATED.certifies
    assert not Premise.learned(30_000).certifies
    assert Premise.learned(7) == "learned(7)"


def test_an_estimate_is_no_bound() -> None:
    estimate = unspoken.Estimate(0.1, "nat", "a published formula")
    assert not isinstance(estimate, unspoken.Bound)
    assert "no guarantee" in repr(estimate)


def test_notebooks_show_a_table() -> None:
    shown = unspoken.Bound(0.1, 0.2, why="a < b")._repr_html_()
    assert shown.startswith("<table>")
    assert "a &lt; b" in shown


def test_bits_stand_below_the_nats_that_they_are() -> None:
    lines = repr(unspoken.Bound(0.5, 1.0)).splitlines()
    assert [line.split()[-2:] for line in lines[1:4]] == [
        ["1", "nat"],
        ["1.4427", "bit"],
        ["0.5", "nat"],
    ]
