"""The mark of a value, found once for each value: what the engine says is kept, and looked up.

A mark is a function of the value alone, unless a predicate reads other columns. So it is asked of
few values in place of all rows, by the same way as it would be asked of these:

    text        of every text that occurs
    integers    of all between the least and the largest, where these are few
    numbers     near every point at which it can turn, and at both ends: between those it is one

What does not fit is given up (None): then all rows are asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.tables.columns import number_type
from unspoken.tables.engines.arrow import array, boolean, missing, numbers

__all__ = ["FEW", "OfValue", "pieces"]

FEW = 16  # edges or values that are compared one by one: branches cost a search more
TEXTS = 2**12  # that are kept
RANGE = 2**16  # integers of which marks are kept
NEAR = 4  # numbers on either side of a turning point: it may be rounded where it is compared
EXACT = 2.0**52  # up to here a double and its neighbours tell integers apart

Ask = Callable[[pa.Array], Codes]
Numbers = npt.NDArray[Any]


class OfValue:
    """The marks of one column's values; ``ask`` says those of any.

    ``turns``: the numbers at which the mark of a number may change; None: maybe anywhere.
    """

    def __init__(self, ask: Ask, turns: Sequence[float] | None) -> None:
        self._ask = ask
        self._texts, self._integers = _Texts(ask), _Integers(ask)
        self._steps = None if turns is None else _Steps(ask, turns)
        self._null: int | None = None

    def marks(self, column: pa.Array) -> Codes | None:
        """[row] -> mark; None: ask about all rows."""
        if pa.types.is_dictionary(column.type):
            by_code = self.marks(column.dictionary)
            if by_code is None or column.dictionary.null_count:
                return None
            found = (
                by_code[_filled(column.indices)] if len(by_code) else np.zeros(len(column), np.intp)
            )
        else:
            known = self._known(column)
            if known is None:
                return None
            found = known
        if column.null_count:
            if self._null is None:
                self._null = int(self._ask(pa.nulls(1, column.type))[0])
            found[missing(column)] = self._null
        return found

    def _known(self, column: pa.Array) -> Codes | None:
        """Of what is not NULL; anything where it is."""
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._texts.marks(column)
        found = None
        if pa.types.is_integer(kind) or pa.types.is_date32(kind) or pa.types.is_boolean(kind):
            found = self._integers.marks(column)
        number = pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64())
        if found is None and number and self._steps is not None:
            found = self._steps.marks(column)
        return found


class _Texts:
    """Of texts, in a list."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._listed: pa.Array | None = None
        self._marks: Codes = np.zeros(0, np.intp)

    def marks(self, column: pa.Array) -> Codes | None:
        listed = column.slice(0, 0) if self._listed is None else self._listed
        places = pc.index_in(column, listed)
        if places.null_count > column.null_count:
            others = column.filter(pc.and_(pc.is_null(places), pc.is_valid(column))).unique()
            if len(listed) + len(others) > TEXTS:
                return None
            self._marks = np.append(self._marks, self._ask(others))
            self._listed = listed = pa.concat_arrays([listed, others])
            places = pc.index_in(column, listed)
        if not len(listed):
            return np.zeros(len(column), np.intp)
        return self._marks[_filled(places)]


class _Integers:
    """Of integers, days and truth values between two, in a table."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._low = 0
        self._marks: Codes = np.zeros(0, np.intp)
        self._refused = False

    def marks(self, column: pa.Array) -> Codes | None:
        x = _stored(column)
        absent = missing(column)
        present = x[~absent] if column.null_count else x
        if not len(present):
            return np.zeros(len(x), np.intp)
        low, high = int(present.min()), int(present.max())
        if self._refused or not self._reaches(low, high, column):
            return None
        if column.null_count:
            x = np.where(absent, present[0], x)
        places: Codes = np.subtract(x, self._low, dtype=np.intp, casting="unsafe")
        return self._marks[places]

    def _reaches(self, low: int, high: int, column: pa.Array) -> bool:
        """Whether the table has all from ``low`` to ``high``; what is not there is asked about,
        if that is less than the rows.
        """
        first, last = self._low, self._low + len(self._marks) - 1
        if not len(self._marks):
            first, last = low, low - 1
        below, above = max(0, first - low), max(0, high - last)
        if not below + above:
            return True
        if below + above > len(column) or high > np.iinfo(np.intp).max:
            return False
        if max(high, last) - min(low, first) >= RANGE:
            return False
        try:
            before, after = (
                self._ask(_integers(start, count, column.type))
                for start, count in ((low, below), (last + 1, above))
            )
        except InputError:  # of one that no row may have
            self._refused = True
            return False
        self._low = first - below
        self._marks = np.concatenate([before, self._marks, after])
        return True


class _Steps:
    """Of numbers: one mark in each of the pieces into which a few edges cut them."""

    def __init__(self, ask: Ask, turns: Sequence[float]) -> None:
        self._ask, self._turns = ask, turns
        self._kind: pa.DataType | None = None
        self._edges: Numbers | None = None
        self._marks: Codes = np.zeros(0, np.intp)

    def marks(self, column: pa.Array) -> Codes | None:
        if self._kind != column.type:
            self._kind = column.type
            self._edges = self._cut(column.type)
        if self._edges is None:
            return None
        x = numbers(column)
        if len(self._edges) > FEW or self._marks.max(initial=0) > np.iinfo(np.int8).max:
            return self._marks.take(pieces(x, self._edges))
        # The mark above all edges, less each step that is above the number.
        found = np.full(len(x), self._marks[-1], np.int8)
        for edge, step in zip(self._edges, np.diff(self._marks).astype(np.int8), strict=True):
            found -= (x < edge).view(np.int8) * step
        return found.astype(np.intp)

    def _cut(self, kind: pa.DataType) -> Numbers | None:
        """Where the mark changes; None where it does so elsewhere than it can, or is refused."""
        of = number_type(kind)
        real = of.kind == "f"
        asked = _around(self._turns, of) if real else _whole_around(self._turns, of)
        if asked is None:
            return None
        try:
            marks = self._ask(array(kind, asked))
            nan = self._ask(array(kind, np.array([np.nan], of)))[0] if real else marks[-1]
        except InputError:  # of one that no row may have
            return None
        changed = marks[1:] != marks[:-1]
        if (changed & ~_adjacent(asked)).any() or nan != marks[-1]:
            return None
        self._marks = np.append(marks[:1], marks[1:][changed])
        edges: Numbers = asked[1:][changed]
        return edges


def pieces(values: Numbers, edges: Numbers) -> Codes:
    """[row] -> how many edges are not above it: doubles between doubles, integers between those."""
    x = values.astype(edges.dtype, copy=False)
    if len(edges) > FEW:
        return np.searchsorted(edges, x, side="right")
    cell = np.full(len(x), len(edges), dtype=np.int8)
    for edge in edges:
        cell -= x < edge
    return cell.astype(np.intp)


def _around(points: Sequence[float], kind: np.dtype[Any]) -> Numbers:
    """The NEAR numbers on either side of each point, and the largest and least that there are."""
    with np.errstate(all="ignore"):
        found = [np.array([*points, -np.inf, np.inf]).astype(kind)]
        for way in (-np.inf, np.inf):
            beside = found[0]
            for _ in range(NEAR):
                beside = np.nextafter(beside, np.array(way, kind))
                found.append(beside)
    return np.unique(np.concatenate(found))


def _whole_around(points: Sequence[float], kind: np.dtype[Any]) -> Numbers | None:
    """The same of integers; None where a double does not tell those apart."""
    held = np.iinfo(kind)
    found = {held.min, held.max}
    for point in points:
        if held.min <= point <= held.max:
            if abs(point) > EXACT:
                return None
            found |= set(range(int(point) - NEAR, int(point) + NEAR + 1))
    return np.array(sorted(n for n in found if held.min <= n <= held.max), kind)


def _adjacent(asked: Numbers) -> Mask:
    """Between which two numbers that follow one another there is none."""
    with np.errstate(all="ignore"):
        real = asked.dtype.kind == "f"
        after = np.nextafter(asked[:-1], asked[1:]) if real else asked[:-1] + 1
    following: Mask = asked[1:] == after
    return following


def _stored(column: pa.Array) -> Numbers:
    """As the integers that Arrow holds."""
    return numbers(column.view(pa.int32()) if pa.types.is_date32(column.type) else column)


def _integers(first: int, count: int, kind: pa.DataType) -> pa.Array:
    """So many integers in a column of this type."""
    if pa.types.is_boolean(kind):
        return boolean(np.arange(first, first + count) > 0)
    held = np.int32 if pa.types.is_date32(kind) else number_type(kind)
    return array(kind, np.array(range(first, first + count), held))


def _filled(places: pa.Array) -> Codes:
    """As an array, 0 where there is none."""
    whole = places.fill_null(0) if places.null_count else places
    found: Codes = numbers(whole).astype(np.intp)
    return found
