"""Whether an object is of the kind a question takes: one line where it is not."""

from __future__ import annotations

from typing import Any

from unspoken.errors import InputError

__all__ = ["expect"]

# So many characters of a wrong object are shown.
SHOWN = 40


def expect(value: object, kind: type[Any], where: str, hint: str) -> None:
    """Refuse a value that is not of this kind; ``hint`` says what to give."""
    if isinstance(value, kind):
        return
    text = " ".join(repr(value).split())
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
    raise InputError(f"{where}: {text} is no {kind.__name__.lower()}; {hint}")
