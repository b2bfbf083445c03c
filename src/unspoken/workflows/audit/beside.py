"""Released rows beside their originals: opened, joined by key, with what is known around them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.storage.coins import fresh_draws
from unspoken.storage.rows.reading import missing
from unspoken.tables.engines.arrow import in_one, numbers, plain
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.of_keys import OfKeys
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.learning.counts.of_unit import Previous
from unspoken.workflows.audit.around import (
    ContextColumn,
    coded,
    context_of,
    grouped,
    lacking,
    named,
    units_of,
)
from unspoken.workflows.audit.audited_tables import opened, read, texts_of
from unspoken.workflows.audit.hints import NOTHING, Hint, where, written
from unspoken.workflows.audit.released_column import (
    ReleasedColumn,
    cells_of,
    labelled,
    never_shown,
    together,
    which_show,
)
from unspoken.workflows.audit.strays import Strays, parted, there
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

__all__ = ["Around", "Beside", "beside"]

SECRET = "unspoken secret"  # a column beside those of the original
IDLE = "it says nothing of a row; write SQL over a key"


@dataclass(frozen=True)
class Around:
    """What attackers know of rows: functions of keys in SQL, and columns of the row before in a
    ``unit``, which some of the keys name.
    """

    unit: Sequence[str] = ()
    context: Sequence[str] = ()
    previous: Sequence[str] = ()

    def check(self, keys: Sequence[str], columns: Sequence[str]) -> None:
        """Refuse units that no key names, and what only units have."""
        for name in self.unit:
            if name not in keys:
                raise unknown("--unit", name, keys)
        several = self.unit and {*self.unit} != {*keys}
        if self.unit and not several:
            raise InputError("--unit: names each row; leave out the keys that do not say who it is")
        for name in self.previous:
            if name not in columns:
                raise unknown("--previous", name, columns)
            if not several:
                raise InputError("--previous: is of other rows of a unit; name it by --unit")


@dataclass(frozen=True)
class Beside:
    """``cells``: of each column, in random order. ``secret``: where the condition holds. ``units``:

    whose each row is. ``strays``: rows that are not among these; ``absent``: how many rows of the
    original no release has; ``left_out``: of all rows of the original whether any release has
    them, where there is a condition. ``beyond``: columns that the original has not, among ``cells``
    as they stand. ``hints``: what else the releases tell. ``grouped``: {key: which rows have it in
    common}.
    """

    releases: str
    original: DuckTable
    rows: int
    cells: dict[str, ReleasedColumn]
    secret: Mask | None
    contexts: Sequence[ContextColumn]
    units: Codes | None
    strays: Sequence[Strays]
    absent: int
    left_out: Trials | None
    beyond: Sequence[str]
    hints: Sequence[Hint]
    grouped: Mapping[str, Codes]


@dataclass(frozen=True)
class _Release:
    """``rows``: what one release shows of those of the original; ``keys`` of all that it has.

    ``columns``: those of the original, and ``beyond`` it.
    """

    title: str
    columns: Sequence[str]
    beyond: Sequence[str]
    hints: Sequence[Hint]
    rows: pa.Table
    keys: pa.Table
    stray: Strays | None


def beside(
    releases: Sequence[str | Path],
    against: str | Path,
    keys: Sequence[str],
    secret: str | None,
    around: Around,
) -> Beside:
    """Open, check and join them."""
    original = opened(against, keys, "--against")
    around.check(keys, [*original.columns])
    source = _source(original, secret, around)
    given = [
        _release(
            opened(file, keys, "--release", texts_of(original), checked=False),
            original,
            source,
            place,
            secret,
        )
        for place, file in enumerate(releases)
    ]
    titles, strays = [each.title for each in given], [s for each in given if (s := each.stray)]
    rows = _joined([each.rows for each in given], source, keys)
    if not rows.num_rows:
        said = " ".join(stray.in_words() for stray in strays)
        raise InputError(f"--keys: no row of {' or '.join(titles)} is in {original.title}; {said}")
    out = ~there(source, pa.concat_tables([each.keys for each in given]), keys)
    columns, beyond = [each.columns for each in given], [each.beyond for each in given]
    return Beside(
        ", ".join(titles),
        original,
        rows.num_rows,
        {**_pooled(rows, columns), **_as_they_stand(rows, beyond)},
        None if secret is None else numbers(in_one(rows.column(SECRET))).astype(bool),
        [*_contexts(rows, around), *_said_to_lack(rows, columns)],
        units_of(rows, around.unit) if around.unit else None,
        strays,
        int(out.sum()),
        None if secret is None else _left_out(out, source),
        [*dict.fromkeys(itertools.chain(*beyond))],
        _hints(rows, [each.hints for each in given], titles),
        {name: codes for (name,), codes in grouped(rows, (), keys).items()},
    )


def _release(
    released: DuckTable, original: DuckTable, source: pa.Table, place: int, secret: str | None
) -> _Release:
    shared = _shared(released, original, secret)
    own = _beyond(released, original, shared)
    shown = _named(released, [*shared, *own], place, source.schema)
    hints = _hinted(shown, released, place)
    for at, hint in enumerate(hints):
        shown = shown.append_column(_hint(place, at), pa.array(hint.codes))
    keys = released.keys
    kept, stray = parted(shown, source, keys, released.title, original.title)
    return _Release(released.title, shared, own, hints, kept, shown.select(keys), stray)


def _contexts(rows: pa.Table, around: Around) -> list[ContextColumn]:
    names = [*around.context, *map(_before, around.previous)]
    return [context_of(name, rows[_given(name)]) for name in names]


def _left_out(out: Mask, source: pa.Table) -> Trials:
    """In random order."""
    seen = np.where(out, WITHHELD_AS, 0.0)[:, None]
    secret = numbers(in_one(source.column(SECRET))).astype(bool)
    return Trials(seen, secret).taken(np.argsort(fresh_draws(len(secret))))


def _true(name: str) -> str:
    return f"unspoken true {name}"


def _from(place: int, name: str) -> str:
    return f"unspoken {place} {name}"


def _none(place: int, name: str) -> str:
    return f"unspoken {place} none {name}"


def _hint(place: int, at: int) -> str:
    return f"unspoken {place} hint {at}"


def _given(name: str) -> str:
    return f"unspoken context {name}"


def _before(name: str) -> str:
    return f"{name} of the row before"


def _source(original: DuckTable, secret: str | None, around: Around) -> pa.Table:
    """Keys, the true columns, where the condition holds, and what is known around each row."""
    keys = original.keys
    source = read(original, [*original.columns], ordered=bool(around.previous))
    (batch,) = source.combine_chunks().to_batches() or [source.to_batches()[0]]
    more = dict[str, pa.Array]()
    if secret is not None:
        asked = RowSQL(original.columns, original.title)
        holds = asked.read(secret, "--secret", condition=True)
        found = asked.over(batch, {SECRET: holds}, {SECRET: "--secret"})[SECRET]
        more[SECRET] = pc.fill_null(found, False)
    of_keys = {
        text: OfKeys.read(text, original, "a context", "--context", IDLE) for text in around.context
    }
    more |= {_given(name): column for name, column in named(of_keys, batch).items()}
    for name in around.previous:
        true = plain(in_one(source.column(name)))
        words, (codes,) = labelled(true, [true])
        units = units_of(source, around.unit)
        before = coded(Previous(0, len(words)), units, codes, words)
        more[_given(_before(name))] = before
    renamed = [name if name in keys else _true(name) for name in source.column_names]
    source = source.rename_columns(renamed)
    for name, column in more.items():
        source = source.append_column(name, column)
    return source


def _shared(released: DuckTable, original: DuckTable, secret: str | None) -> list[str]:
    keys = released.keys
    if {*released.columns} == {*keys} and secret is None:
        raise InputError(
            f"--release: {released.title} has no column but keys; --secret asks what it tells "
            "which rows it has"
        )
    return [name for name in released.columns if name in original.columns and name not in keys]


def _beyond(released: DuckTable, original: DuckTable, shared: Sequence[str]) -> list[str]:
    """Columns that the original has not, but for those that say where a value was missing."""
    says = {missing(name) for name in shared}
    return [
        name
        for name in released.columns
        if name not in original.columns and name not in released.keys and name not in says
    ]


def _as_they_stand(rows: pa.Table, beyond: Sequence[Sequence[str]]) -> dict[str, ReleasedColumn]:
    """Of each such column what it shows: there is no truth that it hides."""
    found = dict[str, ReleasedColumn]()
    for place, names in enumerate(beyond):
        for name in names:
            column = rows[_from(place, name)]
            cells = cells_of(column, column)
            found[name if name not in found else f"{name} of file {place + 1}"] = cells
    return found


def _said_to_lack(rows: pa.Table, columns: Sequence[Sequence[str]]) -> list[ContextColumn]:
    """Which values are missing, where releases say so: it may have been known before."""
    said = dict[str, Mask]()
    for place, name in ((k, name) for k, names in enumerate(columns) for name in names):
        if (column := _none(place, name)) in rows.column_names:
            none = numbers(pc.fill_null(in_one(rows[column]), False)).astype(bool)
            said[name] = said.get(name, np.zeros(len(none), dtype=bool)) | none
    lacks = {name: none for name, none in said.items() if none.any()}
    return [context_of("missing", lacking(lacks))] if lacks else []


def _hinted(shown: pa.Table, released: DuckTable, place: int) -> list[Hint]:
    """What else its rows and values tell."""
    cells = [name for name in released.columns if _from(place, name) in shown.column_names]
    whole = [_from(place, name) for name in cells if not shown[_from(place, name)].null_count]
    order = where(shown, [*released.keys, *whole])
    found = [] if order is None else [order]
    for name in cells:
        found += written(name, shown[_from(place, name)])
    return found


def _hints(rows: pa.Table, hints: Sequence[Sequence[Hint]], titles: Sequence[str]) -> list[Hint]:
    """The same in these rows."""
    found = list[Hint]()
    for place, (each, title) in enumerate(zip(hints, titles, strict=True)):
        for at, hint in enumerate(each):
            codes = numbers(pc.fill_null(in_one(rows[_hint(place, at)]), NOTHING)).astype(np.intp)
            name = hint.name if hint.column and len(hints) == 1 else f"{hint.name} in {title}"
            found.append(Hint(name, codes, hint.column))
    return found


def _named(table: DuckTable, columns: Sequence[str], place: int, schema: pa.Schema) -> pa.Table:
    """What it shows, by whose it is; keys as the original has them."""
    says = [name for name in columns if table.columns.get(missing(name)) == "BOOLEAN"]
    shown = read(table, [*columns, *map(missing, says)])
    for at, key in enumerate(table.keys):
        try:
            cast = shown.column(key).cast(schema.field(key).type)
        except pa.ArrowException as error:
            raise InputError(
                f'--keys: "{key}" is of another kind in {table.title}: {error}'
            ) from None
        shown = shown.set_column(at, key, cast)
    seen = (_from(place, name) for name in columns)
    shown = shown.rename_columns([*table.keys, *seen, *(_none(place, name) for name in says)])
    return shown


def _joined(released: Sequence[pa.Table], source: pa.Table, keys: Sequence[str]) -> pa.Table:
    """In random order; a row that a release has not is one of which it shows nothing."""
    shown = released[0]
    for other in released[1:]:
        shown = shown.join(other, list(keys), join_type="full outer")
    rows = shown.join(source, list(keys), join_type="inner")
    return rows.take(pa.array(np.argsort(fresh_draws(rows.num_rows))))


def _pooled(rows: pa.Table, columns: Sequence[Sequence[str]]) -> dict[str, ReleasedColumn]:
    """Each column as whoever has all releases sees it; of what several have, which of them show it.

    A row that a release has not is one of which it shows nothing.
    """

    def part(place: int, name: str, cuts: Sequence[float]) -> ReleasedColumn:
        none = _none(place, name)
        said = rows[none] if none in rows.column_names else None
        return cells_of(rows[_from(place, name)], rows[_true(name)], said, cuts)

    found = dict[str, ReleasedColumn]()
    for name in dict.fromkeys(name for each in columns for name in each):
        places = [place for place, each in enumerate(columns) if name in each]
        cuts = never_shown(rows[_true(name)], [rows[_from(place, name)] for place in places])
        parts = [part(place, name, cuts) for place in places]
        found[name] = parts[0] if len(parts) == 1 else together(parts)
        if len(parts) > 1:
            found[f"which files show {name}"] = which_show(parts)
    return found
