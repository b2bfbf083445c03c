"""The most that one of two answers tells of one of two classes, where each law is in an interval.

With P(yes | A) = a, P(yes | B) = b and P(A) = w,

    I = h(w a + (1 - w) b) - w h(a) - (1 - w) h(b),    h(x) = -x log x - (1 - x) log (1 - x)

is convex in (a, b), so it is largest at ends of their intervals. It is concave in w, with its
largest value where the answer's own law is y = 1 / (1 + e^((h(b) - h(a)) / (b - a))), or at the end
of what w may be that is nearest to there.
"""

from __future__ import annotations

import itertools
import math

__all__ = ["best_weight", "most_of_two"]

Ends = tuple[float, float]


def most_of_two(first: Ends, second: Ends, weight: Ends) -> float:
    """In nats, over all laws in these intervals and P(first) in its own."""
    return max(_nats(a, b, best_weight(a, b, weight)) for a, b in itertools.product(first, second))


def best_weight(a: float, b: float, weight: Ends) -> float:
    """The P(A) allowed at which most is told."""
    if a == b:
        return weight[0]
    slope = (_entropy(b) - _entropy(a)) / (b - a)
    y = 1.0 / (1.0 + math.exp(min(slope, 700.0)))
    return min(max((y - b) / (a - b), weight[0]), weight[1])


def _nats(a: float, b: float, w: float) -> float:
    y = w * a + (1.0 - w) * b
    return sum(share * _apart(x, y) for x, share in ((a, w), (b, 1.0 - w)) if share)


def _apart(x: float, y: float) -> float:
    """Relative entropy of the laws (x, 1 - x) and (y, 1 - y)."""
    return sum(p * math.log(p / q) for p, q in ((x, y), (1.0 - x, 1.0 - y)) if p)


def _entropy(x: float) -> float:
    return -sum(p * math.log(p) for p in (x, 1.0 - x) if p)
