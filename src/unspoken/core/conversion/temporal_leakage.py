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

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import Chain
from unspoken.core.conversion.information import nats
from unspoken.core.conversion.temporal_chain import Crossings
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, quoted
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import sum_up
from unspoken.core.numerics.same import same
from unspoken.core.types.bound import Bound, in_words
from unspoken.core.types.premise import STATED, Premise

__all__ = ["Temporal", "crossings_of", "leaks", "temporal"]


@dataclass(frozen=True, repr=False, eq=False)
class Temporal(Shown):
    """Step by step, in nats: each step's ``epsilon``, and what leaks about its value.

    A single row stands for each step of a chain of any length. ``suprema``: what backward, forward
    and total leakage of one chain in its stationary law can come to however long it runs; None
    where that is not the question's kind.
    """

    epsilon: Array
    backward: Array
    forward: Array
    total: Array
    suprema: tuple[float, float, float] | None = None
    premise: Premise = STATED

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same numbers."""
        return same(self, other)

    def at(self, step: int) -> Bound:
        """What all outputs together say about the value at this step (0 is the first)."""
        count = len(self.total)
        if not (isinstance(step, Integral) and -count <= step < count):
            raise InputError(f"step: {quoted(step)} must be one of 0 to {count - 1}")
        return self._bound(float(self.total[int(step)]), f"all outputs, about step {step}")

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
                "epsilon and the law it keeps: Chain(None, step, length)"
            )
        return self._bound(self.suprema[2], "all outputs of a chain of any length, about any step")

    def _bound(self, high: float, what: str) -> Bound:
        why = f"{what}; any mechanism of these epsilons"
        return Bound(0.0, high, premise=self.premise, why=why)

    def facts(self) -> list[tuple[str, str]]:
        worst = int(self.total.argmax())
        count = len(self.total) if len(self.total) > 1 else "any number"
        rows = [
            ("steps", f"{count}, epsilon at most {self.epsilon.max():.6g} each"),
            ("worst", f"step {worst}: at most {in_words(self.total[worst], 'nat')}"),
            ("", f"backward {self.backward[worst]:.6g}, forward {self.forward[worst]:.6g}"),
        ]
        if self.suprema is not None:
            rows.append(("any length", f"at most {in_words(self.suprema[2], 'nat')}"))
        return [*rows, ("premise", str(self.premise))]


def temporal(chain: Chain, epsilon: npt.ArrayLike) -> Temporal:
    """The temporal leakage of an epsilon-DP mechanism run at every step of a chain.

    ``epsilon``: one number, or one for each variable. In a ``Chain(None, step, length)``, which
    starts in the law that its step keeps, the `supremum` holds for every length.
    """
    crossings = crossings_of(chain, "temporal")
    each = [nats("epsilon", number) for number in np.ravel(np.asarray(epsilon, dtype=object))]
    count = len(chain.domain.names)
    if len(each) not in (1, count) or (np.ndim(epsilon) and len(each) != count):
        raise InputError(
            f"epsilon: {len(each)} numbers for {count} steps; give one, or one for each"
        )
    return leaks(crossings, np.broadcast_to(np.array(each), count).copy(), chain.premise)


def crossings_of(chain: Chain, where: str) -> Crossings:
    """What crosses from step to step, of a Chain and of nothing else."""
    if not isinstance(chain, Chain):
        raise InputError(
            f"{where}: needs a Chain, not {type(chain).__name__}; Chain(None, step, length) starts "
            "in the law that its step keeps"
        )
    return Crossings.of(chain)


def leaks(crossings: Crossings, epsilon: Array, premise: Premise) -> Temporal:
    """With the suprema, if there are any; no step is above them but for rounding."""
    backward = crossings.backward(epsilon)[1]
    crossed, forward = crossings.forward(epsilon)
    total = np.array([sum_up(*ends) for ends in zip(backward, crossed, strict=True)])
    first = float(epsilon[0])
    if not crossings.settled or not (epsilon == first).all():
        return Temporal(epsilon, backward, forward, total, premise=premise)
    suprema = crossings.suprema(first)
    back, forth, most = map(np.minimum, (backward, forward, total), suprema)
    return Temporal(epsilon, back, forth, most, suprema, premise)
