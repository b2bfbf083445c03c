"""Limits and values at the edge: tiny limits, values that cannot be, numbers that are none."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.mechanisms import Geometric
from unspoken.noise.calibration import (
    METHODS,
    accuracy,
    calibrate,
    composed,
    parallel,
    quilt_any_start,
    quilt_approximate,
    sequential,
)
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.models import Blocked, Neighbour, Sensitivity, additive, blocked, bounded
from unspoken.noise.models.friends import grid
from unspoken.noise.models.sensitivities import mean, svm_output, total

STICKY = [[0.9, 0.1], [0.2, 0.8]]
CHAIN = unspoken.Chain([0.5, 0.5], STICKY, 4)
COINS = unspoken.Joint(np.full((2, 2), 0.25))
COINS3 = unspoken.Joint(np.full((2, 2, 2), 0.125))
# Of any type, as people give them.
NAN: Any = math.nan
INF: Any = math.inf
TEXT: Any = "a"
NONE: Any = None


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2e-4, 1e-5, 1e-6])
def test_small_limits_on_chains_are_no_bounds(limit: float) -> None:
    """Ends that rounding alone keeps apart are those of an exact search."""
    found = calibrate(CHAIN, limit=limit)
    table = unspoken.Joint(CHAIN.marginal(CHAIN.domain.names))
    assert found.scale == pytest.approx(calibrate(table, limit=limit).scale, rel=1e-6)
    leak = computed(table, found.mechanism, unspoken.Adversary("x1")).value
    assert (1 - 1e-6) * limit < found.bound.value <= limit
    assert leak <= limit


@pytest.mark.parametrize("limit", [1.0, 1e-3, 1e-9, 1e-12])
def test_geometric_noise_is_rounded_to_more(limit: float) -> None:
    """Floats just below 1 are 2^-53 apart, which is much of 1 - alpha = limit."""
    for method in ("group", "exact"):
        found = calibrate(COINS, limit=limit, noise="geometric", method=method)
        assert isinstance(found.mechanism, Geometric)
        leak = -math.log(found.mechanism.alpha)  # of one bit, to who knows the other
        assert leak <= limit * (2 if method == "group" else 1)
        assert leak * found.scale <= 1.0
        if method == "exact":
            assert found.bound.low <= leak * (1 + 1e-15)


def test_what_no_float_can_say_is_refused() -> None:
    with pytest.raises(TooLarge, match="geometric: noise of scale"):
        calibrate(COINS, limit=1e-17, noise="geometric")


def test_values_that_cannot_be_need_no_noise() -> None:
    """x0 is never 0, so who knows the other compares 1 and 2 only: half of the declared range."""
    belief = unspoken.Independent([[0.0, 0.6, 0.4], [1.0, 0.0]])
    found = calibrate(belief, limit=0.5, floor=False)
    assert found.scale == pytest.approx(2.0)
    floored = calibrate(belief, limit=0.5)
    assert floored.scale == 4.0  # differential privacy's, of all values that are declared
    assert floored.bound.low == floored.bound.high == pytest.approx(0.25)
    leak = computed(belief, floored.mechanism, unspoken.Adversary("x0", knows=["x1"]))
    assert floored.bound.low <= leak.high * (1 + 1e-12)


@pytest.mark.parametrize(
    ("start", "steps"),
    [
        ([0.0, 1.0], [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.7, 0.3]]]),
        ([0.0, 0.5, 0.5], [[[1, 0, 0], [0, 0.5, 0.5], [0, 1, 0]]] * 3),
        ([0.4, 0.6], [[[1.0, 0.0], [1.0, 0.0]], [[0.3, 0.7], [0.6, 0.4]]]),
    ],
)
def test_chains_with_zeros_do_not_warn(start: list[float], steps: list) -> None:
    chain = unspoken.Chain(start, steps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "rules" in repr(calibrate(chain, limit=2.0, knows="nothing"))
        for method in ("influence", "quilt"):
            try:
                found = calibrate(chain, limit=2.0, knows="nothing", method=method)
            except NotKnown:
                continue
            for name in chain.domain.names:
                leak = computed(chain, found.mechanism, unspoken.Adversary(name))
                assert leak.status != "ok" or leak.value <= 2.0


@pytest.mark.slow
def test_an_enormous_limit_still_prints() -> None:
    found = calibrate(CHAIN, limit=1e300)
    assert found.scale == 0.0
    assert "scale" in repr(found)
    json.dumps(unspoken.compare(CHAIN, limit=1e300).as_json(), allow_nan=False)
    assert METHODS["branches"](NoiseProblem(CHAIN, None, 1e300)) <= 1e-149


def test_the_same_names_in_another_order_are_the_same_knowledge() -> None:
    own = [calibrate(COINS3, limit=1.0, knows=k) for k in (["x0", "x1"], ["x1", "x0"])]
    assert composed(own).high <= 2.0 + 1e-12
    assert own[0].knows == ("x0", "x1")


def test_an_answer_about_nothing_adds_nothing() -> None:
    """Its scale is 0, and it moves with no variable."""
    chain = unspoken.Chain([0.5, 0.5], STICKY, 40)
    silent = calibrate(chain, [0.0] * 40, limit=1.0, knows="nothing")
    loud = calibrate(chain, limit=1.0, knows="nothing")
    assert silent.scale == 0.0
    assert composed([loud, silent]).high <= composed([loud]).high * (1 + 1e-9) + 1e-12


def test_a_scale_of_a_blocked_reach_is_never_0() -> None:
    found: Blocked = blocked(3, limit=1e300, reach=1e-300)
    assert found.scale > 0
    assert Sensitivity("a", 1e-300).scale(1e100) > 0


def test_small_errors_are_likely() -> None:
    """1 - (1 - e^-x)^q where 1 - e^-x has no digits, and where x is beyond floats."""
    assert accuracy(1.0, alpha=1e-17, dimension=2, norm="linf") == 1.0
    assert accuracy(1.0, alpha=1e-9, dimension=1, norm="linf") == pytest.approx(1 - 1e-9, rel=1e-15)
    assert accuracy(1.0, beta=1 - 1e-15, norm="linf") == pytest.approx(1e-15, rel=0.2)
    for norm in ("l1", "linf"):
        assert accuracy(1e-300, alpha=1e308, dimension=2, norm=norm) == 0.0


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: accuracy(1.0, alpha=1.0, dimension=NAN), "dimension"),
        (lambda: accuracy(1.0, alpha=1.0, dimension=INF), "dimension"),
        (lambda: accuracy(TEXT, alpha=1.0), "scale"),
        (lambda: accuracy(1.0, alpha=TEXT), "alpha"),
        (lambda: blocked(NAN, limit=1, reach=1), "largest"),
        (lambda: blocked(3, limit=NAN, reach=1), "limit"),
        (lambda: grid(NAN), "cells a side"),
        (lambda: grid(10**6), "coarser"),
        (lambda: Neighbour.of([[0.5, 0.5]], [0.0, 1.0], TEXT), "friends.low"),
        (lambda: Neighbour.of([[0.5, 0.5]], [0.0, 1.0], -INF, 1), "friends.low"),
        (lambda: Neighbour.of([[0.5, 0.5]], [0.0, 1.0], [0, 0], [1, 1]), "friends.low"),
        (lambda: quilt_any_start(STICKY, 4, 0.0), "limit"),
        (lambda: quilt_any_start(STICKY, 4, 1.0, -1.0), "reach"),
        (lambda: quilt_any_start(STICKY, NAN, 1.0), "length"),
        (lambda: quilt_approximate(STICKY, 4, 0.0), "limit"),
        (lambda: quilt_approximate(STICKY, 4, NAN), "limit"),
        (lambda: quilt_approximate(STICKY, 10**6, 1.0), "too many"),
        (lambda: total(0, 1).scale(1, NAN), "blocks"),
        (lambda: total(TEXT, 1), "bounds"),
        (lambda: total([0, 1], [1, 2, 3]), "bounds"),
        (lambda: total(-1.7e308, 1.7e308), "beyond floats"),
        (lambda: mean(0, 1, NAN), "records"),
        (lambda: svm_output(1, 5e-324), "beyond floats"),
        (lambda: Sensitivity("a", NAN), "sensitivity of nan"),
        (lambda: Sensitivity("a", -1.0), "sensitivity of -1"),
        (lambda: additive(COINS, {"x0": ["a", "b"]}, limit=1), "additive.terms"),
        (lambda: bounded(COINS, [["a", "b"], ["c", "d"]], limit=1), "bounded.answers"),
        (lambda: bounded(COINS, np.zeros((2, 2, 0)), limit=1), "bounded.answers"),
        (lambda: calibrate(COINS, limit=TEXT), "limit"),
        (lambda: calibrate(COINS, limit=NONE), "limit"),
        (lambda: calibrate(COINS, limit=1.0, knows=NONE), "knows"),
        (lambda: sequential([TEXT]), "as calibrate returns"),
        (lambda: composed([TEXT]), "as calibrate returns"),
        (lambda: parallel([NONE]), "as calibrate returns"),
    ],
)
def test_refusals_are_one_line(ask: Callable[[], object], words: str) -> None:
    with pytest.raises((InputError, TooLarge), match=words) as told:
        ask()
    assert "\n" not in str(told.value)


def test_a_limit_next_to_infinity_makes_steps_that_overflow_as_a_sum() -> None:
    with warnings.catch_warnings(action="error"):
        found = calibrate(CHAIN, weights=[1, -1, 1, 1], limit=1e308, knows="nothing")
        assert "wasserstein 2e-308" in repr(found)
