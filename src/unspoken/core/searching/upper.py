"""What no adversary exceeds: the chain rule of paper 003, made sound, for any private mechanism.

Replacing x_i alone moves no likelihood by more than a factor e^(eps_i). (For S + Laplace(lambda),
S = sum_i w_i x_i, that is eps_i = D_i / lambda, D_i = |w_i| (max - min of x_i).) Somebody who knows
all others learns at most eps_i. Who forgets x_j, and knows only x_K' of the rest, learns at most

    UB(i, K') = min over j of  UB(i, K' + j) + max LFP(P(x_j | a, x_K'), P(x_j | b, x_K');  L),
                               L = UB(j, K' + i), the largest over x_K' and values a, b of x_i,

because f(y | a, x_K') = sum_xj P(x_j | a, x_K') f(y | a, x_j, x_K') <= e^UB(i, K' + j) <p, h> with
h(x_j) = f(y | b, x_j, x_K'), and f(y | b, x_K') = <q, h>, where h moves by a factor e^L at most. In
place of this the paper adds log <p, e^(w_j x_j/lambda)> / <q, e^(w_j x_j/lambda)> (eq. 9), as if h
were e^(w_j x_j/lambda): true far out only, and if x_j is all that is unknown. Where b rules out an
x_j that a allows there is no h(x_j); then, and wherever it is less, what counts is all that can
move: the sum of eps over i and the unknown (group privacy).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.conversion.worst_events import WorstEvents
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.rounding import UNIT, sum_up, up
from unspoken.core.searching.nodes import Nodes

__all__ = ["partial_sums", "pdp_upper", "reaches"]


def pdp_upper(belief: Joint, epsilons: Sequence[float]) -> Nodes:
    """What every adversary learns at most from a mechanism with these epsilons, rounded up."""
    names, sizes = belief.domain.names, belief.domain.sizes
    if len(epsilons) != len(names) or not all(0 <= eps < math.inf for eps in epsilons):
        raise InputError(f"upper: a finite epsilon for each of {len(names)} variables is needed")
    if math.prod(size + 1 for size in sizes) > CELLS:
        raise TooLarge(f"upper: {len(names)} variables have too many adversaries to list")
    n, everything = len(names), 2 ** len(names) - 1
    error = 2 * UNIT * (sum(sizes) + 4)  # of P(x_j | x_i, x_K'): two sums and a quotient
    bounds = _groups(epsilons)
    for unknown, cells in partial_sums(belief.table):
        rest = [i for i in range(n) if not unknown >> i & 1]
        for i, j in itertools.permutations(rest, 2):
            crossing = _crossing(cells, i, j, error)
            if crossing is not None:
                weaker = unknown | 1 << j
                bound = sum_up(bounds[i, unknown], crossing.leak(float(bounds[j, unknown])))
                bounds[i, weaker] = min(bounds[i, weaker], bound)
    leaks = np.full_like(bounds, math.nan)
    for i, known in itertools.product(range(n), range(2**n)):
        if not known >> i & 1:
            leaks[i, known] = bounds[i, everything ^ known ^ 1 << i]
    return Nodes(names, leaks)


def reaches(belief: Joint, weights: Sequence[float], scale: float) -> list[float]:
    """D_i / lambda for each variable, rounded up: the epsilons of S + Laplace(lambda)."""
    pairs = zip(weights, belief.domain.names, strict=True)
    spans = [float(np.ptp(w * belief.domain.numbers(name))) for w, name in pairs]
    return [up(span / scale, 4) for span in spans]


def partial_sums(table: Array) -> Iterator[tuple[int, Array]]:
    """``table`` summed over every set of axes, the sets as masks, each after all its subsets.

    Axes that are summed over stay, with length 1.
    """
    made = {0: table}
    yield 0, table
    for mask in range(1, 2**table.ndim):
        last = mask.bit_length() - 1
        made[mask] = made[mask ^ 1 << last].sum(axis=last, keepdims=True)
        yield mask, made[mask]


def _groups(epsilons: Sequence[float]) -> Array:
    """sum of eps over i and a set of others, for every i and set."""
    sums = [0.0]
    for epsilon in epsilons:
        sums += [sum_up(total, epsilon) for total in sums]
    rows = [[sums[mask | 1 << i] for mask in range(len(sums))] for i in range(len(epsilons))]
    return np.array(rows)


def _crossing(cells: Array, i: int, j: int, error: float) -> WorstEvents | None:
    """The events by which x_j speaks of x_i, over all x_K'; None where one value rules out an x_j.

    ``cells`` is P(x_i, x_j, x_K'). For each value a at a time, with all b and x_K' at once.
    """
    joint = np.moveaxis(cells, (i, j), (0, 1))
    joint = joint.reshape(*joint.shape[:2], -1).swapaxes(1, 2)  # x_i, x_K', x_j
    mass = joint.sum(-1, keepdims=True)
    if ((joint > 0) != ((mass > 0) & (joint > 0).any(0))).any():
        return None
    rows = joint / np.where(mass > 0, mass, 1.0)
    base, gain = [], []
    for row, possible in zip(rows, mass > 0, strict=True):
        q = np.where(possible & (mass > 0), rows, 0.0)
        more = np.where(q > 0, np.maximum(row - q, 0.0), 0.0)
        ratio = np.divide(more, q, out=np.zeros_like(q), where=q > 0)
        order = np.argsort(-ratio, axis=-1, kind="stable")
        more, q = np.take_along_axis(more, order, -1), np.take_along_axis(q, order, -1)
        best = more > 0
        base.append(np.cumsum(q, axis=-1)[best])
        gain.append(np.cumsum(more, axis=-1)[best])
    return WorstEvents(np.concatenate(base), np.concatenate(gain), error, rows.shape[-1])
