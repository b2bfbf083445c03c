"""Numbers as people give them: positive ones, whole ones; anything else is refused."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from unspoken.core.errors import InputError, shown

__all__ = ["not_negative", "number", "positive", "which_draw", "whole"]

DRAWS = 1_000_000  # of one question, or of one release


def number(given: object) -> float:
    """As a float; NaN, which no comparison holds for, where it is none."""
    if type(given) is float:  # as nearly all are: abstract classes take long to ask
        return given
    try:
        return float(given) if isinstance(given, Real) else math.nan
    except OverflowError:
        return math.inf


def positive(where: str, given: object) -> float:
    """More than 0, and finite."""
    value = number(given)
    if not 0 < value < math.inf:
        raise InputError(f"{where}: {shown(given)} must be positive and finite")
    return value


def whole(where: str, given: object, what: str = "things") -> int:
    """1, 2, ..."""
    value = number(given)
    if not (1 <= value < math.inf and value == int(value)):
        raise InputError(f"{where}: {shown(given)} is no number of {what}; give 1, 2, ...")
    return int(value)


def which_draw(given: object) -> int:
    """Which of several draws of the same: 1 is that of everybody who does not say it."""
    if type(given) is not int or not 1 <= given <= DRAWS:
        raise InputError(f"draw {shown(given)}: is which of several, from 1 to {DRAWS:,}")
    return given


def not_negative(where: str, given: Any) -> list[float]:
    """One or more finite numbers, 0 or more."""
    try:
        listed = [number(each) for each in given] if np.iterable(given) else []
    except (TypeError, ValueError):  # it says it could be listed, and cannot
        listed = []
    if not listed or not all(0 <= each < math.inf for each in listed):
        raise InputError(f"{where}: {shown(given)} must be one or more numbers, 0 or more")
    return listed
