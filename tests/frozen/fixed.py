"""Keys, noise and the clock of a recording, set below the library so that both sides agree.

Import this before anything else: what is replaced here is what later imports get. It replaces
``os.urandom``, OpenDP's ``make_laplace`` and ``datetime.datetime``, and no module of the library,
since those are what moves.
"""

from __future__ import annotations

import datetime
import hashlib
import os
from itertools import count
from typing import Any

__all__ = ["begin"]

START = datetime.datetime(2026, 6, 1, 8, tzinfo=datetime.UTC)
REAL = datetime.datetime

_now = [START]
_text = [""]
_blocks = [count()]


def _urandom(size: int) -> bytes:
    """Bytes that follow from the text of the step and from how many were drawn in it before."""
    return hashlib.shake_256(f"{_text[0]} {next(_blocks[0])}".encode()).digest(size)


class _AnyDatetime(type):
    """Moments made by compiled code are of the original class, and count as of this one too."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, REAL)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, REAL)


class _FixedDatetime(REAL, metaclass=_AnyDatetime):
    """The class ``datetime``, whose present moment is that of the step."""

    __slots__ = ()  # compiled code expects the size of the original

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return REAL.fromtimestamp(_now[0].timestamp(), tz)


os.urandom = _urandom

import pandas  # noqa: E402, F401  # its compiled code needs the original class `datetime`
import sqlalchemy  # noqa: E402, F401
from opendp import measurements  # noqa: E402

from tests.draws import Draws, Laplace  # noqa: E402

_draws = Draws()
_make_laplace = measurements.make_laplace


def _fixed_laplace(domain: Any, metric: Any, scale: float, **more: Any) -> Laplace:
    return Laplace(_draws, _make_laplace(domain, metric, scale=scale, **more), scale)


measurements.make_laplace = _fixed_laplace  # type: ignore[assignment]
datetime.datetime = _FixedDatetime  # type: ignore[misc]


def begin(text: str, step: int) -> None:
    """Start a step: what it draws follows from the text, and its clock shows one hour a step."""
    _text[0], _blocks[0] = text, count()
    _draws.begin(text)
    _now[0] = START + datetime.timedelta(hours=step)
