"""The question: which adversary learns most from a noisy sum of jointly Gaussian variables?

Somebody who knows x_K and compares two values of x_i, at most R_i apart, learns from
S + Laplace(lambda), S = sum_j w_j x_j, at most (theory of PDP, paper 003; T3)

    R_i |c_iK| / lambda,    c_iK = w_i - w_U' Q_UU^-1 Q_Ui,    Q = Sigma^-1,  U = the others:

the coefficient of x_i in the regression of S on x_i and x_K. The largest over K is NP-hard to find
(T4), so every search here gives an adversary, and a number that no adversary exceeds.

Rounding is paid for by one lemma. Let A be Q with errors E, |x'E y| <= eta |x|_Q |y|_Q (|x|_Q^2 is
x'Qx). Then for every adversary, whatever K,

    |c_iK(A) - c_iK(Q)| <= eta / (1 - eta) sqrt(Var(S) Q_ii),

since the difference is z'E y with y = A_UU^-1 w_U, |y|_Q <= sqrt(Var S) / (1 - eta), and z = e_i
less its regression on U, |z|_Q <= sqrt(Q_ii). What eta is:
- of the computed inverse: any norm of Q Sigma - I, which is measured;
- of eliminating U, in floats, in any order: the result is exact for entries of Q moved by at most
  eps d_i d_j, d = sqrt(diag Q), eps = (n + 2) u: every number met on the way is an entry of a Schur
  complement, at most d_i d_j. So eta = eps sum_ij d_i |Sigma_ij| d_j, as (d'|x|)^2 <= that x'Qx.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.numerics.tables import finite_list, finite_table

__all__ = ["KEYBOARD", "GaussianProblem", "WorstCoefficient", "gaussian_problem"]

# How far, relatively, two entries that ought to be equal may differ.
SYMMETRIC = 1e-9
# Beyond it rounding decides what the leakage is, and nothing is said.
ROUGH = 0.05
KEYBOARD = "stopped from the keyboard"


@dataclass(frozen=True)
class WorstCoefficient:
    """R |c| in a problem's units: ``low`` of the adversary found, ``high`` of anybody at most.

    ``how``: by what search, and why nobody learns more; ``stopped``: what ended it early.
    """

    low: float
    high: float
    target: int
    known: tuple[int, ...]
    how: str
    stopped: str = ""

    def within(self, share: float) -> bool:
        """Whether the ends are so near to each other."""
        return self.high <= self.low * (1 + share)


@dataclass(frozen=True)
class GaussianProblem:
    """Covariance, ranges and weights in units (powers of two) in which variances are about 1.

    ``targets``: who may leak, by index here; ``indices``: where these variables stand in what was
    asked. A leakage is ``range * |c| * 2^exponent / scale``.
    """

    covariance: Array
    ranges: Array
    weights: Array
    targets: Codes
    indices: Codes
    exponent: int
    scale: float

    @property
    def n(self) -> int:
        return len(self.weights)

    def leak(self, size: float) -> float:
        """The leakage of R |c| = ``size`` in this problem's units."""
        try:
            return math.ldexp(size / self.scale, self.exponent)
        except OverflowError:
            return math.inf

    @cached_property
    def _inverted(self) -> tuple[Array, float]:
        """Sigma^-1 and its eta."""
        inverse = np.linalg.inv(self.covariance)
        precision: Array = (inverse + inverse.T) / 2
        off = np.abs(precision @ self.covariance - np.eye(self.n))
        made = np.abs(precision) @ np.abs(self.covariance)
        eta = float((off + (self.n + 2) * UNIT * made).sum(axis=1).max()) * (1 + 1e-9)
        return precision, _bearable(eta)

    @property
    def precision(self) -> Array:
        return self._inverted[0]

    @property
    def inversion(self) -> float:
        """eta of the computed inverse."""
        return self._inverted[1]

    @cached_property
    def eta(self) -> float:
        """eta of the inverse and of eliminating variables from it, or from the covariance."""
        eps = 2 * (self.n + 3) * UNIT  # twice, to cover what is of second order
        d, s = np.sqrt(np.diag(self.precision)), np.sqrt(np.diag(self.covariance))
        spread = max(d @ np.abs(self.covariance) @ d, s @ np.abs(self.precision) @ s)
        return _bearable(self.inversion + 2 * eps * float(spread))

    @cached_property
    def variance(self) -> float:
        """Var(S), rounded up."""
        size = np.abs(self.weights)
        rounded = 2 * (self.n + 2) * UNIT * float(size @ np.abs(self.covariance) @ size)
        return float(self.weights @ self.covariance @ self.weights) + rounded

    def allowed(self, eta: float) -> Array:
        """For each target i by how much such an error may move c_iK, whatever K."""
        moved: Array = 2 * eta * np.sqrt(self.variance * np.diag(self.precision))
        return moved

    @cached_property
    def slack(self) -> Array:
        """The same for values that were found by eliminating variables."""
        return self.allowed(self.eta)

    @cached_property
    def knowing_nothing(self) -> tuple[Array, Array]:
        """c of every target for somebody who knows nothing else, and its rounding."""
        variances = np.diag(self.covariance)
        beside = self.covariance - np.diag(variances)
        rounded = 2 * (self.n + 3) * UNIT * (np.abs(beside) @ np.abs(self.weights)) / variances
        c = self.weights + beside @ self.weights / variances
        return c, rounded + 2 * UNIT * np.abs(c) * (rounded > 0)

    def part(self, members: Codes) -> GaussianProblem:
        """The same question about some variables that are independent of the rest."""
        return GaussianProblem(
            self.covariance[np.ix_(members, members)],
            self.ranges[members],
            self.weights[members],
            np.flatnonzero(np.isin(members, self.targets)),
            self.indices[members],
            self.exponent,
            self.scale,
        )

    def coefficient(self, target: int, known: Sequence[int]) -> tuple[float, float]:
        """c_iK by solving its regression afresh, and an upper end of the error.

        C_TT y = C_TU w_U, T = K + i; then c = w_i + y_i, and |C_TT^-1| |residual| bounds the error.
        """
        kept = np.array([target, *known])
        rest = np.setdiff1d(np.arange(self.n), kept)
        if not rest.size:
            return float(self.weights[target]), 0.0
        within, across = self.covariance[np.ix_(kept, kept)], self.covariance[np.ix_(kept, rest)]
        inverse, right = np.linalg.inv(within), across @ self.weights[rest]
        y = inverse @ right
        sizes = np.abs(across) @ np.abs(self.weights[rest]) + np.abs(within) @ np.abs(y)
        left = np.abs(right - within @ y) + 2 * (self.n + 3) * UNIT * sizes
        c = float(self.weights[target] + y[0])
        return c, 2 * float(np.abs(inverse[0]) @ left) + UNIT * abs(c)

    def reached_by(self, target: int, known: Sequence[int]) -> float:
        """R |c| of one adversary, rounded down."""
        c, error = self.coefficient(target, known)
        return float(self.ranges[target]) * max(abs(c) - error, 0.0) * (1 - 4 * UNIT)

    def largest(self, sizes: Array) -> float:
        """The largest R |c| of a target, rounded up, from the |c| of every variable."""
        return float((self.ranges[self.targets] * sizes[self.targets]).max()) * (1 + 4 * UNIT)


def gaussian_problem(
    covariance: npt.ArrayLike,
    ranges: npt.ArrayLike,
    weights: npt.ArrayLike,
    scale: float,
    targets: Sequence[int] | None = None,
) -> GaussianProblem:
    """The question, checked; variables that do not vary leak nothing and are left out."""
    table = finite_table(covariance, "covariance")
    n = len(table) if table.ndim else 0
    if table.shape != (n, n) or not n:
        raise InputError(f"covariance: shape {table.shape}; a square table")
    widths, sums = finite_list(ranges, n, "ranges"), finite_list(weights, n, "weights")
    if (widths < 0).any():
        raise InputError(f"ranges: has {widths.min():g}; how far apart is 0 or more")
    if not 0 < scale < math.inf:
        raise InputError(f"scale: {scale}; the noise's scale is a positive number")
    asked = list(range(n)) if targets is None else list(targets)
    if not all(target in range(n) for target in asked):
        raise InputError(f"targets: {asked}; indices from 0 to {n - 1}")
    kept = _varying(table)
    wanted = np.isin(kept, asked) & (widths[kept] > 0)
    scaled, exponents = _scaled(table[np.ix_(kept, kept)])
    widths, more = _units(np.ldexp(widths[kept], -exponents))
    sums, again = _units(np.ldexp(sums[kept], exponents))
    return GaussianProblem(scaled, widths, sums, np.flatnonzero(wanted), kept, more + again, scale)


def _varying(table: Array) -> Codes:
    """Who varies; a variable of variance zero must have no covariance either."""
    variances = np.diag(table)
    if (variances < 0).any():
        at = int(variances.argmin())
        raise InputError(f"covariance: variable {at} has the variance {variances[at]:g}")
    fixed = np.flatnonzero(variances == 0)
    if np.any(table[fixed] != 0) or np.any(table[:, fixed] != 0):
        raise InputError(f"covariance: not positive definite, variable {fixed[0]} has variance 0")
    return np.flatnonzero(variances > 0)


def _scaled(table: Array) -> tuple[Array, Codes]:
    """The covariance in units of powers of two, which rounds nothing; checked."""
    exponents = np.frexp(np.sqrt(np.diag(table)))[1].astype(np.intp)
    in_units = np.ldexp(table, -exponents[:, None] - exponents)
    asymmetry = np.abs(in_units - in_units.T)
    if in_units.size and asymmetry.max() > SYMMETRIC:
        i, j = np.unravel_index(int(asymmetry.argmax()), in_units.shape)
        raise InputError(
            f"covariance: not symmetric, [{i}, {j}] is {table[i, j]:g} and [{j}, {i}] is "
            f"{table[j, i]:g}"
        )
    symmetric: Array = (in_units + in_units.T) / 2
    try:
        np.linalg.cholesky(symmetric)
    except np.linalg.LinAlgError:
        raise InputError(
            "covariance: not positive definite; leave out variables that others determine"
        ) from None
    return symmetric, exponents


def _units(numbers: Array) -> tuple[Array, int]:
    """The numbers over a power of two near the largest, and its exponent."""
    exponent = int(np.frexp(np.abs(numbers).max(initial=0.0))[1])
    return np.ldexp(numbers, -exponent), exponent


def _bearable(eta: float) -> float:
    if not eta < ROUGH:
        raise InputError(
            "covariance: so near to singular that rounding decides; leave out variables that "
            "others all but determine"
        )
    return eta
