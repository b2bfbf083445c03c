"""A plain channel with a prior, asked through the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken import Adversary, Bound, Independent
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms.local import local_view
from unspoken.core.types.channel import Channel
from unspoken.core.types.secret import Secret
from unspoken.core.views import View


def view_of(prior: npt.ArrayLike, matrix: npt.ArrayLike, secret: Any = None) -> View:
    """The cloud of X after Y, X with this prior and W[x, y] = P(y | x)."""
    law = np.asarray(matrix, dtype=float)
    belief = Independent([np.asarray(prior, dtype=float)])
    channel = Channel.of(range(law.shape[1]), law)
    hidden = Secret.of(belief.domain, "x0", secret)
    return local_view(belief, {"x0": channel}, Adversary("x0"), hidden)


def bound_of(prior: npt.ArrayLike, matrix: npt.ArrayLike, name: str, **options: Any) -> Bound:
    return MEASURES[name].of(view_of(prior, matrix), **options)


def formula_channel(inputs: int, outputs: int) -> np.ndarray:
    """C[x, y] = w / row sum, w = 1 + ((7x + 3y + xy) mod 11)."""
    x, y = np.arange(inputs)[:, None], np.arange(outputs)
    weights = 1.0 + (7 * x + 3 * y + x * y) % 11
    return np.asarray(weights / weights.sum(1, keepdims=True))


def formula_prior(inputs: int) -> np.ndarray:
    """pi_x = 1 + (5x mod 7), normalised."""
    weights = 1.0 + 5 * np.arange(inputs) % 7
    return np.asarray(weights / weights.sum())
