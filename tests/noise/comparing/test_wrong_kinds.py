"""Calibration, conversion, models and published formulas, given the wrong kind of thing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core import conversion
from unspoken.core.errors import UnspokenError
from unspoken.noise import calibration, models, published

pytestmark = pytest.mark.slow

PAIR = unspoken.Joint(np.full((2, 2), 0.25))
CHAIN = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 4)
STEP = [[0.9, 0.1], [0.2, 0.8]]
ANSWER = unspoken.calibrate(PAIR, limit=1.0, method="group")
HOW: Any = {"knows": "nothing", "method": "exact", "noise": "laplace", "measure": "max-log-ratio"}

# What each is asked rightly; one argument at a time is then replaced.
ASKED: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (calibration.calibrate, (PAIR, None), {"limit": 1.0, **HOW}),
    (calibration.accuracy, (1.0, 1.0, None, 1, "l1"), {}),
    (calibration.composed, ([ANSWER],), {}),
    (calibration.sequential, ([ANSWER],), {}),
    (calibration.parallel, ([ANSWER],), {}),
    (calibration.quilt_any_start, (STEP, 5, 1.0, 1.0), {}),
    (calibration.quilt_approximate, (STEP, 5, 1.0, 1.0), {}),
    (unspoken.compare, (PAIR, None), {"limit": 1.0, "knows": "nothing"}),
    (conversion.temporal, (CHAIN, 0.1), {}),
    (conversion.temporal_budget, (CHAIN, 0.1), {}),
    (conversion.bound_from_dp, (0.1, PAIR), {}),
    (conversion.bound_from_dp, (0.1,), {"k": 3, "sigma": 0.2}),
    (conversion.dp_budget, (0.1, PAIR), {}),
    (conversion.dependence, (PAIR,), {}),
    (conversion.k_max, (1.0,), {"epsilon": 0.1, "sigma": 0.2}),
    (conversion.sigma_max, (1.0,), {"epsilon": 0.1, "k": 3}),
    (conversion.gaussian_sigmas, ([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0]), {}),
    (conversion.mechanism_distances, (STEP,), {}),
    (conversion.bound_from_mechanism, (STEP, 0), {"sigma": 0.1}),
    (models.additive, (PAIR, {"x0": [0.0, 1.0]}), {"limit": 1.0}),
    (models.bounded, (PAIR, [[0.0, 1.0], [1.0, 2.0]]), {"limit": 1.0}),
    (models.Neighbour.of, ([[0.5, 0.5]], [0, 1]), {}),
    (models.Neighbour.by_distance, ([0.0, 1.0],), {}),
    (published.baseline, (PAIR,), {"limit": 1.0}),
    (published.dpm, (PAIR,), {"limit": 1.0, "reading": "B"}),
    (published.dpm_neighbours, (PAIR, {"x0": ["x1"]}), {"limit": 1.0}),
    (published.dpm_one_endpoint, (PAIR,), {"limit": 1.0}),
    (published.dpm_pairwise, (PAIR,), {"limit": 1.0}),
    (published.dpm_any_query, ({"a": 1.0}, {}), {"limit": 1.0}),
    (published.pearson, (PAIR,), {"limit": 1.0, "threshold": 0.0}),
    (published.pairs, (PAIR, {"x0": ["x1"]}, {"x1": (0.0, 1.0)}), {}),
    (published.graph, (PAIR, [1.0, 1.0], 1.0), {}),
    (published.entropy_drop, (1.0,), {}),
    (published.sequential, ([1.0],), {}),
    (published.parallel, ([1.0],), {}),
    (published.accuracy_of_vectors, (1.0, 1.0), {}),
    (published.information_group, (1.0, 2), {}),
    (published.information_sequential, ([1.0],), {}),
]
WRONG: list[Any] = [
    *(None, True, 3, -1, math.nan, math.inf, 1j, "a", b"x", object(), lambda: 1, set(), PAIR),
    *([], {}, [[]], [1, [2]], {"x0": 1}, ("x0",), np.zeros(0), [1e308, 1e308]),
]


@pytest.mark.parametrize(
    ("ask", "given", "named"), ASKED, ids=[f"{k} {own[0].__name__}" for k, own in enumerate(ASKED)]
)
def test_an_answer_or_one_line(ask: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    ask(*given, **named)
    for place in [*range(len(given)), *named]:
        for wrong in WRONG:
            tried, words = list(given), dict(named)
            if isinstance(place, int):
                tried[place] = wrong
            else:
                words[place] = wrong
            said = "place: what is wrong"
            try:
                ask(*tried, **words)
            except UnspokenError as refusal:
                said = str(refusal)
            assert "\n" not in said, (place, wrong)
            assert ": " in said, (place, wrong)
