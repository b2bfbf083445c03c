"""The files of a source, as the holder calls them: what is wrong with one is said of it by name."""

from __future__ import annotations

import errno
import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from unspoken.core.errors import InputError, shown, unknown
from unspoken.tables.engines.interrupting import interruptible
from unspoken.tables.engines.line_ends import mixed_line_ends
from unspoken.tables.engines.many_files import is_many, listed
from unspoken.tables.engines.syntax import one_line

__all__ = ["CSV", "PARQUET", "File", "blamed", "file_at", "files_at"]

LETTERS = 100  # of a name, in messages
PARQUET = (".parquet", ".pq")
CSV = tuple(f".{kind}{packed}" for kind in ("csv", "tsv") for packed in ("", ".gz", ".zst"))

# Of another machine; a path has one stroke.
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)

# Errors of what was asked of the rows, never of the file they are in.
OF_SQL = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConversionException,
    duckdb.OutOfMemoryException,
    duckdb.OutOfRangeException,
    duckdb.ParserException,
    duckdb.PermissionException,
)
# What DuckDB's CSV reader says beyond what is wrong: options that nobody can give here.
NO_ROOM = "No space left on device"
SHORT = re.compile(rf"^Out of Memory Error|{NO_ROOM}")  # through Arrow an error is of the system
# What a line of more than 2 MB is told as, too.
SNIFFED = "detect the CSV parsing dialect"
# A row as the file has it: raw, and never passed on.
ROW = re.compile(r"^Original Line:.*$", re.MULTILINE)
# What a cell of a Parquet file holds.
TEXT = re.compile(r': value ".*" is not valid UTF8', re.DOTALL)
ADVICE = re.compile(r"\s*(Possible Solution:|The search space used was:).*", re.DOTALL)


@dataclass(frozen=True)
class File:
    """A file: where it is, what the holder calls it, and what stands for it behind FROM."""

    path: Path
    name: str
    relation: str = ""  # a database has none: its tables do

    @property
    def reader(self) -> str:
        """The function of DuckDB that reads it."""
        return "read_parquet" if self.path.name.lower().endswith(PARQUET) else "read_csv"

    @property
    def way(self) -> str:
        """What to do about a file that cannot be read."""
        if self.path.name.lower().endswith(PARQUET):
            return "write this Parquet file again, or name another"
        if self.path.name.lower().endswith(CSV):
            return "save it again as UTF-8 below a line of column names, or as Parquet"
        return "name a DuckDB file that no other program is writing to"


def files_at(folder: Path, given: str, where: str, name: str = "") -> list[File]:
    """The file of this name, or the parts in this folder or of this pattern."""
    _refuse_names(given, where)
    path = Path(os.path.abspath(folder / given))
    if not is_many(path):
        return [file_at(folder, given, where, name)]
    called = name or _called(folder, given)
    try:
        found = listed(path, (*PARQUET, *CSV))
    except OSError as error:
        raise InputError(f"{where}: {called}: {error.strerror}; let your user read it") from None
    if not found:
        way = "in it" if path.is_dir() else "of that pattern"
        raise InputError(
            f'{where}: "{shown(called, LETTERS)}": there is no .parquet or .csv file {way}'
        )
    return [file_at(folder, str(file), where) for file in found]


def _refuse_names(given: str, where: str) -> None:
    """What no file here can be called: nothing, an address, too long or with strange letters."""
    if not given.strip():
        raise InputError(f"{where}: is empty; give the name of a file")
    if ADDRESS.match(given):
        raise InputError(
            f"{where}: is an address, and only local files are read; copy it first, such as with "
            "duckdb -c \"COPY (FROM 's3://...') TO 'table.parquet'\""
        )
    try:
        os.lstat(given)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", errno.ENAMETOOLONG) == errno.ENAMETOOLONG:
            raise InputError(f'{where}: "{shown(given, LETTERS)}" is no name of a file') from None


def file_at(folder: Path, given: str, where: str, name: str = "") -> File:
    """The file of this name, from ``folder``; one line if there is none that can be read."""
    _refuse_names(given, where)
    path = Path(os.path.abspath(folder / given))
    called = name or _called(folder, given)
    if path.is_dir():
        raise InputError(f"{where}: {called} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise InputError(f"{where}: {called} is no regular file; copy what it gives into one")
    if not path.is_file():
        beside = sorted(p.name for p in path.parent.glob("*") if p.is_file())
        wanted = [file for file in beside if file.lower().endswith((*PARQUET, *CSV, ".duckdb"))]
        if not wanted:
            raise InputError(
                f'{where}: there is no file "{called}", nor any table beside it; check the path'
            )
        named = [str(Path(called).with_name(file)) for file in wanted]
        raise unknown(f"{where}, file", called, named, LETTERS)
    if not os.access(path, os.R_OK):
        raise InputError(f"{where}: {called}: Permission denied; let your user read it")
    return File(path, called)


def blamed(error: Exception, files: Iterable[File], con: duckdb.DuckDBPyConnection) -> str:
    """An error as one line: where a file is to blame, with its name and what to do about it."""
    if isinstance(error, duckdb.OutOfMemoryException) or SHORT.search(str(error)):
        return _short_of_room(error)
    text, known = str(error).split("\nLINE ")[0], sorted(files, key=_longest)
    guilty = next((file for file in known if any(path in text for path in _paths(file))), None)
    if guilty is None and not isinstance(error, OF_SQL):
        guilty = next((file for file in known if file.relation and _broken(con, file)), None)
    for file in known:
        for path in _paths(file):
            text = text.replace(path, file.name)
    text = TEXT.sub(": not valid UTF-8", text)
    line = one_line(ADVICE.sub("", ROW.sub("", text)))
    if line.rstrip(".").endswith(SNIFFED):
        mixed = None if guilty is None else _mixed(guilty)
        if mixed is not None:
            return mixed
        line = f"{line.rstrip('.')}, such as where a line has more than 2 MB"
    if guilty is None:
        return line
    line = line.rstrip(".!")
    return f"{line if guilty.name in line else f'{guilty.name}: {line}'}; {guilty.way}"


def _short_of_room(error: Exception) -> str:
    """What to give: disk where it was to spill, else memory."""
    if "max_temp_directory_size" in str(error) or NO_ROOM in str(error):
        return (
            f"TMPDIR ({tempfile.gettempdir()}) is full; set TMPDIR to a folder with more room, or "
            'let more fit into memory, such as memory = "4GB" in [source]'
        )
    more = 'write more in [source], such as memory = "4GB", or fewer threads'
    return f"takes more memory than it may; {more}"


def _mixed(file: File) -> str | None:
    """That the lines of a file do not all end alike, where they do not."""
    try:
        found = mixed_line_ends(file.path)
    except OSError:  # it cannot be unpacked
        return None
    if found is None:
        return None
    line, before, here = found
    return (
        f"{file.name}: line {line:,} ends with {here}, those before it with {before}; save it with "
        "one kind of line ends, such as by an editor or dos2unix"
    )


def _longest(file: File) -> int:
    """So that x.csv is not taken for x.csv.gz."""
    return -len(str(file.path))


def _paths(file: File) -> Iterator[str]:
    """How DuckDB may write the path of a file."""
    yield from dict.fromkeys((str(file.path), glob.escape(str(file.path))))


def _broken(con: duckdb.DuckDBPyConnection, file: File) -> bool:
    """Whether reading every value of the file fails; asked only when something has failed."""
    try:
        interruptible(con.cursor()).execute(
            f"SELECT max(hash(COLUMNS(*))) FROM {file.relation}"
        ).fetchall()
    except duckdb.Error:
        return True
    return False


def _called(folder: Path, given: str) -> str:
    """What a project says: the way from its folder where an absolute path is the longer one."""
    if not os.path.isabs(given):
        return given
    return min(os.path.relpath(given, os.path.abspath(folder)), given, key=len)
