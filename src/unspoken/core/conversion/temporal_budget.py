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

from unspoken.core.beliefs import Chain
from unspoken.core.conversion.information import nats
from unspoken.core.conversion.temporal_chain import Crossings
from unspoken.core.conversion.temporal_leakage import Temporal, crossings_of, leaks
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.roots import last_where
from unspoken.core.numerics.rounding import down, quotient_down, sum_up
from unspoken.core.types.kinds import expect
from unspoken.core.types.premise import Premise

__all__ = ["temporal_budget"]


def temporal_budget(chain: Chain, limit: float, *, any_length: bool = False) -> Temporal:
    """An epsilon for each step that keeps the total temporal leakage of every step at the limit.

    ``any_length``: one epsilon, however long a chain with this step runs; it starts in the law that
    the step keeps, ``Chain(None, step, length)``. Of two allocations for such a chain, every step
    at the limit or the same epsilon at every step, the one with less noise in all (sum of
    1 / epsilon^2). The result is what `temporal` says of these epsilons.
    """
    limit, crossings = nats("limit", limit), crossings_of(chain, "temporal_budget")
    expect(any_length, int, "temporal_budget.any_length", "True or False")
    if any_length and not crossings.settled:
        raise InputError(
            "temporal_budget: any_length needs a chain in the law it keeps; Chain(None, step, 2)"
        )
    if any_length:
        return _endless(crossings, limit, chain.premise)
    shared = _shared(crossings, limit, chain.premise)
    if not crossings.settled:
        return shared
    at_limit = leaks(crossings, _held(crossings, limit), chain.premise)
    return at_limit if _noise(at_limit.epsilon) <= _noise(shared.epsilon) else shared


def _endless(crossings: Crossings, limit: float, premise: Premise) -> Temporal:
    most = last_where(lambda epsilon: crossings.suprema(epsilon)[2] <= limit, 0.0, limit)
    suprema = crossings.suprema(most)
    epsilon, back, forth, total = (np.array([number]) for number in (most, *suprema))
    return Temporal(epsilon, back, forth, total, suprema, premise)


def _held(crossings: Crossings, limit: float) -> Array:
    """alpha_B, eps, ..., eps, alpha_F, the numbers rounded so that no step is above the limit."""

    def fits(epsilon: float) -> bool:
        back, forth, total = crossings.suprema(epsilon)
        return max(total, sum_up(crossings.behind[0].leak(back), forth)) <= limit

    between = last_where(fits, 0.0, limit)
    back, forth, _ = crossings.suprema(between)
    return np.array([back, *[between] * (len(crossings.ahead) - 1), forth])


def _shared(crossings: Crossings, limit: float, premise: Premise) -> Temporal:
    """The largest epsilon that all steps may have: at least the limit by their number.

    (No more crosses than has leaked, L(a) <= a; rounding adds a unit or two a step.)
    """
    count = len(crossings.ahead) + 1

    def shared(epsilon: float) -> Temporal:
        return leaks(crossings, np.full(count, epsilon), premise)

    low = down(quotient_down(limit, count), 4 * count)
    return shared(last_where(lambda epsilon: shared(epsilon).total.max() <= limit, low, limit))


def _noise(epsilon: Array) -> float:
    """What noise of scale 1 / epsilon at every step comes to, as variances."""
    with np.errstate(divide="ignore", over="ignore"):
        return float((epsilon**-2.0).sum())
