"""The Markov quilt mechanism (Song, Wang and Chaudhuri) on chains.

A quilt of x_i are two variables, l to its left and r to its right (or one, or none): given them
nothing beyond says anything about x_i. They themselves say

    e = max over a, b of [ max_x log P(x_l = x | a) / P(x_l = x | b) + the same of x_r ],

and what lies between moves the sum by at most N = sum of D_j, l < j < r. So scale N / (limit - e)
keeps the limit; every variable takes its best quilt, and the worst variable counts. Fixed quilts
compose. For those who know nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Mask
from unspoken.core.numerics.kernels import stationary
from unspoken.core.numerics.numbers import positive, whole
from unspoken.core.numerics.rounding import ROUNDED
from unspoken.core.numerics.tables import as_laws
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["backwards", "influences", "quilt", "quilt_any_start", "quilt_approximate"]

# Quilts are looked for at up to so many steps, then at twice as many, ...
STEPS = 8
# Numbers that are looked at side by side.
AT_ONCE = 2**22


def quilt(problem: NoiseProblem) -> float:
    """Exact influences, from the start and the steps of a Chain."""
    belief = problem.belief
    if belief.steps is None or belief.forest is None:
        raise NotKnown('method "quilt": needs a Chain; use "exact", "mean" or "group"')
    if len(set(belief.domain.sizes)) > 1:
        raise NotKnown('method "quilt": needs a Chain whose variables have equally many values')
    moves = np.array([problem.reaches[name] for name in belief.domain.names])
    laws, size = np.stack(belief.forest.singles), belief.domain.sizes[0]
    steps = np.stack(belief.steps) if belief.steps else np.zeros((0, size, size))
    left = (influence[::-1] for influence in influences(backwards(laws, steps)))
    return Quilts(moves, laws > 0, left, influences(steps)).scale(problem.limit)


def quilt_any_start(step: npt.ArrayLike, length: int, limit: float, reach: float = 1.0) -> float:
    """Exact influences under the worst start: for a chain whose start nobody knows.

    P(x_l | x_i = a) / P(x_l | x_i = b) = M^g[x_l, a] / M^g[x_l, b] P(x_i = b) / P(x_i = a), of
    which the last factor is largest if the chain starts in one state. ``reach``: how far one
    variable moves the answer.
    """
    matrix, length = _square(step), _length(length)
    limit, reach = positive("quilt.limit", limit), positive("quilt.reach", reach)
    powers = [np.eye(len(matrix))]
    for _ in range(length - 1):
        powers.append(powers[-1] @ matrix)
    # Of x_t+g, after x_t is a rather than b.
    follows = _log_ratios(np.swapaxes(np.stack(powers), 1, 2))
    start = np.swapaxes(follows, 1, 2)

    def left() -> Iterator[Array]:
        for gap in range(1, length):
            influence = np.full_like(follows, np.inf)
            influence[gap:] = follows[gap] + start[gap:]
            yield influence

    right = influences(np.broadcast_to(matrix, (length - 1, *matrix.shape)))
    possible = np.ones((length, len(matrix)), dtype=bool)
    return Quilts(np.full(length, reach), possible, left(), right).scale(limit)


def quilt_approximate(step: npt.ArrayLike, length: int, limit: float, reach: float = 1.0) -> float:
    """Influences bounded by how fast the chain forgets (MQMApprox), whatever its start.

    With p the least stationary probability and g the gap of M's multiplicative reversibilisation
    (2 (1 - |lambda_2|) where M is reversible), a quilt a steps to the left and b to the right says

        e <= 2 t(a) + t(b),    t(x) = log (p + e^(-g x / 2)) / (p - e^(-g x / 2)).

    Towards an end of the chain one side is missing, which needs less noise.
    """
    matrix, length = _square(step), _length(length)
    limit, reach = positive("quilt.limit", limit), positive("quilt.reach", reach)
    if length**2 > CELLS:
        raise TooLarge(f"chain.length: {length:,} variables have too many quilts to look at")
    least, gap = _forgets(matrix)
    best = length / limit
    with np.errstate(divide="ignore"):
        fades = np.exp(-gap * np.arange(1, length) / 2)
        t = np.where(
            fades < least, np.log((least + fades) / np.maximum(least - fades, 0.0)), np.inf
        )
    e = 2 * t[:, None] + t[None, :]
    between = np.add.outer(np.arange(1, length), np.arange(1, length)) - 1.0
    fits = e < limit
    if fits.any():
        best = min(best, float((between[fits] / (limit - e[fits])).min()))
    return best * reach * (1 + ROUNDED)


@dataclass(frozen=True)
class Quilts:
    """``moves``: D_j; ``left``, ``right``: for gaps of 1, 2, ... what a quilt there says at most,
    for every variable and every two of its values (inf where there is none).
    """

    moves: Array
    possible: Mask
    left: Iterator[Array]
    right: Iterator[Array]

    def scale(self, limit: float) -> float:
        """The largest over the variables of N / (limit - e), each at its best quilt."""
        n, total = len(self.moves), np.concatenate([[0.0], np.cumsum(self.moves)])
        here = np.arange(n)
        none = np.zeros((n, *self.possible.shape[1:], self.possible.shape[1]))
        sides = [[none], [none]]
        spans = [[total[1:]], [total[-1] - total[:-1]]]  # with x_i itself
        size = STEPS
        while True:
            for gap in range(len(sides[0]), min(size, n - 1) + 1):
                sides[0].append(next(self.left))
                sides[1].append(next(self.right))
                spans[0].append(total[1:] - total[np.maximum(here + 1 - gap, 0)])
                spans[1].append(total[np.minimum(here + gap, n)] - total[:-1])
            scales = self._scales(sides, spans, limit)
            # A quilt further away lets at least this much lie between.
            before = np.where(here >= size, total[1:] - total[np.maximum(here - size, 0)], np.inf)
            after = total[np.minimum(here + size + 1, n)] - total[:-1]
            further = np.minimum(before, np.where(here + size < n, after, np.inf))
            if size >= n - 1 or (scales <= further / limit).all():
                return float(scales.max()) * (1 + ROUNDED)
            size *= 2

    def _scales(self, sides: list[list[Array]], spans: list[list[Array]], limit: float) -> Array:
        """For every variable the least scale of all its pairs of gaps (0: no quilt there)."""
        left, right = (np.stack(side, axis=-1) for side in sides)
        before, after = (np.stack(side, axis=-1) for side in spans)
        gaps = left.shape[-1]
        rows = max(1, AT_ONCE // gaps**2)
        scales = np.empty(len(self.moves))
        for first in range(0, len(scales), rows):
            part = slice(first, first + rows)
            e = np.full((len(scales[part]), gaps, gaps), 0.0)
            for a, b in itertools.permutations(range(left.shape[1]), 2):
                both = self.possible[part, a] & self.possible[part, b]
                with np.errstate(invalid="ignore"):  # where a or b cannot be
                    pair = left[part, a, b][:, :, None] + right[part, a, b][:, None, :]
                np.maximum(e, np.where(both[:, None, None], pair, 0.0), out=e)
            between = before[part][:, :, None] + after[part][:, None, :]
            between -= self.moves[part][:, None, None]
            room = limit - e * (1 + ROUNDED)
            cost = np.divide(between, room, out=np.full_like(e, np.inf), where=room > 0)
            scales[part] = cost.min((1, 2))
        return scales


def backwards(laws: Array, steps: Array) -> Array:
    """P(x_t = a | x_t+1 = b) as [b, a], the last step first; zeros where b cannot be."""
    joint = np.swapaxes(laws[:-1, :, None] * steps, 1, 2)
    mass = joint.sum(2, keepdims=True)
    back: Array = np.divide(joint, mass, out=np.zeros_like(joint), where=mass > 0)
    return back[::-1]


def influences(steps: Array) -> Iterator[Array]:
    """For gaps of 1, 2, ...: what x_(t+gap) says of x_t, by steps[t] from t to t + 1."""
    table = steps
    for gap in range(1, len(steps) + 1):
        beyond = np.full((gap, *steps.shape[1:]), np.inf)
        yield np.concatenate([_log_ratios(table), beyond])
        table = table[:-1] @ steps[gap:]


def _log_ratios(tables: Array) -> Array:
    """max_x log T[a, x] / T[b, x], for every table and a, b."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(tables)
        ratios = logs[:, :, None, :] - logs[:, None, :, :]
    largest: Array = np.nan_to_num(ratios, nan=-np.inf, posinf=np.inf, neginf=-np.inf).max(-1)
    return largest


def _forgets(matrix: Array) -> tuple[float, float]:
    """The least stationary probability and the gap."""
    law = stationary(matrix)
    if law is None or not law.min() > 0:
        raise InputError("chain.step: some states die out, so nothing is known of their influence")
    flow = law[:, None] * matrix
    if np.allclose(flow, flow.T, rtol=1e-12, atol=1e-15):
        rest = np.sort(np.abs(np.linalg.eigvals(matrix)))[:-1]
        return float(law.min()), 2 * (1 - float(rest.max(initial=0.0)))
    both = matrix @ (flow.T / law[:, None])
    rest = np.sort(np.abs(np.linalg.eigvals(both)))[:-1]
    return float(law.min()), 1 - float(rest.max(initial=0.0))


def _square(step: npt.ArrayLike) -> Array:
    matrix = as_laws(step, "chain.step")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"chain.step: shape {matrix.shape}; one matrix for every step is square")
    return matrix


def _length(given: int) -> int:
    length = whole("chain.length", given, "variables")
    if length < 2:
        raise InputError(f"chain.length: {length}; two variables at least")
    return length
