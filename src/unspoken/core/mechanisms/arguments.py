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

from unspoken.core.errors import InputError, quoted
from unspoken.core.types.domain import Symbol

__all__ = [
    "INTEGERS",
    "LABELS",
    "LABELS_BY_NAME",
    "NUMBER",
    "NUMBERS",
    "PART",
    "PARTS",
    "TABLE",
    "TERMS",
    "WEIGHTS",
    "WORD",
    "WORDS",
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
        return self.read(self._checked(value, where))

    def written(self, value: Any, where: str) -> Any:
        """Plain data, from what the constructor took; complains where none can be read back."""
        return self._checked(self.write(value), where)

    def _checked(self, plain: Any, where: str) -> Any:
        if not self.fits(plain):
            raise InputError(f"{where}: {quoted(plain)} is not what it takes: {self.wanted}")
        return plain


# Infinite numbers, and the words for them.
INF = {"inf": math.inf, "-inf": -math.inf}


def _is_number(value: Any) -> bool:
    return value in [*INF] or (isinstance(value, int | float) and not isinstance(value, bool))


def _are_numbers(value: Any) -> bool:
    return all(map(_are_numbers, value)) if _is_list(value) else _is_number(value)


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


def _is_valued(pair: Any) -> bool:
    return _is_list(pair) and len(pair) == 2 and _is_label(pair[0]) and _are_numbers(pair[1])


def _are_integers(value: Any) -> bool:
    return all(map(_are_integers, value)) if _is_list(value) else type(value) is int


def _number(value: Any) -> Any:
    return [*map(_number, value)] if _is_list(value) else INF[value] if _is_word(value) else value


def listed(value: Any) -> Any:
    """Arrays and tuples of numbers as lists, in mappings too."""
    if isinstance(value, Mapping):
        return {name: listed(each) for name, each in value.items()}
    plain = np.asarray(value).tolist() if hasattr(value, "__array__") else value
    if isinstance(plain, list | tuple):
        return [*map(listed, plain)]
    return _infinite(plain) or plain


def _infinite(plain: Any) -> str | None:
    """The word for an infinite number, if it is one."""
    is_float = isinstance(plain, float)  # what else there is cannot always be compared
    return next((word for word, number in INF.items() if is_float and plain == number), None)


def _label(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return INF[value["number"]] if "number" in value else Symbol(value["symbol"])


def _said_label(label: Any) -> Any:
    numpy = getattr(label, "dtype", np.dtype(object)).kind in "biufU"  # and no times
    plain = label.item() if numpy else label
    if isinstance(plain, Symbol):
        return {"symbol": plain.value}
    if not _is_label(plain) or plain != label:
        raise InputError(
            f"mechanism: the label {quoted(label)} cannot be written; use words or numbers"
        )
    word = _infinite(plain)
    return plain if word is None else {"number": word}


def _by_name(each: Argument, wanted: str) -> Argument:
    def of(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: {name: change(given) for name, given in value.items()}

    def fits(value: Any) -> bool:
        named = isinstance(value, Mapping) and all(map(_is_word, value))
        return named and all(map(each.fits, value.values()))

    return Argument(wanted, fits, of(each.read), of(each.write))


NUMBER = Argument("a number", _is_number, _number, listed)
WORD = Argument('a word in quotes, like "A"', _is_word)
WORDS = Argument(
    'a list of words, ["A", "B"]', lambda value: _is_list(value) and all(map(_is_word, value))
)
NUMBERS = _by_name(NUMBER, "a number for each name, {A = 1.0}")
LABELS = Argument(
    "a list of labels, [0, 1]",
    lambda value: _is_list(value) and all(map(_is_label, value)),
    lambda value: tuple(map(_label, value)),
    lambda value: list(map(_said_label, value)),
)
LABELS_BY_NAME = _by_name(LABELS, "a list of values for each name, {A = [0]}")
TABLE = Argument("a table of numbers, [[0.9, 0.1], [0.1, 0.9]]", _are_numbers, _number, listed)
INTEGERS = Argument(
    "lists of whole numbers, [[0, 1], [1]]",
    lambda v: _is_list(v) and _are_integers(v),
    write=listed,
)
_WEIGHTS_BY_NAME = _by_name(TABLE, "")
WEIGHTS = Argument(
    "a number for each variable, {A = 1.0}",
    lambda value: _WEIGHTS_BY_NAME.fits(value) or _are_numbers(value),
    lambda value: (_WEIGHTS_BY_NAME if isinstance(value, Mapping) else TABLE).read(value),
    listed,
)
# Labels keep their types as entries of lists; keys of a table are words.
_BY_VALUE = Argument(
    "",
    lambda value: (
        all(map(_is_word, value)) and all(map(_are_numbers, value.values()))
        if isinstance(value, Mapping)
        else _is_list(value) and all(map(_is_valued, value))
    ),
    lambda value: (
        {word: _number(n) for word, n in value.items()}
        if isinstance(value, Mapping)
        else [[_label(x), _number(n)] for x, n in value]
    ),
    lambda value: [[_said_label(x), listed(number)] for x, number in value.items()],
)
TERMS = _by_name(
    _BY_VALUE, "the number of each value, {A = {red = 1.0}}, or pairs, {A = [[0, 1.0]]}"
)
PART = Argument("a mechanism, {kind = ...}", lambda value: isinstance(value, Mapping))
PARTS = Argument(
    "a list of mechanisms, [{kind = ...}, {kind = ...}]",
    lambda value: _is_list(value) and all(isinstance(part, Mapping) for part in value),
)
