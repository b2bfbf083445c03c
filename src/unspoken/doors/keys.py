"""The keys of a case file's tables: which a constructor takes, and what each may hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from unspoken.errors import InputError, UnspokenError, unknown

__all__ = ["checked", "made", "word"]

Check = Callable[[Any], bool]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and value == value // 1


def _word(value: Any) -> bool:
    return isinstance(value, str)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _words(value: Any) -> bool:
    return _list(value) and all(map(_word, value))


def _scalar_by_name(value: Any) -> bool:
    return _table(value) and all(map(_scalar, value.values()))


def _numbers_by_name(value: Any) -> bool:
    return _table(value) and all(map(_number, value.values()))


def _lists_by_name(value: Any) -> bool:
    return _table(value) and all(map(_scalars, value.values()))


def _scalars(value: Any) -> bool:
    return _list(value) and all(map(_scalar, value))


def _secrets(value: Any) -> bool:
    """Values, or of several targets the values of each."""
    return _list(value) and all(_scalar(own) or _scalars(own) for own in value)


def _tables(value: Any) -> bool:
    return _list(value) and all(map(_table, value))


NUMBER = (_number, "a number")
WHOLE = (_whole, "a whole number")
WORD = (_word, 'a word in quotes, like "A"')
NUMBERS = (_numbers_by_name, "a number for each name, {A = 1.0}")
OPTIONAL = {"int | None": WHOLE, "float | None": NUMBER, "str | None": WORD}

# Words for what an adversary knows, where noise is calibrated.
KNOWLEDGE = ("anything", "nothing")

# What a key holds, by the annotation of the argument it is, if that says all ...
ANNOTATED: Mapping[str, tuple[Check, str]] = {
    "float": NUMBER,
    "int": WHOLE,
    "str": WORD,
    "Mapping[str, float]": NUMBERS,
    **OPTIONAL,
}
# ... or by its name.
NAMED: Mapping[str, tuple[Check, str]] = {
    "asks": (
        lambda value: _number(value) or _numbers_by_name(value),
        "a number of requests, or one for each name, {A = 2}",
    ),
    "calibrate": (_table, "a table, {limit = 1.0}"),
    "compare": (_table, "a table, {limit = 1.0}"),
    "knows": (
        lambda value: _words(value) or _scalar_by_name(value) or value in KNOWLEDGE,
        'a list of names, ["A"], or {A = value}; for noise also "anything" or "nothing"',
    ),
    "limit": (
        lambda value: _number(value) or _numbers_by_name(value),
        "a number of nats, or one for each name, {A = 0.1}",
    ),
    "measures": (_list, 'a list of measures, ["mutual-information"]'),
    "names": (_words, 'a list of names, ["A", "B"]'),
    "odds": (_scalar_by_name, 'what is seen of each, {A = "withheld"}'),
    "outputs": (_scalars, "a list of outputs, one for each column"),
    "parts": (_tables, "a list of mechanisms, [{kind = ...}, {kind = ...}]"),
    "plan": (_table, "a table, {limit = 0.1}"),
    "scale": NUMBER,
    "secret": (_secrets, "a list of values of the target, [0]"),
    "sees": (_words, 'a list of names, ["A"]'),
    "sensitive": (_lists_by_name, "a list of values for each name, {A = [0]}"),
    "target": (
        lambda value: _word(value) or _words(value),
        'a name, "A", or a list of them, ["A", "B"]',
    ),
    "worst": (lambda value: value is True, "true"),
}


def checked(where: str, key: str, value: Any) -> Any:
    """The value of this key, if it has the shape it must have."""
    return _held(where, NAMED[key], value)


def word(where: str, value: Any) -> str:
    """A word."""
    return str(_held(where, WORD, value))


def made(where: str, make: Callable[..., Any], given: Mapping[str, Any], *first: Any) -> Any:
    """Call a constructor with the table's keys as its arguments."""
    everything = list(inspect.signature(make).parameters.values())[len(first) :]
    taken = [own for own in everything if own.kind is not own.VAR_KEYWORD]
    known = {own.name: own for own in taken}
    for key, value in given.items():
        if key not in known and len(taken) < len(everything):  # the options of a measure
            _held(f"{where}.{key}", NUMBER, value)
            continue
        if key not in known:
            raise unknown(where, key, known)
        shape = ANNOTATED.get(str(known[key].annotation)) or NAMED.get(key)
        if shape is not None:
            _held(f"{where}.{key}", shape, value)
    for own in taken:
        if own.default is own.empty and own.name not in given:
            raise InputError(f"{where}.{own.name}: is missing")
    try:
        return make(*first, **given)
    except UnspokenError as error:
        raise type(error)(f"[{where}] {error}") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"[{where}] {', '.join(given)}: {error}") from None


def _held(where: str, shape: tuple[Check, str], value: Any) -> Any:
    fits, wanted = shape
    if not fits(value):
        raise InputError(f"{where}: {_short(value)} is not what it takes: {wanted}")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
