"""Where the lines of a text file begin to end otherwise: CSV readers take one kind of ends only."""

from __future__ import annotations

import re
from codecs import IncrementalDecoder, getincrementaldecoder
from pathlib import Path

import pyarrow as pa

__all__ = ["mixed_line_ends"]

CHUNK = 1 << 20
END = re.compile(rb'"|\r\n|\n|\r')
NAMES = {b"\n": "LF", b"\r\n": "CR LF", b"\r": "CR"}


def mixed_line_ends(path: Path) -> tuple[int, str, str] | None:
    """The first line that ends otherwise than those before it, how those end, and how it does;
    None: all end alike, or it is no text. What is packed is unpacked; an end between double quotes
    is part of a text.
    """
    line, first, quoted, held = 1, b"", False, b""
    decoder = getincrementaldecoder("utf-8")()
    with pa.input_stream(str(path), compression="detect") as file:
        while chunk := file.read(CHUNK):
            if not _is_text(chunk, decoder):
                return None
            read = held + chunk
            held = b"\r" if read.endswith(b"\r") else b""  # of which the next byte may be a part
            for found in END.findall(read.removesuffix(held)):
                if found == b'"':
                    quoted = not quoted
                    continue
                if not quoted and first and found != first:
                    return line, NAMES[first], NAMES[found]
                first = first if quoted else found
                line += 1
    if held and first and held != first and not quoted:
        return line, NAMES[first], NAMES[held]
    return None


def _is_text(chunk: bytes, decoder: IncrementalDecoder) -> bool:
    try:
        return "\0" not in decoder.decode(chunk)
    except UnicodeDecodeError:
        return False
