"""Linear queries over a domain, from the weights people write down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.errors import InputError
from unspoken.types.domain import Domain, Value
from unspoken.types.frozen import Frozen
from unspoken.types.kinds import items
from unspoken.types.sums import Weights

__all__ = ["Weighted", "frozen", "linear_queries"]

# A list in the order of the variables or {name: w}; a vector query has a list for each variable.
Weighted = Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | None

# Answers stay so small that their sums, and sums over scales, are floats; what adds to them stays
# so large that quotients by it are.
LARGEST = 1e140
# Of a part of a sum a float has no digit below 2^-53 of the sum; of one this large it has three.
LOST = 2.0**-43


def frozen(weights: Any, where: str) -> Any:
    """A copy of weights that does not change: plain numbers, lists and arrays of them as tuples."""
    if weights is None:
        return None
    if isinstance(weights, Mapping):
        return Frozen({name: _plain(each, f"{where} of {name}") for name, each in weights.items()})
    listed = np.iterable(weights) and not hasattr(weights, "__array__")
    return _plain(items(weights, where) if listed else weights, where)


def _plain(weight: Any, where: str) -> Any:
    """Whole numbers stay whole, however large; what is no number is refused."""
    plain = np.asarray(weight).tolist() if hasattr(weight, "__array__") else weight
    if isinstance(plain, list | tuple):
        return tuple(_plain(each, where) for each in plain)
    if isinstance(plain, int | float):
        return plain
    numbers = _numbers(plain, where)
    return _plain(numbers if np.iterable(plain) else numbers[0], where)


def linear_queries(domain: Domain, weights: Weighted, what: str) -> list[Weights]:
    """One {name: weight} for each number asked for; nothing given: the plain sum."""
    where = f"{what}.weights"
    plain: list[Weights] = [dict.fromkeys(domain.names, 1.0)]
    queries = plain if weights is None else _written(domain, weights, where)
    for query in queries:
        _check_sizes(domain, query, where)
    return queries


def _written(domain: Domain, weights: Weighted, where: str) -> list[Weights]:
    if not isinstance(weights, Mapping):
        listed = np.atleast_1d(np.asarray(weights, dtype=object))
        if len(listed) != len(domain.names):
            raise InputError(
                f"{where}: {len(listed)} for {len(domain.names)} variables; give a list "
                "with one for each, or {name: weight}"
            )
        weights = dict(zip(domain.names, listed.tolist(), strict=True))
    rows = {name: _numbers(w, f"{where} of {name}") for name, w in weights.items()}
    for name in rows:
        domain.axis(name, where)
    lengths = {row.size for row in rows.values()}
    if len(lengths) > 1:
        raise InputError(f"{where}: the lists of weights are of lengths {sorted(lengths)}")
    if not sum(lengths):
        raise InputError(f"{where}: is empty; name at least one variable and its weight")
    return [{name: float(row[c]) for name, row in rows.items()} for c in range(lengths.pop())]


def _check_sizes(domain: Domain, query: Weights, where: str) -> None:
    """Refuse numbers beyond floats, and a variable that rounding hides: noise would not hide it."""
    ends, widths, most = dict[tuple[Value, ...], tuple[float, float]](), dict[str, float](), 0.0
    for name, weight in query.items():
        if not weight:
            continue
        values = domain.values_of(name)
        if values not in ends:
            numbers = domain.numbers(name)
            ends[values] = float(numbers.min()), float(numbers.max())
        low, high = ends[values]
        size, widths[name] = abs(weight) * max(-low, high), abs(weight) * (high - low)
        if not size < LARGEST:
            raise InputError(f"{where} of {name}: too large; divide weights and scale alike")
        if 0 < widths[name] < 1 / LARGEST:
            raise InputError(f"{where} of {name}: too small; multiply weights and scale alike")
        most += size
    for name, width in widths.items():
        if 0 < width < LOST * most:
            raise InputError(
                f"{where} of {name}: what it adds, {width:g} at most, is lost in sums up to "
                f"{most:g}; move its values, or the others', nearer to 0, or leave one of them out"
            )


def _numbers(weight: npt.ArrayLike, where: str) -> np.ndarray:
    try:
        row = np.atleast_1d(np.asarray(weight, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        row = np.array([np.nan])
    if row.ndim != 1 or not np.isfinite(row).all():
        raise InputError(f"{where}: must be a number, or a list of numbers for a vector query")
    return row
