"""The least scale by search, and what is left to learn at any scale."""

from __future__ import annotations

from collections.abc import Iterator

from unspoken.beliefs import Chain
from unspoken.calibration.exact.adversaries import Oracle, knowing
from unspoken.calibration.exact.anybody import anybody
from unspoken.calibration.exact.least import Found, Threat, least
from unspoken.calibration.exact.windows import Windows
from unspoken.calibration.knowledge import Knows
from unspoken.calibration.problem import Problem
from unspoken.numerics.rounding import ROUNDED
from unspoken.types.bound import Bound

__all__ = ["exact", "left_at"]

# Chains whose sums have more cells than this, for all variables, are looked at through windows ...
LONG = {"nothing": 2**22, "anything": 2**16}
# so wide that their edges say less than this share of the limit; settled, if both ends of the
# bound are so near to each other.
FADED, SETTLED = (1e-4, 1e-9), 1e-7


def exact(problem: Problem, knows: Knows, start: float) -> tuple[float, Bound]:
    """The least scale from ``start`` on that keeps the limit, and what it leaves, recomputed.

    Where rounding carries the leakage beyond the limit, a little more noise.
    """
    scale, found = _searched(problem, knows, start)
    raised = ROUNDED
    while (bound := found.bound(scale)).value > problem.limit:
        scale, raised = scale * (1 + raised), 2 * raised
    return scale, bound


def left_at(problem: Problem, knows: Knows, scale: float) -> Bound:
    """What the worst of those who may know this much learns at this scale."""
    found: Bound | None = None
    for threat in _threats(problem, knows):
        found = threat.worst(scale).bound(scale)
        if _settled(found):
            break
    assert found is not None  # there is always a last threat
    return found


def _searched(problem: Problem, knows: Knows, start: float) -> tuple[float, Found]:
    """Who knows nothing else is looked at first, being had quickly."""
    guess = problem.reach / problem.limit
    best: tuple[float, Found] | None = None
    for threat in _threats(problem, knows):
        if isinstance(threat, Oracle):
            start, _ = least(knowing(problem), problem.limit, start, guess)
        best = scale, found = least(threat, problem.limit, start, guess)
        if scale == start or _settled(found.bound(scale)):
            break
    assert best is not None
    return best


def _settled(bound: Bound) -> bool:
    return bound.low >= (1 - SETTLED) * bound.high


def _threats(problem: Problem, knows: Knows) -> Iterator[Threat]:
    """Long chains through windows, narrow ones first; where none is settled, whole if affordable.

    Every one of them is sound.
    """
    long, windowed, belief = _cells(problem), False, problem.belief
    if isinstance(belief, Chain) and knows in LONG and problem.fast and long > LONG[str(knows)]:
        for share in FADED:
            windows = Windows.of(problem, belief, knows == "anything", share)
            if windows is not None:
                windowed = True
                yield windows
    if not windowed or long <= LONG["nothing"]:
        yield _whole(problem, knows)


def _cells(problem: Problem) -> float:
    """About how many numbers the laws of the sum have, for all variables."""
    sizes = problem.belief.domain.sizes
    return float(len(sizes)) * max(sizes) * (1 + sum(sizes) - len(sizes))


def _whole(problem: Problem, knows: Knows) -> Threat:
    if knows == "anything":
        return anybody(problem)
    return knowing(problem, () if knows == "nothing" else tuple(knows))
