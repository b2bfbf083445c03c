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
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from unspoken.beliefs.belief import Belief, different, evidence, in_short
from unspoken.errors import InputError, NotKnown, TooLarge
from unspoken.numerics.arrays import CELLS, Array, Codes
from unspoken.numerics.rounding import ROUNDED, UNIT
from unspoken.numerics.tables import finite_list, finite_table, fixed
from unspoken.types.domain import Domain, Value
from unspoken.types.premise import Premise
from unspoken.types.sums import Sums, Weights

__all__ = ["Gaussian"]

# How far, relatively, two entries that ought to be equal may differ.
SYMMETRIC = 1e-9
# Correlations with an eigenvalue this small leave no digits of what one variable adds to the rest.
SINGULAR = 1e-12


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
        root = _root(finite_table(covariance, "gaussian.covariance"))
        widths = finite_list(ranges, len(root), "gaussian.ranges")
        if (widths < 0).any():
            raise InputError(f"gaussian.ranges: has {widths.min():g}; how far apart is 0 or more")
        centre = np.zeros(len(root))
        if mean is not None:
            centre = np.array(finite_list(mean, len(root), "gaussian.mean"))
        ends = [(0.0, width) if width else (0.0,) for width in widths.tolist()]
        domain = Domain.of([len(end) for end in ends], names, ends)
        self._hold(domain, root, centre, Premise.of(premise))

    def _hold(self, domain: Domain, root: Array, mean: Array, premise: Premise) -> None:
        self.domain, self.premise = domain, premise
        self.root, self.mean = fixed(root), fixed(mean)

    @property
    def covariance(self) -> Array:
        covariance: Array = self.root @ self.root.T
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
        lower, k = self._root_of([*codes, *rest]), len(codes)
        moved = lower[k:, :k] @ np.linalg.solve(lower[:k, :k], values - self.mean[codes])
        later = Gaussian.__new__(Gaussian)
        domain = self.domain.without(known)
        later._hold(domain, lower[k:, k:], self.mean[rest] + moved, self.premise)
        return later

    def knowing(self, names: Sequence[str]) -> tuple[Gaussian, tuple[str, ...]]:
        """Values do not matter; the mean, which does not either, is as if they were at theirs."""
        centre = {name: float(self.mean[self.domain.axis(name)]) for name in names}
        return self.given(centre), ()

    def operations(self, names: Sequence[str]) -> float:
        """Two values are compared, and what they shift an answer by: some hundred operations."""
        return ROUNDED / UNIT

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """C x_keep at the corners of the box of ranges, all equally likely; the rest is a blur."""
        ends = [self.domain.numbers(name) for name in keep]
        shape = tuple(map(len, ends))
        _affords(math.prod(shape), keep, queries)
        corners = np.array(list(itertools.product(*ends))).reshape(-1, len(keep))
        points, codes = [], []
        coefficients, blur = self._coefficients(keep, queries)
        for answers in coefficients @ corners.T:
            possible, code = np.unique(answers, return_inverse=True)
            points.append(possible)
            codes.append(code)
        sizes = tuple(map(len, points))
        _affords(len(corners) * math.prod(sizes), keep, queries)
        table = np.zeros((len(corners), *sizes))
        table[(np.arange(len(corners)), *codes)] = 1 / len(corners)
        return Sums(tuple(points), table.reshape(*shape, *sizes), blur=tuple(blur.tolist()))

    def _coefficients(self, keep: Sequence[str], queries: Sequence[Weights]) -> tuple[Array, Array]:
        """C = w_k + (L_rk L_kk^-1)' w_r, a row for each query: of x_keep in the regression of S.

        And |L_rr' w_r|^2, the variance of what does not depend on x_keep. L has the kept variables
        first; nothing is subtracted, and L_kk has their own scales.
        """
        codes = [self.domain.axis(name) for name in different(keep)]
        rest = [i for i in range(len(self.root)) if i not in set(codes)]
        weights = np.zeros((len(queries), len(self.root)))
        for row, query in zip(weights, queries, strict=True):
            for name, w in query.items():
                row[self.domain.axis(name)] = w
        lower, k = self._root_of([*codes, *rest]), len(codes)
        through = np.linalg.solve(lower[:k, :k].T, lower[k:, :k].T @ weights[:, rest].T)
        coefficients: Array = weights[:, codes] + through.T
        return coefficients, ((weights[:, rest] @ lower[k:, k:]) ** 2).sum(1)

    def _root_of(self, order: Sequence[int]) -> Array:
        """The triangular root of the covariance in this order of the variables.

        By rotating the rows of a root of it, which costs no digits (its square would).
        """
        upper: Array = np.asarray(np.linalg.qr(self.root[list(order)].T, mode="r"))
        return upper.T


def _root(covariance: Array) -> Array:
    """The triangular L with L L' = covariance; one line of complaint if there is none."""
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
    least = float(np.linalg.eigvalsh(correlations)[0])
    if least <= SINGULAR:
        raise InputError(
            f"{what}: not positive definite (the correlations have the eigenvalue {least:.3g}); "
            "leave out variables that others determine"
        )
    root: Array = scales[:, None] * np.linalg.cholesky(correlations)
    return root


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
        raise InputError(f"given, value of {name}: {value!r} is no finite number")
    return number
