"""What a case file's tables may hold: the annotations of the arguments that their keys are.

An annotation is read as the type of plain data (TOML, JSON) that fits it, and as words for that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from unspoken.core.errors import InputError, UnspokenError, unknown

__all__ = ["checked", "held", "made"]


@dataclass(frozen=True)
class PlainType:
    """``fits``: whether plain data are so; ``single``, ``several``: what it is called."""

    fits: Callable[[Any], bool]
    single: str
    several: str
    example: str  # as TOML writes it

    @property
    def wanted(self) -> str:
        """What to write; tables and lists are shown, a number need not be."""
        shown = self.example.startswith(("{", "["))
        return f"{self.single}, {self.example}" if shown else self.single


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and value in (value // 1, float("inf"))


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | float)


ANYTHING = PlainType(lambda _: True, "anything", "anything", "...")  # its constructor checks it
PLAIN: Mapping[Any, PlainType] = {
    bool: PlainType(lambda value: isinstance(value, bool), "true or false", "true or false", ""),
    float: PlainType(_is_number, "a number", "numbers", "1.0"),
    int: PlainType(_is_whole, "a whole number", "whole numbers", "1"),
    str: PlainType(lambda value: isinstance(value, str), "a word in quotes", "names", '"A"'),
    Hashable: PlainType(_is_label, "a value", "values", "0"),
}


def plain_type_of(kind: Any) -> PlainType:
    """The plain type that an annotation asks for; what is no plain data fits any."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return replace(plain_type_of(inside[0]), single=inside[1], example="")
    if origin in (Union, UnionType):
        return _any_of([plain_type_of(part) for part in inside if _written(part)])
    if origin is Literal:
        words = " or ".join(f'"{word}"' if isinstance(word, str) else f"{word}" for word in inside)
        return PlainType(lambda value: value in inside, words, words, "")
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return _by_name(plain_type_of(inside[1]))
    if inspect.isclass(origin) and issubclass(origin, Iterable) and inside:
        return _list_of(plain_type_of(inside[0]))
    return PLAIN.get(kind, ANYTHING)


def _written(kind: Any) -> bool:
    """Whether files can have it: their keys are words."""
    keys = get_args(kind)[:1] if get_origin(kind) is Mapping else ()
    return kind is not NoneType and not any(get_origin(key) is tuple for key in keys)


def _any_of(types: list[PlainType]) -> PlainType:
    different = list({plain_type.wanted: plain_type for plain_type in types}.values())
    if len(different) == 1:
        return different[0]
    return PlainType(
        lambda value: any(plain_type.fits(value) for plain_type in different),
        "; or ".join(plain_type.wanted for plain_type in different),
        " or ".join(plain_type.several for plain_type in different),
        "",
    )


def _by_name(inner: PlainType) -> PlainType:
    return PlainType(
        lambda value: isinstance(value, Mapping) and all(map(inner.fits, value.values())),
        f"{inner.single} for each name",
        f"tables with {inner.single} for each name",
        f"{{A = {inner.example or '...'}}}",
    )


def _list_of(inner: PlainType) -> PlainType:
    return PlainType(
        lambda value: isinstance(value, list | tuple) and all(map(inner.fits, value)),
        f"a list of {inner.several}",
        f"lists of {inner.several}",
        f"[{inner.example or '...'}]",
    )


def held(where: str, kind: Any, value: Any) -> Any:
    """The value, if it has the type that an annotation asks for."""
    plain_type = plain_type_of(kind)
    if not plain_type.fits(value):
        text = repr(value)
        short = text if len(text) <= 60 else f"{text[:57]}..."
        raise InputError(f"{where}: {short} is not what it takes: {plain_type.wanted}")
    return value


def checked(where: str, kind: type, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table, if its keys are fields of a ``TypedDict`` and hold what these ask for."""
    fields = get_type_hints(kind, include_extras=True)
    for key, value in table.items():
        if key not in fields:
            raise unknown(where, key, fields)
        held(f"{where}.{key}", fields[key], value)
    return table


def made(where: str, make: Callable[..., Any], given: Mapping[str, Any], *first: Any) -> Any:
    """Call a function, or a class, with the table's keys as its arguments after the first ones."""
    kinds = get_type_hints(make.__init__ if inspect.isclass(make) else make)
    arguments = list(inspect.signature(make).parameters.values())[len(first) :]
    named = {each.name: each for each in arguments if each.kind is not each.VAR_KEYWORD}
    options = [each.name for each in arguments if each.kind is each.VAR_KEYWORD]
    for key, value in given.items():
        if key not in named and not options:
            raise unknown(where, key, named)
        held(f"{where}.{key}", kinds[key if key in named else options[0]], value)
    for name, argument in named.items():
        if argument.default is argument.empty and name not in given:
            raise InputError(f"{where}.{name}: is missing")
    try:
        return make(*first, **given)
    except UnspokenError as error:
        raise type(error)(f"[{where}] {error}") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"[{where}] {', '.join(given)}: {error}") from None
