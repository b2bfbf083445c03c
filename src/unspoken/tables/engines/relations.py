"""What stands behind FROM for files: one alone, or parts that are read as one table."""

from __future__ import annotations

import glob
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from unspoken.core.errors import InputError
from unspoken.tables.engines.files import File
from unspoken.tables.engines.many_files import partitions
from unspoken.tables.engines.sql import literal

__all__ = ["alone", "settled", "together"]

PLAIN, PARTITIONED = (f", hive_partitioning = {word})" for word in ("false", "true"))


def alone(file: File) -> File:
    """The file with what reads it, and nothing of the names of its folders."""
    path = literal(glob.escape(str(file.path)))
    return replace(file, relation=f"{file.reader}({path}{PLAIN}")


def together(
    con: duckdb.DuckDBPyConnection, parts: Sequence[File], folder: Path, where: str
) -> str:
    """What reads these files as one table, with a column for each key=value of their folders."""
    _refuse_unlike(con, parts, where)
    keys = partitions(folder, [part.path for part in parts], where)
    paths = ", ".join(literal(glob.escape(str(part.path))) for part in parts)
    by_name = ", union_by_name = true" if parts[0].reader == "read_csv" else ""  # types, too
    return f"{parts[0].reader}([{paths}]{by_name}{PARTITIONED if keys else PLAIN}"


def settled(con: duckdb.DuckDBPyConnection, relation: str, texts: Collection[str] = ()) -> str:
    """The same with the types of a CSV settled once, from all its rows, but that ``texts`` are."""
    if not relation.startswith("read_csv("):
        return relation
    keys = PARTITIONED if relation.endswith(PARTITIONED) else PLAIN
    head = relation.removesuffix(keys)
    whole = f"{head}, sample_size = -1, files_to_sniff = -1{PLAIN}"
    rows = con.execute(f"DESCRIBE SELECT * FROM {whole}").fetchall()
    typed = {row[0]: "VARCHAR" if row[0] in texts else row[1] for row in rows}
    kinds = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in typed.items())
    return f"{head}, types = {{{kinds}}}{keys}"


def _refuse_unlike(con: duckdb.DuckDBPyConnection, parts: Sequence[File], where: str) -> None:
    """Parts have the same columns. Types are compared where files have them: not those of CSV."""
    first, known = parts[0], dict[str, str]()
    for part in parts:
        if part.reader != first.reader:
            raise InputError(
                f"{where}: {first.name} and {part.name} are of two kinds; read Parquet or CSV"
            )
        rows = con.execute(f"DESCRIBE FROM {part.relation}").fetchall()
        columns = {row[0]: row[1] if part.reader == "read_parquet" else "there" for row in rows}
        known = known or columns
        for name in [*known, *columns]:
            here, there = columns.get(name, "missing"), known.get(name, "missing")
            if here != there:
                raise InputError(
                    f'{where}: column "{name}" is {there} in {first.name} and {here} in '
                    f"{part.name}; write the parts alike"
                )
