"""A support vector machine with Huber's hinge, in NumPy, and its two kinds of noise.

J(w) = mean l(y w.x) + Lambda / 2 |w|^2, rows of length 1 at most (Chaudhuri, Monteleoni, Sarwate).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studies import data
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.noise.models.sensitivities import svm_objective, svm_output

__all__ = ["WEIGHT", "Incomes", "incomes"]

HUBER, WEIGHT = 0.5, 1e-3  # h, Lambda
STEPS = 200


@dataclass(frozen=True, eq=False)
class Incomes:
    """Adult, rows without a missing value: features in the unit ball, and +1 or -1."""

    features: Array
    signs: Array

    def parted(self, rng: np.random.Generator) -> tuple[Incomes, Incomes]:
        """Four fifths and one fifth."""
        order = rng.permutation(len(self.signs))
        fifth = len(order) // 5
        return self._taken(order[fifth:]), self._taken(order[:fifth])

    def _taken(self, rows: Codes) -> Incomes:
        return Incomes(self.features[rows], self.signs[rows])

    def right(self, w: Array) -> float:
        """The share that this line has on its own side."""
        return float((np.where(self.features @ w >= 0, 1.0, -1.0) == self.signs).mean())

    def fitted(self, tilt: Array | float = 0.0, extra: float = 0.0) -> Array:
        """argmin J(w) + tilt.w / n + extra / 2 |w|^2, by Nesterov's steps."""
        n, d = self.features.shape
        weight = WEIGHT + extra
        w = ahead = np.zeros(d)
        step, rate = 1 / (1 / (2 * HUBER) + weight), np.sqrt(weight)
        for _ in range(STEPS):
            margin = self.signs * (self.features @ ahead)
            slope = -np.clip((1 + HUBER - margin) / (2 * HUBER), 0.0, 1.0)
            gradient = (self.features.T @ (slope * self.signs) + tilt) / n + weight * ahead
            later = ahead - step * gradient
            ahead, w = later + (1 - rate) / (1 + rate) * (later - w), later
        return np.asarray(w)

    def output_noise(self, epsilon: float, rng: np.random.Generator) -> Array:
        """How the line is moved: density proportional to e^(-epsilon |b| / sensitivity)."""
        rate = epsilon / svm_output(len(self.signs), WEIGHT).value
        return _ball(self.features.shape[1], rate, rng)

    def with_objective_noise(self, epsilon: float, rng: np.random.Generator) -> Array:
        """The line of an objective that is tilted."""
        noise = svm_objective(epsilon, len(self.signs), WEIGHT, HUBER)
        return self.fitted(_ball(self.features.shape[1], noise.rate, rng), noise.extra)


def incomes() -> Incomes:
    """Numbers in [0, 1], a column for each word; all by the root of how many attributes."""
    table = data.columns("adult", "adult.csv.gz")
    said = np.array([[cell.strip() for cell in column] for column in table.values()]).T
    said = said[(said != "?").all(1)]
    columns = []
    for k, name in enumerate(table):
        if name == "income":
            continue
        try:
            numbers = said[:, k].astype(np.float64)
        except ValueError:
            columns.append((said[:, k, None] == np.unique(said[:, k])).astype(np.float64))
        else:
            columns.append(((numbers - numbers.min()) / np.ptp(numbers))[:, None])
    features = np.concatenate(columns, 1) / np.sqrt(len(columns))
    signs = np.where(said[:, -1] == ">50K", 1.0, -1.0)
    return Incomes(features, signs)


def _ball(size: int, rate: float, rng: np.random.Generator) -> Array:
    """Density proportional to e^(-rate |b|)."""
    way = rng.normal(size=size)
    return np.asarray(way / np.linalg.norm(way) * rng.gamma(size, 1 / rate))
