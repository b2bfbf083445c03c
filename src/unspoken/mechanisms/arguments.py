"""The arguments of mechanisms as plain data, which JSON and TOML hold, and back without a change.

A number that is infinite is the word "inf". Labels keep their types (1, 1.0, True, "1" and None
are five labels); those JSON has no word for are tables: {symbol = "withheld"}, {number = "inf"}.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unspoken.display import json_number
from unspoken.errors import InputError
from unspoken.types.domain import Symbol

__all__ = [
    "LABELS",
    "LABELS_BY_NAME",
    "NUMBER",
    "NUMBERS",
    "PARTS",
    "TABLE",
    "WEIGHTS",
    "WORD",
    "Argument",
    "listed",
]


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Argument:
    """``fits``: whether plain data are of its shape; ``wanted`` says which that is."""

    wanted: str
    fits: Callable[[Any], bool]
    read: Callable[[Any], Any] = _same
    write: Callable[[Any], Any] = _same

    def held(self, value: Any, where: str) -> Any:
        """What the constructor takes, from plain data; complains where they are of other shape."""
        if not self.fits(value):
            text = repr(value)
            short = text if len(text) <= 60 else f"{text[:57]}..."
            raise InputError(f"{where}: {short} is not what it takes: {self.wanted}")
        return self.read(value)


def _is_number(value: Any) -> bool:
    return value == "inf" or (isinstance(value, int | float) and not isinstance(value, bool))


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_label(value: Any) -> bool:
    if isinstance(value, Mapping):
        return len(value) == 1 and any(map(_is_said, value.items()))
    return value is None or isinstance(value, str | int | float)


def _is_said(item: tuple[Any, Any]) -> bool:
    return item in [*(("symbol", symbol.value) for symbol in Symbol), *(("number", w) for w in INF)]


def _are_labels(value: Any) -> bool:
    return _is_list(value) and all(map(_is_label, value))


def _by_name(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, Mapping) and all(map(_is_word, value)) and all(map(fits, value.values()))
    )


def _are_weights(value: Any) -> bool:
    weights = [*value.values()] if isinstance(value, Mapping) else value
    return _are_numbers(weights)


def _are_numbers(value: Any) -> bool:
    return all(map(_are_numbers, value)) if _is_list(value) else _is_number(value)


# Infinite labels, and the words for them.
INF = {"inf": math.inf, "-inf": -math.inf}


def _number(value: Any) -> Any:
    return math.inf if value == "inf" else value


def _label(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return INF[value["number"]] if "number" in value else Symbol(value["symbol"])


def _said_label(label: Any) -> Any:
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, Symbol):
        return {"symbol": plain.value}
    for word, number in INF.items():
        if plain == number:
            return {"number": word}
    if not _is_label(plain) or plain != plain:
        raise InputError(f"mechanism: the label {label!r} cannot be written; use words or numbers")
    return plain


def _labels(value: Any) -> Any:
    return tuple(map(_label, value))


def _said_labels(labels: Any) -> Any:
    return list(map(_said_label, labels))


def listed(value: Any) -> Any:
    """Arrays and tuples of numbers as lists, in mappings too."""
    if isinstance(value, Mapping):
        return {name: listed(each) for name, each in value.items()}
    plain = value.tolist() if hasattr(value, "tolist") else value
    return [*map(listed, plain)] if isinstance(plain, list | tuple) else plain


NUMBER = Argument("a number", _is_number, _number, json_number)
WORD = Argument('a word in quotes, like "A"', _is_word)
NUMBERS = Argument(
    "a number for each name, {A = 1.0}",
    _by_name(_is_number),
    lambda value: {name: _number(number) for name, number in value.items()},
    lambda value: {name: json_number(number) for name, number in value.items()},
)
LABELS = Argument("a list of labels, [0, 1]", _are_labels, _labels, _said_labels)
LABELS_BY_NAME = Argument(
    "a list of values for each name, {A = [0]}",
    _by_name(_are_labels),
    lambda value: {name: _labels(labels) for name, labels in value.items()},
    lambda value: {name: _said_labels(labels) for name, labels in value.items()},
)
WEIGHTS = Argument("a number for each variable, {A = 1.0}", _are_weights, write=listed)
TABLE = Argument("a table of numbers, [[0.9, 0.1], [0.1, 0.9]]", _are_numbers, write=listed)
PARTS = Argument(
    "a list of mechanisms, [{kind = ...}, {kind = ...}]",
    lambda value: _is_list(value) and all(isinstance(part, Mapping) for part in value),
)
