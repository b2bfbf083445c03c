"""Texts that stand for files and for public names, so that two of them can be compared by line."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

__all__ = ["describe_content", "describe_signatures"]

SQLITE, ZIP, PARQUET, ARROW = b"SQLite format 3\0", b"PK\3\4", b"PAR1", b"ARROW1"
MODULE = re.compile(r"\bunspoken(\.[a-z_]+)+\.(?=[A-Z_])")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def describe_content(content: bytes) -> str:
    """What is in a file: its rows, its tables or its text, and the digest of its bytes."""
    digest = f"sha256 {hashlib.sha256(content).hexdigest()}"
    if content.startswith(SQLITE):  # bytes of pages are SQLite's business, not ours
        database = sqlite3.connect(":memory:")
        database.deserialize(content)
        return "\n".join(database.iterdump())
    if content.startswith(ZIP):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [
                f"--- {member.filename} {member.external_attr:o}\n"
                f"{describe_content(archive.read(member))}"
                for member in archive.infolist()
            ]
        return "\n".join(members)
    if content.startswith((PARQUET, ARROW)):
        try:
            return f"{digest}\n{_describe_table(content)}"
        except pa.ArrowInvalid as error:
            return f"{digest}\ndamaged: {error}"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return digest
    return digest if "\0" in text else text


def _describe_table(content: bytes) -> str:
    is_parquet = content.startswith(PARQUET)
    read = pq.read_table(io.BytesIO(content)) if is_parquet else pa.ipc.open_file(content)
    table = read if is_parquet else read.read_all()
    rows = (json.dumps(row, default=str) for row in table.to_pylist())
    return "\n".join([str(table.schema), str(table.schema.metadata), *rows])


def describe_signatures(prefix: str, names: Mapping[str, object]) -> dict[str, str]:
    """How each public name is called; of classes also their methods and properties.

    Names of modules are left out, since modules are what moves.
    """
    described = {}
    for name, value in names.items():
        for path, text in _described_name(f"{prefix}.{name}", value):
            described[path] = ADDRESS.sub("", MODULE.sub("", text))
    return described


def _described_name(path: str, value: object) -> Iterator[tuple[str, str]]:
    if inspect.isclass(value):
        yield path, f"class {_signature(value)}"
        for name in dir(value):
            if not name.startswith("_"):
                yield f"{path}.{name}", _described_member(inspect.getattr_static(value, name))
    elif callable(value):
        yield path, f"def {_signature(value)}"
    else:
        yield path, repr(value)


def _described_member(member: Any) -> str:
    """A method with how it is called; of anything else its kind."""
    if isinstance(member, staticmethod | classmethod):
        return f"{type(member).__name__} {_signature(member.__func__)}"
    return f"def {_signature(member)}" if inspect.isfunction(member) else type(member).__name__


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(unknown)"
