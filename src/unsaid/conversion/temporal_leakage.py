"""What an epsilon-DP release at every step of a Markov chain says about the value at one step.

About X_t speak the outputs so far and the outputs to come. With L of `worst_events`,

    backward   BPL_t = L_B(BPL_{t-1}) + eps_t,   L_B over the rows of P(X_{t-1} | X_t)
    forward    FPL_t = L_F(FPL_{t+1}) + eps_t,   L_F over the rows of P(X_{t+1} | X_t)
    total      TPL_t = BPL_t + FPL_t - eps_t

The forward kernel is the chain's own, so FPL holds for every start. The backward kernel is the
reversed one, P(x_{t-1}) P(x_t | x_{t-1}) / P(x_t), so BPL stands on the law of the start; a value
that cannot occur has no row in it. (Y. Cao, M. Yoshikawa, Y. Xiao, L. Xiong, *Quantifying
Differential Privacy under Temporal Correlations*.) The numbers hold for every mechanism that is
eps_t-DP for replacing X_t. Where there are two values, positively dependent, and the chain is
stationary, randomised response leaks all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unsaid.beliefs.belief import probabilities
from unsaid.conversion.information import nats
from unsaid.conversion.kernels import conditional, reversed_kernel, stationary
from unsaid.conversion.rounding import UNIT, sum_up
from unsaid.conversion.worst_events import WorstEvents
from unsaid.display import Shown
from unsaid.errors import InputError, NotKnown
from unsaid.numerics.arrays import Array
from unsaid.types.bound import Bound, Premise

__all__ = ["Temporal", "temporal"]

ALIKE = 1e-13  # laws that differ by less, relatively, share a reversed kernel


@dataclass(frozen=True, repr=False)
class Temporal(Shown):
    """Step by step, in nats: each step's ``epsilon``, and what leaks about its value.

    ``suprema``: what backward, forward and total leakage of one chain in its stationary law can
    come to however long it runs; None where that is not the question's kind.
    """

    epsilon: Array
    backward: Array
    forward: Array
    total: Array
    suprema: tuple[float, float, float] | None = None
    premise: Premise = Premise("stated")

    def at(self, step: int) -> Bound:
        """What all outputs together say about the value at this step (0 is the first)."""
        if not -len(self.total) <= step < len(self.total):
            raise InputError(f"step: {step} must be one of 0 to {len(self.total) - 1}")
        return self._bound(float(self.total[step]), f"all outputs, about step {step}")

    @property
    def worst(self) -> Bound:
        """The largest of them."""
        return self.at(int(self.total.argmax()))

    @property
    def supremum(self) -> Bound:
        """What no step exceeds however long the chain runs, before it and after."""
        if self.suprema is None:
            raise NotKnown(
                "temporal: the supremum over ever longer chains is known for one matrix, one "
                "epsilon and the stationary law (leave start out)"
            )
        return self._bound(self.suprema[2], "all outputs of a chain of any length, about any step")

    def _bound(self, high: float, what: str) -> Bound:
        why = f"{what}; any mechanism of these epsilons"
        return Bound(0.0, high, premise=self.premise, why=why)

    def facts(self) -> list[tuple[str, str]]:
        worst = int(self.total.argmax())
        rows = [
            ("steps", f"{len(self.total)}, epsilon at most {self.epsilon.max():.6g} each"),
            ("worst", f"step {worst}: at most {self.total[worst]:.6g} nat"),
            ("", f"backward {self.backward[worst]:.6g}, forward {self.forward[worst]:.6g}"),
        ]
        if self.suprema is not None:
            rows.append(("any length", f"at most {self.suprema[2]:.6g} nat"))
        return [*rows, ("premise", str(self.premise))]


def temporal(
    steps: npt.ArrayLike,
    epsilon: npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    *,
    length: int | None = None,
) -> Temporal:
    """The temporal leakage of an epsilon-DP mechanism run at every step of a chain.

    ``steps``: one stochastic matrix P(x_next | x), or a list of them, one fewer than there are
    steps. ``epsilon``: one number or one for each step. ``start``: the law of the first value; for
    one matrix it may be left out and is the stationary law. ``length``: how many steps there are,
    where neither a list of matrices nor one of epsilons says so.
    """
    kernels, each = _chain(steps, epsilon, length)
    laws, error = _laws(kernels, start)
    seen: dict[int, WorstEvents] = {}
    ahead = [_events(kernel, seen) for kernel in kernels]
    behind = _reversed_events(kernels, laws, error)
    backward = _run(behind, each)
    crossed, forward = (row[::-1] for row in _run(reversed(ahead), each[::-1]))
    total = np.array([sum_up(*ends) for ends in zip(backward[1], crossed, strict=True)])
    settled = all(law is laws[0] for law in laws)  # one matrix and its stationary law
    return _capped(Temporal(each, backward[1], forward, total), settled, ahead, behind)


def _run(events: Iterable[WorstEvents], epsilon: Array) -> Array:
    """What crosses into each step, and with the step's own epsilon what has leaked by then."""
    rows = [(0.0, float(epsilon[0]))]
    for event, own in zip(events, epsilon[1:].tolist(), strict=True):
        crossed = event.leak(rows[-1][1])
        rows.append((crossed, sum_up(crossed, own)))
    return np.array(rows).T


def _capped(
    result: Temporal,
    settled: bool,
    ahead: Sequence[WorstEvents],
    behind: Sequence[WorstEvents],
) -> Temporal:
    """With the suprema, if there are any; no step is above them but for rounding."""
    own = float(result.epsilon[0])
    if not settled or not (result.epsilon == own).all():
        return result
    back, forth = behind[0].fixed_point(own), ahead[0].fixed_point(own)
    total = sum_up(back, ahead[0].leak(forth))
    return Temporal(
        result.epsilon,
        np.minimum(result.backward, back),
        np.minimum(result.forward, forth),
        np.minimum(result.total, total),
        (back, forth, total),
        result.premise,
    )


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


def _chain(
    steps: npt.ArrayLike, epsilon: npt.ArrayLike, length: int | None
) -> tuple[list[Array], Array]:
    """A matrix for each pair of steps (equal ones the same object), an epsilon for each step."""
    table = conditional(steps, "steps")
    each = np.array([nats("epsilon", one) for one in np.ravel(np.asarray(epsilon, dtype=object))])
    if table.ndim not in (2, 3) or table.shape[-1] != table.shape[-2]:
        raise InputError(f"steps: shape {table.shape}; give a square matrix, or a list of them")
    known = {len(table) + 1} if table.ndim == 3 else set()
    known |= {int(length)} if length is not None else set()
    known |= {each.size} if np.ndim(epsilon) else set()
    if not known:
        raise InputError("length: say how many steps there are, or give an epsilon for each")
    if len(known) > 1 or min(known) < 2:
        counts = " and ".join(str(count) for count in sorted(known))
        raise InputError(f"steps: {counts}; matrices, epsilons and length must agree, 2 or more")
    count = known.pop()
    if table.ndim == 2:
        return [table] * (count - 1), np.broadcast_to(each, count).copy()
    same: dict[bytes, Array] = {}
    kernels = [same.setdefault(one.tobytes(), one) for one in table]
    return kernels, np.broadcast_to(each, count).copy()
