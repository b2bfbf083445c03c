"""Every error unspoken raises, drawn as one tree.

UnspokenError(ValueError)     one line: what is wrong, where, and what to do
├── InputError              something given is wrong (exit code 2)
├── NotKnown                the belief cannot answer the question; names another one that can
├── TooLarge                refused before starting, with the size and the ways out
└── LimitExceeded           would break a limit (exit code 3)
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

__all__ = [
    "InputError",
    "LimitExceeded",
    "NotKnown",
    "TooLarge",
    "UnspokenError",
    "among",
    "cut",
    "in_rows",
    "placed",
    "printable",
    "quoted",
    "shown",
    "unknown",
]


# So many characters of a wrong value are shown, or compared with what it may stand for, and of a
# message that quotes one.
SHOWN, COMPARED = 40, 400
LONGEST = 10_000


# What does not show and is kept: line breaks, and blanks that hold words together.
KEPT = "\n\u00a0"

# More digits than a person reads.
DIGITS = re.compile(r"(\d{20})\d{20,}")

# A word without blanks that is longer than what people write, and what is left of it.
LONG_WORD, QUOTED = re.compile(r"\S{500,}"), 80


def printable(text: str) -> str:
    """Text that only shows: what else a terminal would obey, or turn around, becomes an escape.

    Names, values and paths are written by others: ESC moves the cursor, U+202E reverses what
    follows. Whoever wants one line takes the line breaks out.
    """
    if text.isprintable():  # as nearly all do: not one character after the other
        return text
    return "".join(c if c.isprintable() or c in KEPT else repr(c)[1:-1] for c in text)


class UnspokenError(ValueError):
    """Anything unspoken refuses; the message is one line for a person, whatever it quotes."""

    def __init__(self, message: str) -> None:
        line = DIGITS.sub(r"\1...", re.sub(r"\s*\n\s*", " ", message[:LONGEST]))
        line = LONG_WORD.sub(lambda word: cut(word[0], QUOTED), line)
        super().__init__(printable(line))

    @property
    def place(self) -> str:
        """What the message is about: all before its first colon and blank, if it has one."""
        place, colon, _ = str(self).partition(": ")
        return place if colon else ""

    @property
    def text(self) -> str:
        """What is wrong, and what to do."""
        return str(self).removeprefix(f"{self.place}: ")


class InputError(UnspokenError):
    """Something given is wrong."""


class NotKnown(UnspokenError):
    """The belief does not know what the question needs."""


class TooLarge(UnspokenError):
    """The exact answer costs more than the budget; refused before starting."""


class LimitExceeded(UnspokenError):
    """The answer would break a limit the holder has set. ``fits``: what would not, in words that
    say nothing of what was given out before; empty if nobody has worked it out.
    """

    def __init__(self, message: str, fits: str = "") -> None:
        super().__init__(message)
        self.fits = fits


def unknown(what: str, name: object, options: Iterable[object], letters: int = SHOWN) -> InputError:
    """An InputError for a name that is not among ``options``, with the nearest one that is."""
    known = [str(option) for option in options]
    near = difflib.get_close_matches(shown(name, COMPARED), known, n=1)
    listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else ".")
    hint = f'Did you mean "{near[0]}"?' if near else f"There are: {listed}"
    return InputError(f'{what}: there is no "{shown(name, letters)}". {hint}')


@contextmanager
def placed(place: str) -> Iterator[None]:
    """What is refused within is refused at this place."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def among(what: str, name: object, options: Iterable[str]) -> str:
    """The name, where it is one of these."""
    if not isinstance(name, str) or name not in options:
        raise unknown(what, name, options)
    return name


def shown(value: object, letters: int = SHOWN) -> str:
    """A wrong value in one short line; by its type where it cannot be written."""
    try:
        text = str(value)[:LONGEST]
    except Exception:  # a whole number of 5,000 digits, an object of a user's
        text = f"a {type(value).__name__}"
    return cut(" ".join(text.split()), letters)


def quoted(value: object) -> str:
    """A wrong value as a program writes it, in one short line."""
    try:
        return shown(repr(value))
    except Exception:
        return shown(value)


def in_rows(count: int) -> str:
    """30,000 rows."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def cut(text: str, letters: int) -> str:
    """So many of its letters: where there are more the beginning, and the end, which tells more of
    files and columns than what is between.
    """
    end = (letters - 3) // 2
    return text if len(text) <= letters else f"{text[: letters - 3 - end]}...{text[-end:]}"
