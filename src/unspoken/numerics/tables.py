"""Tables of numbers as people write them: one line of complaint where they are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from unspoken.errors import InputError
from unspoken.numerics.arrays import Array

__all__ = ["finite_list", "finite_table", "fixed", "own_table", "table_of"]


def table_of(numbers: Any, what: str) -> Array:
    """Any table of numbers, NaN and infinity included; neither complex nor with masked entries."""
    try:
        plain = not (np.iscomplexobj(numbers) or np.ma.is_masked(numbers))
        table = np.asarray(numbers, dtype=np.float64) if plain else None
    except (TypeError, ValueError, OverflowError):
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
    own = finite_table(numbers, what)
    if own.shape != (count,):
        raise InputError(
            f"{what}: shape {own.shape} for {count} variables; a list of {count} numbers"
        )
    return own


def own_table(numbers: object, what: str) -> Array:
    """A copy of the caller's numbers that nobody can change."""
    return fixed(np.array(table_of(numbers, what)))


def fixed(table: Array) -> Array:
    """The same table, which nobody can change any more."""
    table.flags.writeable = False
    return table
