"""The worst adversary of a noisy count over exchangeable variables: O(n^3) instead of n 2^(n-1).

Which variables are known does not matter, only how many, k, and how many ones are among them, b.
With m = n - k - 1 unknown beside the target, t of them being 1, and q(j) = P(c = j) / C(n, j),

    P(t | x_i = a, b) = W(b + a, t) / Z(b + a),   W(j, t) = q(j + t) / (t! (m - t)!),   Z = sum_t W,

up to a factor m! that cancels. So the law for a = 1 and b ones is that for a = 0 and b + 1 ones,
moved by one: for every k one table, blurred once, has the likelihoods of all b and of both values.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from unspoken.core.beliefs.belief import Belief
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import sum_up
from unspoken.core.numerics.wide import Wide
from unspoken.core.searching.blurring import blurred
from unspoken.core.searching.certificate import Certificate, epsilons
from unspoken.core.types.sums import term

__all__ = ["worst_of_exchangeable"]

# Beyond that, 2^-900 of the likeliest, a term has no digits left (nor any weight).
LEAST = -900
# Rows of a table are looked at in parts that stay near the processor.
CELLS_AT_ONCE = 2**15


def worst_of_exchangeable(
    belief: Belief, query: Query, targets: Sequence[str]
) -> Iterator[Certificate] | None:
    """Certificates of the max-log-ratio; None where terms differ, or more matters than ones."""
    if belief.ones is None:
        return None
    domain, weights = belief.domain, query.weights
    terms = (term(domain, weights.get(name, 0.0), name).tolist() for name in domain.names)
    steps = {with_it - zero for zero, with_it in terms}
    if len(steps) > 1 or not all(steps):
        return None
    epsilon = epsilons(domain, Parts(queries=(query,)))
    return _steps(belief.ones, epsilon, query.noise.rate * abs(steps.pop()), targets[0])


def _steps(
    ones: Wide, epsilon: Mapping[str, float], rate: float, target: str
) -> Iterator[Certificate]:
    """k = 0, 1, ...: who knows k of the others confuses n - k variables, so learns (n - k) rate."""
    names = tuple(epsilon)
    most = [0.0, *accumulate(epsilon.values(), sum_up)][::-1]  # to somebody who knows k
    best = Certificate(0.0, most[0], "", frozenset(), 0, len(names), "group bound")
    yield best
    factorials = Wide.of_whole(accumulate(range(1, len(names) + 1), operator.mul, initial=1))
    each = ones * factorials[::-1] * factorials  # q(j), up to n!
    others = [name for name in names if name != target]
    for k in range(len(names)):
        if most[k] <= best.low:
            break
        leak = max(_leak(laws, rate) for laws in _laws(each, factorials, k))
        if leak > best.low:
            best = replace(best, low=leak, target=target, unknown=frozenset(others[k:]))
        best = replace(best, high=max(best.low, most[k + 1]), done=k + 1)
        yield best
    count = len(names) * (len(names) + 1) // 2
    how = f"the worst of {count:,} counts of known variables and of ones among them"
    yield replace(best, high=best.low, done=len(names), how=how)


def _leak(laws: Array, rate: float) -> float:
    """The largest log-ratio of each row's law to the next one's, moved by one."""
    mass = laws.sum(1)
    if not mass.all():
        fits = mass > 0
        runs = np.split(np.flatnonzero(fits), 1 + np.flatnonzero(np.diff(np.flatnonzero(fits)) > 1))
        return max((_leak(laws[run], rate) for run in runs if len(run) > 1), default=0.0)
    laws /= mass[:, None]
    likelihood, fall = blurred(laws, rate), math.exp(-rate)
    given_one, given_zero = likelihood[1:], likelihood[:-1]
    below = fall * given_one[:, 0] / given_zero[:, 0]
    above = given_one[:, -1] / (fall * given_zero[:, -1])
    inside = np.divide(given_one[:, :-1], given_zero[:, 1:], out=laws[1:, 1:])
    most = max(float(ratios.max(initial=0.0)) for ratios in (below, inside, above))
    least = min(float(ratios.min(initial=math.inf)) for ratios in (below, inside, above))
    return max(math.log(most), -math.log(least))


def _laws(each: Wide, factorials: Wide, k: int) -> Iterator[Array]:
    """W(j, t) for j = 0 .. k + 1, some rows at a time, every row on a scale of its own.

    The last row of a part is the first of the next.
    """
    m = each.shape[0] - k - 2
    ways = factorials[: m + 1] * factorials[m::-1]
    parts = np.lib.stride_tricks.sliding_window_view(each.mantissa, m + 1)
    powers = np.lib.stride_tricks.sliding_window_view(each.exponent, m + 1)
    rows = max(1, CELLS_AT_ONCE // (m + 1))
    for first in range(0, k + 1, rows):
        part = slice(first, first + rows + 1)
        power = powers[part] - ways.exponent
        power -= power.max(axis=1, keepdims=True)
        np.maximum(power, LEAST, out=power)
        laws = parts[part] / ways.mantissa
        yield np.ldexp(laws, power.astype(np.int32), out=laws)
