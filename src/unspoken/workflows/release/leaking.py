"""A table and nothing else: which column tells what of which other, by itself.

Every column is in turn the secret, or some are, by SQL over the row. The others are looked at one
by one, each left as it is, at any width of the table: two-way counts are all that this needs. A
value that fewer than five rows have is no group to be named: rare values are taken together first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from unspoken.assessment.table_scan import NotLookedAt, TableScan
from unspoken.core.errors import InputError, unknown
from unspoken.core.types.kinds import expect, items
from unspoken.tables.engines.arrow import missing, numbers, plain
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.handed_in import INDEX, ArrowStream, arrow_table
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.source import Place
from unspoken.tables.policy.identities import identity_of
from unspoken.tables.policy.starter import free_name
from unspoken.workflows.release.coded_columns import CodedColumn, coded_columns
from unspoken.workflows.release.column_pairs import ColumnPairs, Target

__all__ = ["leak", "scan_table"]

HAS = "true"  # the label of a row that has the secret
HAS_NOT = "false"
WITHIN = "it is what the secret is made of"
UNCHOSEN = "it is not among the chosen columns"
BY_SQL = "by [source] sql of a project file (unspoken init)"


def leak(
    table: ArrowStream | str | Path,
    secret: str | Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    database: str | Path | None = None,
) -> TableScan:
    """Which column of a table tells what of which other, by itself, before there is a project.

    ``table``: of pandas, polars or the Arrow world; the path of a Parquet or CSV file; or the name
    of a table of ``database``, a DuckDB file. ``secret``: SQL that is true of some rows, such as
    "stay < 3", or the name of a column, of which each value is a secret; several in a list; None:
    every column is the secret in turn. A row for which it is NULL counts as one for which it is
    true, as in a project; NaN is missing. ``columns``: those that are looked at; None: all.
    """
    if isinstance(table, str | Path) and database is None and _is_project(Path(table)):
        raise InputError(
            f'leak: {table} is a project; unspoken.prepare("{table}").openly() says what answers '
            "of it tell"
        )
    alone = secret is None or type(secret) is str
    secrets = [secret] if alone else items(secret, "leak.secret")
    for each in secrets if secret is not None else ():
        expect(each, str, "leak.secret", 'write SQL over the row, such as "stay < 3"')
    return scan_table(table, database, [*filter(None, secrets)], columns, "leak.{}".format)


def _is_project(path: Path) -> bool:
    # Of names that no file can have os.path says no; a Path raises.
    return path.suffix == ".toml" or os.path.isfile(path / "unspoken.toml")


def scan_table(
    table: ArrowStream | str | Path,
    database: str | Path | None,
    secrets: Sequence[str],
    columns: Sequence[str] | None,
    at: Place,
) -> TableScan:
    """Look at a table; ``at``: what a message about "table", "database", "secret" or "columns"
    begins with.
    """
    opened = _opened(table, database, at)
    rows = opened.count()
    known = [name for name in opened.columns if not INDEX.fullmatch(name)]
    chosen = known if columns is None else _chosen(columns, known, at("columns"))
    found = list(coded_columns(opened, chosen, rows, at("table")))
    coded = [each for each in found if type(each) is CodedColumn]
    others = [each for each in found if type(each) is NotLookedAt]
    others += [
        NotLookedAt(name, "it is not among the chosen columns")
        for name in known
        if name not in chosen
    ]
    asked = [_target(opened, secret, at) for secret in secrets]
    targets = [target for target, _ in asked]
    idle = _idle(coded, targets)
    others += [NotLookedAt(name, WITHIN) for name in known if name in idle]
    compared = [column for column in coded if column.name not in idle]
    if len(compared) + bool(targets) < 2:
        raise _too_few(opened, known, others)
    pairs = ColumnPairs(compared, targets, rows)
    pairs.compare()
    about = [target.column for target in targets] or compared
    return TableScan(
        table=opened.title,
        rows=rows,
        secrets=tuple(secrets),
        findings=tuple(pairs.findings),
        found=pairs.found,
        looked_at=tuple(column.name for column in compared),
        not_looked_at=tuple(others),
        grouped={column.name: column.by for column in compared if column.by},
        comparisons=pairs.comparisons,
        before={c.name: dict(zip(c.values, (c.rows / rows).tolist(), strict=True)) for c in about},
        unsure=tuple(target.column.name for target, unsure in asked if unsure),
    )


def _opened(table: ArrowStream | str | Path, database: str | Path | None, at: Place) -> DuckTable:
    """What each kind of table is opened by."""
    if not isinstance(table, str | Path):
        if database is not None:
            raise InputError(f"{at('database')}: has tables of names; give the name of one")
        frame, title = arrow_table(table, at("table")), f"the {type(table).__name__}"
        return DuckTable.open(frame, title=title, at=at, nan_missing=True)
    file = table if database is not None else os.path.expanduser(table)
    return DuckTable.open(file, database=database, title=str(table), at=at, nan_missing=True)


def _chosen(columns: Sequence[str], known: Sequence[str], where: str) -> list[str]:
    """The columns that somebody chose, in the order of the table."""
    names = list(items(columns, where))
    for name in names:
        expect(name, str, where, "give names of columns")
        if name not in known:
            raise unknown(where, name, known)
    return [name for name in known if name in names]


def _idle(coded: Sequence[CodedColumn], targets: Sequence[Target]) -> set[str]:
    """The columns that every secret is made of, so that they are compared with none."""
    return {c.name for c in coded if targets and all(c.name in t.reads for t in targets)}


# ---------------------------------------------------------------- secrets


def _target(opened: DuckTable, secret: str, at: Place) -> tuple[Target, bool]:
    """A secret as a column of its own, and whether it is NULL for some rows."""
    if secret in opened.columns and opened.columns[secret] != "BOOLEAN":
        (found,) = coded_columns(opened, [secret], opened.count(), at("secret"))
        if type(found) is not CodedColumn:
            reason = found.reason if type(found) is NotLookedAt else ""
            raise InputError(f"{at('secret')}: {secret} cannot be a secret as it is: {reason}")
        return Target(found, tuple(range(len(found.values))), frozenset({secret})), False
    read = RowSQL(opened.columns, opened.title).read(secret, at("secret"), condition=True)
    about = free_name("secret", opened.columns)
    marked = opened.computed({about: read.sql}, at("secret"))
    scan = Scan([about], ordered=False, places={about: at("secret")})
    values = plain(marked.batches(scan).read_all()[about])
    unsure = missing(values)
    has = unsure | (numbers(values) > 0)
    held = int(has.sum())
    if held in (0, len(has)):
        raise _constant(opened, secret, read.columns, held > 0, at("secret"))
    counts = np.array([len(has) - held, held], float)
    column = CodedColumn(secret, has.astype(np.uint8), (HAS_NOT, HAS), counts)
    return Target(column, (1,), frozenset(read.columns)), bool(unsure.any())


def _constant(
    opened: DuckTable, secret: str, reads: Sequence[str], every: bool, where: str
) -> InputError:
    """A secret that no row has, or every row: its values may be written in another way."""
    values = [
        f"{column.name} has {', '.join(map(repr, column.values))}"
        for column in opened.describe(reads)
        if column.values and not identity_of(column)
    ]
    return InputError(
        f"{where}: {secret} is {'true or NULL' if every else 'false'} in every row, so there is "
        f"nothing to tell. {'; '.join(values) or 'See how its values are written'}"
    )


def _too_few(opened: DuckTable, known: Sequence[str], others: Sequence[NotLookedAt]) -> InputError:
    """There is nothing to compare, and why."""
    reasons = "; ".join(f"{column.name}: {column.reason}" for column in others)
    if len(known) < 2:
        reasons = f"there is {known[0]} alone"
    how = BY_SQL if opened.files else "in the frame"
    return InputError(
        f"{opened.title}: no two columns to look at: {reasons}. Make columns of fewer values {how}"
    )
