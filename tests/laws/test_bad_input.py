"""Bad input is refused in one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import unspoken
from unspoken.core.errors import UnspokenError

JOINT = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names=["arrival", "occupancy"])
ZERO = {"arrival": [0], "occupancy": [0]}
BITS = unspoken.OneSided({"arrival": 1.0}, ZERO, shows="bit")
VALUES = unspoken.OneSided({"arrival": 1.0, "occupancy": 0.5}, ZERO)


def one_sided(epsilon: Any = 1.0, **more: Any) -> Any:
    return unspoken.OneSided({"arrival": epsilon}, **{"sensitive": ZERO, **more})


def ask(mechanism: Any = VALUES, measure: Any = "max-log-ratio", **adversary: Any) -> Any:
    who = unspoken.Adversary(**{"target": "occupancy", **adversary})
    return unspoken.leakage(JOINT, mechanism, who, measure=measure)


def odds(mechanism: Any = VALUES, sees: Any = None, **outcome: Any) -> Any:
    return unspoken.odds(
        JOINT, mechanism, unspoken.Adversary("occupancy", sees=sees), outcome=outcome
    )


def plan(limit_bits: Any = 0.1, **more: Any) -> Any:
    return unspoken.plan(JOINT, **{"limit_bits": limit_bits, "sensitive": ZERO, **more})


HALF = [0.5, 0.5]
NUMBER: Any = 3
NONE: Any = None
ENORMOUS: Any = 1e308
WORDS: Any = [["x", "y"]]
RAGGED: Any = [[0.5], [0.2, 0.3]]
EQUAL, OPPOSITE = [[0.5, 0], [0, 0.5]], [[0, 0.5], [0.5, 0]]
LAZY: Any = pl.DataFrame({"A": [1.0]}).lazy()
VOIDS: Any = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])  # looks as if it had a hash

# what is wrong: (the call, the words its message must have, in any order)
BAD: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "above one": (lambda: unspoken.Joint([1.2, -0.2]), ["table", "negative", "-0.2"]),
    "does not sum": (lambda: unspoken.Joint([0.5, 0.6]), ["table", "sum", "1.1"]),
    "sums to nothing": (lambda: unspoken.Joint([0.0, 0.0]), ["table", "sum"]),
    "fractional counts": (lambda: unspoken.Joint([1.5, 2.0]), ["table", "sum", "counts"]),
    "NaN": (lambda: unspoken.Joint([math.nan, 1.0]), ["table", "NaN"]),
    "infinite": (lambda: unspoken.Joint([math.inf, 1.0]), ["table", "infinity"]),
    "no numbers": (lambda: unspoken.Joint(WORDS), ["table", "numbers"]),
    "a lazy frame": (lambda: unspoken.Joint(LAZY), ["table", "data frame", "learn"]),
    "values of a lazy frame": (
        lambda: unspoken.Chain(HALF, [HALF, HALF], 2, values=LAZY),
        ["chain.values", "list"],
    ),
    "outputs of records": (lambda: unspoken.Finite("A", [[1.0]], VOIDS), ["outputs", "value"]),
    "an outcome of records": (lambda: odds(arrival=VOIDS[0]), ["outcome", "no value"]),
    "ragged": (lambda: unspoken.Joint(RAGGED), ["table"]),
    "empty": (lambda: unspoken.Joint([]), ["table", "empty"]),
    "a name twice": (lambda: unspoken.Joint(EQUAL, names=["A", "A"]), ["names", "A", "twice"]),
    "names too few": (lambda: unspoken.Joint(EQUAL, names=["A"]), ["names", "1", "2"]),
    "values too few": (
        lambda: unspoken.Joint(EQUAL, names="AB", values={"A": [1]}),
        ["values", "A"],
    ),
    "values twice": (
        lambda: unspoken.Joint(EQUAL, names="AB", values={"A": [1, 1]}),
        ["A", "twice"],
    ),
    "values of nobody": (
        lambda: unspoken.Joint(EQUAL, names=["alpha", "beta"], values={"alhpa": [1, 2]}),
        ["alhpa", "Did you mean", "alpha"],
    ),
    "independent sums": (
        lambda: unspoken.Independent([HALF, [0.5, 0.4]]),
        ["marginals", "1", "0.9"],
    ),
    "independent negative": (lambda: unspoken.Independent([[-1, 2]]), ["marginals", "negative"]),
    "a square marginal": (lambda: unspoken.Independent([EQUAL]), ["marginals", "list"]),
    "a marginal that differs": (
        lambda: unspoken.Pairwise([HALF, [0.4, 0.6]], {("A", "B"): EQUAL}, names="AB"),
        ["A, B", "contradict", "marginal", "B"],
    ),
    "pairs that contradict": (
        lambda: unspoken.Pairwise(
            [HALF] * 3, {("A", "B"): EQUAL, ("B", "C"): EQUAL, ("A", "C"): OPPOSITE}, names="ABC"
        ),
        ["A", "B", "C", "contradict"],
    ),
    "a pair of the wrong shape": (
        lambda: unspoken.Pairwise([HALF, HALF], {("A", "B"): [0.5, 0.5]}, names="AB"),
        ["A, B", "shape"],
    ),
    "a pair of a stranger": (
        lambda: unspoken.Pairwise([HALF, HALF], {("A", "Z"): EQUAL}, names="AB"),
        ["Z", "A"],
    ),
    "a pair given twice": (
        lambda: unspoken.Pairwise([HALF, HALF], {("A", "B"): EQUAL, ("B", "A"): EQUAL}, names="AB"),
        ["A", "B", "once"],
    ),
    "three of a pairwise belief": (
        lambda: unspoken.Pairwise([HALF] * 3, {}, names="ABC").marginal(["A", "B", "C"]),
        ["pair", "Joint"],
    ),
    "marginal of a stranger": (
        lambda: JOINT.marginal(["arival"]),
        ["arival", "Did you mean", "arrival"],
    ),
    "given a stranger": (lambda: JOINT.given({"arival": 0}), ["given", "arival", "Did you mean"]),
    "given a strange value": (
        lambda: JOINT.given({"arrival": 7}),
        ["given", "arrival", "7", "0, 1"],
    ),
    "given the impossible": (
        lambda: unspoken.Joint([[0.0, 0.0], [0.5, 0.5]], names="AB").given({"A": 0}),
        ["given", "A", "impossible"],
    ),
    "epsilon negative": (lambda: one_sided(-0.1), ["epsilon", "arrival", "-0.1", "0"]),
    "epsilon NaN": (lambda: one_sided(math.nan), ["epsilon", "arrival", "nan"]),
    "shows": (lambda: one_sided(shows="bits"), ["shows", "bits", "Did you mean", "bit"]),
    "coins": (lambda: one_sided(coins="frech"), ["coins", "frech", "Did you mean", "fresh"]),
    "epsilon of a stranger": (
        lambda: ask(unspoken.OneSided({"arival": 1.0})),
        ["epsilon", "arival", "Did you mean", "arrival"],
    ),
    "sensitive of a stranger": (
        lambda: ask(one_sided(sensitive={"occupency": [0]})),
        ["occupency", "Did you mean", "occupancy"],
    ),
    "a strange sensitive value": (
        lambda: ask(one_sided(sensitive={"arrival": [2]})),
        ["sensitive", "arrival", "2", "0, 1"],
    ),
    "target": (lambda: ask(target="ocupancy"), ["target", "ocupancy", "Did you mean", "occupancy"]),
    "secret": (lambda: ask(secret=[3]), ["secret", "occupancy", "3", "0, 1"]),
    "secret as a word": (lambda: ask(secret="low"), ["secret", "list", "low"]),
    "knows the target": (lambda: ask(knows=["occupancy"]), ["knows", "target", "occupancy"]),
    "knows the target's value": (lambda: ask(knows={"occupancy": 0}), ["knows", "target"]),
    "knows a stranger": (lambda: ask(knows=["arival"]), ["knows", "arival", "Did you mean"]),
    "knows a strange value": (lambda: ask(knows={"arrival": 5}), ["arrival", "5", "0, 1"]),
    "knows a stranger's value": (
        lambda: ask(knows={"arival": 0}),
        ["knows", "arival", "Did you mean"],
    ),
    "sees a stranger": (
        lambda: ask(sees=["arival"]),
        ["sees", "arival", "Did you mean", "arrival"],
    ),
    "sees as a word": (lambda: ask(sees="arrival"), ["sees", "list", "arrival"]),
    "asks nothing": (lambda: ask(asks=0), ["asks", "0"]),
    "asks half": (lambda: ask(asks=0.5), ["asks", "0.5"]),
    "asks NaN": (lambda: ask(asks=math.nan), ["asks", "nan"]),
    "asks a stranger": (lambda: ask(asks={"arival": 2}), ["asks", "arival", "Did you mean"]),
    "asks of one is nothing": (lambda: ask(asks={"arrival": 0}), ["asks", "0"]),
    "measure": (
        lambda: ask(measure="mutual-informaton"),
        ["measure", "Did you mean", "mutual-information"],
    ),
    "outcome of the unseen": (
        lambda: odds(sees=["arrival"], occupancy=unspoken.WITHHELD),
        ["outcome", "occupancy", "seen", "arrival"],
    ),
    "outcome without an output": (
        lambda: odds(BITS, occupancy=unspoken.WITHHELD),
        ["outcome", "occupancy"],
    ),
    "outcome of a stranger": (
        lambda: odds(arival=unspoken.WITHHELD),
        ["outcome", "arival", "Did you mean", "arrival"],
    ),
    "outcome with a strange value": (lambda: odds(arrival=9), ["outcome", "arrival", "9", "0, 1"]),
    "outcome a value, shown bits": (
        lambda: odds(BITS, arrival=1),
        ["outcome", "arrival", "RELEASED"],
    ),
    "asks nothing a number says": (lambda: ask(asks="x" * 100_000), ["asks", "number", "1, 2"]),
    "asks beyond all numbers": (
        lambda: unspoken.leakage(
            JOINT,
            unspoken.RandomizedResponse("arrival", 1.0),
            unspoken.Adversary("occupancy", asks=10**400),
        ),
        ["asks", "arrival", "too many"],
    ),
    "a name that is a number": (
        lambda: unspoken.RandomizedResponse(NUMBER, 1.0),
        ["name", "3", "words"],
    ),
    "a finite channel of no name": (
        lambda: unspoken.Finite(NONE, [[1.0], [1.0]]),
        ["finite.name", "None", "words"],
    ),
    "epsilon of a number": (lambda: unspoken.OneSided({NUMBER: 1.0}), ["epsilon", "3", "words"]),
    "weights of a number": (
        lambda: unspoken.Laplace(1.0, {NUMBER: 1.0}),
        ["weights", "3", "words"],
    ),
    "a dimension beyond all sums": (
        lambda: unspoken.accuracy(1.0, alpha=2.0, dimension=ENORMOUS),
        ["dimension", "100,000", "linf"],
    ),
    "a record plan's objective": (
        lambda: plan(by="record", objective=np.array([1, 2])),
        ["plan.objective", "released"],
    ),
    "a record plan's exceed": (
        lambda: plan(by="record", exceed=np.array([1, 2])),
        ["plan.exceed", "cell"],
    ),
    "a record plan's account": (
        lambda: plan(by="record", account=np.array([1, 2])),
        ["plan.account", "value"],
    ),
    "a cell plan's objective": (lambda: plan(objective=np.zeros(2)), ["plan.objective"]),
    "limit negative": (lambda: plan(-0.1), ["limit_bits", "-0.1"]),
    "limit NaN": (lambda: plan(math.nan), ["limit", "nan"]),
    "limit in words": (lambda: plan("much"), ["limit_bits", "'much'", "number of bits"]),
    "limit of whom": (lambda: plan({"arival": 0.1}), ["limit_bits", "arival", "Did you mean"]),
    "plan by": (lambda: plan(by="cells"), ["plan.by", "cells", "cell"]),
    "plan objective": (lambda: plan(objective="relased"), ["objective", "relased", "released"]),
    "plan account": (lambda: plan(account="bits"), ["account", "bits", "bit"]),
    "plan for a stranger": (
        lambda: plan(sensitive={"arival": [0]}),
        ["sensitive", "arival", "Did you mean", "arrival"],
    ),
    "plan a strange value": (
        lambda: plan(sensitive={"arrival": [4]}),
        ["sensitive", "arrival", "4"],
    ),
    "plan weights": (lambda: plan(weights={"arival": 1.0}), ["weights", "arival", "Did you mean"]),
    "plan negative weight": (lambda: plan(weights={"arrival": -1.0}), ["weight", "arrival", "-1"]),
    "plan NaN weight": (lambda: plan(weights={"arrival": math.nan}), ["weight", "arrival", "nan"]),
    "plan caps": (lambda: plan(caps={"arival": 1.0}), ["caps", "arival", "Did you mean"]),
    "plan negative cap": (lambda: plan(caps={"arrival": -1.0}), ["cap", "arrival", "-1"]),
    "plan odds cap": (lambda: plan(odds_cap=0.5), ["odds_cap", "0.5"]),
    "plan exceed": (lambda: plan(exceed=1.5), ["exceed", "1.5"]),
    "plan exceed next to nothing": (lambda: plan(exceed=5e-324), ["exceed", "5e-324", "1e-100"]),
    "plan exceed negative": (lambda: plan(exceed=-0.1), ["exceed", "-0.1"]),
    "epsilon wants bits": (lambda: plan(objective="epsilon", account="value"), ["epsilon", "bit"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str) -> None:
    call, words = BAD[case]
    with pytest.raises(UnspokenError) as caught:
        call()
    message = str(caught.value)
    missing = [word for word in words if word.lower() not in message.lower()]
    assert not missing, f"{missing} not in: {message}"
    assert "\n" not in message
    assert "Error" not in message
    assert len(message) < 300


@pytest.mark.parametrize("name", ["", "a\nb", "{}%s{0}", "\ud800", "x" * 100_000])
def test_mechanisms_with_names_that_nothing_has_show_themselves(name: str) -> None:
    half = [[0.5, 0.5], [0.5, 0.5]]
    for mechanism in (
        unspoken.OneSided({name: 1.0}, {name: [0]}),
        unspoken.Laplace(1.0, {name: 1.0}),
        unspoken.Geometric(0.5, {name: 1}),
        unspoken.Finite(name, half),
        unspoken.RandomizedResponse(name, 1.0),
        unspoken.Together([unspoken.RandomizedResponse(name, 1.0)]),
        unspoken.OneSidedNoise(0.5, {name: {1: 1}}, {name: [0]}),
    ):
        assert len(repr(mechanism)) < 5_000
        with pytest.raises(UnspokenError) as caught:
            unspoken.leakage(JOINT, mechanism, unspoken.Adversary("occupancy"))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600


def test_a_long_word_is_cut_in_a_message() -> None:
    message = str(UnspokenError(f"there is no {'x' * 5_000}; give another"))
    assert message.startswith("there is no xxx")
    assert message.endswith("xxx; give another")
    assert len(message) < 120


def test_refusals_are_value_errors() -> None:
    assert issubclass(UnspokenError, ValueError)
    assert unspoken.UnspokenError is UnspokenError


def test_the_good_twins_pass() -> None:
    """What the bad calls above are one step away from is fine."""
    assert ask().status == "ok"
    assert ask(knows=["arrival"], asks={"arrival": 2}, sees=["arrival"]).status == "ok"
    assert odds(arrival=1).status == "ok"
    assert odds(BITS, arrival=unspoken.RELEASED).status == "ok"
    assert one_sided(math.inf).epsilon["arrival"] == math.inf
    assert unspoken.Joint([2, 1, 1]).marginal(["x0"])[0] == 0.5
    assert plan(0.0).total == 0
