"""Sets of beliefs whose members cannot be listed: their views answer for all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

from unspoken.core.adversary import Adversary
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.ring import RANGE
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.exact.adversaries import Adversaries, OneAdversary
from unspoken.noise.calibration.knowledge import Knows
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["least_noise", "of_views"]

# So many sets of names somebody may know are looked at one by one.
MOST = 2**12


def of_views(problem: NoiseProblem, knows: Knows) -> Adversaries:
    """Every target, and all that may be known beside it."""
    names = problem.belief.domain.names
    if knows == "anything" and len(names) * 2.0 ** (len(names) - 1) > MOST:
        raise TooLarge(
            f"calibrate: {len(names)} variables are too many to look at all that may be known of "
            'them, of a set of beliefs; say knows="nothing", or names'
        )
    return Adversaries(problem.limit, [_seen(problem, who) for who in _looking(names, knows)])


def least_noise(problem: NoiseProblem) -> float:
    """The least scale such a set is looked at with: kernels are floats with all their digits."""
    return sum(problem.reaches.values()) / (0.99 * RANGE)


def _looking(names: tuple[str, ...], knows: Knows) -> Iterator[Adversary]:
    for target in names:
        others = [name for name in names if name != target]
        if knows == "anything":
            for size in range(len(names)):
                yield from (
                    Adversary(target, knows=k) for k in itertools.combinations(others, size)
                )
        elif knows == "nothing" or target not in knows:
            yield Adversary(target, knows=() if knows == "nothing" else knows)


def _seen(problem: NoiseProblem, adversary: Adversary) -> OneAdversary:
    @cache
    def bound(scale: float) -> Bound:
        return problem.bound(adversary, scale)

    return OneAdversary(bound, lambda scale: bound(scale).value)
