"""Laplace and geometric noise: what is refused, what is exact, what is only bounded."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import unspoken
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms import Geometric, Laplace, RandomizedResponse, Together

PAIR = unspoken.Joint([[2, 1], [1, 6]], names=["A", "B"])
COIN = unspoken.Independent({"A": [1, 1]})


def leak(mechanism: Any, measure: Any = "max-log-ratio", **adversary: Any) -> unspoken.Bound:
    about = unspoken.Adversary(adversary.pop("target", "A"), **adversary)
    return unspoken.leakage(adversary.pop("belief", PAIR), mechanism, about, measure)


def test_what_all_see_is_of_the_domain_that_is_asked_about() -> None:
    """It is kept for one domain; another one may lack what the noise is added to."""
    noise = Geometric(0.5, {"A": 1.0})
    assert noise.parts_of_all(PAIR.domain).queries == noise.parts_of_all(COIN.domain).queries
    with pytest.raises(unspoken.UnspokenError, match="A"):
        noise.parts_of_all(unspoken.Independent({"C": [1, 1]}).domain)


def test_one_bit_by_hand() -> None:
    """Two points at distance d: E = d / b, delta(0) = 1 - e^(-d / 2b), and so for whole numbers."""
    for scale in (0.01, 1.0, 1e6):
        about, own = unspoken.Adversary("A"), Laplace(scale, [3.0])
        assert unspoken.leakage(COIN, own, about).value == pytest.approx(3 / scale, rel=1e-13)
        delta = unspoken.leakage(COIN, own, about, "delta", eps=0.0)
        truth = -math.expm1(-1.5 / scale)
        assert delta.low * (1 - 1e-14) <= truth <= delta.high * (1 + 1e-14)
        assert delta.high == pytest.approx(truth, rel=1e-9)
    about, whole = unspoken.Adversary("A"), Geometric(0.5, [3])
    assert unspoken.leakage(COIN, whole, about).value == pytest.approx(3 * math.log(2), rel=1e-13)
    mass = [(0.5 / 1.5) * 0.5 ** abs(z) for z in range(-60, 61)]
    apart = sum(max(0.0, a - b) for a, b in zip(mass[3:], mass, strict=False))
    delta = unspoken.leakage(COIN, whole, about, "delta", eps=0.0)
    assert delta.exact
    assert delta.value == pytest.approx(apart, rel=1e-12)


def test_known_values_move_the_answers() -> None:
    """An outcome is what is read off, known parts included."""
    own, knowing = Laplace(1.0, {"A": 1, "B": 2.5}), unspoken.Adversary("A", [0], knows={"B": 1})
    view = unspoken.view(PAIR, own, knowing)
    assert [point.outcome["answer"] for point in view.outcomes()] == [2.5, 3.5]
    one = unspoken.odds(PAIR, own, knowing, {"answer": 2.5})
    assert one.nats == pytest.approx(1.0, rel=1e-12)


def test_answers_far_out_tell_what_the_end_tells() -> None:
    about = unspoken.Adversary("A", [0])
    for mechanism in (Laplace(0.5), Geometric(0.3), Laplace(1e-6)):
        end = unspoken.odds(PAIR, mechanism, about, {"answer": 2.0}).value
        for far in (3.0, 1e3, 1e300):
            assert unspoken.odds(PAIR, mechanism, about, {"answer": far}).value == end


@pytest.mark.slow
def test_whole_answers_far_apart() -> None:
    """More than can be listed: largest values exact all the same, means bounded."""
    belief = unspoken.Joint([[2, 1], [1, 6]], names=["A", "B"], values=[[0, 10**6], [0, 1]])
    about, own = unspoken.Adversary("A"), Geometric(math.exp(-1e-6))
    assert unspoken.leakage(belief, own, about).value == pytest.approx(1.0, rel=1e-5)
    mean = unspoken.leakage(belief, own, about, "mutual-information")
    near = unspoken.leakage(PAIR, Laplace(1.0, {"A": 1, "B": 1e-6}), about, "mutual-information")
    assert 0 < mean.high - mean.low < 1e-4 * mean.high
    assert mean.low <= near.high * (1 + 1e-5)
    assert near.low * (1 - 1e-5) <= mean.high


@pytest.mark.slow
def test_answers_too_many_to_list_are_bounded() -> None:
    few, many = leak(Laplace(1.0), asks=3), leak(Laplace(1.0), asks=100)
    assert few.exact
    assert many.low == pytest.approx(leak(Laplace(1.0)).value)
    assert few.value <= many.high == pytest.approx(200)
    constant = leak(Laplace(1.0, {"A": 0.0}), asks=100)
    assert constant.value == 0


@pytest.mark.slow
def test_a_vector_query_is_as_many_queries() -> None:
    vector = Laplace(0.7, {"A": [1, 0.5], "B": [0, -2]})
    apart = Together([Laplace(0.7, {"A": 1}), Laplace(0.7, {"A": 0.5, "B": -2})])
    for measure in ("max-log-ratio", "odds", "mutual-information"):
        one, other = leak(vector, measure), leak(apart, measure)
        assert (one.low, one.high) == (other.low, other.high)
    listed = Laplace(0.7, [[1, 0.5], [0, -2]])
    assert leak(listed).value == leak(vector).value


def test_noise_on_nothing_tells_nothing() -> None:
    for own in (Laplace(1.0, {"A": 0}), Geometric(0.5, {"B": 0}), Laplace(2.0, {"B": [0, 0]})):
        assert leak(own).value == 0
        assert leak(own, "mutual-information").value == 0


def test_weights_are_by_name_or_in_order() -> None:
    named, ordered = Laplace(1.0, {"B": 2, "A": 1}), Laplace(1.0, [1, 2])
    assert leak(named).value == leak(ordered).value
    assert leak(Laplace(1.0)).value == leak(Laplace(1.0, [1, 1])).value


def test_words_may_be_asked_about_if_not_added_up() -> None:
    """The target, and what is known, need not be numbers."""
    table = np.array([[[4, 1], [2, 1]], [[1, 2], [1, 6]]])
    words: list[list[Any]] = [["ill", "well"], [0, 1], ["x", "y"]]
    spoken = unspoken.Joint(table, names=["A", "B", "C"], values=words)
    plain = unspoken.Joint(table, names=["A", "B", "C"])
    own = Laplace(1.5, {"B": 1})
    for knows in ([], ["C"]):
        about = unspoken.Adversary("A", knows=knows)
        for measure in ("max-log-ratio", "mutual-information"):
            numbered = unspoken.leakage(plain, own, about, measure).value
            assert unspoken.leakage(spoken, own, about, measure).value == numbered
    about = unspoken.Adversary("A", secret=["ill"], knows={"C": "x"})
    assert unspoken.odds(spoken, own, about, {"answer": 0.5}).value > 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Laplace(0.0), "must be positive and finite"),
        (lambda: Laplace(math.inf), "must be positive and finite"),
        (lambda: Laplace(math.nan), "must be positive and finite"),
        (lambda: Laplace(1e-310), "must be positive and finite"),
        (lambda: Geometric(0.0), "must lie between 0 and 1"),
        (lambda: Geometric(1.0), "must lie between 0 and 1"),
        (lambda: leak(Geometric(0.5, [0.5, 1])), '0.5 times "A" is not always a whole number'),
        (lambda: leak(Laplace(1.0, 5)), "1 for 2 variables"),  # type: ignore[arg-type]
        (lambda: leak(Laplace(1.0, [1, 2, 3])), "3 for 2 variables"),
        (lambda: leak(Laplace(1.0, {})), "is empty"),
        (lambda: leak(Laplace(1.0, {"A": []})), "is empty"),
        (lambda: leak(Laplace(1.0, {"A": [1, 2], "B": 1})), "of lengths \\[1, 2\\]"),
        (lambda: leak(Laplace(1.0, {"A": "x"})), "weights of A: must be a number"),
        (lambda: leak(Laplace(1.0, {"C": 1})), 'there is no "C"'),
        (lambda: leak(Laplace(1.0, [1e308, 1e308])), "too large"),
        (lambda: leak(Laplace(1.0, {"A": 2e-320})), "of A: too small; multiply weights"),
        (lambda: leak(Laplace(1.0), asks=10**6), "the noise averages out"),
        (lambda: leak(Laplace(1.0), asks=math.inf), "the noise averages out"),
    ],
)
def test_mistakes(make: Any, says: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=says):
        make()


def test_weights_become_plain_numbers_where_they_are_said() -> None:
    table: Any = {"A": {0: 1.0, 1: pd.NA}}
    with pytest.raises(unspoken.UnspokenError, match="weights of A: must be a number"):
        Laplace(1.0, table)
    for given in ([Fraction(1, 2), 2], iter([0.5, 2]), np.array([0.5, 2]), memoryview(b"AB")):
        kept: Any = Laplace(1.0, given)  # type: ignore[arg-type]
        assert pickle.loads(pickle.dumps(kept)) == kept
        assert kept.weights in {(0.5, 2), (65, 66)}


@pytest.mark.parametrize(
    ("mechanism", "outcome", "says"),
    [
        (Laplace(1.0), {"answer": "x"}, "a number is expected"),
        (Laplace(1.0), {"answer": math.nan}, "a number is expected"),
        (Geometric(0.5), {"answer": 0.5}, "a whole number is expected"),
        (Laplace(1.0), {"answer 1": 0.5}, "not among the outputs seen"),
    ],
)
def test_answers_are_numbers(mechanism: Any, outcome: Any, says: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=says):
        unspoken.odds(PAIR, mechanism, unspoken.Adversary("A", [0]), outcome)


def test_a_variable_called_answer() -> None:
    belief = unspoken.Joint([[2, 1], [1, 6]], names=["answer", "B"])
    own = Together([Laplace(1.0), RandomizedResponse("answer", 1.0)])
    with pytest.raises(unspoken.UnspokenError, match='call "answer" otherwise'):
        unspoken.leakage(belief, own, unspoken.Adversary("B"))


@pytest.mark.slow
def test_noise_beside_too_many_outputs_is_refused_before_they_are_made() -> None:
    fresh = [RandomizedResponse(name, 1.0) for name in "AB"] * 15
    with pytest.raises(TooLarge, match="1 noisy answers: 6,442,450,944 points to look at"):
        leak(Together([*fresh, Laplace(1.0)]), target="B")
