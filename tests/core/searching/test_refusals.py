"""What searches and sets of beliefs are asked wrongly: one line, and nothing is passed over."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.families import Ball, Box, GaussianBall
from unspoken.core.mechanisms import Laplace
from unspoken.core.searching import worst

COINS: Any = unspoken.Joint(np.full((2, 2), 0.25))
TEXT: Any = "a"
NUMBER: Any = 3
GAUSSIAN = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: worst(COINS, Laplace(1.0), eps=3.0), 'takes no options; leave out "eps"'),
        (lambda: worst(COINS, Laplace(1.0), seconds=TEXT), "seconds"),
        (lambda: worst(COINS, Laplace(1.0), seconds=math.nan), "seconds"),
        (lambda: worst(COINS, Laplace(1.0), targets=NUMBER), "targets"),
        (lambda: worst(COINS, Laplace(1.0), targets=()), "targets: is empty"),
        (lambda: worst(COINS, Laplace(1.0), progress=NUMBER), "progress"),
        (lambda: worst(COINS, Laplace(1.0), NUMBER), "measure"),
        (lambda: worst(TEXT, Laplace(1.0)), "worst.belief: 'a' is no belief"),
        (lambda: worst(COINS, NUMBER), "worst.mechanism: 3 is no mechanism"),
        (lambda: Box.around(COINS, TEXT), "radius"),
        (lambda: Box.around(COINS, math.nan), "radius"),
        (lambda: Box.within(COINS, 1e4), "eta"),
        (lambda: Ball(COINS, TEXT), "eta"),
        (lambda: GaussianBall(GAUSSIAN, TEXT), "eta"),
        (lambda: GaussianBall(COINS, 0.1), "Gaussian"),
    ],
)
def test_refusals_are_one_line(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words) as told:
        ask()
    assert "\n" not in str(told.value)
