"""Names and texts as TOML and as SQL write them."""

from __future__ import annotations

import re

__all__ = ["LONGEST", "RESERVED", "sql_name", "sql_text", "toml_key", "toml_path", "toml_text"]

LONGEST = 80  # characters of a name that a message shows

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}

# Words that DuckDB does not take for a column unless they are in quotes.
_RESERVED = """
all analyse analyze and anti any array as asc asof asymmetric at authorization between binary both
by case cast check collate collation column concurrently constraint create cross default deferrable
desc describe distinct do else end except exists extract false fetch for foreign freeze from full
glob group having if ilike in initially inner intersect into is isnull join lambda lateral leading
left like limit map natural not notnull null offset on only or order outer overlaps pivot
pivot_longer pivot_wider placing positional primary qualify references returning right row select
semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast
union unique unpack unpivot using values variadic verbose when where window with
"""
RESERVED = frozenset(_RESERVED.split())


def toml_text(text: str) -> str:
    """A TOML string on one line, of printable characters only; with few escapes where it can."""
    if any(mark in text for mark in '"\\') and "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def toml_key(name: str) -> str:
    """One part of a TOML key: bare if it may be."""
    return name if _BARE_KEY.fullmatch(name) else toml_text(name)


def toml_path(path: tuple[str | int, ...]) -> str:
    """A key as messages name it; items of arrays are named by their array."""
    names = [part for part in path if isinstance(part, str)]
    return ".".join(toml_key(n if len(n) <= LONGEST else n[:LONGEST] + "...") for n in names)


def sql_name(name: str) -> str:
    """A column in SQL: in quotes unless it needs none."""
    if _BARE_NAME.fullmatch(name) and name not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def _escaped(mark: str) -> str:
    if mark in _ESCAPES:
        return _ESCAPES[mark]
    if mark.isprintable():
        return mark
    return f"\\u{ord(mark):04X}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08X}"
