"""The law of weighted sums beside the kept variables, by enumeration."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from unspoken.core.errors import TooLarge
from unspoken.core.types.sums import Sums

VALUES = [(0.0, 1.0), (0.0, 1.0, 2.0), (-1.0, 3.0)]
WEIGHTS = [[1.0, -2.0, 1.0], [0.0, 1.0, 0.5]]


def random_table(seed: int) -> np.ndarray:
    table = np.random.default_rng(seed).dirichlet(np.full(12, 0.5)).reshape(2, 3, 2)
    table[0, 0, 0] = 0.0
    return table / table.sum()


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
@pytest.mark.parametrize("logs", [False, True])
def test_by_enumeration(kept: int, logs: bool) -> None:
    table = random_table(kept)
    terms = [[w * np.array(v) for w, v in zip(own, VALUES, strict=True)] for own in WEIGHTS]
    with np.errstate(divide="ignore"):
        sums = Sums.of(np.log(table) if logs else table, kept, terms, in_logs=logs)
    truth: dict[tuple, float] = defaultdict(float)
    for cell in itertools.product(*map(range, table.shape)):
        answers = [
            sum(
                w * VALUES[axis][code] for axis, (w, code) in enumerate(zip(own, cell, strict=True))
            )
            for own in WEIGHTS
        ]
        truth[(*cell[:kept], *answers)] += table[cell]
    found = np.exp(sums.table) if logs else sums.table
    assert found.sum() == pytest.approx(1.0)
    for index in np.ndindex(found.shape):
        answers = [float(at[code]) for at, code in zip(sums.points, index[kept:], strict=True)]
        assert found[index] == pytest.approx(truth[(*index[:kept], *answers)], abs=1e-15)


def test_with_nothing_else_seen() -> None:
    sums = Sums.of(random_table(1), 1, [[np.zeros(2), np.array([0.0, 1.0, 2.0]), np.zeros(2)]])
    law = sums.bare()
    assert law.prior == pytest.approx(random_table(1).sum(2))
    assert law.log_common.tolist() == [0.0]
    assert not law.excess.any()
    assert not sums.blurred


def test_too_many_answers_are_refused_before_they_are_listed() -> None:
    spread = [2.0**k for k in range(9)]
    terms = [[np.array([0.0, 3.0**c * w]) for w in spread] for c in range(5)]
    with pytest.raises(TooLarge, match="5 noisy answers"):
        Sums.of(np.full((2,) * 9, 2.0**-9), 0, terms)
