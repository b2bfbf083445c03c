"""Where the lines of a text file begin to end otherwise: CSV readers take one kind of ends only."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa

__all__ = ["mixed_line_ends"]

CHUNK = 1 << 20
NAMES = {"\n": "LF", "\r\n": "CR LF", "\r": "CR"}
# Outside of quoted fields: a quote opens one at the start of a line, or after one of the
# delimiters that DuckDB looks for, blanks aside. Any other quote is a letter.
PLAIN = re.compile(r'(?:(\r\n|\n|\r)|[,;|\t] *(?="))("?)')
# Inside of one: two quotes are a letter, one closes it.
QUOTED = re.compile(r'(\r\n|\n|\r)|""|(")')
PARTS = '\r\n,;|\t "'  # letters that such things are made of


def mixed_line_ends(path: Path) -> tuple[int, str, str] | None:
    """The first line that ends otherwise than those before it, how those end, and how it does;
    None: all end alike, or it is no text. What is packed is unpacked; an end in a field between
    double quotes is part of a text.
    """
    first = ""
    try:
        for line, (end, quoted) in enumerate(_line_ends(_texts(path))):
            if line and not quoted:
                first = first or end
                if end != first:
                    return line, NAMES[first], NAMES[end]
    except ValueError:  # it is no text
        pass
    return None


def _line_ends(texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each end of a line, and whether it is in a quoted field; one before the first line, too."""
    quoted, held = False, "\n"
    for text in chain(texts, [None]):
        read = held + (text or "")
        complete = read if text is None else read.rstrip(PARTS)  # the rest may go on
        held, place = read[len(complete) :], 0
        while found := (QUOTED if quoted else PLAIN).search(complete, place):
            place = found.end()
            if found[1]:
                yield found[1], quoted
            quoted ^= bool(found[2])


def _texts(path: Path) -> Iterator[str]:
    """The file piece by piece, without a mark of its encoding; ValueError: it is no text."""
    decoder = getincrementaldecoder("utf-8-sig")()
    with pa.input_stream(str(path), compression="detect") as file:
        while chunk := file.read(CHUNK):
            text = decoder.decode(chunk)
            if "\0" in text:
                raise ValueError
            yield text
