"""What a released table tells that no label of a cell does: where rows stand, how values are
written.

*Where a row stands*, among those that what everybody knows puts together: the file's rows if it is
in no order, else the rows of the same keys and shown cells by which it is sorted, or which it has
in one piece. As a source had them, rows that were entered late come late.

*How a value is written*, of columns with more values than have labels of their own: its last
character, so an odd number or a rounded one, how long it is, and where its text stands in
alphabetical order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.tables.engines.arrow import in_one, missing, numbers, plain
from unspoken.workflows.audit.released_column import MOST, has_scale

__all__ = ["NOTHING", "Hint", "where", "written"]

PARTS = 8  # of a file or a run of rows, and of an alphabet
IDLE = r"\.0*$"  # what ends moments of whole seconds, and numbers that are whole
NOTHING = 0  # the code of a row that a release has not, or of which it shows nothing


@dataclass(frozen=True)
class Hint:
    """``codes``: what it says in each row; ``column``: whose values it is of, if of any."""

    name: str
    codes: Codes
    column: str | None = None


def where(rows: pa.Table, known: Sequence[str]) -> Hint | None:
    """In which part of its run each row stands; None: ``known`` columns order the rows wholly."""
    breaks = _runs(rows, known)
    first = np.flatnonzero(breaks)
    length = np.diff([*first, rows.num_rows])
    if length.max(initial=0) < 2:
        return None
    run = np.cumsum(breaks) - 1
    parts = (np.arange(rows.num_rows) - first[run]) * PARTS // length[run]
    return Hint("the order of rows", 1 + parts)


def _runs(rows: pa.Table, known: Sequence[str]) -> Mask:
    """Where a run begins: of rows that are the same by every column that orders the rows in turn.

    A column orders rows that it sorts, or whose values come in one piece each, of two rows or more
    on average.
    """
    columns = {name: plain(in_one(rows[name])) for name in known}
    breaks: Mask = np.arange(rows.num_rows) == 0
    while True:
        ordering = (
            name
            for orders in (_sorts, _in_pieces)
            for name, column in columns.items()
            if orders(column, breaks)
        )
        if (found := next(ordering, None)) is None:
            return breaks
        breaks = breaks | _changes(columns.pop(found))


def _changes(column: pa.Array) -> Mask:
    codes = numbers(column.dictionary_encode().indices.fill_null(-1))
    changes: Mask = np.concatenate([[True], np.diff(codes) != 0])[: len(column)]
    return changes


def _sorts(column: pa.Array, breaks: Mask) -> bool:
    """Up or down, within each run."""
    if column.null_count or len(column) < 2:
        return False
    within, before, after = ~breaks[1:], column.slice(0, len(column) - 1), column.slice(1)
    falls, rises = (
        numbers(compare(before, after)).astype(bool) & within for compare in (pc.greater, pc.less)
    )
    return bool(not falls.any() or not rises.any())


def _in_pieces(column: pa.Array, breaks: Mask) -> bool:
    codes = numbers(column.dictionary_encode().indices.fill_null(-1)).astype(np.int64)
    pieces = int((breaks | _changes(column)).sum())
    run = np.cumsum(breaks) - 1
    apart = len(np.unique(run * (int(codes.max(initial=0)) + 2) + codes + 1))
    return 2 * pieces <= len(column) and pieces == apart


def written(name: str, column: pa.ChunkedArray) -> Iterator[Hint]:
    """Of a column with many values what else each says."""
    shown = plain(in_one(column))
    if len(shown.drop_null().unique()) <= MOST:
        return
    text = pc.replace_substring_regex(shown.cast(pa.string()), IDLE, "")
    for said, codes in (
        ("the last character", _codes(pc.utf8_slice_codeunits(text, -1))),
        ("the length", _codes(pc.utf8_length(text))),
    ):
        yield Hint(f"{said} of {name}", codes, name)
    if not has_scale(shown):
        ranks = pc.rank(shown, tiebreaker="dense")
        place, none = numbers(ranks).astype(np.intp), missing(shown)
        parts = 1 + (place - 1) * PARTS // int(place[~none].max())
        yield Hint(f"the alphabetical place of {name}", np.where(none, NOTHING, parts), name)


def _codes(said: pa.Array) -> Codes:
    """The commonest by number."""
    counts = pc.value_counts(said.drop_null())
    values, many = counts.field("values"), numbers(counts.field("counts"))
    kept = values.take(pa.array(np.argsort(-many, kind="stable")[:MOST]))
    found = numbers(pc.fill_null(pc.index_in(said, kept), MOST)).astype(np.intp)
    return np.where(missing(said), NOTHING, 1 + found)
