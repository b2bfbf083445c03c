"""Whether an object is of the kind a question takes: one line where it is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unspoken.core.errors import InputError, quoted

__all__ = ["check_names", "expect", "is_frame", "items", "labels", "labels_by_name"]


# Python writes no whole number of more than 4,300 digits.
LONGEST_INTEGER = 14_000


def expect(value: object, kind: type[Any], where: str, hint: str) -> None:
    """Refuse a value that is not of this kind; ``hint`` says what to give."""
    if isinstance(value, kind):
        return
    raise InputError(f"{where}: {_said(value)} is no {kind.__name__.lower()}; {hint}")


def is_frame(value: object) -> bool:
    """Whether it is a data frame of any library. Lazy ones would have to work to say their columns,
    so the class is asked.
    """
    return hasattr(type(value), "columns")


def items(values: Any, where: str) -> tuple[Any, ...]:
    """What is in a list; a word is no list of letters."""
    try:
        if not isinstance(values, str | bytes):
            return tuple(values)
    except TypeError:
        pass
    raise InputError(f"{where}: a list is expected, write [{_said(values)}]")


def labels(values: Any, where: str) -> tuple[Any, ...]:
    """A list of values that can be told apart; lists, arrays and "not available" cannot."""
    listed = items(values, where)
    for value in listed:
        try:
            hash(value)
            bool(value == value)
            if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
                raise ValueError
        except (TypeError, ValueError):
            raise InputError(
                f"{where}: {_said(value)} is no value; give words or numbers"
            ) from None
    return listed


def labels_by_name(
    given: Any, where: str, hint: str = "give {name: values}"
) -> dict[str, tuple[Any, ...]]:
    """Such a list for each of some names."""
    expect(given, Mapping, where, hint)
    check_names(given, where)
    return {name: labels(values, f"{where} of {name}") for name, values in given.items()}


def check_names(names: Iterable[object], where: str) -> None:
    """Refuse names of variables that are no words."""
    for name in names:
        expect(name, str, where, "names of variables are words")


def _said(value: object) -> str:
    """How a value is shown in a complaint; what is in a table may be secret."""
    table = hasattr(value, "__arrow_c_stream__")
    return f"a {type(value).__name__}" if table else quoted(value)
