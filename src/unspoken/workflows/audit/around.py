"""What attackers know around a row: what its keys say of it, and the other rows of its unit.

*Given a context*, such as a weekday, trials are the rows of one of its values, held against how
likely the secret is among these. Every value of enough rows is tried; the one that gives the most
away stands for the context.

*Of a unit*, such as a person, a trial is all of its rows, and what is seen of them is in which
share each column is blank. The secret is a habit: to have the secret of a row in more of one's rows
than the unit in the middle has. So are rows put together that have one of their keys in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.storage.coins import fresh_draws
from unspoken.tables.engines.arrow import in_one, numbers
from unspoken.tables.engines.of_keys import OfKeys
from unspoken.tables.learning.counts.of_unit import NONE, OfUnit, UnitNumbers
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound, Verdict, attacked, furthest
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

__all__ = [
    "OF_UNITS",
    "ContextColumn",
    "HabitTrials",
    "coded",
    "context_of",
    "grouped",
    "habits",
    "lacking",
    "named",
    "units_of",
    "worst_value",
]

OF_ALL = ("classified", "nearest")
OF_UNITS = len(OF_ALL) + 1  # attacks on units
COUNTED = "blanks of a unit"  # the attack that counts one column's
LEAST = 200  # rows of a value of a context: fewer show nothing


@dataclass(frozen=True)
class ContextColumn:
    """``codes``: which of its ``values`` each row has; ``held``: limits hold given each of them."""

    name: str
    values: Sequence[str]
    codes: Codes
    held: bool = False

    @property
    def frequent(self) -> list[int]:
        """The values that enough rows have."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        return np.flatnonzero(counts >= LEAST).tolist()

    @property
    def seldom(self) -> str:
        """In words, where none of its values is frequent."""
        return f"{self.name}, of which no value has {LEAST} rows"

    def given(self, value: int) -> str:
        """In words."""
        return f"{self.name} = {self.values[value]}"


@dataclass(frozen=True)
class HabitTrials:
    """A trial a unit; ``usual``: the share of its rows in which the unit in the middle has it."""

    trials: Trials
    known: PublicKnowledge
    usual: float
    above: bool

    def of(self, about: str, unit: str) -> str:
        """The habit in words."""
        more = f"{'more' if self.above else 'no less'} than {self.usual:.0%}"
        if self.above and self.usual <= 0:
            more = "any"
        if not self.above and self.usual >= 1:
            more = "all"
        return f"{about}, in {more} of the rows of one {unit}"

    def attacked(self, unit_bits: float | None, own: Sequence[int], chance: float) -> Verdict:
        """By how often cells are blank: in each column, and in these ``own`` ones alone (or all).

        ``unit_bits``: what all rows of a unit are said to tell of a habit at most, in bits.
        """
        prior = float(self.trials.secret.mean())
        claim = ClaimedBound("odds", None, prior, why="none is claimed of a unit")
        if unit_bits is not None:
            why = f"unit_bits = {unit_bits:g}"
            claim = ClaimedBound("mutual-information", unit_bits * math.log(2), prior, why=why)
        found = [*attacked(claim, self.known, self.trials, OF_ALL, chance).reached]
        columns = range(self.trials.seen.shape[1])
        counted = [k for k in columns if k in own or not own]
        alone = Trials(self.trials.seen[:, counted], self.trials.secret)
        known = PublicKnowledge(None, (0,) * len(counted))
        for attack in attacked(claim, known, alone, ("largest",), chance).reached:
            found.append(replace(attack, attack=COUNTED))
        return Verdict(claim, furthest(found))


def named(of_keys: Mapping[str, OfKeys], batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """{context: its value in each row}, of functions of keys."""
    words = OfKeys.words(batch, of_keys)
    return {name: column.cast(pa.string()) for name, column in words.items()}


def coded(of_unit: OfUnit, units: Codes, marks: Codes, words: Sequence[str]) -> pa.Array:
    """The same of other rows of a unit, by the words for marks; ``none``: it has no such row."""
    return pa.array([*words, NONE]).take(pa.array(of_unit.codes(units, marks)))


def units_of(rows: pa.Table, unit: Sequence[str]) -> Codes:
    """[row] -> its unit."""
    (batch,) = rows.select([*unit]).combine_chunks().to_batches()
    return UnitNumbers([*unit]).of(batch)


def grouped(
    rows: pa.Table, unit: Sequence[str], keys: Sequence[str]
) -> dict[tuple[str, ...], Codes]:
    """The rows of one unit, and those that have one of their keys in common."""
    by = dict.fromkeys([tuple(unit), *((key,) for key in keys)])
    several = (names for names in by if names and {*names} != {*keys} and rows.num_rows)
    found = {names: units_of(rows, names) for names in several}
    return {names: codes for names, codes in found.items() if codes.max() + 1 < len(codes)}


def lacking(missing: Mapping[str, Mask]) -> pa.ChunkedArray:
    """In words which of these each row lacks."""
    names, rows = [*missing], np.stack([*missing.values()], 1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    words = [" and ".join(n for n, of in zip(names, kind, strict=True) if of) for kind in kinds]
    return pa.chunked_array(
        [pa.array([word or "nothing" for word in words]).take(pa.array(which.ravel()))]
    )


def context_of(name: str, column: pa.ChunkedArray, held: bool = False) -> ContextColumn:
    """Of the value in each row."""
    words = in_one(column).dictionary_encode()
    codes = numbers(words.indices).astype(np.intp)
    return ContextColumn(name, words.dictionary.to_pylist(), codes, held)


def worst_value(
    context: ContextColumn, judge: Callable[[Codes], Verdict]
) -> tuple[int, Codes, Verdict] | None:
    """The value given which an attack gets furthest, its rows and the verdict; None: too few rows.

    ``judge`` attacks some rows, each value with a share of the chance to miss.
    """
    found = list[tuple[int, Codes, Verdict]]()
    for value in context.frequent:
        rows = np.flatnonzero(context.codes == value)
        verdict = judge(rows)
        if verdict.best is not None:
            found.append((value, rows, verdict))
    lows = [0.0 if each[2].best is None else each[2].best.low for each in found]
    return found[int(np.argmax(lows))] if found else None


def habits(units: Codes, trials: Trials) -> HabitTrials:
    """Of each unit the share of its rows that has the secret, and is blank in each column."""
    rows = np.bincount(units)

    def share(of: Array) -> Array:
        counted: Array = np.bincount(units, of, len(rows)) / rows
        return counted

    secret = share(trials.secret.astype(float))
    blank = np.stack([share(column) for column in (trials.seen == WITHHELD_AS).T.astype(float)], 1)
    usual = float(np.median(secret))
    above = bool((secret > usual).any())
    mask = secret > usual if above else secret >= usual
    order = np.argsort(fresh_draws(len(rows)))
    known = PublicKnowledge(None, (0,) * blank.shape[1])
    return HabitTrials(Trials(blank, mask).taken(order), known, usual, above)
