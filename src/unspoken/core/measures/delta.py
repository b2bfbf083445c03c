"""The delta of (eps, delta): how often an answer is e^eps times likelier for one secret."""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.posteriors import Off, Posteriors

__all__ = ["DELTA"]

# All pairs of so many classes still fit into memory for a few outcomes at a time.
CLASSES = 4096


def _beyond(after: Posteriors, eps: float) -> Array:
    """(P(y|a) - e^eps P(y|b))_+ / P(y) = lift_a (1 - e^(eps + log lift_b - log lift_a))_+.

    For every two classes a, b that are possible. Its mean over y is sum_y (P(y|a) - e^eps P(y|b))_+
    """
    if not 0 <= eps < math.inf:
        raise InputError(f"delta: eps must be a number from 0 on, got {eps}")
    classes = after.log_lift.shape[-1]
    if classes > CLASSES:
        raise TooLarge(
            f"delta: compares every two of {classes:,} classes; {CLASSES:,} at most. "
            "Name fewer secret values"
        )
    first, second = after.log_lift[..., :, None], after.log_lift[..., None, :]
    out_of_question = ~(after.possible[..., :, None] & after.possible[..., None, :])
    beyond = second - first
    beyond += eps
    np.expm1(np.minimum(beyond, 0.0, out=beyond), out=beyond)
    beyond *= -np.exp(first)
    np.copyto(beyond, 0.0, where=out_of_question | (first == -np.inf))
    return beyond.reshape(*beyond.shape[:-2], classes * classes)


def _moves(value: Array, off: Off, after: Posteriors) -> Array:
    """lift_a - e^eps lift_b, where it is positive, moves with both: by 2 lift_a times log lifts.

    So do its own roundings, of log lifts and of eps < log lift_a - log lift_b. For every a.
    """
    moved: Array = after.lift * (2.0 * off.lifts + 8.0 * UNIT * off.furthest)
    return moved


DELTA = Measure(
    "delta",
    _beyond,
    "mean",
    unit="probability",
    moves=_moves,
    most=1.0,
    reads="pairs",
    options={"eps": 0.0},
)
