"""A variable by itself: what somebody who knows all others learns, whatever the dependence.

With all others known the answer is w_i x_i plus noise. This is the floor of every calibration: for
"max-log-ratio" it is differential privacy's scale, max_i D_i / limit.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief, Independent
from unspoken.core.numerics.rounding import quotient_ends, quotient_up
from unspoken.core.types.bound import Bound
from unspoken.core.types.sums import distances
from unspoken.noise.calibration.exact.adversaries import Adversaries, OneAdversary, one_adversary
from unspoken.noise.calibration.exact.threats import least
from unspoken.noise.calibration.problem import LEAST, RATIO, NoiseProblem

__all__ = ["single_variables", "floor_of"]


def floor_of(problem: NoiseProblem) -> float:
    """The least scale that keeps the limit for every variable by itself; 0 where none is moved."""
    if not problem.reach:
        return 0.0
    if problem.measure == RATIO:
        return quotient_up(problem.reach, problem.limit)
    if problem.members is not None and problem.members[0] is not problem:
        return max(floor_of(member) for member in problem.members)
    start = LEAST[problem.noise]
    scale, _ = least(
        single_variables(problem, problem.belief.domain.names), problem.limit, start, problem.reach
    )
    return 0.0 if scale == start else scale


def single_variables(problem: NoiseProblem, names: Sequence[str]) -> Adversaries:
    """Each variable by itself, with its own law and nothing else in the answer; alike ones once."""
    moved = [name for name in names if problem.reaches[name]] or names[:1]
    if problem.measure == RATIO:
        spans = {name: _span(problem, name) for name in moved}
        farthest = max(moved, key=spans.__getitem__)
        return Adversaries(problem.limit, [_shifted(problem, farthest, spans[farthest])])
    kinds: dict[Hashable, str] = {}
    for name in moved:
        law, values = _law(problem.belief, name), problem.belief.domain.values_of(name)
        weights = [query.get(name, 0.0) for query in problem.queries]
        kinds.setdefault((law.tobytes(), values, *weights), name)
    groups = [one_adversary(_by_itself(problem, name), Adversary(name)) for name in kinds.values()]
    return Adversaries(problem.limit, groups)


def _shifted(problem: NoiseProblem, name: str, span: float) -> OneAdversary:
    """Two values D apart: their likelihoods differ by e^(D / scale) at most, and do so far out."""
    premise = problem.belief.premise

    def leak(scale: float) -> float:
        return span / problem.width(scale)

    def bound(scale: float) -> Bound:
        why = f"{name}, to somebody who knows all others: the noise is all that hides it"
        ends = quotient_ends(span, problem.width(scale))
        return Bound(*ends, "nat", premise, why, exact=True)

    return OneAdversary(bound, leak)


def _span(problem: NoiseProblem, name: str) -> float:
    """D of the values that can be; of a probability of 0 nobody learns anything."""
    if not problem.reaches[name]:
        return 0.0
    possible = _law(problem.belief, name) > 0
    if possible.all():
        return problem.reaches[name]
    each = [(1.0, query.get(name, 0.0)) for query in problem.queries]
    apart = distances(problem.belief.domain, name, each)
    return float(apart[np.ix_(possible, possible)].max())


def _by_itself(problem: NoiseProblem, name: str) -> NoiseProblem:
    law, values = _law(problem.belief, name), problem.belief.domain.values_of(name)
    return problem.part(Independent([law], [name], [values], problem.belief.premise))


def _law(belief: Belief, name: str) -> np.ndarray:
    """Of a continuous variable two values are compared, whose probabilities nobody knows."""
    if belief.knows_jointly([name]):
        return belief.marginal([name])
    size = belief.cells([name])
    return np.full(size, 1 / size)
