"""Tables of numbers and laws as people write them: one line of complaint where they are none."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array

__all__ = [
    "as_law",
    "as_laws",
    "finite_list",
    "finite_table",
    "fixed",
    "law_and_total",
    "own_table",
    "table_of",
]


PART = 2**20  # entries
DECIMALS = 1e12
LARGEST_TOTAL = 2.0**50  # of counts that are found again from their shares


def table_of(numbers: Any, what: str) -> Array:
    """Any table of numbers, NaN and infinity included; neither complex nor with masked entries."""
    try:
        # Who has a masked table has loaded numpy.ma, which takes 60 ms.
        masked = "numpy.ma" in sys.modules and np.ma.is_masked(numbers)
        plain = not (np.iscomplexobj(numbers) or masked)
        with warnings.catch_warnings(action="error", category=np.exceptions.ComplexWarning):
            table = np.asarray(numbers, dtype=np.float64) if plain else None
    except (TypeError, ValueError, OverflowError, np.exceptions.ComplexWarning):
        table = None
    if table is None:
        raise InputError(f"{what}: not a table of numbers of equal row lengths")
    return table


def finite_table(numbers: object, what: str) -> Array:
    """A table of finite numbers."""
    table = table_of(numbers, what)
    if not np.isfinite(table).all():
        raise InputError(f"{what}: has NaN or infinity; every entry must be a number")
    return table


def finite_list(numbers: object, count: int, what: str) -> Array:
    """One finite number for each variable."""
    listed = finite_table(numbers, what)
    if listed.shape != (count,):
        raise InputError(
            f"{what}: shape {listed.shape} for {count} variables; a list of {count} numbers"
        )
    return listed


def own_table(numbers: object, what: str) -> Array:
    """A copy of the caller's numbers that nobody can change."""
    table = table_of(numbers, what)
    made = isinstance(numbers, np.ndarray) and numbers.dtype != table.dtype
    return fixed(table if made else np.array(table))


def fixed(table: Array) -> Array:
    """The same table, which nobody can change any more."""
    table.flags.writeable = False
    return table


def as_law(numbers: object, what: str) -> Array:
    """A table of probabilities from probabilities or whole counts; one line of complaint otherwise.

    A table that sums to 1 but for rounding is kept as it is: dividing would cost its last digits.
    """
    return law_and_total(numbers, what)[0]


def law_and_total(numbers: object, what: str) -> tuple[Array, float | None]:
    """The probabilities, and a total: times this, every entry is a whole number but for rounding.

    It is the sum of the counts where these were given; a power of ten for decimals that sum to
    exactly 1; None for other probabilities, and for counts so large that rounding could reach the
    next whole number.
    """
    table = own_table(numbers, what)
    if table.size == 0 or table.ndim == 0:
        raise InputError(f"{what}: an empty table says nothing; give at least one probability")
    if not np.isfinite(table).all():
        raise InputError(f"{what}: has NaN or infinity; every entry must be a number")
    if (table < 0).any():
        raise InputError(
            f"{what}: has a negative entry {table.min():g}; probabilities are in [0, 1]"
        )
    with np.errstate(over="ignore"):
        total = float(table.sum())
    if total == math.inf:
        raise InputError(f"{what}: the sum of its entries is beyond floats; divide them first")
    if abs(total - 1) <= _rounding(table.size):
        return table, DECIMALS if _has_short_decimals(table) else None
    counts = total >= 1 and _whole(table)
    if total <= 0 or (not counts and abs(total - 1) > 1e-9):
        raise InputError(
            f"{what}: sums to {total:.12g}; probabilities sum to 1, counts are whole numbers"
        )
    table.flags.writeable = True  # it is our own; of a large one there is no room for another
    table /= total
    return fixed(table), total if counts and total <= LARGEST_TOTAL else None


def _has_short_decimals(table: Array) -> bool:
    """Whether these are decimals of at most twelve digits that sum to exactly 1."""
    if table.size > PART:
        return False
    digits = np.rint(table * DECIMALS)
    return digits.sum() == DECIMALS and np.array_equal(digits / DECIMALS, table)


def _whole(table: Array) -> bool:
    """Whether all are whole numbers: looked at in parts, since numpy would hold as many again."""
    flat = table.reshape(-1)
    parts = (flat[first : first + PART] for first in range(0, flat.size, PART))
    return all(bool((part == np.floor(part)).all()) for part in parts)


def as_laws(
    numbers: object,
    what: str,
    axes: int | None = 2,
    case: Callable[[tuple[int, ...]], str] = lambda row: f", row {', '.join(map(str, row))}",
) -> Array:
    """W[..., x]: a table whose rows, along its last axis, are laws; those that sum to 1 but for
    rounding are kept. ``axes``: how many it has (None: any number); ``case``: a row in words.
    """
    table = own_table(numbers, what)
    if not table.ndim or axes not in (None, table.ndim) or not table.size:
        kind = "matrix" if axes == 2 else "table"
        raise InputError(f"{what}: shape {table.shape}; give a {kind}, each row a law")
    with np.errstate(invalid="ignore", over="ignore"):
        fine = np.abs(table.sum(-1) - 1) <= _rounding(table.shape[-1])
        if fine.all() and table.min() >= 0:
            return table
        fine &= table.min(-1) >= 0
    laws = table.copy()
    for row in map(tuple, np.argwhere(~fine).tolist()):
        laws[row] = as_law(table[row], f"{what}{case(row)}")
    return fixed(laws)


def _rounding(size: int) -> float:
    """How far from 1 rounding may leave a sum of so many."""
    return 4e-16 * max(8.0, math.sqrt(size))
