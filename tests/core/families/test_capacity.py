"""The most that one answer tells of two classes, beside a grid of all laws and weights."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from unspoken.core.families.capacity import best_weight, most_of_two


def nats(a: float, b: float, w: float) -> float:
    y = w * a + (1 - w) * b
    terms = [(w * p, p / q) for p, q in ((a, y), (1 - a, 1 - y)) if p] + [
        ((1 - w) * p, p / q) for p, q in ((b, y), (1 - b, 1 - y)) if p
    ]
    return sum(mass * math.log(ratio) for mass, ratio in terms if mass)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_between_the_ends_tells_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second, weight = ((float(a), float(b)) for a, b in np.sort(rng.random((3, 2)), axis=1))
    most = most_of_two(first, second, weight)
    grids = [np.linspace(ends[0], ends[1], 15) for ends in (first, second, weight)]
    found = max(nats(*at) for at in itertools.product(*grids))
    assert found <= most * (1 + 1e-12)
    assert most == pytest.approx(found, rel=0.02)


def test_ends_that_leave_nothing_or_everything() -> None:
    assert most_of_two((0.3, 0.3), (0.3, 0.3), (0.0, 1.0)) == 0
    assert most_of_two((0.0, 1.0), (0.0, 1.0), (0.0, 1.0)) == pytest.approx(math.log(2))
    assert most_of_two((0.0, 0.0), (1.0, 1.0), (1.0, 1.0)) == 0
    assert best_weight(0.9, 0.1, (0.0, 0.2)) == 0.2
