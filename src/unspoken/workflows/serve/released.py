"""What was released to somebody, read again from its files: never from the protected table."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter, ValidationError

from unspoken.core.errors import InputError
from unspoken.storage.custody.custody import NO_MANIFEST, manifest_at
from unspoken.storage.rows.outputs import Output, lying
from unspoken.storage.rows.reading import missing
from unspoken.tables.policy import Project

__all__ = ["Inclusion", "Paper", "given_of", "papers", "read"]


@dataclass(frozen=True)
class _Released:
    rows: int
    sha256: str
    columns: dict[str, str]


@dataclass(frozen=True)
class _Shape:
    """What is asked of a manifest; more may be in it."""

    release: _Released
    readings: dict[str, dict[str, str]]
    attributes: dict[str, dict[str, Any]]
    estimating: str


_SHAPE = TypeAdapter(_Shape)
TRIES = 3  # another run may be putting a file in its place


@dataclass(frozen=True)
class Paper:
    """The manifest of one file, as plain data."""

    output: Output
    manifest: Mapping[str, Any]

    @property
    def epochs(self) -> tuple[str, ...]:
        """Those that it has rows of."""
        return tuple(self.manifest["readings"])

    @property
    def rows(self) -> int:
        return int(self.manifest["release"]["rows"])


@dataclass(frozen=True)
class Inclusion:
    """How often a cell that may be shown is, in these epochs: ``attributes`` as manifests have it,
    and what recipients may compute from that.
    """

    epochs: tuple[str, ...]
    attributes: Mapping[str, Mapping[str, Any]]
    estimating: str

    @classmethod
    def of(cls, given: Sequence[Paper], names: Sequence[str]) -> list[Inclusion]:
        """Epochs that were released alike are said together."""
        found: dict[str, Inclusion] = {}
        for paper in given:
            rules = paper.manifest["attributes"]
            rules_of = {name: rules[name] for name in names if name in rules}
            said = str(paper.manifest["estimating"])
            key = json.dumps([rules_of, said], sort_keys=True)
            epochs = found[key].epochs if key in found else ()
            found[key] = cls(tuple(dict.fromkeys([*epochs, *paper.epochs])), rules_of, said)
        return list(found.values())

    def among(self, epochs: Collection[str] | None) -> Inclusion:
        """The same about these epochs; None: all."""
        if epochs is None:
            return self
        return replace(self, epochs=tuple(epoch for epoch in self.epochs if epoch in epochs))


def papers(served: Project, epochs: Collection[str] | None = None) -> list[Paper]:
    """The manifests of what was released to whom this project serves: of these epochs, where each
    has a file of its own; None: of all.
    """
    found = list[Paper]()
    for output in lying(served.files, epochs):
        if output.release.is_file() and output.manifest.is_file():
            found.append(_paper(output))
    return found


def given_of(served: Project, epochs: Collection[str] | None) -> set[str]:
    """Of these epochs those that were given before, and maybe others; None: all that were."""
    return {epoch for paper in papers(served, epochs) for epoch in paper.epochs}


def _paper(output: Output) -> Paper:
    """What is asked of a manifest has to be there, whoever wrote over it."""
    said = manifest_at(output.manifest)
    try:
        _SHAPE.validate_python(said)
    except ValidationError:
        raise InputError(f"{output.manifest}: {NO_MANIFEST}") from None
    return Paper(output, said)


def read(
    served: Project, names: Sequence[str], epochs: Sequence[str] | None
) -> tuple[pa.Table | None, list[Paper]]:
    """The released rows of these epochs (None: of all) and their manifests; None: there are none.

    A file counts if it is the one that its manifest is of.
    """
    for _ in range(TRIES):
        asked = [
            paper
            for paper in papers(served, epochs)
            if epochs is None or not {*paper.epochs}.isdisjoint(epochs)
        ]
        parts = [_rows(paper, [*served.source.keys, *_columns(served, names)]) for paper in asked]
        if all(part is not None for part in parts):
            if not parts:
                return None, []
            rows = pa.concat_tables(parts, promote_options="default")
            return rows.sort_by([(key, "ascending") for key in served.source.keys]), asked
    raise InputError(
        f"{served.files.release}: a file there is not the one that its manifest is of; release "
        "again, or restore both from a copy"
    )


def _columns(served: Project, names: Sequence[str]) -> list[str]:
    """The columns that tell of these attributes."""
    columns = list[str]()
    for name in names:
        columns.append(name)
        if served.attributes[name].missing != "never":
            columns.append(missing(name))
    return columns


def _rows(paper: Paper, columns: Sequence[str]) -> pa.Table | None:
    """These columns of a file; None: it is another one than its manifest is of."""
    held = _bytes(paper.output.release)
    if hashlib.sha256(held).hexdigest() != paper.manifest["release"]["sha256"]:
        return None
    there = [name for name in columns if name in paper.manifest["release"]["columns"]]
    return _plain(pq.read_table(io.BytesIO(held), columns=there))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # gone in between: no manifest is of that


def _plain(rows: pa.Table) -> pa.Table:
    """Without dictionaries, which differ from file to file, and without the file's own words."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in rows.columns
    ]
    return pa.table(dict(zip(rows.column_names, columns, strict=True)))
