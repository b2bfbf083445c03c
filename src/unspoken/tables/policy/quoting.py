"""Names and texts as TOML writes them."""

from __future__ import annotations

import re

from unspoken.core.errors import cut
from unspoken.tables.column import Cell

__all__ = ["LONGEST", "toml_key", "toml_line", "toml_path", "toml_text", "toml_value"]

LONGEST = 80  # characters of a name that a message shows

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def toml_text(text: str) -> str:
    """A TOML string on one line, of printable characters only; with few escapes where it can."""
    if any(mark in text for mark in '"\\') and "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def toml_line(text: str) -> str:
    """A line of a text that stands between three double quotes, where one alone needs no escape."""
    escaped = "".join(map(_escaped, text))
    apart = '""' not in text and not text.endswith('"')
    return escaped.replace('\\"', '"') if apart else escaped


def toml_value(value: Cell) -> str:
    """A value as TOML writes it; whole numbers without a point, where none is lost."""
    if type(value) is str:
        return toml_text(value)
    if type(value) is float and value.is_integer() and abs(value) < 10**15:
        return str(int(value))
    return str(value).lower()


def toml_key(name: str) -> str:
    """One part of a TOML key: bare if it may be."""
    return name if _BARE_KEY.fullmatch(name) else toml_text(name)


def toml_path(path: tuple[str | int, ...]) -> str:
    """A key as messages name it; items of arrays are named by their array."""
    names = [part for part in path if isinstance(part, str)]
    return ".".join(toml_key(cut(n, LONGEST)) for n in names)


def _escaped(mark: str) -> str:
    if mark in _ESCAPES:
        return _ESCAPES[mark]
    if mark.isprintable():
        return mark
    return f"\\u{ord(mark):04X}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08X}"
