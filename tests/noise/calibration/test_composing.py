"""Several answers: limits that add up, limits that do not, and what is true of both."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import unspoken
from tests.effort import EFFORT
from tests.noise.calibration.joints import accepted, random_joint
from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError, NotKnown
from unspoken.noise.calibration import (
    METHODS,
    Calibrated,
    calibrate,
    composed,
    parallel,
    sequential,
)
from unspoken.noise.calibration.composing import ADDITIVE, NOT_ADDITIVE, by_rules

XOR = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["a", "b", "differ"])
CHAINS = {"bdp_markov", "branches", "influence", "quilt"}  # one of them for trees too
STICKY = [[0.9, 0.1], [0.1, 0.9]]

FITS = {
    "influence": unspoken.Chain([0.5, 0.5], [[0.6, 0.4], [0.5, 0.5]], 3),
    "bdp_gaussian": unspoken.Gaussian([[1, 0.3, 0.2], [0.3, 1, 0.1], [0.2, 0.1, 1]], [1, 1, 1]),
}


def twice(method: str = "exact", knows: str = "nothing") -> list[Calibrated]:
    """The same sum of three bits, calibrated to 1 and released two times."""
    return [calibrate(XOR, limit=1.0, knows=knows, method=method) for _ in range(2)]


def truth(belief: Belief, answers: list[Calibrated]) -> float:
    """What all answers tell somebody who knows nothing else, by their joint view."""
    noisy = unspoken.Together([own.mechanism for own in answers])
    return max(own.value for own in unspoken.leakages(belief, noisy).values())


def test_every_method_is_additive_or_says_why_not() -> None:
    assert {*ADDITIVE, *NOT_ADDITIVE} == {"exact", *METHODS}
    assert not set(ADDITIVE) & set(NOT_ADDITIVE)


@pytest.mark.parametrize("method", sorted(NOT_ADDITIVE))
def test_limits_that_do_not_add_up_are_refused_by_the_counterexample(method: str) -> None:
    belief = unspoken.Chain([0.5, 0.5], STICKY, 3) if method in CHAINS else XOR
    answers = [calibrate(belief, limit=9.0, knows="nothing", method=method)] * 2
    with pytest.raises(NotKnown, match="do not add up") as raised:
        sequential(answers)
    assert "composed(answers)" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_counterexamples_are_what_the_refusals_say() -> None:
    """Theorem 3 of paper 002: 2.34 from two limits of 1; Theorem 4: twice the limit."""
    assert truth(XOR, twice()) == pytest.approx(2.336, abs=5e-4)
    copies = unspoken.Joint([[0.5, 0], [0, 0.5]])
    answers = [
        calibrate(copies, weights, limit=1.0, knows="nothing") for weights in ([1, 0], [0, 1])
    ]
    assert truth(copies, answers) == pytest.approx(2.0, rel=1e-9)
    hub = unspoken.Tree([-1, *[0] * 20], [0.5, 0.5], [[0.99, 0.01], [0.5, 0.5]])
    leaves = dict.fromkeys(hub.domain.names[1:], 1.0)
    one = calibrate(hub, leaves, limit=1.0, method="branches")
    assert composed([one, one]).low == pytest.approx(2.047, abs=5e-4)
    with pytest.raises(NotKnown, match="depend on one another") as raised:
        parallel(answers)
    assert "D2 = D1" in str(raised.value)


@pytest.mark.parametrize("method", ADDITIVE)
def test_limits_that_add_up_do(method: str) -> None:
    belief = FITS.get(method, XOR)
    answers = [calibrate(belief, limit=1.0, knows="nothing", method=method)] * 2
    bound = sequential(answers)
    assert 2.0 <= bound.value <= 2.0 * (1 + 1e-12)
    assert truth(belief, answers) <= bound.value


def test_blocks_that_are_apart_need_no_sum() -> None:
    silent = [[0.5, 0.5], [0.5, 0.5]]
    chain = unspoken.Chain([0.5, 0.5], [STICKY, silent, STICKY])
    queries = [{"x0": 1, "x1": 2}, {"x2": 1, "x3": 1}]
    answers = [
        calibrate(chain, own, limit=limit) for own, limit in zip(queries, (0.5, 1.0), strict=True)
    ]
    assert parallel(answers).value == 1.0
    noisy = unspoken.Together([own.mechanism for own in answers])
    assert unspoken.worst(chain, noisy).bound.value == pytest.approx(1.0, rel=1e-9)
    with pytest.raises(NotKnown, match="answers 0 and 1"):
        parallel([*answers[:1], calibrate(chain, limit=1.0)])


def test_what_answers_tell_together_is_exact_where_it_can_be() -> None:
    for method, knows in itertools.product(("exact", "mean", "budget"), ("nothing", "anything")):
        found = composed(twice(method, knows))
        assert found.exact
        noisy = unspoken.Together([own.mechanism for own in twice(method, knows)])
        told = (
            unspoken.worst(XOR, noisy).bound.value
            if knows == "anything"
            else truth(XOR, twice(method))
        )
        assert found.value == pytest.approx(told, rel=1e-12)


@pytest.mark.slow
def test_long_chains_have_a_sound_rule() -> None:
    """60 variables and three different sums are too many to list: quilts and means still hold."""
    chain = unspoken.Chain([0.5, 0.5], STICKY, 60)
    sums = [None, {f"x{k}": 1 for k in range(30)}, {f"x{k}": 1 + k % 2 for k in range(60)}]
    answers = [calibrate(chain, own, limit=0.2, knows="nothing") for own in sums]
    found = composed(answers)
    assert found.low <= found.value < math.inf
    assert found.value > max(own.bound.value for own in answers)


@pytest.mark.slow
@pytest.mark.stress
def test_rules_for_several_answers_hold() -> None:
    """The bound by every rule against the joint view, whatever found the scales."""
    rng = np.random.default_rng(4)
    for _ in range(20 * EFFORT):
        table, values = random_joint(rng)
        belief = unspoken.Joint(table, values=[own.tolist() for own in values])
        answers = []
        for _ in range(2):
            weights, limit = (
                rng.uniform(-1, 2, table.ndim).round(2).tolist(),
                float(rng.uniform(0.1, 1.5)),
            )
            method = str(rng.choice(["exact", "mean", "group", "budget"]))
            answers.append(calibrate(belief, weights, limit=limit, knows="nothing", method=method))
        told, rules = truth(belief, answers), by_rules(answers, "nothing")
        assert {why.split('"')[1] for _, why in rules} == set(METHODS) - CHAINS - {
            "bdp_gaussian",
            "wasserstein",
        }
        for high, why in rules:
            assert accepted(told, high), why
        assert composed(answers).value == pytest.approx(told, rel=1e-9)


def test_what_is_not_comparable_is_refused() -> None:
    with pytest.raises(InputError, match="give a list"):
        sequential([])
    with pytest.raises(InputError, match="different beliefs"):
        composed([*twice("mean"), calibrate(unspoken.Joint([0.5, 0.5]), limit=1.0)])
    with pytest.raises(InputError, match="know different things"):
        composed([*twice("mean"), *twice("mean", "anything")])
    odds = calibrate(XOR, limit=2.0, measure="odds", knows="nothing")
    with pytest.raises(NotKnown, match="max-log-ratio"):
        parallel([odds])
    everybody = [
        calibrate(XOR, limit=1.0, method="group", knows=knows) for knows in ("nothing", "anything")
    ]
    assert sequential(everybody).value >= 2.0
