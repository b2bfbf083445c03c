"""How much epsilon each step may have, so that no step of a Markov chain leaks more than a limit.

The way back from `temporal_leakage`. A chain in its stationary law can hold every step *at* the
limit: take alpha_B, alpha_F and eps with

    eps = alpha_B - L_B(alpha_B) = alpha_F - L_F(alpha_F),    alpha_B + alpha_F - eps = limit.

With eps_1 = alpha_B, eps_T = alpha_F and eps in between, backward leakage stays alpha_B until the
last step and forward leakage alpha_F from the second one on. Of chains of any length each step may
have eps: BPL and FPL rise towards alpha_B and alpha_F. (Y. Cao, M. Yoshikawa, Y. Xiao, L. Xiong,
*Quantifying Differential Privacy under Temporal Correlations*, section 5.) All three rise with eps,
by one each at least, so that there is one such eps, and bisection keeps its safe end.

What forgets slowly leaves next to nothing in between (a value that never changes: nothing). Then,
in chains that are short for it, one epsilon for all steps serves better; and where steps differ, or
the start is another, it is what there is. Leakage rises with it, so again bisection finds it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unspoken.conversion.information import nats
from unspoken.conversion.temporal_chain import Crossings, kernels_of, square
from unspoken.conversion.temporal_leakage import Temporal, leaks
from unspoken.errors import InputError
from unspoken.numerics.arrays import Array
from unspoken.numerics.roots import last_where
from unspoken.numerics.rounding import UNIT, quotient_down, sum_up

__all__ = ["temporal_budget"]


def temporal_budget(
    steps: npt.ArrayLike,
    limit: float,
    start: npt.ArrayLike | None = None,
    *,
    length: int | None = None,
) -> Temporal:
    """An epsilon for each step that keeps the total temporal leakage of every step at the limit.

    ``steps``, ``start`` and ``length`` as in `temporal`. One matrix without a ``length``: one
    epsilon, for a chain of any length in its stationary law. Of two allocations for such a chain,
    every step at the limit or the same epsilon at every step, the one with less noise in all
    (sum of 1 / epsilon^2). The result is what `temporal` says of these epsilons.
    """
    limit, table = nats("limit", limit), square(steps)
    if table.ndim == 2 and length is None:
        chain = Crossings.of([table], start)
        if not chain.settled:
            raise InputError("length: say how many steps there are; only a stationary chain may go")
        return _endless(chain, limit)
    kernels = kernels_of(table, length)
    chain = Crossings.of(kernels, start)
    found = _same(chain, limit)
    if not chain.settled:
        return found
    at_limit = leaks(chain, _held(chain, limit))
    return at_limit if _noise(at_limit.epsilon) <= _noise(found.epsilon) else found


def _endless(chain: Crossings, limit: float) -> Temporal:
    own = last_where(lambda epsilon: chain.suprema(epsilon)[2] <= limit, 0.0, limit)
    tops = chain.suprema(own)
    epsilon, back, forth, total = (np.array([number]) for number in (own, *tops))
    return Temporal(epsilon, back, forth, total, tops)


def _held(chain: Crossings, limit: float) -> Array:
    """alpha_B, eps, ..., eps, alpha_F, the numbers rounded so that no step is above the limit."""

    def fits(epsilon: float) -> bool:
        back, forth, total = chain.suprema(epsilon)
        return max(total, sum_up(chain.behind[0].leak(back), forth)) <= limit

    own = last_where(fits, 0.0, limit)
    back, forth, _ = chain.suprema(own)
    return np.array([back, *[own] * (len(chain.ahead) - 1), forth])


def _same(chain: Crossings, limit: float) -> Temporal:
    """The largest epsilon that all steps may have: at least the limit by their number.

    (No more crosses than has leaked, L(a) <= a; rounding adds a unit or two a step.)
    """
    count = len(chain.ahead) + 1

    def shared(epsilon: float) -> Temporal:
        return leaks(chain, np.full(count, epsilon))

    low = quotient_down(limit, count) * (1.0 - 4.0 * UNIT * count)
    return shared(last_where(lambda epsilon: shared(epsilon).total.max() <= limit, low, limit))


def _noise(epsilon: Array) -> float:
    """What noise of scale 1 / epsilon at every step comes to, as variances."""
    with np.errstate(divide="ignore", over="ignore"):
        return float((epsilon**-2.0).sum())
