"""The first minute: a table and nothing else. Which column tells what of which other, by itself.

Every column is in turn the secret, or there is one, SQL over the row. The others are looked at one
by one, each left as it is: views of the belief about the two, learned from all rows. A value that
fewer than FEW rows have is no group to be named: rare values are taken together first.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, count

import numpy as np

from unspoken.beliefs import Joint
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.row_sql import RowSQL
from unspoken.engines.sql import identifier, literal
from unspoken.errors import InputError
from unspoken.learning import counted_pairs
from unspoken.learning.counts.pairs import Pairs
from unspoken.mechanisms import OneSided
from unspoken.numerics.arrays import Array
from unspoken.policy import Project, left_out, starter
from unspoken.policy.columns import MOST_VALUES
from unspoken.policy.guesses import guess_keys
from unspoken.releasing.assessing.few import scarce
from unspoken.releasing.assessing.leaks import Leak, leak
from unspoken.releasing.assessing.rare import Grouped
from unspoken.types.column import ColumnInfo
from unspoken.types.premise import Premise

__all__ = ["HAS", "FirstLook", "first_look"]

ANY = 2**62  # combinations of the values of all columns: only those of pairs are counted
UNIQUE = 0.95  # different whole numbers a row from which a column numbers the rows
HAS = "true"  # the label of a row that has the secret
WHERE = {"table": "TABLE", "database": "--database"}


@dataclass(frozen=True)
class FirstLook:
    """``leaks``: of each secret what each column tells, by itself, the most telling first.

    ``secret``: the SQL that was asked about; None: every column in turn, each value of it.
    ``before``: of each secret the share of rows that have each value. ``few_rows``: whether of two
    columns so few rows have each combination of values that much of what is said is chance.
    ``left_out``: columns that are not looked at, and why. ``unsure``: whether of some rows nobody
    knows if they have the secret, since it is NULL for them; they count as having it.
    """

    table: str
    rows: int
    secret: str | None
    leaks: Mapping[str, Sequence[Leak]]
    before: Mapping[str, Mapping[str, float]]
    few_rows: bool
    left_out: Mapping[str, str]
    unsure: bool = False

    def share_learned(self, entry: Leak) -> float:
        """The share of what there is to tell of a secret: I(X; Y) / H(X)."""
        shares = np.array([share for share in self.before[entry.about].values() if share > 0])
        return min(1.0, entry.information.nats / float(-(shares * np.log(shares)).sum()))


def first_look(table: str, database: str | None = None, secret: str | None = None) -> FirstLook:
    """Look at a table file, or a table of a database; ``secret``: SQL that is true of some rows.

    A row for which it is NULL counts as one for which it is true, as in a project. NaN is missing.
    """
    of = partial(
        DuckTable.open,
        database=database,
        title=table,
        at=lambda k: WHERE.get(k, "TABLE"),
        nan_missing=True,
    )
    file = table if database is not None else os.path.expanduser(table)
    opened = of(file)
    if secret is None:
        return _look(_Columns(opened, opened.describe()), None)
    asked = RowSQL(opened.columns, table).read(secret, "--secret", condition=True)
    about = _free("secret", opened.columns)
    opened.close()
    named = identifier(table) if database is not None else literal(file)
    marked = f"SELECT *, ({asked.sql}) IS NOT FALSE AS {identifier(about)} FROM {named}"
    with_secret = of(sql=marked)
    described = with_secret.describe()
    _refuse_constant(secret, about, asked.columns, described)
    (alone,) = of(sql=f"SELECT ({asked.sql}) AS {identifier(about)} FROM {named}").describe()
    look = _look(_Columns(with_secret, described, about, asked.columns), secret)
    return replace(look, unsure=alone.missing > 0)


@dataclass(frozen=True)
class _Columns:
    """What is looked at: the secret, if it is a column of its own, has ``reads`` within it."""

    table: DuckTable
    described: Sequence[ColumnInfo]
    about: str | None = None
    reads: Sequence[str] = ()

    def project(self, rows: int) -> tuple[Project, dict[str, str]]:
        """Values told apart as `init` would; and why some columns are not looked at."""
        why = dict.fromkeys(self.reads, "is what the secret is made of")
        others = [c for c in self.described if c.name not in why]
        many = min(MOST_VALUES + 1, rows)
        keys = [c for c in others if c.distinct >= many and c.name != self.about]
        named = set(guess_keys(others, rows))
        why |= {
            c.name: "names each row" if c.distinct == rows else "named as a key would be"
            for c in keys
            if c.name in named
        }
        why |= {
            c.name: "has a value of its own in nearly every row"
            for c in keys
            if c.kind != "number" and c.distinct >= UNIQUE * rows and c.name not in why
        }
        rest = [c for c in others if c.name not in why]
        row = _free("row", [c.name for c in self.described])
        why |= {c.name: reason for c, reason in left_out(rest, [row], ANY).items() if reason}
        if set(why) >= {c.name for c in self.described}:
            raise self.too_few(why)
        text = starter(rest, "table.parquet", keys=[row], rows=rows, most=ANY)
        return Project.parse(text, "TABLE"), why

    def too_few(self, why: Mapping[str, str]) -> InputError:
        """There is nothing to compare, and why."""
        reasons = "; ".join(f"{name}: {reason}" for name, reason in why.items())
        text = f"{self.table.title}: no two columns to look at: {reasons.rstrip('.')}"
        return InputError(f"{text}. unspoken init writes a project file, where they can be grouped")


def _free(name: str, taken: Sequence[str] | Mapping[str, str]) -> str:
    """The name, with as many underscores as make it nobody else's."""
    folded = {other.casefold() for other in taken}
    return next(free for n in count() if (free := name + "_" * n) not in folded)


def _refuse_constant(
    secret: str, about: str, reads: Sequence[str], described: Sequence[ColumnInfo]
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
        f"--secret: {secret} is {'true or NULL' if every else 'false'} in every row, so there is "
        f"nothing to tell. {'; '.join(values) or 'See how its values are written'}"
    )


def _look(columns: _Columns, secret: str | None) -> FirstLook:
    rows = columns.table.count()
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
        left_out=why,
    )


@dataclass(frozen=True)
class _Asked:
    """The rows of every two columns, rare values taken together."""

    columns: Sequence[Grouped]
    pairs: Pairs

    @property
    def few_rows(self) -> bool:
        """Of some two columns that are compared."""
        usable = [column for column in self.columns if len(column.values) > 1]
        occur = (np.count_nonzero(self._together(*two)) for two in combinations(usable, 2))
        return scarce(self.pairs.rows, max(map(int, occur), default=0))

    def before(self, target: Grouped) -> dict[str, float]:
        """The share of rows that have each value."""
        place = self.columns.index(target)
        shares = self.pairs.single[place] @ target.way / self.pairs.rows
        return dict(zip(target.values, shares.tolist(), strict=True))

    def about(self, target: Grouped, secret: Sequence[str]) -> tuple[Leak, ...]:
        """What each other column tells of these values of one, the most first."""
        leaks = [
            self._leak(target, column, secret or target.values)
            for column in self.columns
            if column is not target and len(column.values) > 1
        ]
        return tuple(sorted(leaks, key=lambda entry: -entry.information.nats))

    def _together(self, target: Grouped, column: Grouped) -> Array:
        """The rows that have each two of their values."""
        i, j = (self.columns.index(grouped) for grouped in (target, column))
        rows = self.pairs.pair[i, j] if i < j else self.pairs.pair[j, i].T
        return target.way.T @ rows @ column.way

    def _leak(self, target: Grouped, column: Grouped, secret: Sequence[str]) -> Leak:
        """The view of a belief about two columns, the second of which is left as it is."""
        together = self._together(target, column)
        names, values = (target.name, column.name), (target.values, column.values)
        belief = Joint(together, names, values, Premise.learned(self.pairs.rows))
        shown = OneSided({column.name: math.inf}, {})
        return leak(belief, shown, column.name, (column.name,), target.name, secret)
