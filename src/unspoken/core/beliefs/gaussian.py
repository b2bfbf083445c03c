"""A belief about continuous variables that are jointly Gaussian (paper 003, theory T3).

Somebody who knows x_K compares two values of the target, at most a range R apart. All others are
Gaussian and unbounded. With x_k the kept variables, the queries S given x_k and x_K are Gaussian,

    S | x_k, x_K  ~  C x_k + something that does not depend on x_k,

C being the regression coefficients of S on x_k beside x_K; neither C nor the covariance of the rest
depends on the values of x_K. So the noisy answers have a density g(r - C x_k), where g is that
Gaussian with independent Laplace noise (scales b_c) added, and for two values with d = C (x - x')

    sup_r log g(r - C x) / g(r - C x') = sum_c |d_c| / b_c.

At most: moving the argument of Lap(b_c) by d_c changes it by a factor e^(|d_c|/b_c) at most, under
the integral too. At least: e^(|r_c|/b_c) Lap(r_c - s) <= e^(|s|/b_c) / (2 b_c), whose mean under a
Gaussian is finite; so as every r_c goes to infinity, on the side of d_c, the ratio tends to the
product of e^(|d_c|/b_c). It is the ratio the bare sums C x_k would have: two ends are enough.
With several kept variables |d| is a convex function of x and of x', so that the largest value over
the box of ranges is at two of its corners. So is any hockey-stick divergence: g is log-concave,
hence so is min(g(r), t g(r - d)) in (r, d), hence its integral over r in d (Prekopa), and one less
that integral falls to both sides of its largest value along any line.

Rounding: of a root L of a covariance S the residual S - L L' is computed, so that with correlations
H (least eigenvalue l) and e = |residual| / l in their scale, e^-eta S <= L L' <= e^eta S (Loewner's
order) where eta = e / (1 - e). What is asked given x_K are Schur complements, which keep the order.
So C may be off, as in families/gaussian.py, in a direction v of the kept variables by at most

    sinh(eta) sqrt(Var(S | x_k, x_K)) sqrt(v' Var(x_k | x_K)^-1 v).

For k kept variables: write C' - C = sd(S | x) a' Var(x)^-1/2 with M_11 a = m, M within e^eta of I.
The last column of M^-1 is (-a, 1) times a number, and by Kantorovich's inequality the angle between
a vector and its image under a matrix with eigenvalues in [e^-eta, e^eta] has a tangent of at most
sinh(eta): that is |a|.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import Belief, different, evidence, in_short
from unspoken.core.errors import InputError, NotKnown, TooLarge, quoted
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.long import LONG_UNIT, Long, cholesky, inverse, square, triangular
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.numerics.tables import finite_list, finite_table, fixed
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import Blur, Sums, Weights, slopes

__all__ = ["Gaussian"]

# How far, relatively, two entries that ought to be equal may differ.
SYMMETRIC = 1e-9
# Correlations with an eigenvalue this small leave no digits of what one variable adds to the rest.
SINGULAR = 1e-12
# What is itself computed with rounding is taken so much larger.
SLACK = 1 + 1e-3


class Gaussian(Belief):
    """X ~ N(mean, covariance); ``ranges[i]``: how far two values of x_i that are compared differ.

    A variable's listed values are the two ends of its range: which pair is compared matters only
    through how far apart it is.
    """

    def __init__(
        self,
        covariance: npt.ArrayLike,
        ranges: npt.ArrayLike,
        mean: npt.ArrayLike | None = None,
        names: Iterable[str] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        root, least, off = _root(finite_table(covariance, "gaussian.covariance"))
        widths = finite_list(ranges, len(root), "gaussian.ranges")
        if (widths < 0).any():
            raise InputError(f"gaussian.ranges: has {widths.min():g}; how far apart is 0 or more")
        centre = np.zeros(len(root))
        if mean is not None:
            centre = np.array(finite_list(mean, len(root), "gaussian.mean"))
        ends = [(0.0, width) if width else (0.0,) for width in widths.tolist()]
        domain = Domain.of([len(end) for end in ends], names, ends)
        self._hold(domain, root, centre, Premise.of(premise))
        self.least, self.off = least, off

    def _hold(self, domain: Domain, root: Long, mean: Array, premise: Premise) -> None:
        """``least``: eigenvalue of the correlations; ``off``: eta, by which the root is off."""
        self.domain, self.premise = domain, premise
        self.root, self.mean = root, fixed(mean)
        root.setflags(write=False)

    @property
    def covariance(self) -> Array:
        covariance: Array = square(self.root).astype(np.float64)
        return covariance

    def marginal(self, names: Sequence[str]) -> NoReturn:
        raise NotKnown(
            f"gaussian belief: values are continuous, so none of {in_short(names)} has a "
            "probability; ask about sums with Laplace noise, or give a Joint of binned values"
        )

    def knows_jointly(self, names: Sequence[str]) -> bool:
        return not names

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Outputs of single variables would need their values."""
        return tuple(names) if not names else self.marginal(names)

    def pairs(self) -> list[tuple[str, str]]:
        name = self.domain.names
        dependent = np.argwhere(np.triu(self.covariance, 1)).tolist()
        return [(name[a], name[b]) for a, b in dependent]

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        return self.marginal(self.domain.names)

    def given(self, known: Mapping[str, Value]) -> Gaussian:
        """About the rest: mean + L_rk L_kk^-1 (x_k - mean_k), and L_rr L_rr' for the covariance.

        L is the triangular root of the covariance with the known variables first. Any number is a
        value of them.
        """
        codes = [self.domain.axis(name, "given") for name in evidence(known)]
        values = np.array([_value(name, value) for name, value in known.items()])
        rest = [i for i in range(len(self.root)) if i not in set(codes)]
        (lower, off), k = self._root_of([*codes, *rest]), len(codes)
        moved = lower[k:, :k] @ inverse(lower[:k, :k]) @ (values - self.mean[codes])
        later = Gaussian.__new__(Gaussian)
        domain = self.domain.without(known)
        later._hold(
            domain, lower[k:, k:], (self.mean[rest] + moved).astype(np.float64), self.premise
        )
        later.least, later.off = self.least, off
        return later

    def knowing(self, names: Sequence[str]) -> tuple[Gaussian, tuple[str, ...]]:
        """Values do not matter; the mean, which does not either, is as if they were at theirs."""
        centre = {name: float(self.mean[self.domain.axis(name)]) for name in names}
        return self.given(centre), ()

    def operations(self, names: Sequence[str]) -> float:
        """Corners are equally likely; what they shift an answer by is counted in `Sums.off`."""
        return 4.0

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """C x_keep at the corners of the box of ranges, all equally likely; the rest is a blur."""
        ends = [self.domain.numbers(name) for name in keep]
        shape = tuple(map(len, ends))
        _affords(math.prod(shape), keep, queries)
        corners = np.array(list(itertools.product(*ends))).reshape(-1, len(keep))
        points, codes = [], []
        coefficients, blur, off = self._coefficients(keep, queries)
        for answers in coefficients @ corners.T:
            possible, code = np.unique(answers, return_inverse=True)
            points.append(possible)
            codes.append(code)
        sizes = tuple(map(len, points))
        _affords(len(corners) * math.prod(sizes), keep, queries)
        table = np.zeros((len(corners), *sizes))
        table[(np.arange(len(corners)), *codes)] = 1 / len(corners)
        return Sums(tuple(points), table.reshape(*shape, *sizes), blur=blur, off=off)

    def _coefficients(
        self, keep: Sequence[str], queries: Sequence[Weights]
    ) -> tuple[Array, tuple[Blur, ...], tuple[float, ...]]:
        """C = w_k + (L_rk L_kk^-1)' w_r, a row for each query: of x_keep in the regression of S.

        And |L_rr' w_r|^2, the variance of what does not depend on x_keep, and by how much answers
        C x_keep may be off. L has the kept variables first; nothing is subtracted, and L_kk has
        their own scales.
        """
        codes = [self.domain.axis(name) for name in different(keep)]
        rest = [i for i in range(len(self.root)) if i not in set(codes)]
        weights = np.array([slopes(query, self.domain.names) for query in queries])
        (lower, eta), k = self._root_of([*codes, *rest]), len(codes)
        within, across, others = lower[:k, :k], lower[k:, :k], weights[:, rest]
        back = inverse(within)
        through = others @ across @ back
        variances = ((others @ lower[k:, k:]) ** 2).sum(1).astype(np.float64)
        coefficients: Array = (weights[:, codes] + through).astype(np.float64)
        ways = np.abs(others) @ np.abs(across) @ np.abs(back)
        ways += np.abs(weights[:, codes]) + ways @ np.abs(within) @ np.abs(back)
        moved = 4 * len(self.root) * LONG_UNIT * ways + (k + 2) * UNIT * np.abs(coefficients)
        ranges = np.array([float(np.ptp(self.domain.numbers(name))) for name in keep])
        turned = math.sinh(eta) * np.sqrt(variances) * (ranges @ np.sqrt((back**2).sum(0)))
        off = SLACK * (turned + moved @ ranges).astype(np.float64)
        blur = tuple(Blur(variance, eta) for variance in variances.tolist())
        return coefficients, blur, tuple(off.tolist())

    def _root_of(self, order: Sequence[int]) -> tuple[Long, float]:
        """The triangular root of the covariance in this order of the variables, and its eta."""
        lower, scales = triangular(self.root, order), np.sqrt(np.diag(square(self.root)))
        residual: Long = square(self.root)[np.ix_(order, order)] - square(lower)
        scaled: Long = residual / np.multiply.outer(scales[list(order)], scales[list(order)])
        return lower, self.off + _eta(scaled, self.least)


def _eta(residual: Long, least: float) -> float:
    """How far a root with this residual is off, in Loewner's order, all scaled to correlations.

    Beside the residual: what computing it leaves of entries that are 1 at most.
    """
    n = len(residual)
    share = (float(np.sqrt((residual**2).sum())) + 3 * n * (n + 6) * LONG_UNIT) / least
    return share / (1 - share) if share < 0.5 else math.inf


def _root(covariance: Array) -> tuple[Long, float, float]:
    """The triangular L with L L' = covariance; one line of complaint if there is none.

    And the least eigenvalue of the correlations, and by what eta L is off.
    """
    what, shape = "gaussian.covariance", covariance.shape
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise InputError(f"{what}: shape {shape}; a square table, a row and a column a variable")
    variances = np.diag(covariance)
    flat = np.flatnonzero(variances <= 0)
    if flat.size:
        raise InputError(
            f"{what}: variable {flat[0]} has variance {variances[flat[0]]:g}; variances are "
            "positive (leave out what cannot vary)"
        )
    scales = np.sqrt(variances)
    with np.errstate(over="ignore"):  # what is beyond 1 is refused, however far
        correlations = np.clip(covariance / scales[:, None] / scales, -2.0, 2.0)
    asymmetry = np.abs(correlations - correlations.T)
    if asymmetry.max() > SYMMETRIC:
        i, j = np.unravel_index(int(asymmetry.argmax()), shape)
        raise InputError(
            f"{what}: not symmetric, [{i}, {j}] is {covariance[i, j]:g} and [{j}, {i}] is "
            f"{covariance[j, i]:g}"
        )
    correlations = (correlations + correlations.T) / 2
    n = len(correlations)
    rounded = 10 * n * n * UNIT  # what eigenvalues are off by
    least = float(np.linalg.eigvalsh(correlations)[0]) - rounded
    if least <= max(SINGULAR, rounded):
        raise InputError(
            f"{what}: not positive definite (the correlations have the eigenvalue {least:.3g}); "
            "leave out variables that others determine"
        )
    given: Long = covariance.astype(np.longdouble)
    given += given.T.copy()
    root = cholesky(given / 2)
    residual: Long = given / 2 - square(root)
    residual /= np.multiply.outer(scales, scales)
    return root, least, _eta(residual, least)


def _affords(cells: int, keep: Sequence[str], queries: Sequence[Weights]) -> None:
    if cells > CELLS:
        raise TooLarge(
            f"gaussian: {len(queries)} answers about {len(keep)} variables at once take {cells:,} "
            f"cells, more than {CELLS:,}; ask for fewer"
        )


def _value(name: str, value: Value) -> float:
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"given, value of {name}: {quoted(value)} is no finite number")
    return number
