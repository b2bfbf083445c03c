"""Tables of numbers as people write them: one line of complaint where they are none."""

from __future__ import annotations

import numpy as np

from unsaid.errors import InputError
from unsaid.numerics.arrays import Array

__all__ = ["finite_list", "finite_table", "table_of"]


def table_of(numbers: object, what: str) -> Array:
    """Any table of numbers, NaN and infinity included."""
    try:
        return np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: not a table of numbers of equal row lengths") from None


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
