"""Where the lines of a text file begin to end otherwise: CSV readers take one kind of ends only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from codecs import getincrementaldecoder

__all__ = ["mixed_line_ends"]

CHUNK = 1 << 20
NAMES = {"\n": "LF", "\r\n": "CR LF", "\r": "CR"}
# Between quoted fields: an end, or what a field follows (any delimiter that DuckDB may find); a
# quote opens a field that begins with it, or with blanks and it. Any other is a letter.
PLAIN = re.compile(r'(\r\n|\n|\r)( *")?|[,;|\t]( *")')
# In a quoted field: two quotes are a letter, one closes it.
QUOTED = re.compile(r'(\r\n|\n|\r)|""|(")')
# What may be the first part of such a thing, at the end of a piece.
CUT = {PLAIN: re.compile(r"(\r\n|[\r\n,;|\t]) *\Z"), QUOTED: re.compile(r'[\r"]\Z')}


def mixed_line_ends(path: Path) -> tuple[int, str, str] | None:
    """The first line that ends otherwise than those before it, how those end, and how it does;
    None: all end alike, or it is no text. What is packed is unpacked; an end in a field between
    double quotes is part of a text.
    """
    first = ""
    try:
        for line, (end, quoted) in enumerate(_line_ends(_texts(path)), 1):
            if not quoted:
                first = first or end
                if end != first:
                    return line, NAMES[first], NAMES[end]
    except UnicodeDecodeError:
        pass
    return None
