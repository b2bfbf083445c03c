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

from unspoken.core.errors import InputError, TooLarge, among, shown
from unspoken.core.numerics.numbers import number, positive, whole
from unspoken.core.numerics.roots import last_where
from unspoken.core.numerics.rounding import down, up

__all__ = ["accuracy"]

# Where terms of the sum leave the range of floats.
FAR = 600.0
# So many errors are added up, term by term.
MOST = 100_000


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
    among("accuracy.norm", norm, TAILS)
    dimension = whole("accuracy.dimension", dimension, "answers")
    if sum(given is None for given in (scale, alpha, beta)) != 1:
        raise InputError("accuracy: give two of scale, alpha and beta; the third is the answer")
    _checked(scale, alpha, beta)

    def tail(x: float) -> float:
        return TAILS[norm](x, dimension)

    if scale is not None and alpha is not None:
        return tail(number(alpha) / number(scale))
    assert beta is not None
    x = _least(tail, beta)
    if scale is not None:
        return up(scale * x, 1)
    assert alpha is not None
    return down(alpha / x, 1) if x else math.inf


def _checked(scale: float | None, alpha: float | None, beta: float | None) -> None:
    if scale is not None:
        positive("accuracy.scale", scale)
    if alpha is not None and not 0 <= number(alpha) < math.inf:
        raise InputError(f"accuracy.alpha: {shown(alpha)} must be an error, 0 or more")
    if beta is not None and not 0 < number(beta) <= 1:
        raise InputError(f"accuracy.beta: {shown(beta)} must be a probability, more than 0")


def _sum(x: float, q: int) -> float:
    """The upper tail of a Gamma law of shape q, rounded up; all terms are positive."""
    if q > MOST:
        raise TooLarge(
            f"accuracy.dimension: {shown(q)} errors are too many to add up; at most {MOST:,}, or "
            'norm="linf"'
        )
    if x < FAR:
        term = total = 1.0
        for k in range(1, q):
            term *= x / k
            total += term
        return _probability(math.exp(-x) * total, x, 3 * q)
    logs = [k * math.log(x) - math.lgamma(k + 1) for k in range(q)] if x < math.inf else [0.0]
    top = max(logs)
    log_total = math.log(math.fsum(math.exp(log - top) for log in logs))
    return _probability(math.exp(top - x + log_total), x, 8 * (q * math.log(x) + x))


def _largest(x: float, q: int) -> float:
    """1 - (1 - e^-x)^q, rounded up; far out q e^-x, which is hardly more."""
    if not x > 0:
        return 1.0
    if x > FAR:
        return _probability(math.exp(math.log(q) - x), x, 8 * math.log(q))
    within = math.log1p(-math.exp(-x)) if x > 1 else math.log(-math.expm1(-x))
    return _probability(-math.expm1(q * within), x, 8)


def _probability(computed: float, x: float, operations: float) -> float:
    """An upper end of e^-x times a number, which these operations have made; 0 for x = inf only."""
    if x == math.inf:
        return 0.0
    return min(1.0, max(up(computed, operations + 4 * x + 16), math.ulp(0.0)))


TAILS: dict[str, Callable[[float, int], float]] = {"l1": _sum, "linf": _largest}


def _least(tail: Callable[[float], float], beta: float) -> float:
    """The least x whose tail is at most beta: the upper end."""
    if tail(0.0) <= beta:
        return 0.0
    high = 1.0
    while tail(high) > beta:
        high *= 2.0
    return last_where(lambda x: tail(x) <= beta, high, 0.0 if high == 1.0 else high / 2.0)
