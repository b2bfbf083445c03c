"""What crosses from step to step of a Markov chain, made ready once for every epsilon.

Backward leakage runs over the reversed kernels, P(x_{t-1}) P(x_t | x_{t-1}) / P(x_t), and so stands
on the law of the start; a value that cannot occur has no row in them. Forward leakage runs over the
chain's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Chain
from unspoken.core.conversion.worst_events import WorstEvents
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.kernels import reversed_kernel, stationary
from unspoken.core.numerics.rounding import UNIT, sum_up

__all__ = ["Crossings"]

ALIKE = 1e-13  # laws that differ by less, relatively, share a reversed kernel


@dataclass(frozen=True)
class Crossings:
    """``ahead[t]``: over P(x_{t+1} | x_t); ``behind[t]``: over P(x_t | x_{t+1}).

    ``settled``: one matrix in its stationary law, so that every step crosses like every other.
    """

    ahead: Sequence[WorstEvents]
    behind: Sequence[WorstEvents]
    settled: bool

    @classmethod
    def of(cls, chain: Chain) -> Crossings:
        kernels = _alike_once(chain.steps)
        laws, error = _laws(kernels, chain.start)
        once = {id(kernel): kernel for kernel in kernels}
        events = {key: WorstEvents.of(kernel, _off(kernel)) for key, kernel in once.items()}
        behind = _reversed_events(kernels, laws, error)
        settled = bool(kernels) and all(law is laws[0] for law in laws)
        return cls([events[id(kernel)] for kernel in kernels], behind, settled)

    def backward(self, epsilon: Array) -> Array:
        """What crosses into each step from before it, and what has leaked with its own epsilon."""
        return _run(self.behind, epsilon)

    def forward(self, epsilon: Array) -> Array:
        """The same from after it."""
        return _run(reversed(self.ahead), epsilon[::-1])[:, ::-1]

    def suprema(self, epsilon: float) -> tuple[float, float, float]:
        """Backward, forward and total of a settled chain with this at every step, of any length."""
        back = self.behind[0].fixed_point(epsilon)
        forth = self.ahead[0].fixed_point(epsilon)
        return back, forth, sum_up(back, self.ahead[0].leak(forth))


def _run(events: Iterable[WorstEvents], epsilon: Array) -> Array:
    rows = [(0.0, float(epsilon[0]))]
    for event, own_epsilon in zip(events, epsilon[1:].tolist(), strict=True):
        crossed = event.leak(rows[-1][1])
        rows.append((crossed, sum_up(crossed, own_epsilon)))
    return np.array(rows).T


def _alike_once(kernels: Sequence[Array]) -> list[Array]:
    """The same matrices, equal ones the same object."""
    equal: dict[object, Array] = {}
    first = {
        key: equal.setdefault((kernel.shape, kernel.tobytes()), kernel)
        for key, kernel in {id(kernel): kernel for kernel in kernels}.items()
    }
    return [first[id(kernel)] for kernel in kernels]


def _off(kernel: Array) -> float:
    """By how much, relatively, the entries may be off: rows are laws but for rounding."""
    return float(np.abs(kernel.sum(-1) - 1.0).max())


def _reversed_events(
    kernels: Sequence[Array], laws: Sequence[Array], error: float
) -> list[WorstEvents]:
    """For P(x_t | x_{t+1}), t = 0, 1, ...; made anew where the matrix or the law is another."""
    events: list[WorstEvents] = []
    made: tuple[int, Array] | None = None
    for kernel, law in zip(kernels, laws[:-1], strict=True):
        if made is None or made[0] != id(kernel) or not _alike(made[1], law):
            made = id(kernel), law
            events.append(WorstEvents.of(reversed_kernel(law, kernel), 2.0 * error))
        else:
            events.append(events[-1])
    return events


def _alike(p: Array, q: Array) -> bool:
    return bool((np.abs(p - q) <= ALIKE * p).all())


def _laws(kernels: Sequence[Array], start: Array) -> tuple[list[Array], float]:
    """The law of the value at each step, and a bound on the relative error of its entries.

    A law is a sum of products of t matrices: off by d + 2 units a step, as all terms are positive;
    the stationary one by some d^3 units.
    """
    size, same = len(start), len({id(kernel) for kernel in kernels}) == 1
    law = stationary(kernels[0]) if same and kernels[0].shape == (size, size) else None
    if law is not None and _alike(law, start):
        error = 0.0 if np.array_equal(law, start) else ALIKE
        return [law] * (len(kernels) + 1), error + UNIT * 2.0 * size**3
    laws = [start]
    for kernel in kernels:
        laws.append(laws[-1] @ kernel)
    step = UNIT * (max(map(len, laws)) + 2) + max(map(_off, kernels), default=0.0)
    return laws, ALIKE + step * len(laws)
