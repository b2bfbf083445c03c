"""The least scale that keeps a limit, from the safe side.

Every measure falls with the scale, since more noise is post-processing:

    Lap(s') = Lap(s) * [(s/s')^2 at 0 + (1 - (s/s')^2) Lap(s')]          (s' > s; DDP theory, T2)

and geometric noise likewise. So whoever keeps the limit at one scale keeps it at every larger one,
and need not be looked at again; the end that is returned is the upper one of the bracket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unspoken.core.numerics.roots import least_scale
from unspoken.core.numerics.rounding import ROUNDED
from unspoken.core.types.bound import Bound

__all__ = ["Threat", "WorstAt", "least"]

# One adversary is kept this much below the limit, relatively: searches of all round as well.
MARGIN = 16 * ROUNDED
# A search bounds everybody by what the worst learns and its own rounding, which is less than this.
NEAR = 1e-9
# The next adversary may need so much more noise.
CLOSE = 1.25

Leak = Callable[[float], float]


@dataclass(frozen=True)
class WorstAt:
    """Who learns most at one scale: ``value``, and what the same one learns at others.

    ``bound``: in full, for the answer.
    """

    value: float
    leak: Leak
    bound: Callable[[float], Bound]


class Threat(Protocol):
    """Some adversaries, and who learns most at a scale. Scales that are asked for only grow.

    ``slow``: those who know nothing else are worth a look before them.
    """

    slow: ClassVar[bool]

    def worst(self, scale: float) -> WorstAt: ...


def least(threat: Threat, limit: float, start: float, guess: float) -> tuple[float, WorstAt]:
    """The least scale from ``start`` on at which nobody exceeds the limit, and who comes nearest.

    One adversary at a time: the scale that the worst one needs is looked at by all. Where all are
    bounded by its leakage but for rounding, that one is kept as much below the limit.
    """
    scale, nudge = start, ROUNDED
    while (worst := threat.worst(scale)).value > limit:
        alone, leak, share = worst.leak(scale), worst.leak, 1.0
        if worst.value * (1.0 - NEAR) <= alone < worst.value:
            share = alone / worst.value
        elif alone <= limit:
            leak = _everybody(threat)
        wanted = least_scale(leak, limit * share * (1.0 - MARGIN), scale, guess)
        guess = CLOSE * wanted
        scale = max(wanted, scale * (1.0 + nudge))
        nudge *= 2.0
    return scale, worst


def _everybody(threat: Threat) -> Leak:
    return lambda scale: threat.worst(scale).value
