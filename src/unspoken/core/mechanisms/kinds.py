"""Mechanisms by the word for each, and made of their descriptions: what files and ledgers hold.

from_description(mechanism.describe()) == mechanism
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from unspoken.core.errors import InputError, UnspokenError, quoted, unknown
from unspoken.core.mechanisms.extension import Extension
from unspoken.core.mechanisms.finite import Finite
from unspoken.core.mechanisms.geometric import Geometric
from unspoken.core.mechanisms.laplace import Laplace
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.one_sided import OneSided
from unspoken.core.mechanisms.one_sided_noise import OneSidedNoise
from unspoken.core.mechanisms.randomized_response import RandomizedResponse
from unspoken.core.mechanisms.record_counts import RecordCounts
from unspoken.core.mechanisms.suppression import Suppression
from unspoken.core.mechanisms.together import Together

__all__ = ["MECHANISMS", "from_description"]

MECHANISMS: dict[str, type[Mechanism]] = {
    kind.kind: kind
    for kind in (
        Extension, Finite, Geometric, Laplace, OneSided, OneSidedNoise,
        RandomizedResponse, RecordCounts, Suppression, Together,
    )
}  # fmt: skip
# Mechanisms in mechanisms up to which a description is read.
DEEP = 16


def from_description(description: Mapping[str, Any], where: str = "mechanism") -> Mechanism:
    """The mechanism that plain data describe: {kind: its word, argument: value, ...}."""
    return _made(description, where, DEEP)


def _made(description: Mapping[str, Any], where: str, deep: int) -> Mechanism:
    if not isinstance(description, Mapping):
        raise InputError(f"{where}: is no table; give its kind and its arguments")
    if not deep:
        raise InputError(f"{where}: lies too deep; at most {DEEP} mechanisms in each other")
    given = {name: value for name, value in description.items() if name != "kind"}
    kind = _kind(description, where)
    _check_names(kind, given, where)
    try:
        return kind.made(given, where, partial(_made, deep=deep - 1))
    except UnspokenError as error:
        named = str(error).startswith((where, f"[{where}"))
        raise error if named else type(error)(f"[{where}] {error}") from None
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"[{where}] {', '.join(given)}: {error}") from None


def _kind(description: Mapping[str, Any], where: str) -> type[Mechanism]:
    if "kind" not in description:
        raise InputError(f"{where}.kind: is missing; give one of {', '.join(MECHANISMS)}")
    kind = description["kind"]
    if not isinstance(kind, str):
        raise InputError(f"{where}.kind: {quoted(kind)} is not what it takes: a word in quotes")
    if kind not in MECHANISMS:
        raise unknown(f"{where}.kind", kind, MECHANISMS)
    return MECHANISMS[kind]


def _check_names(kind: type[Mechanism], given: Mapping[str, Any], where: str) -> None:
    """Arguments it has, and all that it needs."""
    for name in given:
        if name not in kind.arguments:
            raise unknown(where, name, kind.arguments)
    for name in _needed(kind):
        if name not in given:
            raise InputError(f"{where}.{name}: is missing")


@cache
def _needed(kind: type[Mechanism]) -> tuple[str, ...]:
    """Those of its arguments that have no default."""
    takes = inspect.signature(kind).parameters
    return tuple(
        name
        for name in kind.arguments
        if name not in takes or takes[name].default is inspect.Parameter.empty
    )
