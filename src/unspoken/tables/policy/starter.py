"""The project file that `unspoken init TABLE` writes: guesses to edit, and why they are so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from unspoken.core.errors import in_rows
from unspoken.tables.column import FEW_ROWS, Cell, ColumnInfo, Grouping
from unspoken.tables.engines.sql import literal, name_in_sql
from unspoken.tables.policy.column_checks import KEY_KINDS, MOST_VALUES
from unspoken.tables.policy.guesses import guess_keys, guess_unit, is_named, named_by
from unspoken.tables.policy.identities import identity_of
from unspoken.tables.policy.proposed import contexts, epoch, history
from unspoken.tables.policy.quoting import toml_key, toml_line, toml_text, toml_value
from unspoken.tables.policy.suitable_columns import (
    MOST_COMBINATIONS,
    bin_edges,
    groupings,
    left_out,
    unlike_columns,
)
from unspoken.tables.round_edges import round_edges

__all__ = ["free_name", "starter"]

COMMENTS_AT = 28  # the column in which comments beside a value begin
WIDTH = 100

TOP = """\
# What may be released of a table, and how much that may say about the rest of it.
# Written by `unspoken init`: guesses, to be edited. Then: unspoken leak, plan, release.
format = 1
"""

EPOCH = """
[epoch]
label = "1"                 # what is read under a label stays as first read; new data: a new label
"""

ABOUT_ATTRIBUTES = """
# Attributes. bins are edges: [8, 9] is below 8, from 8 to below 9, and 9 or more.
# sensitive: SQL over the row; a cell for which it is true or NULL is never released, and what the
# rest of a release says about it is limited. Until you write one, nothing is protected.
"""
ABOUT_MISSING = """\
# missing: "value" (to be missing is a value too, sensitive where `sensitive` is true or NULL),
# "public" (anybody may know that it is missing), or "never" (an error; the default).
"""

NOTHING = """\
# No column can be an attribute as it is: name one that can.
[attribute.{}]
"""

LIMIT = """
[limit]
# Recommended, since with odds_cap 4 no answer makes odds more than 4 times what they were: 20 %
# becomes at most 50 %.
odds_cap = 4.0              # for the most telling answer; less in [plan] leaves room for queries
# limit_bits = 0.1          # bits about each attribute, on average, for the observed frequencies
exceed = 0.0                # the share of answers that may be above odds_cap
close = true                # values that by themselves tell too much become sensitive too

[belief]
noise = 0.5                 # the first release counts the table, once, with noise of this eps
"""

SECRET = """
[secret]
key = "unspoken.key"          # made on first use; keep it, and keep it to yourself
ledger = "ledger.sqlite"    # what has been released, for ever
"""


def starter(
    columns: Sequence[ColumnInfo],
    source: str,
    *,
    database: str | None = None,
    keys: Sequence[str] = (),
    rows: int = 0,
    doubt: str = "",
    zoned: bool = False,
    follows: Mapping[str, str] | None = None,
    most: int = MOST_COMBINATIONS,
) -> str:
    """The text of an unspoken.toml for a table with these columns; Project.read takes it as it is.

    ``source`` is the table as the file shall name it: a path relative to the file, or a table of
    ``database``. Keys are guessed unless given; the number of rows, where known, helps. ``doubt``:
    what is known against the guess, by whoever looked at the rows. ``zoned``: some columns are
    moments, whose hours and days depend on a time zone. ``follows``: from which key that says when
    a column follows, as the weekday from the day.
    Attributes that would make more than ``most`` combinations of values are left out.
    """
    unlike = unlike_columns(columns, keys)
    guess = tuple(keys) or guess_keys(unlike, rows)
    names = [*guess, *(c.name for c in columns)]
    named, nobody = guess or (free_name("row", names),), free_name("column", names)
    reasons = left_out(columns, named, most, rows, follows)
    usable = [c for c, why in reasons.items() if not why]
    grouped = groupings(reasons)
    naming = [c for c, why in reasons.items() if why and why == named_by(c, rows)]
    text = [
        TOP,
        *_source(source, database, zoned),
        *_nan([c for c in usable if c.nan]),
        *_keys(guess, doubt, free_name("row", names), _rows_of(source, database), grouped),
        *_unit(guess_unit(unlike, guess) or named),
        *_more_keys(guess, [c.name for c in naming if c.kind in KEY_KINDS and is_named(c)]),
        EPOCH,
        *epoch(unlike, guess),
        ABOUT_ATTRIBUTES,
    ]
    text += [ABOUT_MISSING] if any(c.missing + c.nan for c in usable) else []
    text += ["\n".join("".join(_attribute(column)) for column in usable) or NOTHING.format(nobody)]
    text += ["\n"] if any(reasons.values()) else []
    text += _left_out(reasons, grouped, naming)
    text += contexts(columns, guess, rows)
    text += _application([c.name for c in usable] or [nobody], [c.name for c in grouped])
    return "".join([*text, LIMIT, *history(unlike, guess), SECRET, *_output(source)])


# ---------------------------------------------------------------- the tables of the file


def _source(source: str, database: str | None, zoned: bool) -> Iterator[str]:
    yield "\n[source]\n"
    yield _entry("table", toml_text(source))
    if database is not None:
        yield _entry("database", toml_text(database))
    if zoned:
        yield _entry(
            "# timezone", '"Europe/Brussels"', "whose hours and days moments have; else UTC"
        )


def _nan(columns: Sequence[ColumnInfo]) -> Iterator[str]:
    """NaN is no value; what it is, is to be said."""
    if columns:
        some = ", ".join(c.name for c in columns[:3]) + (", ..." if len(columns) > 3 else "")
        yield _entry("nan", '"missing"', f"NaN, as in {some}, is a missing value")


def _rows_of(source: str, database: str | None) -> str:
    """The table as SQL names it after FROM."""
    return literal(source) if database is None else name_in_sql(source)


def _keys(
    guess: Sequence[str],
    doubt: str,
    row: str,
    rows: str,
    grouped: Mapping[ColumnInfo, Grouping],
) -> Iterator[str]:
    """The keys; where no columns name each row, a way to number the ``rows``, each a ``row``; and
    where columns have too many values, fewer for them.
    """
    note = "name each row; public, since every release shows them"
    doubt = doubt if guess else "no column looks like a key"
    if doubt:
        note = f"{doubt}: name those that name each row"
    yield _entry("keys", _list(guess or (row,)), note)
    number = f"row_number() OVER () AS {row}, " if doubt else ""
    if doubt:
        yield "# If there are none: this in place of table, as long as the rows keep their order.\n"
    if grouped:
        yield "# Some columns have too many values to list. In place of table this groups them:\n"
    if doubt or grouped:
        yield from _query(number, grouped, rows)
    if guess and doubt:
        yield _entry("# keys", _list((*guess, row)), "in place of keys")


def _query(number: str, grouped: Mapping[ColumnInfo, Grouping], rows: str) -> Iterator[str]:
    """All columns, some of them grouped, as a comment."""
    if not grouped:
        yield _entry("# sql", toml_text(f"SELECT {number}* FROM {rows}"))
        return
    yield f'# sql = """SELECT {number}* REPLACE (\n'
    last = len(grouped) - 1
    for place, (column, grouping) in enumerate(grouped.items()):
        line = f"{grouping.sql} AS {name_in_sql(column.name)}{')' if place == last else ','}"
        yield f"#     {toml_line(line)}\n"
    yield f'#     FROM {toml_line(rows)}"""\n'


def _more_keys(guess: Sequence[str], naming: Sequence[str]) -> Iterator[str]:
    """Columns that name somebody are no attributes, but may be whom to protect."""
    if naming:
        yield "# Whom these name may be whom to protect: as keys, which every release shows.\n"
        yield _entry("# keys", _list((*guess, *naming)))
        yield _entry("# unit", _list(naming))


def _unit(unit: Sequence[str]) -> Iterator[str]:
    note = "whom to protect: the keys that name one person, office, ..."
    yield _entry("unit", _list(unit), note)
    note = "joined on the keys it has; for use in `sensitive`"
    yield _entry("# preferences", '"preferences.csv"', note)


def _application(reads: Sequence[str], grouped: Sequence[str]) -> Iterator[str]:
    yield "\n# Who reads what. They are taken to pool what they see.\n[application.everything]\n"
    yield _entry("reads", _list(reads))
    if grouped:
        yield _entry("# reads", _list([*reads, *grouped]), "with the sql above")


def _output(source: str) -> Iterator[str]:
    again = "released_again" if source.endswith("released.parquet") else "released"
    yield "\n[output]\n"
    yield _entry("release", f'"{again}.parquet"', "sorted by key; withheld cells are NULL")
    yield _entry("manifest", f'"{again}.manifest.json"')
    note = "in place of both, with [epoch] of: a folder, a file for each epoch"
    yield _entry("# release", f'"{again}"', note)
    yield _entry("report", '"report.html"')


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, or if it is taken, with as many underscores as it needs."""
    folded = {other.casefold() for other in taken}
    return next(free for n in count() if (free := name + "_" * n) not in folded)


# ---------------------------------------------------------------- attributes


def _left_out(
    reasons: Mapping[ColumnInfo, str],
    grouped: Mapping[ColumnInfo, Grouping],
    naming: Sequence[ColumnInfo],
) -> Iterator[str]:
    """Why, and what may be done about it."""
    for column, why in reasons.items():
        name = toml_text(column.name)
        if column in grouped:
            way = grouped[column]
            by = f"by {way.by}, with the sql above: it has {column.distinct:,} values"
            by = "a number, with the sql above: SQL reads it as text" if column.amounts else by
            yield f"# [attribute.{toml_key(column.name)}]  # {by}\n"
            edges = round_edges(way.quantiles, False, way.rare_edges)
            yield f"# bins = {_list(edges)}\n" if edges else ""
            yield '# missing = "value"\n' if column.missing else ""
        elif column in naming:
            yield f"# {name} is left out: {why} look like names.\n"
            edges = (
                [] if is_named(column) else round_edges(column.quantiles, True, column.rare_edges)
            )
            if edges:
                yield f"# [attribute.{toml_key(column.name)}]  # if they are amounts, after all\n"
                yield f"# bins = {_list(edges)}\n"
        elif why and (identity := identity_of(column)):
            yield f"# {name} looks like {identity}: not released; declare it if that is wrong.\n"
        elif why:
            yield f"# {name} is left out: {why}\n"


def _attribute(column: ColumnInfo) -> Iterator[str]:
    yield f"[attribute.{toml_key(column.name)}]\n"
    edges, values = bin_edges(column), _values(column)
    if edges:
        yield _entry("bins", _list(edges))
    elif values and len(values) == column.distinct:
        yield _entry("values", _list(values))
    elif column.distinct <= MOST_VALUES:
        few = f"{column.distinct - len(values)} of {column.distinct}"
        yield f"# values are not listed: {few} occur in fewer than {FEW_ROWS} rows each.\n"
    if lacking := column.missing + column.nan:
        yield _entry("missing", '"value"', f"{in_rows(lacking)} lack it")
    yield _entry("# sensitive", toml_text(_predicate(column, edges, values)))


def _values(column: ColumnInfo) -> list[Cell]:
    """Its values of FEW_ROWS rows or more, where the column gives them and they can be listed."""
    values = list(dict.fromkeys(column.values))
    alike = len({type(value) for value in values}) == 1
    plain = alike and all(type(v) is not float or math.isfinite(v) for v in values)
    return values if plain and column.distinct <= MOST_VALUES else []


def _predicate(column: ColumnInfo, edges: Sequence[float], values: Sequence[Cell]) -> str:
    """An example of when a value may be sensitive."""
    name = name_in_sql(column.name)
    if edges:
        return f"{name} >= {toml_value(edges[-1])}"
    if column.kind == "boolean":
        return name
    return f"{name} = {_sql(values[-1])}" if values else f"{name} IN (...)"


# ---------------------------------------------------------------- writing


def _entry(key: str, value: str, comment: str = "") -> str:
    text = f"{key} = {value}"
    if key.startswith("# "):
        text = text.replace("\n", "\n# ")  # a list on several lines is commented out whole
    return f"{text:<{COMMENTS_AT - 2}}  # {comment}\n" if comment else f"{text}\n"


def _list(items: Sequence[Cell]) -> str:
    """On one line if there is room, else on as few as need be."""
    written = ", ".join(map(toml_value, items))
    if len(written) <= WIDTH - 10:
        return f"[{written}]"
    rows: list[str] = []
    row = ""
    for item in map(toml_value, items):
        if row and len(row) + len(item) > WIDTH - 8:
            rows, row = [*rows, row], ""
        row += f"{item}, "
    return "[\n" + "".join(f"    {row.rstrip()}\n" for row in [*rows, row]) + "]"


def _sql(value: Cell) -> str:
    return literal(value) if type(value) is str else str(value).lower()
