"""How much of a belief goes with one variable: k and sigma, which turn epsilon into a leakage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.conversion.information import bound_of, budget_of, nats, share, whole
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.rounding import UNIT, up
from unspoken.core.numerics.tables import table_of
from unspoken.core.types.bound import Bound
from unspoken.core.types.kinds import expect
from unspoken.core.types.premise import Premise

__all__ = ["Dependence", "bound_from_dp", "dependence", "dp_budget", "gaussian_sigmas"]


@dataclass(frozen=True, repr=False)
class Dependence(Shown):
    """For each variable: ``sizes``, how many its block has; ``sigmas``, how far the others move."""

    sizes: Mapping[str, int]
    sigmas: Mapping[str, float]
    premise: Premise

    @property
    def k(self) -> int:
        return max(self.sizes.values())

    @property
    def sigma(self) -> float:
        return max(self.sigmas.values())

    def bound(self, epsilon: float) -> Bound:
        """What an epsilon-DP mechanism leaks at most about the variable worst off."""
        each = {n: bound_of(epsilon, k, self.sigmas[n]) for n, k in self.sizes.items()}
        worst = max(each, key=lambda name: each[name].value)
        return replace(each[worst], premise=self.premise, why=f"{worst}: {each[worst].why}")

    def budget(self, limit: float) -> float:
        """The largest epsilon that keeps the limit for every variable."""
        return min(budget_of(limit, k, self.sigmas[n]) for n, k in self.sizes.items())

    def facts(self) -> list[tuple[str, str]]:
        rows = [(n, f"k {k}, sigma {self.sigmas[n]:.6g}") for n, k in self.sizes.items()]
        worst = [("worst", f"k {self.k}, sigma {self.sigma:.6g}"), ("premise", str(self.premise))]
        return [*rows[:8], *([("...", f"{len(rows) - 8} more")] if len(rows) > 8 else []), *worst]


def bound_from_dp(
    epsilon: float,
    belief: Belief | None = None,
    *,
    k: int | None = None,
    sigma: float | None = None,
) -> Bound:
    """How much an epsilon-DP mechanism leaks at most about a variable of this belief, in nats.

    Or, without one, about a variable of which k - 1 others depend, by at most ``sigma`` in total
    variation.
    """
    epsilon = nats("epsilon", epsilon)
    if belief is not None:
        bounds = [each.bound(epsilon) for each in _structures("bound_from_dp", belief, k, sigma)]
        return replace(max(bounds, key=lambda bound: bound.value), premise=belief.premise)
    return bound_of(epsilon, *_numbers("bound_from_dp", k, sigma))


def dp_budget(
    limit: float,
    belief: Belief | None = None,
    *,
    k: int | None = None,
    sigma: float | None = None,
) -> float:
    """The largest epsilon with `bound_from_dp` at most ``limit``, rounded down."""
    limit = nats("limit", limit)
    if belief is not None:
        return min(each.budget(limit) for each in _structures("dp_budget", belief, k, sigma))
    return budget_of(limit, *_numbers("dp_budget", k, sigma))


def _structures(where: str, belief: Belief, k: int | None, sigma: float | None) -> list[Dependence]:
    if k is not None or sigma is not None:
        raise InputError(f"{where}: a belief says k and sigma itself; give it, or these two")
    expect(belief, Belief, f"{where}.belief", A_BELIEF)
    return [dependence(candidate) for candidate in belief.candidates]


def _numbers(where: str, k: int | None, sigma: float | None) -> tuple[int, float]:
    if k is None or sigma is None:
        raise InputError(f"{where}: give a belief, or both k and sigma")
    return whole(k), share(sigma)


def dependence(belief: Belief) -> Dependence:
    """k and sigma of every variable, as far as the belief knows its own structure.

    sigma_i = max over possible values a, b of TV(P(X_others | a), P(X_others | b)). Given its
    Markov blanket B the rest says no more of X_i, so TV(P(X_B | a), P(X_B | b)) is the same number.
    """
    expect(belief, Belief, "dependence.belief", A_BELIEF)
    sizes = {name: len(block) for block in belief.blocks() for name in block}
    names = belief.domain.names
    sigmas = {name: _sigma(belief, name) for name in names}
    return Dependence({name: sizes[name] for name in names}, sigmas, belief.premise)


def gaussian_sigmas(covariance: npt.ArrayLike, ranges: npt.ArrayLike) -> Array:
    """sigma_i of jointly normal variables: 2 Phi(R_i sqrt(Q_ii - 1/Sigma_ii) / 2) - 1.

    Q inverts the covariance; R_i is how far apart two values of X_i are. From Q Sigma = 1,

        Q_ii - 1/Sigma_ii = -sum over j != i of Q_ij Sigma_ij / Sigma_ii,

    which keeps its digits where dependence is weak; so does 2 Phi(x) - 1 = erf(x / sqrt 2).
    """
    sigma, distances = _covariance(covariance), table_of(ranges, "ranges")
    if distances.shape != sigma.shape[:1] or not (np.isfinite(distances) & (distances >= 0)).all():
        raise InputError("ranges: give |a - b| >= 0, a number for each variable")
    scale = np.sqrt(np.diag(sigma))
    correlation = sigma / np.outer(scale, scale)
    precision = np.linalg.inv(correlation)
    others = precision * correlation * (1.0 - np.eye(len(sigma)))
    moved = np.sqrt(np.maximum(-others.sum(axis=1), 0.0)) * distances / scale
    operations = 16.0 + 4.0 * len(sigma) * float(np.linalg.cond(correlation))
    return np.array(
        [min(1.0, up(math.erf(t / math.sqrt(8.0)), operations)) for t in moved.tolist()]
    )


def _sigma(belief: Belief, name: str) -> float:
    names = [name, *belief.blanket(name)]
    if belief.cells(names) > CELLS:
        raise TooLarge(
            f"dependence of {name}: it and its Markov blanket have {belief.cells(names):,} "
            f"combinations of values, more than {CELLS:,}; sigma = 1 always holds"
        )
    table = belief.marginal(names)
    joint = table.reshape(len(table), -1)
    mass = joint.sum(axis=1)
    rows = joint[mass > 0] / mass[mass > 0, None]
    distance = max(float(np.maximum(row - rows, 0.0).sum(axis=1).max()) for row in rows)
    # Every cell of the two laws is off by a few units, and so, in all, is their distance.
    return min(1.0, up(distance, 64.0) + 16.0 * UNIT) if distance else 0.0


def _covariance(numbers: npt.ArrayLike) -> Array:
    sigma = table_of(numbers, "covariance")
    if sigma.ndim != 2 or sigma.shape[0] != sigma.shape[1] or not np.isfinite(sigma).all():
        raise InputError(f"covariance: shape {sigma.shape}; give a square table of numbers")
    if not np.allclose(sigma, sigma.T, rtol=1e-9, atol=0.0):
        raise InputError("covariance: is not symmetric")
    try:
        np.linalg.cholesky(sigma)
    except np.linalg.LinAlgError:
        raise InputError("covariance: is not positive definite") from None
    return sigma
