"""Where each key of a TOML text stands: the line that an error message names.

tomllib gives values without positions. This reads the text a second time, for positions only, so
it may rely on what tomllib has checked: the text is valid TOML.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["KeyPath", "Lines"]

KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_PART = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
# The four kinds of strings; a long one may end in up to two quotes of its own.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:\'{0,2})'
    r'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]+")


@dataclass(frozen=True)
class Lines:
    """The line of every key path; items of arrays are found by their position, an int."""

    lines: Mapping[KeyPath, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Lines:
        """Find every key in a text that tomllib has read."""
        return cls(_Reading(text.replace("\r\n", "\n")).document())

    def line(self, path: Iterable[str | int]) -> int | None:
        """The line of this key, else of what it would stand in; None if there is no text."""
        whole = tuple(path)
        nearest = (whole[:end] for end in range(len(whole), 0, -1))
        top = 1 if self.lines else None
        return next((self.lines[part] for part in nearest if part in self.lines), top)


class _Reading:
    """One pass over the text; ``at`` is how far it has come."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.lines: dict[KeyPath, int] = {}
        self.tables: dict[KeyPath, int] = {}  # arrays of tables, and how many they have by now

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            table = self._header() if self._peek() == "[" else self._pair(table)
            self._skip(_BLANK)
        return self.lines

    def _header(self) -> KeyPath:
        """``[a.b]`` or ``[[a.b]]``: the table that what follows stands in."""
        start, many = self.at, self.text.startswith("[[", self.at)
        self.at += 1 + many
        table: KeyPath = ()
        keys = self._key()
        for depth, key in enumerate(keys, 1):
            table = (*table, key)
            self._note(table, start)
            if depth < len(keys) and table in self.tables:
                table = (*table, self.tables[table] - 1)
        if many:
            self.tables[table] = self.tables.get(table, 0) + 1
            table = (*table, self.tables[table] - 1)
            self._note(table, start)
        self._skip(_SPACE)
        self.at += 1 + many
        return table

    def _pair(self, table: KeyPath) -> KeyPath:
        """``a.b = value``, noted as a.b and whatever the value holds; gives the table back."""
        start, path = self.at, table
        for key in self._key():
            path = (*path, key)
            self._note(path, start)
        self._skip(_SPACE)
        self.at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)
        return table

    def _key(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            keys.append(_unquoted(self._skip(_PART)))
            if not _DOT.match(self.text, self.at):
                return keys
            self._skip(_DOT)

    def _value(self, path: KeyPath) -> None:
        first = self._peek()
        if first == "[":
            self._array(path)
        elif first == "{":
            self._inline(path)
        else:
            self._skip(_STRING if first in {'"', "'"} else _PLAIN)

    def _array(self, path: KeyPath) -> None:
        self._open()
        item = 0
        while self._peek() != "]":
            self._note((*path, item), self.at)
            self._value((*path, item))
            self._next()
            item += 1
        self.at += 1

    def _inline(self, path: KeyPath) -> None:
        self._open()
        while self._peek() != "}":
            self._pair(path)
            self._next()
        self.at += 1

    def _open(self) -> None:
        self.at += 1
        self._skip(_BLANK)

    def _next(self) -> None:
        """Over a comma, if there is one, to the next item or the closing bracket."""
        self._skip(_BLANK)
        if self._peek() == ",":
            self._open()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Step over what the pattern matches here; valid TOML always has it."""
        match = pattern.match(self.text, self.at)
        if match is None:
            raise ValueError(f"this is no TOML after {self.at} characters")
        self.at = match.end()
        return match.group()

    def _note(self, path: KeyPath, start: int) -> None:
        """The first place counts: a table begins at its first header or dotted key."""
        self.lines.setdefault(path, bisect_right(self.starts, start))


def _unquoted(part: str) -> str:
    """A key as tomllib would read it, escapes and all."""
    return next(iter(tomllib.loads(f"{part} = 0"))) if part[0] in "\"'" else part
