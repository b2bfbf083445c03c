"""How far an answer with Laplace noise is from the truth.

With x = alpha / scale, the probability beta that an error is alpha or more is, for q numbers with
independent noise,

    one number, or the sum of q errors (L1):   e^-x sum_{k < q} x^k / k!      (e^-x for q = 1)
    the largest of q errors (Linf):            1 - (1 - e^-x)^q

(The formula e^-x is printed in the literature for any q; it holds for one number only.)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from unspoken.errors import InputError, unknown
from unspoken.numerics.numbers import number, positive, whole

__all__ = ["accuracy"]

# Where terms of the sum leave the range of floats.
FAR = 600.0


def accuracy(
    scale: float | None,
    alpha: float | None = None,
    beta: float | None = None,
    dimension: int = 1,
    norm: str = "l1",
) -> float:
    """The missing one of three: an error of ``alpha`` or more has probability ``beta``.

    Rounded to the safe side: alpha and beta up, scale down. ``norm``: "l1" for the sum of the
    errors of ``dimension`` numbers, "linf" for the largest of them.
    """
    if norm not in TAILS:
        raise unknown("accuracy.norm", norm, TAILS)
    dimension = whole("accuracy.dimension", dimension, "answers")
    if [scale, alpha, beta].count(None) != 1:
        raise InputError("accuracy: give two of scale, alpha and beta; the third is the answer")
    _checked(scale, alpha, beta)
    tail = TAILS[norm]
    if scale is not None and alpha is not None:
        return tail(alpha / scale, dimension)
    assert beta is not None
    x = _inverse(lambda x: tail(x, dimension), beta)
    if scale is not None:
        return scale * x
    assert alpha is not None
    return alpha / x if x else math.inf


def _checked(scale: float | None, alpha: float | None, beta: float | None) -> None:
    if scale is not None:
        positive("accuracy.scale", scale)
    if alpha is not None and not 0 <= number(alpha) < math.inf:
        raise InputError(f"accuracy.alpha: {alpha} must be an error, 0 or more")
    if beta is not None and not 0 < number(beta) <= 1:
        raise InputError(f"accuracy.beta: {beta} must be a probability, more than 0")


def _sum(x: float, q: int) -> float:
    """The upper tail of a Gamma law of shape q; all terms are positive."""
    if x < FAR:
        term = total = 1.0
        for k in range(1, q):
            term *= x / k
            total += term
        return min(1.0, math.exp(-x) * total)
    if x == math.inf:
        return 0.0
    logs = [k * math.log(x) - math.lgamma(k + 1) for k in range(q)]
    top = max(logs)
    return min(1.0, math.exp(top - x + math.log(math.fsum(math.exp(own - top) for own in logs))))


def _largest(x: float, q: int) -> float:
    if not x > 0:
        return 1.0
    within = math.log1p(-math.exp(-x)) if x > 1 else math.log(-math.expm1(-x))
    return -math.expm1(q * within)


TAILS: dict[str, Callable[[float, int], float]] = {"l1": _sum, "linf": _largest}


def _inverse(tail: Callable[[float], float], beta: float) -> float:
    """The least x whose tail is at most beta: the upper end."""
    low, high = 0.0, 1.0
    if tail(low) <= beta:
        return low
    while tail(high) > beta:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if tail(middle) <= beta else (middle, high)
    return high
