"""Linear queries over a domain, from the weights and terms people write down."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError, quoted
from unspoken.core.mechanisms.arguments import listed
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import check_names, items
from unspoken.core.types.sums import Weight, Weights, term

__all__ = [
    "Terms",
    "Weighted",
    "asks",
    "divided",
    "frozen",
    "linear_queries",
    "merged",
    "parted",
    "written",
]

# A list in the order of the variables or {name: w}; a vector query has a list for each variable.
# Of a variable with terms, {value: number} instead.
Weighted = Mapping[str, Any] | Sequence[npt.ArrayLike] | None
# {name: {value: number}}; of a vector query {name: {value: [numbers]}}. Values not named add 0.
Terms = Mapping[str, Mapping[Any, npt.ArrayLike]] | None

# Answers stay so small that their sums, and sums over scales, are floats; what adds to them stays
# so large that quotients by it are.
LARGEST = 1e140
# Of a part of a sum a float has no digit below 2^-53 of the sum; of one this large it has three.
LOST = 2.0**-43


def frozen(weights: Any, where: str) -> Any:
    """A copy that does not change: plain numbers, lists and arrays of them as tuples."""
    if weights is None:
        return None
    if isinstance(weights, Mapping):
        check_names(weights, where)
        return Frozen({name: _entry(each, f"{where} of {name}") for name, each in weights.items()})
    listed = np.iterable(weights) and not hasattr(weights, "__array__")
    return _plain(items(weights, where) if listed else weights, where)


def _entry(given: Any, where: str) -> Any:
    """A weight, or the terms of values."""
    if isinstance(given, Mapping):
        return Frozen({value: _plain(each, where) for value, each in given.items()})
    return _plain(given, where)


def _plain(weight: Any, where: str) -> Any:
    """Whole numbers stay whole, however large; what is no number is refused."""
    plain = np.asarray(weight).tolist() if hasattr(weight, "__array__") else weight
    if isinstance(plain, list | tuple):
        return tuple(_plain(each, where) for each in plain)
    if isinstance(plain, int | float):
        if plain != number(plain) and math.isinf(number(plain)):
            raise InputError(f"{where}: {quoted(plain)} is more than a float holds; give less")
        return plain
    numbers = _numbers(plain, where)
    return _plain(numbers if np.iterable(plain) else numbers[0], where)


def merged(weights: Any, terms: Any, what: str) -> tuple[Any, Any, Any]:
    """Copies of both that do not change, and what they are together."""
    kept, valued = frozen(weights, f"{what}.weights"), _frozen_terms(terms, f"{what}.terms")
    for name in parted(kept)[1] or ():
        raise InputError(f"{what}.weights of {name}: has values; give them as terms")
    if valued is None or kept is None:
        return kept, valued, kept if valued is None else valued
    if not isinstance(kept, Mapping):
        raise InputError(f"{what}.weights: beside terms give {{name: weight}}, not a list")
    twice = next((name for name in valued if name in kept), None)
    if twice is not None:
        raise InputError(f"{what}.terms of {twice}: has a weight too; give one of them")
    return kept, valued, Frozen({**kept, **valued})


def asks(weights: Weighted, terms: Terms) -> list[tuple[str, str]]:
    """What is added up, for people."""
    said = [("weights", weights), ("terms", terms)]
    facts = [(name, str(listed(given))) for name, given in said if given is not None]
    return facts or [("weights", "1 for every variable")]


def parted(weights: Weighted) -> tuple[Weighted, Terms]:
    """The weights alone and the terms alone, of both in one."""
    if not isinstance(weights, Mapping):
        return weights, None
    terms = {name: each for name, each in weights.items() if isinstance(each, Mapping)}
    plain = {name: each for name, each in weights.items() if name not in terms}
    return plain if plain or not terms else None, terms or None


def _frozen_terms(terms: Any, where: str) -> Any:
    """Of a variable {value: number}, or a list of [value, number], as files have it."""
    if terms is None:
        return None
    if not isinstance(terms, Mapping):
        raise InputError(f"{where}: a table is expected, {{name: {{value: number}}}}")
    return frozen({name: _by_value(e, f"{where} of {name}") for name, e in terms.items()}, where)


def _by_value(given: Any, where: str) -> Mapping[Value, Any]:
    pairs = [*given.items()] if isinstance(given, Mapping) else [*map(_pair, items(given, where))]
    by_value = dict[Value, Any]()
    for pair in pairs:
        try:
            fresh = len(pair) == 2 and pair[0] not in by_value
        except TypeError:
            fresh = False
        if not fresh:
            raise InputError(f"{where}: a number for each value, once, {{value: number}}")
        by_value[pair[0]] = pair[1]
    return by_value


def _pair(entry: Any) -> tuple[Any, ...]:
    return tuple(entry) if isinstance(entry, list | tuple) else ()


def linear_queries(domain: Domain, weights: Weighted, what: str) -> list[Weights]:
    """One {name: weight} for each number asked for; nothing given: the plain sum."""
    plain: list[Weights] = [dict.fromkeys(domain.names, 1.0)]
    queries = plain if weights is None else _queries(domain, weights, what)
    for query in queries:
        _check_sizes(domain, query, what)
    return queries


def written(domain: Domain, queries: Sequence[Weights], names: Sequence[str]) -> Weighted:
    """What `linear_queries` makes these of, as far as they have these variables in them."""

    def of(name: str) -> Any:
        weights = [query.get(name, 0.0) for query in queries]
        if not any(isinstance(weight, tuple) for weight in weights):
            return tuple(weights)
        rows = np.stack([term(domain, weight, name) for weight in weights], axis=-1).tolist()
        return dict(zip(domain.values_of(name), rows, strict=True))

    return {name: of(name) for name in names}


def divided(weight: Weight, by: float) -> Weight:
    """What one variable adds, divided."""
    return tuple(x / by for x in weight) if isinstance(weight, tuple) else weight / by


def _queries(domain: Domain, weights: Weighted, what: str) -> list[Weights]:
    where = f"{what}.weights"
    if not isinstance(weights, Mapping):
        listed = np.atleast_1d(np.asarray(weights, dtype=object))
        if len(listed) != len(domain.names):
            raise InputError(
                f"{where}: {len(listed)} for {len(domain.names)} variables; give a list "
                "with one for each, or {name: weight}"
            )
        weights = dict(zip(domain.names, listed.tolist(), strict=True))
    rows = {name: _of_each_query(domain, name, each, what) for name, each in weights.items()}
    lengths = {len(row) for row in rows.values()}
    if len(lengths) > 1:
        raise InputError(f"{where}: the lists of weights are of lengths {sorted(lengths)}")
    if not sum(lengths):
        raise InputError(f"{where}: is empty; name at least one variable and its weight")
    return [{name: row[c] for name, row in rows.items()} for c in range(lengths.pop())]


def _of_each_query(domain: Domain, name: str, given: Any, what: str) -> list[Weight]:
    """What a variable adds to each number asked for."""
    if not isinstance(given, Mapping):
        where = f"{what}.weights of {name}"
        row = _numbers(given, where).tolist()
        domain.axis(name, f"{what}.weights")
        return [*row]
    where = f"{what}.terms of {name}"
    rows = {value: _numbers(each, where) for value, each in given.items()}
    codes = {domain.code(name, value, f"{what}.terms"): value for value in rows}
    lengths = {len(row) for row in rows.values()}
    if len(lengths) != 1:
        raise InputError(
            f"{where}: lists of lengths {sorted(lengths)}; give each value as many numbers"
            if lengths
            else f"{where}: is empty; name at least one value and its number"
        )
    table = np.zeros((len(domain.values_of(name)), lengths.pop()))
    for code, value in codes.items():
        table[code] = rows[value]
    return [tuple(column) if any(column) else 0.0 for column in table.T.tolist()]


def _check_sizes(domain: Domain, query: Weights, what: str) -> None:
    """Refuse numbers beyond floats, and a variable that rounding hides: noise would not hide it."""
    ends, widths, most = dict[tuple[Value, ...], tuple[float, float]](), dict[str, float](), 0.0
    for name, weight in query.items():
        if not weight:
            continue
        low, high = _ends(domain, name, weight, ends)
        kind, times = ("terms", 1.0) if isinstance(weight, tuple) else ("weights", abs(weight))
        where = f"{what}.{kind}"
        size, widths[name] = times * max(-low, high), times * (high - low)
        if not size < LARGEST:
            raise InputError(f"{where} of {name}: too large; divide {kind} and scale alike")
        if 0 < widths[name] < 1 / LARGEST:
            raise InputError(f"{where} of {name}: too small; multiply {kind} and scale alike")
        most += size
    for name, width in widths.items():
        if 0 < width < LOST * most:
            raise InputError(
                f"{what}.weights of {name}: what it adds, {width:g} at most, is lost in sums up to "
                f"{most:g}; move its values, or the others', nearer to 0, or leave one of them out"
            )


def _ends(
    domain: Domain,
    name: str,
    weight: Weight,
    known: dict[tuple[Value, ...], tuple[float, float]],
) -> tuple[float, float]:
    """The least and the largest of a variable's numbers, or of its terms."""
    if isinstance(weight, tuple):
        return min(weight), max(weight)
    values = domain.values_of(name)
    if values not in known:
        numbers = domain.numbers(name)
        known[values] = float(numbers.min()), float(numbers.max())
    return known[values]


def _numbers(weight: npt.ArrayLike, where: str) -> np.ndarray:
    try:
        row = np.atleast_1d(np.asarray(weight, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        row = np.array([np.nan])
    if row.ndim != 1 or not np.isfinite(row).all():
        raise InputError(f"{where}: must be a number, or a list of numbers for a vector query")
    return row
