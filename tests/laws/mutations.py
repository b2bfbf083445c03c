"""What is done to a valid call: other things, or nearly the same, stand in some of its places."""

from __future__ import annotations

import copy
import datetime
import inspect
import math
import random
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import unspoken
from tests.laws.valid_calls import ROWS, joint

__all__ = ["WRONG", "in_short", "left_out", "mutated", "places", "several"]

NOISE = unspoken.Laplace(2.0)
COINS = unspoken.OneSided({"A": 1.0}, {"A": [0]})

PLAIN: list[Any] = [
    *(
        None,
        True,
        -1,
        0,
        1,
        7,
        10**5000,
        "x" * 100_000,
        "{}%s{0}",
        1e308,
        0.5,
        -0.5,
        10**400,
        math.nan,
        math.inf,
        -math.inf,
        1j,
    ),
    *(Decimal("0.5"), "", "A", "text", "two\nlines", b"bytes", Path("nowhere"), (), (1,), {"A"}),
    *([], [None], ["A"], [[]], [[0.5], [0.2, 0.8]], set(), range(3), {}, {"A": None}, {1: 2}),
    *({"zz": 1.0}, {"A": {}}, {"A": "B"}, {None: None}),
    *(object(), int, len, unspoken.RELEASED, COINS, NOISE),
    *(False, -(10**400), 2**63, 2**53 + 1, 5e-324, 1e-300, 1e300, -0.0, 1 - 1e-16, 1 + 1e-16),
    *(
        Fraction(1, 3),
        Decimal("NaN"),
        Decimal("1e9999"),
        "\x1b[31mred",
        "\u202etxet",
        "\0",
        "ü" * 3,
    ),
    *(
        "é\ud800",
        "A" * 5000,
        ("A", "B"),
        frozenset({"A"}),
        [[[0.5]]],
        [0.5, "A"],
        [1, [2]],
        ["A", "A"],
    ),
    *({"A": 0.5, "B": math.nan}, {("A", "B"): 1}, {0.5: "A"}, {"A": [], "B": [0]}, {"": 1.0}),
    *(slice(1), Ellipsis, NotImplemented, print, type, SimpleNamespace(domain=1), OrderedDict(A=1)),
    *(deque([0.5, 0.5]), bytearray(b"A"), datetime.timedelta(1)),
    *(
        datetime.datetime(2020, 2, 2, tzinfo=datetime.UTC),
        datetime.date(2020, 2, 2),
        Exception("A"),
    ),
    *(np.float64("nan"), np.int8(-1), np.bool_(True), np.str_("A"), np.datetime64("2020-02-02")),
]
WRONG: list[Callable[[], Any]] = [
    *(partial(copy.copy, plain) for plain in PLAIN),
    lambda: unspoken,
    lambda: (x for x in (0.5, 0.5)),
    lambda: iter(["A", "B"]),
    lambda: np.zeros(0),
    lambda: np.array([1, 2]),
    lambda: np.array([0.5]),
    lambda: {3: 1.0, "a\nb": 2.0},
    lambda: {"\ud800": [0], b"A": [0]},
    lambda: np.zeros((2, 2, 2)),
    lambda: np.array("x"),
    lambda: np.array([0.5, math.nan]),
    lambda: np.array([[0.5, None], [1, 2]], dtype=object),
    lambda: np.array([1 + 1j, 2]),
    lambda: np.float32(0.5),
    lambda: np.array(["A", "B"]),
    lambda: np.array([True, False]),
    lambda: np.ma.masked_array([0.5, 0.5], mask=[True, False]),
    lambda: np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    lambda: np.eye(2, dtype=np.float16),
    lambda: pd.Series([0.5, 0.5], index=["A", "B"]),
    lambda: pd.Series(["A", None]),
    lambda: pd.DataFrame({"A": [0, 1], "B": [1, 0]}),
    lambda: pd.Index(["A", "B"]),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: pd.Timestamp("2020-02-02"),
    lambda: pl.Series([0.5, 0.5]),
    lambda: pl.Series(["A"]),
    lambda: pl.DataFrame({"A": ["u", "v"], "B": [1, 0]}),
    lambda: pl.DataFrame({"A": [1.0]}).lazy(),
    lambda: pa.array([0.5, None]),
    lambda: pa.scalar(0.5),
    lambda: ROWS,
    lambda: ROWS.to_reader(),
    lambda: memoryview(b"A"),
    lambda: MappingProxyType({"A": 1.0}),
    lambda: {"A": joint()},
    lambda: [joint(), None],
    joint,
    lambda: unspoken.Beliefs([joint()]),
    lambda: unspoken.Adversary("A"),
    lambda: unspoken.Bound(0.0, 1.0),
    lambda: unspoken.Box.within(joint(), 0.1),
    lambda: unspoken.plan,
    lambda: unspoken.Joint,
]


def numbers_of(given: list[Any]) -> Any:
    """As polars has them; of other things it makes no columns without end."""
    return pl.Series(given) if all(isinstance(each, float) for each in given) else given


# What nearly the same is: of a number, a word, a list, a dictionary.
OF_NUMBERS: list[Callable[[Any], Any]] = [
    *(lambda x: -x, lambda x: x * 1e300, lambda x: x * 1e-320, lambda x: x + 1e-9, lambda x: 1e9),
    *(str, Decimal, Fraction, np.float32, np.array, bool, int, lambda x: [x], lambda x: {"A": x}),
    *(lambda x: x * 10**6, lambda x: x / 3, lambda x: complex(x), lambda x: np.array([[x]])),
]
OF_WORDS: list[Callable[[Any], Any]] = [
    *(str.upper, str.encode, list, tuple, lambda x: [x], lambda x: x + "\x1b[0m", lambda x: {x: x}),
    *(lambda x: x[:-1], lambda x: x + " ", lambda x: (x * 999)[:9_999], np.str_, lambda x: {x}),
]
OF_LISTS: list[Callable[[Any], Any]] = [
    *(
        tuple,
        iter,
        deque,
        lambda x: x[:-1],
        lambda x: [*x, *x[:1]],
        lambda x: [x],
        lambda x: x[::-1],
    ),
    *(lambda x: np.array(x, dtype=object), lambda x: dict(enumerate(x)), lambda x: str(x)),
    *(
        lambda x: [*x, None],
        pd.Series,
        lambda x: pl.Series(x, dtype=pl.Float64, strict=False),
        lambda x: x * 50,
    ),
]
OF_TABLES: list[Callable[[Any], Any]] = [
    *(lambda x: list(x.items()), MappingProxyType, lambda x: dict(list(x.items())[1:]), list),
    *(lambda x: {**x, "zz": 1}, lambda x: {str(k) + "\n": v for k, v in x.items()}, pd.Series),
    *(
        lambda x: dict.fromkeys(x, 1.0),
        lambda x: dict.fromkeys(x),
        lambda x: [x],
        lambda x: {"A": x},
    ),
]
NEARLY: list[tuple[type | tuple[type, ...], list[Callable[[Any], Any]]]] = [
    (bool, [int, str, lambda x: not x, np.bool_]),
    ((int, float), OF_NUMBERS),
    (str, OF_WORDS),
    (list, OF_LISTS),
    (dict, OF_TABLES),
]


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


def left_out(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """The parameters that a call leaves at their defaults."""
    parameters = inspect.signature(function).parameters.values()
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in parameters if p.name not in arguments and p.kind not in several]


def mutated(arguments: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    """The same arguments, but for one place, or with one more."""
    if not path:
        return wrong
    changed: Any = dict(arguments) if isinstance(arguments, dict) else list(arguments)
    inner = changed[path[0]] if len(path) > 1 else None
    changed[path[0]] = mutated(inner, path[1:], wrong)
    return changed


def several(arguments: dict[str, Any], rng: random.Random) -> tuple[dict[str, Any], str]:
    """One to three places, each something wrong or nearly the same; and what was done, in words."""
    done = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        path = rng.choice(list(places(arguments)))
        before: Any = arguments
        for key in path:
            before = before[key]
        other = _nearly(before, rng) if rng.random() < 0.6 else rng.choice(WRONG)()
        arguments = mutated(arguments, path, other)
        done.append(f"{list(path)} = {in_short(other)}")
    return arguments, "; ".join(done)


def in_short(other: Any) -> str:
    """NumPy cannot show some of its own arrays, Python no whole number of 5,000 digits."""
    try:
        return " ".join(repr(other).split())[:80]
    except Exception as failed:
        return f"{type(other).__name__} ({type(failed).__name__})"


def _nearly(before: Any, rng: random.Random) -> Any:
    for kind, changes in NEARLY:
        if isinstance(before, kind):
            try:
                return rng.choice(changes)(before)
            except (Exception, pl.exceptions.PanicException):  # none of them makes everything
                return None
    return rng.choice(WRONG)()
