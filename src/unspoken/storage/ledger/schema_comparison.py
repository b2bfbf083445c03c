"""The objects of a ledger's database, compared with those that unspoken makes.

A trigger, a rule, a policy or a view in the place of a table changes what is written or read, and a
column of another type does. Whoever can make one can edit rows too, which the chain of codes finds;
but only after the fact, when what was charged is lost. So none is worked with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import sqlalchemy as sql
from sqlalchemy.dialects import sqlite

from unspoken.core.errors import InputError

__all__ = ["refuse_foreign_objects"]

# What is attached to tables of the first schema in the search path, apart from what makes no
# difference: indices on columns alone, statistics, and defaults of columns that are always given.
# An index on an expression, or with a condition, runs code whenever a row is written.
_ATTACHED = sql.text("""
WITH ours AS (
    SELECT oid, relname, relkind, relpersistence, relrowsecurity FROM pg_catalog.pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:names)
)
SELECT 'relation that is no plain table', relname, relname FROM ours
    WHERE relkind <> 'r' OR relpersistence <> 'p'
UNION ALL SELECT 'row-level security', relname, relname FROM ours WHERE relrowsecurity
UNION ALL SELECT 'trigger', tgname, relname
    FROM ours JOIN pg_catalog.pg_trigger ON tgrelid = ours.oid WHERE NOT tgisinternal
UNION ALL SELECT 'rule', rulename, relname
    FROM ours JOIN pg_catalog.pg_rewrite ON ev_class = ours.oid
UNION ALL SELECT 'policy', polname, relname
    FROM ours JOIN pg_catalog.pg_policy ON polrelid = ours.oid
UNION ALL SELECT 'constraint', conname, relname
    FROM ours JOIN pg_catalog.pg_constraint ON conrelid = ours.oid WHERE contype NOT IN ('p', 'n')
UNION ALL SELECT 'index', pg_class.relname, ours.relname
    FROM ours JOIN pg_catalog.pg_index ON indrelid = ours.oid
    JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
    WHERE indexprs IS NOT NULL OR indpred IS NOT NULL
UNION ALL SELECT 'inherited table', inhrelid::regclass::name, relname
    FROM ours JOIN pg_catalog.pg_inherits ON ours.oid IN (inhparent, inhrelid)
""")
_COLUMNS = sql.text("""
SELECT relname, attname, CASE WHEN attgenerated = '' AND attidentity = ''
        AND attcollation = typcollation THEN format_type(atttypid, atttypmod) ELSE 'other' END
FROM pg_catalog.pg_class
    JOIN pg_catalog.pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    JOIN pg_catalog.pg_type ON atttypid = pg_type.oid
WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:names)
ORDER BY attrelid, attnum
""")
# A part of a statement of SQL: a name in quotes, a word, or a sign.
_TOKEN = re.compile(r'"(?:[^"]|"")*"|\w+|\S', re.ASCII)
_QUOTED_WORD = re.compile(r'"(\w+)"', re.ASCII)
_MASTER = sql.text("SELECT type, name, tbl_name, sql FROM sqlite_master")

Tables = Mapping[str, sql.Table]


def refuse_foreign_objects(connection: sql.Connection, tables: Tables, place: str) -> None:
    """Refuse a ledger whose tables are others, or have something attached to them. A table that is
    not there is no fault.
    """
    found = _of_sqlite if connection.dialect.name == "sqlite" else _of_postgresql
    for fault in found(connection, tables):
        raise InputError(
            f"ledger {place}: has {fault}, which unspoken did not make and which may change what "
            "is charged; remove it, or restore the ledger from a copy"
        )


def _of_sqlite(connection: sql.Connection, tables: Tables) -> Iterator[str]:
    for kind, name, table, text in connection.execute(_MASTER):
        if str(table).lower() not in tables or (kind == "index" and text is None):
            continue
        if kind != "table":
            yield _attached(kind, name, table)
        elif _tokens(text) != _tokens(_made(tables[table.lower()])):
            yield f"the table {name} with other columns or rules"


def _made(table: sql.Table) -> str:
    return str(sql.schema.CreateTable(table).compile(dialect=sqlite.dialect()))


def _tokens(text: object) -> list[str]:
    """The same for whatever version of SQLAlchemy laid it out, but for no other statement."""
    tokens = [token.lower() for token in _TOKEN.findall(str(text))]
    return [token.strip('"') if _QUOTED_WORD.fullmatch(token) else token for token in tokens]


def _attached(kind: str, name: str, table: str) -> str:
    return f"the {kind} {name}" if name == table else f"the {kind} {name} on {table}"


def _of_postgresql(connection: sql.Connection, tables: Tables) -> Iterator[str]:
    names = {"names": list(tables)}
    for kind, name, table in connection.execute(_ATTACHED, names):
        yield _attached(kind, name, table)
    stored = dict[str, dict[str, str]]()
    for table, name, kind in connection.execute(_COLUMNS, names):
        stored.setdefault(table, {})[name] = kind
    for table, columns in stored.items():
        made = {c.name: str(c.type).lower() for c in tables[table].columns}
        for name in sorted({*made, *columns}):
            if made.get(name) != columns.get(name):
                yield f"the column {name} of {table}, missing or of another kind"
