"""From epsilon to what a dependent variable leaks, and back: Wu, Xia and He's information privacy.

Premises. The mechanism is epsilon-differentially private for *replacing* one variable's value. Of
the variable in question k - 1 others depend (its independent block has k), and by no more than

    sigma = max over values a, b of TV(P(X_others | a), P(X_others | b)).

Then whatever else is believed, an output moves the odds of any two of its values by at most

    (1 - sigma) e^epsilon + sigma e^(k epsilon)                       (Theorem 2, Corollary 4)

and some mechanism and belief reach that. It is the exponentials that combine linearly; the bounds
themselves do not. Composition: add up the epsilons first, convert once.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from unspoken.core.errors import InputError, quoted, shown
from unspoken.core.numerics.entropy import h
from unspoken.core.numerics.roots import last_where
from unspoken.core.numerics.rounding import quotient_down, up
from unspoken.core.types.bound import Bound

__all__ = [
    "bound_of",
    "budget_of",
    "k_max",
    "relative_entropy_from_inferential",
    "relative_entropy_from_information",
    "sigma_max",
]

FAR = 700.0  # beyond it e^x leaves the range of floats
MOST = 2**53  # whole numbers a float tells apart


def bound_of(epsilon: float, k: int, sigma: float) -> Bound:
    """How much an epsilon-DP mechanism leaks about one of k dependent variables, in nats."""
    why = (
        f"any mechanism of epsilon {epsilon:g}; {k} dependent, by at most {sigma:g}; some reach it"
    )
    return Bound(0.0, leak(epsilon, k, sigma), why=why)


def budget_of(limit: float, k: int, sigma: float) -> float:
    """The largest epsilon with `bound_of` at most ``limit``, rounded down.

    The root lies in [limit / k, limit / (1 + (k - 1) sigma)]: the bound is at most k epsilon, and
    by Jensen at least (1 - sigma) epsilon + sigma k epsilon. Bisection keeps the safe end, which
    Newton's method would not (it comes from above).
    """
    if k == 1 or sigma == 0.0 or math.isinf(limit):
        return limit
    high = limit / (1.0 + (k - 1) * sigma)
    return last_where(
        lambda epsilon: leak(epsilon, k, sigma) <= limit, quotient_down(limit, k), high
    )


def sigma_max(limit: float, *, epsilon: float, k: int) -> float:
    """The strongest dependence under which epsilon keeps the limit: the inverse in sigma.

    (e^limit - e^eps) / (e^(k eps) - e^eps), where that is less than 1; rounded down.
    """
    limit, epsilon, k = nats("limit", limit), nats("epsilon", epsilon), whole(k)
    _own(limit, epsilon)
    others, room = (k - 1) * epsilon, limit - epsilon
    if others <= room:
        return 1.0
    root = math.exp(room - others) * math.expm1(-room) / math.expm1(-others)
    high = min(1.0, root * (1.0 + 1e-9))
    return last_where(lambda sigma: leak(epsilon, k, sigma) <= limit, 0.0, high)


def k_max(limit: float, *, epsilon: float, sigma: float) -> float:
    """How many may depend on one another if epsilon is to keep the limit; inf: any number.

    The whole part of 1 + log(1 + (e^(limit - eps) - 1) / sigma) / eps.
    """
    limit, epsilon, sigma = nats("limit", limit), nats("epsilon", epsilon), share(sigma)
    _own(limit, epsilon)
    if sigma == 0.0 or epsilon == 0.0 or math.isinf(limit):
        return math.inf
    room = limit - epsilon
    grown = math.log(-math.expm1(-room)) + room - math.log(sigma) if room > 0 else -math.inf
    k = int(min(1.0 + float(np.logaddexp(0.0, grown)) / epsilon, MOST - 1)) + 1
    while k > 1 and leak(epsilon, k, sigma) > limit:
        k -= 1
    return float(k)


def relative_entropy_from_inferential(nats_apart: float) -> Bound:
    """max over y of D(X | y || X), where no output moves the odds of two values by more than e^E.

    At most u - 1 - log u with u = E / (1 - e^-E): sharp, about E^2 / 8 for small E.
    """
    e = nats("the log-ratio", nats_apart)
    if math.isinf(e):
        return Bound(0.0, math.inf, why="any relative entropy")
    x = e / 2 + _bend(e / 2)  # u - 1
    kappa = (1.0 + x) * float(h(np.array(-x / (1.0 + x))))  # x - log(1+x) = (1+x) h(-x/(1+x))
    return Bound(
        0.0, up(kappa, 64), why="u - 1 - log u, u = E / (1 - e^-E); some belief reaches it"
    )


def relative_entropy_from_information(nats_off: float) -> Bound:
    """The same where no output moves any probability by more than a factor e^B, up or down.

    At most B tanh(B / 2).
    """
    b = nats("the information", nats_off)
    return Bound(0.0, up(b * math.tanh(b / 2), 16), why="B tanh(B / 2)")


def leak(epsilon: float, k: int, sigma: float) -> float:
    """log((1 - sigma) e^eps + sigma e^(k eps)), rounded up; never above k epsilon."""
    others = (k - 1) * epsilon
    if sigma == 0.0 or others == 0.0:
        return epsilon
    group = up(k * epsilon, 1)
    if sigma == 1.0 or math.isinf(group):
        return group
    if others <= FAR:
        more = math.log1p(sigma * math.expm1(others))
    else:
        more = float(np.logaddexp(math.log1p(-sigma), math.log(sigma) + others))
    # An error of one unit in `others` moves e^others by as many units as it has nats.
    return min(group, up(epsilon + up(more, 8 + 3 * min(others, 1500.0)), 2))


def _bend(y: float) -> float:
    """y coth y - 1 = (sum over j of 2j y^(2j+1) / (2j+1)!) / sinh y: positive terms for small y."""
    if y > 1.0:
        return y / math.tanh(y) - 1.0
    if y == 0.0:
        return 0.0
    terms = (2 * j * y ** (2 * j) / math.factorial(2 * j + 1) for j in range(1, 12))
    return sum(terms) * (y / math.sinh(y))


def nats(what: str, number: float) -> float:
    """A number of nats: 0 or more, perhaps infinite."""
    try:
        given = float(number)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {shown(number)!r} is no number; give nats, 0 or more") from None
    if not given >= 0.0:
        raise InputError(f"{what}: {number} must be 0 or more, in nats")
    return given


def whole(k: float) -> int:
    """How many variables depend on one another, the one in question counted."""
    if not (isinstance(k, Real) and 1 <= k < MOST and k == int(k)):
        raise InputError(
            f"k: {quoted(k)} must be a whole number from 1: how many depend on one another"
        )
    return int(k)


def share(sigma: float) -> float:
    """A total variation distance."""
    if not (isinstance(sigma, Real) and 0.0 <= sigma <= 1.0):
        raise InputError(f"sigma: {quoted(sigma)} must be in [0, 1], a total variation distance")
    return float(sigma)


def _own(limit: float, epsilon: float) -> None:
    if epsilon > limit:
        raise InputError(
            f"epsilon: {epsilon:g} alone is more than the limit {limit:g}; no independence helps"
        )
