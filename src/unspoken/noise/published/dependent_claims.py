"""Theorems of paper 002 about leakage, composition and accuracy, as printed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unspoken.core.errors import InputError, shown
from unspoken.core.numerics.numbers import not_negative, number
from unspoken.core.types.bound import Estimate

__all__ = ["accuracy_of_vectors", "entropy_drop", "parallel", "sequential"]


def entropy_drop(epsilon: float) -> Estimate:
    """Theorem 2: an epsilon-private answer lowers the entropy of a tuple by epsilon at most.

    True on average: I(D_i; answer) <= epsilon tanh(epsilon / 2), in nats. False answer by answer.
    """
    (epsilon,) = not_negative("epsilons", [epsilon])
    why = (
        "Theorem 2 for a single answer: it may point at the likeliest of 2^20 + 1 values, and at "
        "epsilon = 1 take 4.8 bits; only the mean is bounded"
    )
    return Estimate(epsilon, "nat", why)


def sequential(epsilons: Sequence[float]) -> Estimate:
    """Theorem 3: releases of these epsilons together are private with their sum."""
    why = (
        "Theorem 3 for releases calibrated exactly, each by itself: three bits that are an xor, "
        "two sums of limit 1 each, leak 2.34; calibrate them jointly"
    )
    return Estimate(sum(not_negative("epsilons", epsilons)), "nat", why)


def parallel(epsilons: Sequence[float]) -> Estimate:
    """Theorem 4: releases about disjoint parts of the data are private with the largest."""
    why = (
        "Theorem 4: D2 = D1, one noisy release of each, leak 2 epsilon of D1; true where the parts "
        "are independent of one another"
    )
    return Estimate(max(not_negative("epsilons", epsilons)), "nat", why)


def accuracy_of_vectors(scale: float, alpha: float) -> Estimate:
    """Theorem 10: an error of alpha or more has probability e^(-alpha / scale), in any dimension.

    `unspoken.noise.calibration.accuracy` has the true one.
    """
    if not (0 < number(scale) < math.inf and number(alpha) >= 0):
        raise InputError(
            f"accuracy: scale {shown(scale)} must be positive and alpha {shown(alpha)} 0 or more"
        )
    why = (
        "Theorem 10 holds for one number: the L1 error of 96 exceeds 1000 at scale 10 in 33 % of "
        "all cases, and not in 10^-44"
    )
    return Estimate(math.exp(-number(alpha) / number(scale)), "probability", why)
