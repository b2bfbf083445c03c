"""A CSV whose lines do not all end alike is refused by the line where that changes."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from csv import reader as reader_of
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.core.errors import InputError
from unspoken.tables.engines import line_ends
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.line_ends import mixed_line_ends

pytestmark = pytest.mark.slow

LF, CR, CRLF = "\n", "\r", "\r\n"
NAMES = {LF: "LF", CR: "CR", CRLF: "CR LF"}


def zst(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


def plain(content: bytes) -> bytes:
    return content


def csv(rows: int, before: str, after: str, change: int) -> str:
    """A table whose lines end otherwise from line ``change`` on; its header is line 1."""
    lines = ["id,a", *(f"{n},x{n}" for n in range(rows))]
    ends = (before if number < change else after for number in range(1, rows + 2))
    return "".join(map("".join, zip(lines, ends, strict=True)))


@pytest.mark.parametrize("pack", [plain, gzip.compress, zst])
@pytest.mark.parametrize(("before", "after"), [(LF, CRLF), (CRLF, LF), (LF, CR), (CR, LF)])
@pytest.mark.parametrize("change", [2, 7, 50_000])
def test_where_lines_end_otherwise(
    tmp_path: Path, before: str, after: str, change: int, pack: Callable[[bytes], bytes]
) -> None:
    ending = {gzip.compress: ".gz", zst: ".zst"}.get(pack, "")
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(pack(csv(60_000, before, after, change).encode()))
    with pytest.raises(InputError) as refused:
        DuckTable.open(path.name, keys=["id"], folder=tmp_path)
    said = f"t.csv{ending}: line {change:,} ends with {NAMES[after]}, those before it with "
    assert f"{said}{NAMES[before]}; save it with one kind of line ends" in str(refused.value)
    assert "2 MB" not in str(refused.value)


@pytest.mark.parametrize("end", [LF, CR, CRLF])
def test_lines_that_end_alike_are_read(tmp_path: Path, end: str) -> None:
    text = csv(10, end, end, 99) + f'10,"two{LF}lines"{end}'
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert DuckTable.open("t.csv", keys=["id"], folder=tmp_path).count() == 11


def test_the_part_of_a_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "1.csv").write_bytes(csv(9, LF, LF, 99).encode())
    (tmp_path / "parts" / "2.csv").write_bytes(csv(9, LF, CRLF, 4).encode())
    with pytest.raises(InputError, match=r"2\.csv: line 4 ends with CR LF"):
        DuckTable.open("parts", folder=tmp_path)


@pytest.mark.parametrize("content", [b"id,a\n1,\xff\n2,x\r\n", b"id,a\n1,\0\n2,x\r\n"])
def test_what_is_no_text_has_no_lines(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert mixed_line_ends(path) is None


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_a_quote_within_a_field_hides_no_line_end(tmp_path: Path, delimiter: str) -> None:
    text = 'a,b\n1,5" x\n2,z\r\n3,z\n4,w\r\n'.replace(",", delimiter)
    (tmp_path / "t.csv").write_bytes(text.encode())
    with pytest.raises(InputError, match=r"line 3 ends with CR LF, those before it with LF"):
        DuckTable.open("t.csv", keys=["a"], folder=tmp_path)


def expected(text: str, delimiter: str) -> tuple[int, str, str] | None:
    """By the records that another reader of CSV finds."""
    lines = list(StringIO(f"{text}.", newline=""))
    blanks = re.compile(f"{re.escape(delimiter)} +")  # between a delimiter and a field
    reader, first = reader_of((blanks.sub(delimiter, x) for x in lines), delimiter=delimiter), ""
    for _ in reader:
        line = lines[reader.line_num - 1]
        end = line[len(line.rstrip("\r\n")) :]
        first = first or end
        if end not in ("", first):
            return reader.line_num, NAMES[first], NAMES[end]
    return None


@settings(max_examples=500, deadline=None)
@given(st.data(), st.sampled_from(",;|\t"), st.integers(1, 4))
def test_wherever_the_file_is_cut_into_pieces(data: st.DataObject, by: str, chunk: int) -> None:
    text = data.draw(st.text(f'aé "\n\r{by}', max_size=16))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_ends, "CHUNK", chunk)
        path = Path(folder, "t.csv")
        path.write_bytes(text.encode())
        assert mixed_line_ends(path) == expected(text, by)
