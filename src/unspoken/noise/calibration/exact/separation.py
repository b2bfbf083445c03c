"""The largest log-ratio of a noisy sum at any scale, for many laws of the sum at once.

With f(r) = e^(-rate |r - s|) summed over P(s | x_i = a), log f_a / f_b is largest at a possible sum
(theory of DDP, T1). Running sums from either end give all of them,

    L_k = L_(k-1) e^(-rate (s_k - s_(k-1))) + P_k,

one step of which serves every value of every target: only the noise depends on the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.sums import Sums

__all__ = ["Separation"]


@dataclass(frozen=True)
class Separation:
    """``laws[s, x, row]`` = P(S = points[s] | x, row), 0 throughout where x cannot be.

    A row is a target, or what somebody knows beside it. ``in_logs``: their logarithms.
    """

    points: Array
    laws: Array
    in_logs: bool

    @classmethod
    def of(cls, sums: Sums) -> Separation:
        """From the law of one query beside (any contexts ..., the target)."""
        (points,) = sums.points
        table = sums.table.reshape(-1, *sums.table.shape[-2:])
        laws = np.ascontiguousarray(table.transpose(2, 1, 0))
        if sums.in_logs:
            total = np.logaddexp.reduce(laws, axis=0)
            return cls(points, laws - np.where(total > -np.inf, total, 0.0), True)
        total = laws.sum(0)
        return cls(points, laws / np.where(total > 0, total, 1.0), False)

    def rows(self, kept: Sequence[int]) -> Separation:
        laws = np.ascontiguousarray(self.laws[:, :, list(kept)])
        return Separation(self.points, laws, self.in_logs)

    def at(self, scale: float) -> Array:
        """For each row the largest log-ratio of two values of the target, rounded up.

        All terms are positive: a running sum of m of them errs by 2 m units at most, relatively.
        """
        with np.errstate(over="ignore"):  # scales near 0 are tried, too
            steps = np.diff(self.points) / scale
            far = steps.sum() - self._log_least > RANGE
        ratios = self._in_logs(steps) if self.in_logs or far else self._linear(steps)
        largest: Array = np.fmax.reduce(ratios, axis=0, initial=0.0)
        largest += np.where(largest > 0, 8 * UNIT * (len(self.points) + 8 + largest), 0.0)
        return largest

    @cached_property
    def _possible(self) -> Mask:
        total = self.laws.max(0)
        possible: Mask = total > -np.inf if self.in_logs else total > 0
        return possible

    @cached_property
    def _log_least(self) -> float:
        if self.in_logs:
            return 0.0
        return float(np.log(self.laws.min(where=self.laws > 0, initial=1.0)))

    def _linear(self, steps: Array) -> Array:
        density, right = self.laws.copy(), self.laws.copy()
        fades = np.exp(-steps).tolist()
        for k, fade in enumerate(fades, start=1):
            density[k] += fade * density[k - 1]
        for k, fade in zip(range(len(fades) - 1, -1, -1), fades[::-1], strict=True):
            arriving = fade * right[k + 1]
            right[k] += arriving
            density[k] += arriving
        high, low = self._ends(density, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios: Array = np.log((high / low).max(0, keepdims=True))
        return ratios

    def _in_logs(self, steps: Array) -> Array:
        with np.errstate(divide="ignore"):
            density = self.laws.copy() if self.in_logs else np.log(self.laws)
        right = density.copy()
        for k, step in enumerate(steps.tolist(), start=1):
            np.logaddexp(density[k], density[k - 1] - step, out=density[k])
        for k, step in zip(range(len(steps) - 1, -1, -1), steps[::-1].tolist(), strict=True):
            np.logaddexp(density[k], right[k + 1] - step, out=density[k])
            np.logaddexp(right[k], right[k + 1] - step, out=right[k])
        high, low = self._ends(density, -np.inf)
        with np.errstate(invalid="ignore"):
            ratios: Array = high - low  # nowhere: this row cannot be, and is passed over
        return ratios

    def _ends(self, density: Array, never: float) -> tuple[Array, Array]:
        """The largest and the least over the values that can be."""
        possible = self._possible
        if possible.all():
            values = [density[:, x] for x in range(density.shape[1])]
            return reduce(np.maximum, values), reduce(np.minimum, values)
        high = np.where(possible, density, never).max(1)
        return high, np.where(possible, density, np.inf).min(1)
