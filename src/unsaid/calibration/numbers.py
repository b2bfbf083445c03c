"""Numbers as people give them: positive ones, whole ones, and tables; anything else is refused."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import numpy.typing as npt

from unsaid.errors import InputError
from unsaid.numerics.arrays import Array

__all__ = ["number", "positive", "table", "whole"]


def number(given: object) -> float:
    """As a float; NaN, which no comparison holds for, where it is none."""
    try:
        return float(given) if isinstance(given, Real) else math.nan
    except OverflowError:
        return math.inf


def positive(where: str, given: object) -> float:
    """More than 0, and finite."""
    own = number(given)
    if not 0 < own < math.inf:
        raise InputError(f"{where}: {given} must be positive and finite")
    return own


def whole(where: str, given: object, what: str = "things") -> int:
    """1, 2, ..."""
    own = number(given)
    if not (1 <= own < math.inf and own == int(own)):
        raise InputError(f"{where}: {given} is no number of {what}; give 1, 2, ...")
    return int(own)


def table(where: str, given: npt.ArrayLike) -> Array:
    """Finite numbers, in rows of equal lengths."""
    try:
        own = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        own = np.array(math.nan)
    if not np.isfinite(own).all():
        raise InputError(
            f"{where}: has NaN, infinity or no numbers; give finite ones, in rows of equal lengths"
        )
    return own
