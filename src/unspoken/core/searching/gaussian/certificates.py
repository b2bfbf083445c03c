"""What no adversary of a Gaussian belief exceeds, for every target at once, in O(n^3).

Reflection (T5): c_iK = w_i + <q, P_U w>, P_U a projection in the metric of Q^-1. As 2 P_U - 1
is a reflection wherever U can be,

    |c_iK| <= (|w_i + c_i| + sqrt((Q_ii - 1 / Sigma_ii) Var(S | x_i))) / 2,    c_i: K empty.

Walks (T6): with <Q> = (Q_ii, -|Q_ij|) positive definite, Q_UU^-1 is at most <Q>_UU^-1, entry by
entry, and that grows with U:  |c_iK| <= (<Q>^-1 |w|)_i / (<Q>^-1)_ii.

Weakest (T7): where Q_ij <= 0 and w >= 0, Q_UU^-1 is not negative and grows with U, so c_iK falls as
K grows: who knows least learns most. Turning the sign of a variable changes no leakage.
"""

from __future__ import annotations

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.searching.gaussian.problem import GaussianProblem, WorstCoefficient

__all__ = ["certificates", "weakest_bounds", "weakest_is_worst"]


def certificates(problem: GaussianProblem) -> Array:
    """For each target, rounded up, the least known |c| that nobody exceeds."""
    best: Array = np.minimum(reflected(problem), walked(problem))
    return best


def reflected(problem: GaussianProblem) -> Array:
    """T5. Q_ii - 1 / Sigma_ii = -sum_j Q_ij Sigma_ij / Sigma_ii subtracts nothing nearly equal."""
    cov, precision, w = problem.covariance, problem.precision, problem.weights
    variances, n = np.diag(cov), problem.n
    beside, size = cov - np.diag(variances), np.abs(cov - np.diag(variances))
    d = np.sqrt(np.diag(precision))
    off = problem.inversion * d[:, None] * d + 2 * (n + 2) * UNIT * np.abs(precision)
    inner = (-(precision * beside).sum(axis=1) + 2 * (off * size).sum(axis=1)) / variances
    # Var(S | x_i), of the others' part of the sum.
    others = np.abs(w) @ np.abs(cov) @ np.abs(w)
    through = (beside @ w) ** 2 / variances
    total = w @ cov @ w - 2 * w * (beside @ w) - w**2 * variances
    outer = total - through + 8 * (n + 3) * UNIT * (others + (size @ np.abs(w)) ** 2 / variances)
    c, rounded = problem.knowing_nothing
    spread = np.sqrt(np.maximum(inner, 0) * np.maximum(outer, 0))
    bound: Array = ((np.abs(w + c) + rounded + spread) / 2) * (1 + 16 * UNIT)
    return bound


def walked(problem: GaussianProblem) -> Array:
    """T6; infinite where it does not apply.

    The last quotient is c of somebody who knows nothing, where <Q> is the precision: the lemma on
    rounding applies. <Q> is positive definite if <Q> y > 0 for some y > 0.
    """
    n, w, precision = problem.n, np.abs(problem.weights), problem.precision
    d = np.sqrt(np.diag(precision))
    off = -np.abs(precision) - (problem.inversion + 4 * UNIT) * d[:, None] * d
    compared = off + np.diag(2 * np.diag(precision))
    try:
        inverse = np.linalg.inv(compared)
    except np.linalg.LinAlgError:
        return np.full(n, np.inf)
    inverse = (inverse + inverse.T) / 2
    made = np.abs(inverse) @ np.abs(compared)
    wrong = np.abs(inverse @ compared - np.eye(n)) + (n + 2) * UNIT * made
    eta, positive = float(wrong.sum(axis=1).max()), inverse.sum(axis=1)
    grown = compared @ positive - 2 * (n + 2) * UNIT * np.abs(compared) @ np.abs(positive)
    if eta > 0.1 or (positive <= 0).any() or (grown <= 0).any():
        return np.full(n, np.inf)
    through = inverse @ w
    moved = 2 * eta * np.sqrt((w @ through) * np.diag(compared))
    bound: Array = (through / np.diag(inverse) + moved) * (1 + 2 * (n + 8) * UNIT)
    return bound


def weakest_is_worst(problem: GaussianProblem) -> WorstCoefficient:
    """T7: who knows nothing else; nobody learns more where the two ends are close."""
    sizes = problem.ranges * np.abs(problem.knowing_nothing[0])
    target = int(problem.targets[int(sizes[problem.targets].argmax())])
    why = "no partial dependence against the weights: who knows least learns most"
    high = problem.largest(weakest_bounds(problem))
    return WorstCoefficient(problem.reached_by(target, ()), high, target, (), why)


def weakest_bounds(problem: GaussianProblem) -> Array:
    """T7: for each target, rounded up, what nobody exceeds; near c of the weakest if it applies.

    Entries Q_ij that are positive, or may be within rounding, are not passed over but paid for:
    without them the weakest adversary is the worst, and by the lemma taking them away, here and
    there, moves c by twice what is allowed for such an error. Infinite where they are too many.
    """
    signs = _signs(problem)
    precision = signs[:, None] * problem.precision * signs
    d = np.sqrt(np.diag(precision))
    positive = np.maximum(precision + problem.inversion * d[:, None] * d, 0.0)
    np.fill_diagonal(positive, 0.0)
    eta = float((np.abs(problem.covariance) @ positive).sum(axis=1).max()) * (1 + 1e-9)
    if eta > 0.1:
        return np.full(problem.n, np.inf)
    c, rounded = problem.knowing_nothing
    bound: Array = (np.abs(c) + rounded + 2 * problem.allowed(eta)) * (1 + 4 * UNIT)
    return bound


def _signs(problem: GaussianProblem) -> Array:
    """Signs that make the weights >= 0 and, beside them, the entries of Q <= 0.

    A variable without a weight is turned away from the strongest entry beside one already turned.
    """
    signs: Array = np.sign(problem.weights)
    size = np.abs(problem.precision)
    while not signs.all() and signs.any():
        free, done = np.flatnonzero(signs == 0), np.flatnonzero(signs)
        near = size[np.ix_(free, done)]
        a, b = np.unravel_index(int(near.argmax()), near.shape)
        entry = problem.precision[free[a], done[b]]
        signs[free[a]] = -signs[done[b]] * (np.sign(entry) or 1.0)
    return np.where(signs == 0, 1.0, signs)
