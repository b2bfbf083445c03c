"""What may be known, value by value, as problems of their own.

Methods that hold for who knows nothing else are applied to what is left once some values are known:
the largest scale of all of them holds for whoever knows any of these.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["contexts", "each_value"]

# How many values of what is known are looked at one by one.
MOST = 2**14


def contexts(
    problem: NoiseProblem, knows: str | Sequence[str], method: str
) -> Iterator[NoiseProblem]:
    """The problem as it is left by each possible value of what they know."""
    names = problem.belief.domain.names
    if knows == "nothing":
        yield problem
        return
    cells = [problem.belief.cells([name]) for name in names]
    if knows == "anything":
        sizes = range(len(names))
        sets = itertools.chain.from_iterable(itertools.combinations(names, k) for k in sizes)
        count = math.prod(float(size + 1) for size in cells)
    else:
        sets, count = itertools.chain([tuple(knows)]), float(problem.belief.cells(list(knows)))
    if count > MOST:
        raise TooLarge(
            f'calibrate: method "{method}" holds for those who know nothing else; looking at all '
            f'they may know takes {count:.3g} steps. Say knows="nothing", or use method="group"'
        )
    for known in sets:
        yield from each_value(problem, known)


def each_value(problem: NoiseProblem, known: Sequence[str]) -> Iterator[NoiseProblem]:
    """Of the variables that are known, every combination of values that can be."""
    belief = problem.belief
    if not known:
        yield problem
        return
    values = [belief.domain.values_of(name) for name in known]
    for codes in np.argwhere(belief.marginal(known) > 0).tolist():
        values_known = {
            name: row[code] for name, row, code in zip(known, values, codes, strict=True)
        }
        yield problem.part(belief.given(values_known))
