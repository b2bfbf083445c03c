"""What crosses from step to step of a Markov chain, made ready once for every epsilon.

Backward leakage runs over the reversed kernels, P(x_{t-1}) P(x_t | x_{t-1}) / P(x_t), and so stands
on the law of the start; a value that cannot occur has no row in them. Forward leakage runs over the
chain's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import numpy.typing as npt

from unspoken.beliefs.belief import probabilities
from unspoken.conversion.kernels import conditional, reversed_kernel, stationary
from unspoken.conversion.worst_events import WorstEvents
from unspoken.errors import InputError
from unspoken.numerics.arrays import Array
from unspoken.numerics.rounding import UNIT, sum_up

__all__ = ["Crossings", "kernels_of", "square"]

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
    def of(cls, kernels: Sequence[Array], start: npt.ArrayLike | None) -> Crossings:
        laws, error = _laws(kernels, start)
        seen: dict[int, WorstEvents] = {}
        ahead = [_events(kernel, seen) for kernel in kernels]
        behind = _reversed_events(kernels, laws, error)
        return cls(ahead, behind, all(law is laws[0] for law in laws))

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


def square(steps: npt.ArrayLike) -> Array:
    """One stochastic matrix, or a list of them along the first axis."""
    table = conditional(steps, "steps")
    if table.ndim not in (2, 3) or table.shape[-1] != table.shape[-2]:
        raise InputError(f"steps: shape {table.shape}; give a square matrix, or a list of them")
    return table


def kernels_of(table: Array, length: int | None, epsilons: int | None = None) -> list[Array]:
    """A matrix for each pair of steps, equal ones the same object.

    ``length``, ``epsilons``: how many there are, if that is said; a list of matrices says it.
    """
    if not isinstance(length, Integral | None):
        raise InputError(f"length: {length!r} must be a whole number, of steps")
    counts = {len(table) + 1} if table.ndim == 3 else set()
    counts |= {int(count) for count in (length, epsilons) if count is not None}
    if not counts:
        raise InputError("length: say how many steps there are, or give an epsilon for each")
    if len(counts) > 1 or min(counts) < 2:
        listed = " and ".join(str(count) for count in sorted(counts))
        raise InputError(f"steps: {listed}; matrices, epsilons and length must agree, 2 or more")
    if table.ndim == 2:
        return [table] * (counts.pop() - 1)
    same: dict[bytes, Array] = {}
    return [same.setdefault(one.tobytes(), one) for one in table]


def _run(events: Iterable[WorstEvents], epsilon: Array) -> Array:
    rows = [(0.0, float(epsilon[0]))]
    for event, own in zip(events, epsilon[1:].tolist(), strict=True):
        crossed = event.leak(rows[-1][1])
        rows.append((crossed, sum_up(crossed, own)))
    return np.array(rows).T


def _events(kernel: Array, seen: dict[int, WorstEvents]) -> WorstEvents:
    if id(kernel) not in seen:
        seen[id(kernel)] = WorstEvents.of(kernel)
    return seen[id(kernel)]


def _reversed_events(
    kernels: Sequence[Array], laws: Sequence[Array], error: float
) -> list[WorstEvents]:
    """For P(x_t | x_{t+1}), t = 0, 1, ...; made anew where the matrix or the law is another."""
    found: list[WorstEvents] = []
    made: tuple[int, Array] | None = None
    for kernel, law in zip(kernels, laws[:-1], strict=True):
        if made is None or made[0] != id(kernel) or not _alike(made[1], law):
            made = id(kernel), law
            found.append(WorstEvents.of(reversed_kernel(law, kernel), 2.0 * error))
        else:
            found.append(found[-1])
    return found


def _alike(one: Array, other: Array) -> bool:
    return bool((np.abs(one - other) <= ALIKE * one).all())


def _laws(kernels: Sequence[Array], start: npt.ArrayLike | None) -> tuple[list[Array], float]:
    """The law of the value at each step, and a bound on the relative error of its entries.

    A law is a sum of products of t matrices: off by d + 2 units a step, as all terms are positive;
    the stationary one by some d^3 units.
    """
    size, one = len(kernels[0]), len({id(kernel) for kernel in kernels}) == 1
    law = stationary(kernels[0]) if one else None
    if start is None:
        if law is None:
            raise InputError("start: give the law of the first value; these steps do not keep one")
        return [law] * (len(kernels) + 1), UNIT * 2.0 * size**3
    laws = [probabilities(start, "start")]
    if laws[0].shape != (size,):
        raise InputError(f"start: shape {laws[0].shape}, but the chain has {size} values")
    if law is not None and _alike(law, laws[0]):
        return [law] * (len(kernels) + 1), ALIKE + UNIT * 2.0 * size**3
    for kernel in kernels:
        laws.append(laws[-1] @ kernel)
    return laws, ALIKE + UNIT * (size + 2) * len(laws)
