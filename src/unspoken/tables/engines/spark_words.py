"""How Spark spells what Arrow, DuckDB and a project say: types, names, sizes, paths; and errors."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.core.errors import InputError
from unspoken.tables.engines.files import PARQUET
from unspoken.tables.engines.many_files import PARTITION
from unspoken.tables.engines.session import bytes_of
from unspoken.tables.engines.syntax import one_line
from unspoken.tables.engines.tasks import ASIDE

__all__ = [
    "NO_JAVA",
    "OF_KEYS",
    "arrow_type",
    "base_of",
    "escaped",
    "file_of",
    "java_size",
    "plain",
    "quoted",
    "read_alike",
    "refuse_alike",
    "said",
    "spelled",
]

GLOB = re.compile(r"([\\\[\]{}*?])")
# What Spark calls the types of Arrow; a column of another one is not read.
KINDS = {
    "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint",
    "uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)",
    "float": "float", "double": "double", "bool": "boolean", "string": "string",
    "date32[day]": "date", "timestamp[us]": "timestamp_ntz", "binary": "binary",
}  # fmt: skip
ARROW = {
    "tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(),
    "float": pa.float32(), "double": pa.float64(), "boolean": pa.bool_(), "string": pa.string(),
    "date": pa.date32(), "timestamp_ntz": pa.timestamp("us"), "binary": pa.binary(),
}  # fmt: skip
OF_KEYS = {"BIGINT": pa.int64(), "VARCHAR": pa.string()}
# Types in files that it refuses as what DuckDB makes of them: coarser moments, and reals.
OTHERWISE = ("timestamp[ns, tz=", "decimal256", "halffloat")
NO_JAVA = "Spark needs Java 17 or newer: install it, or set JAVA_HOME to where it is"
GRAMMAR = str.maketrans(".`", ASIDE)
PYTHON = re.compile(r"[\w.]*(Error|Exception|Warning|Arrow[A-Z]\w+)\b")
CLASSED = re.compile(r"\[[A-Z_]+(\.[A-Z_]+)*\] .*")  # what Spark itself says is wrong
DECIMAL = re.compile(r"decimal(?:128)?\((\d+), ?(\d+)\)")


def spelled(kind: pa.DataType) -> str | None:
    """What Spark calls an Arrow type; None: it has none such."""
    text = str(kind)
    if DECIMAL.fullmatch(text):
        return text.replace("128", "")
    return "timestamp" if text.startswith("timestamp[us, tz=") else KINDS.get(text)


def arrow_type(kind: str, timezone: str) -> pa.DataType | None:
    """The Arrow type of what Spark calls so."""
    decimal = DECIMAL.fullmatch(kind)
    if decimal:
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return pa.timestamp("us", timezone) if kind == "timestamp" else ARROW.get(kind)


def quoted(name: str) -> str:
    """A name in its SQL."""
    return "`" + name.replace("`", "``") + "`"


def plain(name: str) -> str:
    """A name without the letters that `mapInArrow` takes for grammar, however they are quoted."""
    return name.translate(GRAMMAR)


def java_size(memory: str) -> str:
    """A size as Java has it."""
    return f"{int(bytes_of(memory) / 2**20)}m"


def base_of(folder: Path, files: Sequence[Path]) -> Path | None:
    """Where folders key=value begin, if these files lie in some; one file is read by itself."""
    if len(files) == 1:
        return None
    way = Path(os.path.relpath(files[0], folder)).parts[:-1]
    found = next((k for k, step in enumerate(way) if PARTITION.fullmatch(step)), None)
    return None if found is None else Path(os.path.abspath(folder.joinpath(*way[:found])))


def escaped(path: Path) -> str:
    """The path itself, where Spark expects a pattern."""
    return GLOB.sub(r"\\\1", str(path))


def file_of(address: str) -> Path:
    """The file that it calls so: in addresses a space is %20."""
    return Path(unquote(address.removeprefix("file:")))


def read_alike(paths: Sequence[Path]) -> bool:
    """Whether Spark reads these Parquet files, and what DuckDB does; else it needs a copy."""
    hidden = any(path.name.startswith((".", "_")) for path in paths)  # it leaves them out
    if hidden or any(path.suffix.lower() not in PARQUET for path in paths):
        return False
    schema = pq.read_schema(paths[0])  # all parts have the same
    if len({name.lower() for name in schema.names}) < len(schema.names):
        return False  # DuckDB calls the second of a and A otherwise
    return not any(kind.startswith(OTHERWISE) for kind in map(str, schema.types))


def refuse_alike(names: Sequence[str], title: str, where: str) -> None:
    """Refuse columns that SQL of the holder's would take for one another."""
    first = dict[str, str]()
    for name in names:
        other = first.setdefault(name.lower(), name)
        if other is not name:
            raise InputError(
                f'{where}: "{other}" and "{name}" of {title} differ in letter case only, which SQL '
                "does not see; rename one of them in a view"
            )


def said(text: str) -> str:
    """What went wrong, in one line, of all that Spark says about it."""
    lines = text.splitlines()
    last = [line for line in lines if PYTHON.match(line)]
    last = last or [found[0] for line in lines if (found := CLASSED.search(line))]
    if "[JAVA_GATEWAY_EXITED]" in text:
        return f"Java ended before Spark began, and says why above. {NO_JAVA}"
    if "No module named 'unspoken" in text:
        return "Spark's executors have no unspoken; install it there, the same as here"
    line = one_line(last[-1] if last else text)
    if line.startswith("[FAILED_READ_FILE"):
        line = line.partition(". SQLSTATE")[0]
        return f'{line}; write this file again, or take engine = "duckdb"'
    return line
