"""Formulas that are asked for what is no number: one line each."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError, NotKnown
from unspoken.noise import published
from unspoken.noise.models import Neighbour

COINS = unspoken.Joint(np.full((2, 2), 0.25))
CHAIN: Any = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 4)
MAPPED: Any = {"x0": 1.0, "x1": 1.0}
LAW = Neighbour.by_distance([0.0, 1.0])
NAN: Any = math.nan
NARROW: Any = np.float32(1.0)
INF: Any = math.inf
TEXT: Any = "a"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: published.entropy_drop(TEXT), "epsilons"),
        (lambda: published.sequential([1.0, NAN]), "epsilons"),
        (lambda: published.accuracy_of_vectors(TEXT, 1.0), "accuracy"),
        (lambda: published.accuracy_of_vectors(1.0, NAN), "accuracy"),
        (lambda: published.information_group(1.0, NAN), "group"),
        (lambda: published.information_group(1.0, INF), "group"),
        (lambda: published.information_sequential([TEXT]), "limits"),
        (lambda: published.pearson(COINS, limit=1.0, threshold=NAN), "threshold"),
        (lambda: published.dpm_any_query({"a": TEXT}, {}, limit=1.0), "moves"),
        (
            lambda: published.dpm_any_query({"a": 1.0, "b": NAN}, {("a", "b"): LAW}, limit=1),
            "moves",
        ),
        (lambda: published.dpm_any_query({"a": 1.0, "b": -3}, {("a", "b"): LAW}, limit=1), "moves"),
        (lambda: published.pairs(COINS, None, {"x1": TEXT}), "ranges of x1"),
        (lambda: published.pairs(COINS, None, {"x1": (0.0, math.inf)}), "ranges of x1"),
        (lambda: published.graph(COINS, [TEXT, 1.0], 1.0), "weights"),
        (lambda: published.graph(COINS, MAPPED, 1.0), "weights"),
        (lambda: published.graph(COINS, [1.0, 1.0], NAN), "scale"),
        (lambda: published.graph(CHAIN, [1.0] * 4, 1.0), "needs a Joint"),
        (lambda: published.graph(COINS, [1.0, 1.0], 1.0).fast(NAN), "fast search"),
    ],
)
def test_refusals_are_one_line(ask: Callable[[], object], words: str) -> None:
    with pytest.raises((InputError, NotKnown), match=words) as told:
        ask()
    assert "\n" not in str(told.value)


def test_no_tuples_need_no_noise() -> None:
    assert published.dpm_any_query({}, {}, limit=1.0).value == 0.0


def test_the_baseline_says_how_it_counted() -> None:
    assert "pair by pair" in published.baseline(CHAIN, limit=1.0).why
    graph = {"x0": ["x1"], "x1": ["x2"], "x2": ["x3"]}
    told = published.baseline(CHAIN, limit=1.0, neighbours=graph).why
    assert "L = 3 counted in a graph" in told


def test_numbers_of_any_width_are_numbers() -> None:
    moves, pairs = {"a": 1e300, "b": 1.0}, {("a", "b"): LAW}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = published.dpm_any_query(moves, pairs, limit=NARROW)
    assert found == published.dpm_any_query(moves, pairs, limit=1.0)
