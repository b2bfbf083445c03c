"""Whether an object is of the kind a question takes: one line where it is not."""

from __future__ import annotations

from typing import Any

from unspoken.errors import InputError, shown

__all__ = ["expect", "items", "labels"]


def expect(value: object, kind: type[Any], where: str, hint: str) -> None:
    """Refuse a value that is not of this kind; ``hint`` says what to give."""
    if isinstance(value, kind):
        return
    frame = hasattr(value, "__arrow_c_stream__")  # what is in it may be secret
    given = f"a {type(value).__name__}" if frame else shown(repr(value))
    raise InputError(f"{where}: {given} is no {kind.__name__.lower()}; {hint}")


def items(values: Any, where: str) -> tuple[Any, ...]:
    """What is in a list; a word is no list of letters."""
    try:
        if not isinstance(values, str | bytes):
            return tuple(values)
    except TypeError:
        pass
    raise InputError(f"{where}: a list is expected, write [{shown(repr(values))}]")


def labels(values: Any, where: str) -> tuple[Any, ...]:
    """A list of values that can be told apart; lists, arrays and "not available" cannot."""
    listed = items(values, where)
    for value in listed:
        try:
            hash(value)
            bool(value == value)
        except (TypeError, ValueError):
            raise InputError(
                f"{where}: {shown(repr(value))} is no value; give words or numbers"
            ) from None
    return listed
