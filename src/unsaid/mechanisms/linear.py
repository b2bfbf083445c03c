"""Linear queries over a domain, from the weights people write down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from unsaid.errors import InputError
from unsaid.types.domain import Domain
from unsaid.types.sums import Weights

__all__ = ["Weighted", "linear_queries"]

# A list in the order of the variables or {name: w}; a vector query has a list for each variable.
Weighted = Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | None

# Answers stay so small that their sums, and sums over scales, are floats.
LARGEST = 1e140
# Of a part of a sum a float has no digit below 2^-53 of the sum; of one this large it has three.
LOST = 2.0**-43


def linear_queries(domain: Domain, weights: Weighted, what: str) -> list[Weights]:
    """One {name: weight} for each number asked for; nothing given: the plain sum."""
    if weights is None:
        return [dict.fromkeys(domain.names, 1.0)]
    if not isinstance(weights, Mapping):
        listed = np.atleast_1d(np.asarray(weights, dtype=object))
        if len(listed) != len(domain.names):
            raise InputError(
                f"{what}.weights: {len(listed)} for {len(domain.names)} variables; give a list "
                "with one for each, or {name: weight}"
            )
        weights = dict(zip(domain.names, listed.tolist(), strict=True))
    rows = {name: _numbers(w, f"{what}.weights of {name}") for name, w in weights.items()}
    for name in rows:
        domain.axis(name, f"{what}.weights")
    lengths = {row.size for row in rows.values()}
    if len(lengths) > 1:
        raise InputError(f"{what}.weights: the lists of weights are of lengths {sorted(lengths)}")
    if not sum(lengths):
        raise InputError(f"{what}.weights: is empty; name at least one variable and its weight")
    for name, row in rows.items():
        if row.any() and not np.abs(row).max() * np.abs(domain.numbers(name)).max() < LARGEST:
            raise InputError(f"{what}.weights of {name}: too large; divide weights and scale alike")
    queries: list[Weights] = [
        {name: float(row[c]) for name, row in rows.items()} for c in range(lengths.pop())
    ]
    for query in queries:
        _check_sizes(domain, query, f"{what}.weights")
    return queries


def _check_sizes(domain: Domain, query: Weights, where: str) -> None:
    """Refuse a variable that rounding hides beside the others: noise would not hide it."""
    terms = {name: weight * domain.numbers(name) for name, weight in query.items() if weight}
    most = sum(float(np.abs(term).max()) for term in terms.values())
    for name, term in terms.items():
        if 0 < np.ptp(term) < LOST * most:
            raise InputError(
                f"{where} of {name}: what it adds, {np.ptp(term):g} at most, is lost in sums up to "
                f"{most:g}; move its values, or the others', nearer to 0, or leave one of them out"
            )


def _numbers(weight: npt.ArrayLike, where: str) -> np.ndarray:
    try:
        row = np.atleast_1d(np.asarray(weight, dtype=np.float64))
    except (TypeError, ValueError):
        row = np.array([np.nan])
    if row.ndim != 1 or not np.isfinite(row).all():
        raise InputError(f"{where}: must be a number, or a list of numbers for a vector query")
    return row
