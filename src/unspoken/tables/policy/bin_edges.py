"""The edges of bins: numbers or, of dates and times, moments.

TOML has dates and times of its own; text in the form of ISO 8601 is taken too, as other files have
it. A date is its first moment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any

from pydantic_core import PydanticCustomError

__all__ = ["Edge", "bin_names", "edge", "edge_text", "kind_of_edge", "plain_edge"]

Edge = float | datetime


def edge(given: Any) -> Edge:
    """A number or a moment, as pydantic wants to be told that it is neither."""
    moment = _moment(given)
    return _finite(given) if moment is None else moment


def _moment(given: Any) -> datetime | None:
    """A date, a time or the ISO text of one; None: something else."""
    if type(given) is str:
        try:
            return datetime.fromisoformat(given)
        except ValueError:
            return None
    if isinstance(given, datetime):
        return given
    return datetime.combine(given, time()) if isinstance(given, date) else None


def _finite(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise PydanticCustomError("edge_type", "no edge")
    try:
        number = float(given)
    except OverflowError:
        raise PydanticCustomError("float_type", "too large") from None
    if not math.isfinite(number):
        raise PydanticCustomError("finite_number", "not finite")
    return number


def kind_of_edge(given: Edge) -> str:
    """What an edge is among: those of one kind can be sorted."""
    if not isinstance(given, datetime):
        return "numbers"
    return "dates" if given.tzinfo is None else "times with a zone"


def edge_text(given: Edge) -> str:
    """An edge as people read it: 8 for 8.0, 2026-01-01 for its first moment."""
    if not isinstance(given, datetime):
        whole = given.is_integer() and abs(given) < 1e15
        return str(int(given)) if whole else str(given)
    if given.timetz() == time():
        return str(given.date())
    return given.isoformat(" ", "auto" if given.second or given.microsecond else "minutes")


def plain_edge(given: Edge) -> float | str:
    """An edge as JSON has it."""
    return edge_text(given) if isinstance(given, datetime) else given


def bin_names(edges: Sequence[Edge]) -> tuple[str, ...]:
    """(-inf, e1), [e1, e2) ... [em, inf): "below 8", "8-9", ..., "12 or more"."""
    shown = [edge_text(edge) for edge in edges]
    if isinstance(edges[0], datetime):
        below, dash, above = "before", " to ", "or later"
    else:
        below, dash, above = "below", "-" if edges[0] >= 0 else " to ", "or more"
    between = [f"{lower}{dash}{upper}" for lower, upper in pairwise(shown)]
    return (f"{below} {shown[0]}", *between, f"{shown[-1]} {above}")
