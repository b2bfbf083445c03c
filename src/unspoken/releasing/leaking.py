"""A table and nothing else: which column tells what of which other, by itself.

Every column is in turn the secret, or there is one, SQL over the row. The others are looked at one
by one, each left as it is: views of the belief about the two, learned from all rows. A value that
fewer than FEW rows have is no group to be named: rare values are taken together first.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

import numpy as np

from unspoken.beliefs import Joint
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.handed_in import ArrowStream, arrow_table
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.source import Place
from unspoken.errors import InputError
from unspoken.learning import counted_pairs
from unspoken.learning.counts.pairs import PairCounts
from unspoken.mechanisms import OneSided
from unspoken.numerics.arrays import Array
from unspoken.policy import Project, groupings, left_out, starter
from unspoken.policy.column_checks import MOST_VALUES
from unspoken.policy.guesses import grouped_by, guess_keys
from unspoken.policy.starter import free_name
from unspoken.releasing.assessing import leaks
from unspoken.releasing.assessing.few import scarce
from unspoken.releasing.assessing.first_look import HAS, FirstLook
from unspoken.releasing.assessing.rare import Grouped
from unspoken.types.column import ColumnInfo
from unspoken.types.kinds import expect
from unspoken.types.premise import Premise

__all__ = ["first_look", "leak"]

ANY = 2**62  # combinations of the values of all columns: only those of pairs are counted
UNIQUE = 0.95  # different whole numbers a row from which a column numbers the rows
BY_SQL = "by [source] sql of a project file (unspoken init)"
NAMED = "named as a key would be"
CHANCE = 0.01  # that of columns which do not go together any two look as if they did


def leak(
    table: ArrowStream | str | Path,
    secret: str | None = None,
    *,
    database: str | Path | None = None,
) -> FirstLook:
    """Which column of a table tells what of which other, by itself, before there is a project.

    ``table``: of pandas, polars or the Arrow world; the path of a Parquet or CSV file; or the name
    of a table of ``database``, a DuckDB file. ``secret``: SQL that is true of some rows, such as
    "stay < 3"; None: every column is the secret in turn. A row for which it is NULL counts as one
    for which it is true, as in a project; NaN is missing.
    """
    if secret is not None:
        expect(secret, str, "leak.secret", 'write SQL over the row, such as "stay < 3"')
    if isinstance(table, str | Path) and database is None and _is_project(Path(table)):
        raise InputError(
            f'leak: {table} is a project; unspoken.prepare("{table}").openly() says what answers '
            "of it tell"
        )
    return first_look(table, database, secret, "leak.{}".format)


def _is_project(path: Path) -> bool:
    # Of names that no file can have os.path says no; a Path raises.
    return path.suffix == ".toml" or os.path.isfile(path / "unspoken.toml")


def first_look(
    table: ArrowStream | str | Path, database: str | Path | None, secret: str | None, at: Place
) -> FirstLook:
    """Look at a table; ``at``: what a message about "table", "database" or "secret" begins with."""
    opened = _opened(table, database, at)
    if secret is None:
        return _look(_Columns(opened, opened.describe(), at), None)
    asked = RowSQL(opened.columns, opened.title).read(secret, at("secret"), condition=True)
    about = free_name("secret", opened.columns)
    (alone,) = opened.computed({about: asked.sql}, at("secret")).describe([about])
    marked = opened.computed({about: f"{asked.sql} IS NOT FALSE"}, at("table"))
    described = marked.describe()
    _refuse_constant(secret, about, asked.columns, described, at("secret"))
    look = _look(_Columns(marked, described, at, about, asked.columns), secret)
    return replace(look, unsure=alone.missing > 0)


def _opened(table: ArrowStream | str | Path, database: str | Path | None, at: Place) -> DuckTable:
    """What each kind of table is opened by."""
    if not isinstance(table, str | Path):
        if database is not None:
            raise InputError(f"{at('database')}: has tables of names; give the name of one")
        frame, title = arrow_table(table, at("table")), f"the {type(table).__name__}"
        return DuckTable.open(frame, title=title, at=at, nan_missing=True)
    file = table if database is not None else os.path.expanduser(table)
    return DuckTable.open(file, database=database, title=str(table), at=at, nan_missing=True)


@dataclass(frozen=True)
class _Columns:
    """What is looked at: the secret, if it is a column of its own, has ``reads`` within it."""

    table: DuckTable
    described: Sequence[ColumnInfo]
    at: Place
    about: str | None = None
    reads: Sequence[str] = ()

    @property
    def how(self) -> str:
        """How its columns may be made other ones: a frame where it was made."""
        return BY_SQL if self.table.files else "in the frame"

    def grouped(self, rows: int) -> tuple[_Columns, dict[str, str]]:
        """The same, with fewer values of the columns that have too many; and by what they are.

        Where nothing else is to be looked at those that name the rows are grouped, too.
        """
        reasons = self._reasons(rows)
        found = groupings(reasons, self.how)
        if sum(not why for why in reasons.values()) + len(found) < 2:
            whom = [c for c, why in reasons.items() if why == NAMED]
            found |= {c: way for c in whom if (way := grouped_by(c)) is not None}
        if not found:
            return self, {}
        ways = {column.name: way.sql for column, way in found.items()}
        table = self.table.computed(ways, self.at("table"))
        fewer = {column.name: column for column in table.describe(ways)}
        described = [fewer.get(column.name, column) for column in self.described]
        by = {column.name: way.by for column, way in found.items()}
        return replace(self, table=table, described=described), by

    def project(self, rows: int) -> tuple[Project, dict[str, str]]:
        """Values told apart as `init` would; and why some columns are not looked at."""
        reasons = self._reasons(rows)
        why = {column.name: reason for column, reason in reasons.items() if reason}
        if set(why) >= {c.name for c in self.described}:
            raise self.too_few(why)
        rest = [column for column, reason in reasons.items() if not reason]
        row = free_name("row", [c.name for c in self.described])
        text = starter(rest, "table.parquet", keys=[row], rows=rows, most=ANY)
        return Project.parse(text, "TABLE"), why

    def _reasons(self, rows: int) -> dict[ColumnInfo, str]:
        """Of each column why it is not looked at; empty if it is."""
        keys = {*guess_keys([c for c in self.described if c.name not in self.reads], rows)}
        in_order = sorted(self.described, key=lambda column: column.name not in self.reads)
        why = {column: self._reason(column, rows, keys) for column in in_order}
        rest = [column for column, reason in why.items() if not reason]
        row = free_name("row", [c.name for c in self.described])
        return why | left_out(rest, [row], ANY, how=self.how)

    def _reason(self, column: ColumnInfo, rows: int, keys: Collection[str]) -> str:
        """Why a column by itself says who or which row it is, or is the secret; else empty."""
        if column.name in self.reads:
            return "is what the secret is made of"
        if column.name == self.about or column.distinct < min(MOST_VALUES + 1, rows):
            return ""
        if column.name in keys:
            return "names each row" if column.distinct == rows else NAMED
        number = column.kind == "number" or column.amounts
        each = not number and column.distinct >= UNIQUE * rows
        return "has a value of its own in nearly every row" if each else ""

    def too_few(self, why: Mapping[str, str]) -> InputError:
        """There is nothing to compare, and why."""
        given = [c.name for c in self.described if c.name != self.about]
        reasons = "; ".join(
            f"{name}: {reason.rstrip('.')}" for name, reason in why.items() if reason
        )
        if len(given) < 2:
            reasons = f"there is {given[0]} alone"
        way = f"Make columns of fewer values {self.how}; names of people say nothing in groups"
        return InputError(f"{self.table.title}: no two columns to look at: {reasons}. {way}")


def _refuse_constant(
    secret: str, about: str, reads: Sequence[str], described: Sequence[ColumnInfo], where: str
) -> None:
    """A secret that no row has, or every row: its values may be written in another way."""
    known = {column.name: column for column in described}
    if known[about].distinct > 1:
        return
    every = bool(known[about].values[0])
    values = [
        f"{name} has {', '.join(map(repr, known[name].values))}"
        for name in reads
        if name in known and known[name].values
    ]
    raise InputError(
        f"{where}: {secret} is {'true or NULL' if every else 'false'} in every row, so there is "
        f"nothing to tell. {'; '.join(values) or 'See how its values are written'}"
    )


def _look(columns: _Columns, secret: str | None) -> FirstLook:
    rows = columns.table.count()
    columns, by = columns.grouped(rows)
    project, why = columns.project(rows)
    labels, pairs = counted_pairs(project, columns.table)
    grouped = [
        Grouped.of(name, column.names, held)
        for name, column, held in zip(project.attributes, labels, pairs.single, strict=True)
    ]
    why |= {g.name: "has one value in all but a few rows" for g in grouped if len(g.values) < 2}
    usable = [g for g in grouped if len(g.values) > 1]
    abouts = [g for g in usable if columns.about in (None, g.name)]
    if len(usable) < 2 or not abouts:
        raise columns.too_few(why)
    asked = _Asked(grouped, pairs)
    return FirstLook(
        table=columns.table.title,
        rows=rows,
        secret=secret,
        leaks={g.name: asked.about(g, () if secret is None else (HAS,)) for g in abouts},
        before={g.name: asked.before(g) for g in abouts},
        few_rows=asked.few_rows,
        by_chance=asked.by_chance(abouts),
        left_out=why,
        grouped=by,
    )


def _shown(together: Array, level: float) -> float:
    """2 n I(X; Y), as a share of what independent columns show at most, but at this level; their
    chi-squared by Wilson and Hilferty.
    """
    law = together / together.sum()
    independent = np.outer(law.sum(1), law.sum(0))
    there = law > 0
    shown = 2 * together.sum() * float((law[there] * np.log(law[there] / independent[there])).sum())
    degrees = (together.shape[0] - 1) * (together.shape[1] - 1)
    spread = 2 / (9 * degrees)
    most = degrees * (1 - spread + NormalDist().inv_cdf(1 - level) * math.sqrt(spread)) ** 3
    return float(shown / most)


@dataclass(frozen=True)
class _Asked:
    """The rows of every two columns, rare values taken together."""

    columns: Sequence[Grouped]
    pairs: PairCounts

    @property
    def few_rows(self) -> bool:
        """Of some two columns that are compared."""
        usable = [column for column in self.columns if len(column.values) > 1]
        occur = (np.count_nonzero(self._together(*two)) for two in combinations(usable, 2))
        return scarce(self.pairs.rows, max(map(int, occur), default=0))

    def by_chance(self, targets: Sequence[Grouped]) -> frozenset[tuple[str, str]]:
        """(secret, column) of which columns that do not go together would show as much.

        Of n independent rows 2 n I(X; Y) nats are chi-squared then, of (r - 1)(c - 1) degrees, all
        together with a chance of CHANCE to be more.
        """
        usable = [column for column in self.columns if len(column.values) > 1]
        looked = [(t, c) for t in targets for c in usable if t is not c]
        level = CHANCE / len({frozenset({t.name, c.name}) for t, c in looked})
        return frozenset(
            (target.name, column.name)
            for target, column in looked
            if _shown(self._together(target, column), level) <= 1.0
        )

    def before(self, target: Grouped) -> dict[str, float]:
        """The share of rows that have each value."""
        place = self.columns.index(target)
        shares = self.pairs.single[place] @ target.way / self.pairs.rows
        return dict(zip(target.values, shares.tolist(), strict=True))

    def about(self, target: Grouped, secret: Sequence[str]) -> tuple[leaks.Leak, ...]:
        """What each other column tells of these values of one, the most first."""
        found = [
            self._leak(target, column, secret or target.values)
            for column in self.columns
            if column is not target and len(column.values) > 1
        ]
        return tuple(sorted(found, key=lambda entry: -entry.information.nats))

    def _together(self, target: Grouped, column: Grouped) -> Array:
        """The rows that have each two of their values."""
        i, j = (self.columns.index(grouped) for grouped in (target, column))
        rows = self.pairs.pair[i, j] if i < j else self.pairs.pair[j, i].T
        return target.way.T @ rows @ column.way

    def _leak(self, target: Grouped, column: Grouped, secret: Sequence[str]) -> leaks.Leak:
        """The view of a belief about two columns, the second of which is left as it is."""
        together = self._together(target, column)
        names, values = (target.name, column.name), (target.values, column.values)
        belief = Joint(together, names, values, Premise.learned(self.pairs.rows))
        shown = OneSided({column.name: math.inf}, {})
        return leaks.leak(belief, shown, column.name, (column.name,), target.name, secret)
