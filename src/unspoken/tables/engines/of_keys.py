"""A word for each row that its keys alone decide: the name of its epoch, the value of a context."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError
from unspoken.tables.engines.arrow import plain
from unspoken.tables.engines.column_info import kind_of
from unspoken.tables.engines.protocol import Shaped
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression

__all__ = ["OfKeys", "columns_of"]


@dataclass(frozen=True)
class OfKeys:
    """SQL of the holder that names ``what`` of a row ("an epoch"), by steady functions of keys."""

    expression: Expression
    what: str
    where: str
    row: RowSQL = field(repr=False, compare=False)

    @classmethod
    def read(cls, text: str, table: Shaped, what: str, where: str, idle: str) -> OfKeys:
        """Check it: values must not decide what is known of a row. ``idle``: what it does if it
        reads no key, and what to write then.
        """
        row = RowSQL(table.columns, table.title, table.timezone)
        named = row.read(text, where, steady=True)
        if not named.columns:
            raise InputError(f"{where}: reads no key, so {idle}")
        others = sorted(set(named.columns) - set(table.keys))
        if others:
            raise InputError(f"{where}: reads {others[0]}; {what} is a function of the keys alone")
        if kind_of(named.type) == "other" and not named.type.startswith(("TIME", "UUID")):
            raise InputError(f"{where}: gives {named.type}, which is no name; CAST it to VARCHAR")
        return cls(named, what, where, row)

    @classmethod
    def words(cls, batch: pa.RecordBatch, all_of: Mapping[str, OfKeys]) -> dict[str, pa.Array]:
        """What each of these names in each row, as a dictionary of texts; none may be NULL."""
        if not all_of:
            return {}
        (row, *_) = (each.row for each in all_of.values())
        asked = {name: each.expression for name, each in all_of.items()}
        found = row.over(batch, asked, {name: each.where for name, each in all_of.items()})
        return {name: each.encoded(found[name]) for name, each in all_of.items()}

    def with_texts(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, Collection[str]]]:
        """What this names in each row, and for each of these names what SQL takes it for, as text.

        Other types have other texts there (2026-01-01 00:00:00+01), and more than one of a name.
        """
        asked, sql = {"name": self.expression}, f"CAST({self.expression.sql} AS VARCHAR)"
        if self.expression.type != "VARCHAR":
            asked["text"] = Expression(sql, "VARCHAR", self.expression.columns)
        found = self.row.over(batch, asked, dict.fromkeys(asked, self.where))
        words = self.encoded(found["name"])
        names = words.dictionary.to_pylist()
        if "text" not in found:
            return words, {name: [name] for name in names}
        pairs = pa.table([words.indices, found["text"]], ["name", "text"]).group_by(
            ["name", "text"]
        )
        texts: dict[str, list[str]] = {name: [] for name in names}
        for pair in pairs.aggregate([]).to_pylist():
            texts[names[pair["name"]]].append(pair["text"])
        return words, dict(texts)

    def encoded(self, column: pa.Array) -> pa.Array:
        """The column as a dictionary of texts: only what is different is written as text."""
        if column.null_count:
            raise InputError(f"{self.where}: is NULL for some key; every row needs {self.what}")
        values = plain(column).dictionary_encode()
        real = pa.types.is_floating(values.type.value_type)
        if real and not pc.all(pc.is_finite(values.dictionary)).as_py():
            raise InputError(
                f"{self.where}: is infinite or no number for some key, which names nothing; does "
                "it divide by 0?"
            )
        words = values.dictionary.cast(pa.string())
        if len(words.unique()) < len(words):  # two of one text
            return plain(column).cast(pa.string()).dictionary_encode()
        return pa.DictionaryArray.from_arrays(values.indices, words)


def columns_of(all_of: Iterable[OfKeys]) -> tuple[str, ...]:
    """The keys that these read."""
    return tuple(dict.fromkeys(name for each in all_of for name in each.expression.columns))
