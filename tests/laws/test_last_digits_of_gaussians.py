"""What noisy sums of Gaussian values tell, and of all covariances near one: to the last digit.

The regression of a sum on what is kept and known is solved in exact rationals, of covariances that
are as near to singular as a belief takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np

import unspoken
from tests.effort import EFFORT

Table = list[list[Fraction]]
Drawn = tuple[unspoken.Gaussian, Table, list[float], list[float], float]


def solved(table: Table, right: Sequence[Fraction]) -> list[Fraction]:
    rows = [[*row, value] for row, value in zip(table, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(j for j in range(i, len(rows)) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                factor = rows[j][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def drawn(rng: np.random.Generator) -> Drawn:
    """A covariance with a condition of up to 10^11, ranges, weights and a scale of noise."""
    n = int(rng.integers(2, 6))
    left, sizes, right = np.linalg.svd(rng.normal(size=(n, n)))
    sizes[-1] = sizes[0] * 10.0 ** rng.uniform(-5.5, 0)
    root = left * sizes @ right
    covariance = root @ root.T * 10.0 ** rng.uniform(-3, 3)
    covariance = (covariance + covariance.T) / 2
    ranges, weights = rng.uniform(0.1, 5, n).tolist(), rng.normal(size=n).tolist()
    belief = unspoken.Gaussian(covariance, ranges)
    exact = [[Fraction(value) for value in row] for row in covariance.tolist()]
    return belief, exact, ranges, weights, float(10.0 ** rng.uniform(-1, 2))


def variance(exact: Table, weights: Sequence[Fraction], beside: Sequence[int]) -> Fraction:
    """Of the weighted sum, given what stands beside."""
    every = range(len(exact))
    among = [sum((weights[r] * exact[r][k] for r in every), Fraction(0)) for k in beside]
    whole = sum(weights[r] * weights[t] * exact[r][t] for r in every for t in every)
    back = solved([[exact[a][b] for b in beside] for a in beside], among)
    return Fraction(whole - sum(a * b for a, b in zip(back, among, strict=True)))


def test_the_truth_lies_between_the_ends() -> None:
    rng = np.random.default_rng(11)
    for _ in range(40 * EFFORT):
        belief, exact, ranges, weights, scale = drawn(rng)
        names, n = belief.domain.names, len(ranges)
        target = int(rng.integers(n))
        known = [k for k in range(n) if k != target and rng.random() < 0.4]
        laplace = unspoken.Laplace(scale, weights=weights)
        adversary = unspoken.Adversary(names[target], knows=[names[k] for k in known])
        bound = unspoken.leakage(belief, laplace, adversary, "max-log-ratio")

        kept = [target, *known]
        w = [Fraction(weight) for weight in weights]
        with_kept = [sum((w[r] * exact[r][k] for r in range(n)), Fraction(0)) for k in kept]
        coefficient = solved([[exact[a][b] for b in kept] for a in kept], with_kept)[0]
        truth = abs(coefficient) * Fraction(ranges[target]) / Fraction(scale)
        assert Fraction(bound.low) <= truth <= Fraction(bound.high)
        assert bound.high - bound.low <= (1e-13 / belief.least) * bound.high + 1e-12

        eta = float(10.0 ** rng.uniform(-6, 1))
        near = unspoken.GaussianBall(belief, eta)
        widest = unspoken.leakage(near, laplace, adversary, "max-log-ratio")
        unit = [Fraction(int(i == target)) for i in range(n)]
        rest, spread = variance(exact, w, kept), variance(exact, unit, known)
        with mpmath.workdps(60):
            apart = mpmath.mpf(ranges[target]) / scale * mpmath.sinh(eta)
            apart *= mpmath.sqrt(mpmath.mpf(rest.numerator) / rest.denominator)
            apart /= mpmath.sqrt(mpmath.mpf(spread.numerator) / spread.denominator)
            furthest = mpmath.mpf(truth.numerator) / truth.denominator + apart
            assert mpmath.mpf(widest.low) <= furthest <= mpmath.mpf(widest.high)
