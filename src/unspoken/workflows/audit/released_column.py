"""A released column beside its original, in a few labels: what is true, what is shown, blanks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.tables.engines.arrow import in_one, missing, numbers, plain
from unspoken.workflows.audit.trials import WITHHELD_AS

__all__ = [
    "MOST",
    "ReleasedColumn",
    "cells_of",
    "has_scale",
    "labelled",
    "never_shown",
    "together",
    "which_show",
]

MOST = 24  # labels of a column; numbers of more values are parted
PARTS = 8
CHANCE = 1e-6  # that coins which know no value leave one stretch of numbers blank
OTHER, NONE = "anything else", "missing"


@dataclass(frozen=True)
class ReleasedColumn:
    """``words`` of each label, "missing" last; ``truth``: the label of each row.

    ``shown``: the one that is seen, or that nothing is: who has the release alone cannot tell a
    withheld cell from one without a value, unless it says which. ``as_is``: which cells show what
    is true, also that there is no value. ``changed``: how many show another value.
    """

    words: Sequence[str]
    truth: Codes
    shown: Array
    as_is: Mask
    changed: int

    @property
    def given(self) -> int:
        """How many cells have a value."""
        return int((self.truth != len(self.words) - 1).sum())

    @property
    def unseen(self) -> Mask:
        """Nothing is shown."""
        return np.asarray(self.shown == WITHHELD_AS)

    @property
    def blank(self) -> Mask:
        """Withheld: there is a value, and none is shown."""
        return np.asarray(self.unseen & (self.truth != len(self.words) - 1))

    @property
    def valued(self) -> Mask:
        """One of the original's values is shown, true or not."""
        return np.isin(self.shown, np.setdiff1d(self.truth, len(self.words) - 1))

    @property
    def withheld(self) -> Mask:
        """There is a value, and none is shown: a blank, or a word in its place."""
        return np.asarray(~self.valued & (self.truth != len(self.words) - 1))

    def hidden(self, chance: float) -> list[int]:
        """The labels whose cells are all withheld, where no other cell is, and hardly by chance.

        Of C(given, withheld) choices no more than 2^labels are made of whole labels.
        """
        have, withheld = self._counts(self.withheld)
        labels = np.flatnonzero(have[:-1])
        if not (withheld[labels] % have[labels] == 0).all():
            return []
        n, k = self.given, int(withheld.sum())
        choices = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        if choices < len(labels) * math.log(2) - math.log(chance):
            return []
        return np.flatnonzero(withheld[:-1]).tolist()

    def never_shown(self, least: int) -> list[int]:
        """Labels that so many rows have, and none shows; where none is shown, all are rewritten."""
        have, withheld = self._counts(self.withheld)
        if (withheld == have).all():
            return []
        return np.flatnonzero((have >= least) & (withheld == have)).tolist()

    def mostly_blank(self, least: int) -> list[int]:
        """The label whose cells are blank the most often, of those that so many rows have."""
        have, blank = self._counts(self.blank)
        if not blank.any() or not (have >= least).any():
            return []
        return [int(np.argmax(np.where(have >= least, blank / np.maximum(have, 1), -1.0)))]

    def _counts(self, which: Mask) -> tuple[Codes, Codes]:
        """How many rows have a value of each label, and how many of these are among them."""
        size = len(self.words)
        valued = self.truth[self.truth != size - 1]
        return np.bincount(valued, minlength=size), np.bincount(self.truth[which], minlength=size)


def never_shown(true: pa.ChunkedArray, releases: Sequence[pa.ChunkedArray]) -> Sequence[float]:
    """Where stretches of numbers begin and end of which no release shows any: labels part there.

    Coins that know no value leave m rows in a row blank with q^m, q the share of blanks, and there
    are n rows to begin with: a stretch is longer than that makes likely, n q^m < CHANCE.
    """
    if not has_scale(column := plain(in_one(true))):
        return ()
    known = ~missing(column) & np.isfinite(_scale(column))
    truth = _scale(column)[known]
    if not len(truth):
        return ()
    nowhere = [missing(plain(in_one(release))) for release in releases]
    blank = np.logical_and.reduce(nowhere)[known]
    values, of = np.unique(truth, return_inverse=True)
    rows = np.bincount(of)
    all_blank = np.bincount(of, blank) == rows
    q = blank.mean()
    if not 0 < q < 1:
        return ()
    least = math.log(CHANCE / len(truth)) / math.log(q)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], all_blank, [0]])))
    ends = [(a, b) for a, b in edges.reshape(-1, 2) if rows[a:b].sum() > least]
    return [float(values[end]) for pair in ends for end in pair if 0 < end < len(values)]


def cells_of(
    released: pa.ChunkedArray,
    true: pa.ChunkedArray,
    none: pa.ChunkedArray | None = None,
    cuts: Sequence[float] = (),
) -> ReleasedColumn:
    """Both columns in the labels of the original; values that it has not have labels of their own.

    ``none``: where the release says that there is no value. ``cuts``: where numbers part besides.
    """
    released, true = plain(in_one(released)), plain(in_one(true))
    if released.type != true.type:
        common = pa.float64() if _is_number(released) and _is_number(true) else pa.string()
        released, true = released.cast(common, safe=False), true.cast(common, safe=False)
    words, (truth, shown) = labelled(true, [true, released], cuts)
    words, truth, shown = _with_foreign(words, truth, shown, released, true)
    nothing = missing(released)
    if none is not None:
        nothing = nothing & ~numbers(pc.fill_null(in_one(none), False)).astype(bool)
    same = numbers(pc.fill_null(pc.equal(released, true), False)).astype(bool)
    changed = ~missing(released) & ~missing(true) & ~same
    as_is = same | (missing(released) & missing(true) & ~nothing)
    seen = np.where(nothing, WITHHELD_AS, shown).astype(np.float64)
    return ReleasedColumn(words, truth, seen, as_is, int(changed.sum()))


def together(parts: Sequence[ReleasedColumn]) -> ReleasedColumn:
    """One column in several releases of the same rows: shown where any shows it."""
    words = [*dict.fromkeys(word for part in parts for word in part.words[:-1]), NONE]
    place = [np.array([words.index(word) for word in part.words]) for part in parts]
    for codes in place:
        codes[-1] = len(words) - 1
    seen = [codes[part.shown.astype(np.intp)] for codes, part in zip(place, parts, strict=True)]
    shown = np.select([~part.unseen for part in parts], seen, WITHHELD_AS).astype(np.float64)
    changed = max(part.changed for part in parts)
    as_is = np.logical_or.reduce([part.as_is for part in parts])
    return ReleasedColumn(words, place[0][parts[0].truth], shown, as_is, changed)


def which_show(parts: Sequence[ReleasedColumn]) -> ReleasedColumn:
    """Of each cell, which releases show it, as a column of its own that is never blank."""
    bits = sum(~part.unseen * 2.0**place for place, part in enumerate(parts))
    kinds, code = np.unique(bits, return_inverse=True)
    words = [f"{int(kind):0{len(parts)}b}" for kind in kinds]
    codes, all_of_them = code.ravel(), np.ones(len(code.ravel()), dtype=bool)
    return ReleasedColumn([*words, NONE], codes, codes.astype(np.float64), all_of_them, 0)


def _is_number(column: pa.Array) -> bool:
    kind = column.type
    is_one = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal
    return any(of(kind) for of in is_one)


def has_scale(column: pa.Array) -> bool:
    """Numbers, days, and moments."""
    kind = column.type
    is_moment = pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind)
    return bool(is_moment or _is_number(column))


def _scale(column: pa.Array) -> Array:
    """Numbers that stand for these, in the same order."""
    if pa.types.is_decimal(column.type):
        return numbers(column.cast(pa.float64())).astype(np.float64)
    if not _is_number(column):
        column = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
    return numbers(column).astype(np.float64)


def _said(number: float, kind: pa.DataType) -> str:
    """What a number stands for, in words."""
    if pa.types.is_temporal(kind):
        whole = pa.int32() if kind.bit_width == 32 else pa.int64()
        said = pa.array([int(number)], whole).view(kind).cast(pa.string())[0].as_py()
        return str(said).removesuffix(".000000")
    return f"{number:g}"


def _with_foreign(
    words: list[str], truth: Codes, shown: Codes, released: pa.Array, true: pa.Array
) -> tuple[list[str], Codes, Codes]:
    """Values of a release that its original has not tell, too: ranges, or numbers with noise."""
    other, none = len(words) - 2, len(words) - 1
    foreign = (shown == other) & ~numbers(pc.is_in(released, true)).astype(bool)
    if words[other] != OTHER or not foreign.any():
        return words, truth, shown
    alone = pc.if_else(pa.array(foreign), released, pa.scalar(None, released.type))
    more, (codes,) = labelled(alone, [alone])
    last = none + len(more) - 1
    truth, shown = (np.where(column == none, last, column) for column in (truth, shown))
    return [*words[:-1], *more], truth, np.where(foreign, none + codes, shown)


def labelled(
    of: pa.Array, columns: Sequence[pa.Array], cuts: Sequence[float] = ()
) -> tuple[list[str], list[Codes]]:
    """Labels by this column's values, and the label of each cell of these columns."""
    counts = pc.value_counts(of.drop_null())
    values, many = counts.field("values"), numbers(counts.field("counts"))
    if len(values) > MOST and has_scale(of):
        finite = _scale(of.drop_null())
        parts = np.quantile(finite[np.isfinite(finite)], np.arange(1, PARTS) / PARTS)
        ends = np.unique(np.concatenate([parts, cuts]))
        said = [_said(end, of.type) for end in ends]
        words = [f"below {said[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(said))]
        words.append(f"{said[-1]} or more")
        codes = [
            np.where(
                missing(column), len(words), np.searchsorted(ends, _scale(column), side="right")
            )
            for column in columns
        ]
        return [*words, NONE], codes
    kept = values.take(pa.array(np.argsort(-many, kind="stable")[:MOST]))
    words = [str(value) for value in kept.to_pylist()]
    codes = []
    for column in columns:
        found = numbers(pc.fill_null(pc.index_in(column, kept), len(words)))
        codes.append(np.where(missing(column), len(words) + 1, found).astype(np.int64))
    return [*words, OTHER, NONE], codes
