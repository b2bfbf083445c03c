"""Whatever is handed in: a valid answer, or one line that says what is wrong.

Each valid call is mutated in one place: an argument, or something inside it, becomes an object of
another kind. What a call then makes is used: a belief and a mechanism are asked about.
"""

from __future__ import annotations

import copy
import datetime
import math
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.laws.valid_calls import CALLS, RECORDS, joint
from unspoken import published
from unspoken.beliefs import Belief
from unspoken.errors import UnspokenError
from unspoken.families import Family

SECONDS = 20
NOISE = unspoken.Laplace(2.0)
COINS = unspoken.OneSided({"A": 1.0}, {"A": [0]})

PLAIN: list[Any] = [
    *(None, True, -1, 0, 1, 7, 0.5, -0.5, 10**400, math.nan, math.inf, -math.inf, 1j),
    *(Decimal("0.5"), "", "A", "text", "two\nlines", b"bytes", Path("nowhere"), (), (1,), {"A"}),
    *([], [None], ["A"], [[]], [[0.5], [0.2, 0.8]], set(), range(3), {}, {"A": None}, {1: 2}),
    *({"zz": 1.0}, {"A": {}}, {"A": "B"}, {None: None}),
    *(object(), int, len, unspoken.RELEASED, COINS, NOISE),
]
WRONG: list[Callable[[], Any]] = [
    *(partial(copy.copy, plain) for plain in PLAIN),
    lambda: unspoken,
    lambda: (x for x in (0.5, 0.5)),
    lambda: iter(["A", "B"]),
    lambda: np.zeros(0),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.array("x"),
    lambda: np.array([0.5, math.nan]),
    lambda: np.array([[0.5, None], [1, 2]], dtype=object),
    lambda: np.array([1 + 1j, 2]),
    lambda: np.float32(0.5),
    lambda: datetime.date(2020, 2, 2),
    joint,
    lambda: unspoken.Beliefs([joint()]),
    lambda: unspoken.Adversary("A"),
    lambda: unspoken.Bound(0.0, 1.0),
    lambda: unspoken.Box.within(joint(), 0.1),
]


class TooLong(BaseException):
    """No answer within so many seconds."""


@contextmanager
def seconds(limit: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def places(inside: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something could stand that does not belong there."""
    if path:
        yield path
    if isinstance(inside, dict):
        for key in inside:
            yield from places(inside[key], (*path, key))
    elif isinstance(inside, list):
        for key in range(len(inside)):
            yield from places(inside[key], (*path, key))


def mutated(arguments: dict[str, Any], path: tuple[Any, ...], wrong: Any) -> dict[str, Any]:
    """The same arguments, but for one place."""
    if not path:
        return wrong
    changed: Any = dict(arguments) if isinstance(arguments, dict) else list(arguments)
    changed[path[0]] = mutated(changed[path[0]], path[1:], wrong)
    return changed


def used(made: Any) -> None:
    """Ask about what was made."""
    adversary = unspoken.Adversary("B")
    if isinstance(made, Belief | Family):
        name = made.domain.names[-1]
        coins = unspoken.OneSided({name: 1.0}, {name: made.domain.values[-1][:1]})
        for mechanism in (NOISE, coins):
            with suppress(UnspokenError):  # what it cannot answer it refuses by name
                unspoken.leakage(made, mechanism, unspoken.Adversary(name))
    elif isinstance(made, unspoken.Adversary):
        unspoken.leakage(joint(), COINS, made)
    elif hasattr(made, "sensitive_values"):
        unspoken.leakage(joint(), made, adversary)
    repr(made)


def complaint(name: str, path: tuple[Any, ...], make: Callable[[], Any]) -> str | None:
    """What a caller meets that is neither an answer nor one line; None if all is well."""
    function, arguments = CALLS[name]
    wrong = make()
    where = f"{name}{list(path)} = {repr(wrong)[:60]!r}"
    try:
        with seconds(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                used(function(**mutated(arguments, path, wrong)))
            except UnspokenError as refused:
                said = str(refused)
                return f"{where}: {said!r}" if "\n" in said or len(said) > 400 else None
    except TooLong:
        return f"{where}: no answer in {SECONDS} s"
    except Exception as raw:
        return f"{where}: {type(raw).__name__}: {str(raw)[:90]}"
    return None


def every() -> list[tuple[str, tuple[Any, ...], Callable[[], Any]]]:
    return [
        (name, path, make)
        for name, (_, arguments) in CALLS.items()
        for path in places(arguments)
        for make in WRONG
    ]


def all_right(mutations: list[tuple[str, tuple[Any, ...], Callable[[], Any]]]) -> None:
    found = [said for mutation in mutations if (said := complaint(*mutation))]
    assert not found, f"{len(found)} of {len(mutations)} mutated calls:\n" + "\n".join(found[:40])


def test_every_public_name_is_called() -> None:
    callables = {own for own in unspoken.__all__ if callable(getattr(unspoken, own))}
    printed = {f"published.{own}" for own in published.__all__ if own not in RECORDS}
    missing = (callables | printed) - RECORDS - {"UnspokenError"} - CALLS.keys()
    assert not missing, "add a valid call of each to valid_calls.py"


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_valid_before_it_is_mutated(name: str) -> None:
    function, arguments = CALLS[name]
    if "no such" not in str(arguments):
        used(function(**arguments))


def test_some_mutated_calls(effort: int) -> None:
    mutations = every()
    all_right(random.Random(11).sample(mutations, min(len(mutations), 2000 * effort)))


@pytest.mark.stress
def test_all_mutated_calls(effort: int) -> None:
    if effort == 1:
        pytest.skip("some thousand calls; make stress makes them all")
    all_right(every())
