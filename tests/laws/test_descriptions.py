"""Mechanisms are what files and ledgers hold: written and read again they are the same."""

from __future__ import annotations

import copy
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.errors import InputError
from unspoken.core.mechanisms import (
    MECHANISMS,
    Extension,
    Finite,
    Geometric,
    Laplace,
    Mechanism,
    OneSided,
    OneSidedNoise,
    RandomizedResponse,
    RecordCounts,
    Suppression,
    Together,
    from_description,
)
from unspoken.core.mechanisms.record_chain import EARLIER
from unspoken.core.types.domain import RELEASED, WITHHELD

pytestmark = pytest.mark.slow

NAMES = st.sampled_from(["a", "b", "", "inf", "kind", "a,b", "ä\n"])
LABELS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3),
    st.sampled_from(["inf", "-inf", "withheld", WITHHELD, RELEASED]),
)  # fmt: skip
EPSILON = st.floats(0, math.inf)
NUMBERS = st.integers(-9, 9) | st.floats(allow_nan=False)  # infinite ones are refused when used
WEIGHTS = (
    st.none()
    | st.dictionaries(NAMES, NUMBERS | st.lists(NUMBERS, max_size=3))
    | st.lists(NUMBERS | st.lists(NUMBERS, max_size=3))
)
VALUES = st.none() | st.integers(-9, 9) | st.text(max_size=3) | st.sampled_from([WITHHELD])
TERMS = st.none() | st.dictionaries(
    NAMES.map("t{}".format), st.dictionaries(VALUES, NUMBERS | st.lists(NUMBERS, max_size=3))
)
BY_NAME = st.none() | st.dictionaries(NAMES, NUMBERS)


@st.composite
def suppressions(draw: st.DrawFn) -> Suppression:
    """Any names and labels; what is shown of some records, in some patterns without a secret."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    distinct = st.lists(st.none() | st.integers(-9, 9) | st.text(max_size=3), unique=True)
    values = {name: draw(distinct.filter(len)) for name in names}
    hidden = {name: draw(st.sampled_from([[], values[name][:1]])) for name in names}
    records = draw(st.sets(st.tuples(*(st.sampled_from(values[name]) for name in names))))
    table = {}
    for record in records:
        free = [n for n, label in zip(names, record, strict=True) if label not in hidden[n]]
        shown = draw(st.sets(st.sampled_from([(), *((n,) for n in free), tuple(free)])))
        table[record] = {pattern: draw(st.integers(0, 2**60)) for pattern in shown if pattern}
    reads = draw(st.none() | st.just(names[:1]))
    return Suppression(table, names, values, hidden, reads)


@st.composite
def extensions(draw: st.DrawFn) -> Extension:
    """Of any suppression; nothing is out, or all that its first name has."""
    first = draw(suppressions())
    names, shown = first.names, ["[[]]", json.dumps([[first.names[0]]])]
    values = {**dict(zip(names, first.values, strict=True)), EARLIER: shown}
    hidden = {**first.sensitive, EARLIER: shown}
    record = (*(own[-1] for own in first.values), "[[]]")
    free = tuple(n for n in names if values[n][-1] not in hidden.get(n, ()))
    table = {record: {free: draw(st.integers(1, 2**60))} if free else {}}
    added = Suppression(table, [*names, EARLIER], values, hidden)
    return Extension(first, added, draw(st.none() | st.just(names[:1])))


DRAWN: dict[str, st.SearchStrategy[Mechanism]] = {
    "extension": extensions(),
    "finite": st.builds(
        lambda name, rows, labels: Finite(name, rows, labels[:3] if len(labels) > 2 else None),
        NAMES,
        st.lists(st.tuples(*[st.integers(1, 99)] * 3), min_size=1, max_size=3),
        st.lists(LABELS, unique=True, max_size=5),
    ),
    "geometric": st.builds(Geometric, st.floats(0, 1, exclude_min=True, exclude_max=True), WEIGHTS)
    | st.builds(Geometric, st.just(0.5), BY_NAME, TERMS),
    "laplace": st.builds(Laplace, st.floats(1e-100, 1e100), WEIGHTS)
    | st.builds(Laplace, st.just(2.0), BY_NAME, TERMS),
    "one-sided": st.builds(
        OneSided,
        st.dictionaries(NAMES, EPSILON),
        st.none() | st.dictionaries(NAMES, st.lists(LABELS)),
        st.sampled_from(["value", "bit"]),
        st.sampled_from(["persistent", "fresh"]),
    ),
    "one-sided-noise": st.builds(
        OneSidedNoise,
        st.just(0.5),
        TERMS.filter(lambda terms: terms is not None),
        st.dictionaries(NAMES, st.lists(LABELS)),
    ),
    "randomized-response": st.builds(RandomizedResponse, NAMES, EPSILON),
    "record-counts": st.builds(
        RecordCounts,
        st.just(0.5),
        st.dictionaries(
            NAMES, st.lists(LABELS, min_size=2, max_size=2, unique=True), min_size=2, max_size=2
        ),
        st.lists(
            st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=2, max_size=2),
            min_size=1,
            max_size=3,
        ),
    ),
    "suppression": suppressions(),
}
DRAWN["together"] = st.lists(st.one_of(*DRAWN.values()), min_size=1, max_size=3).map(Together)


def test_every_kind_is_drawn() -> None:
    assert {*DRAWN} == {*MECHANISMS}
    assert all(MECHANISMS[kind].kind == kind for kind in MECHANISMS)


def typed(value: Any) -> Any:
    """With its types, which == does not look at: 1, 1.0 and True are three labels."""
    if isinstance(value, dict):
        return {name: typed(own) for name, own in value.items()}
    return [*map(typed, value)] if isinstance(value, list) else (type(value), value)


@pytest.mark.parametrize("kind", MECHANISMS)
@given(data=st.data())
def test_what_is_written_is_read(kind: str, data: st.DataObject) -> None:
    mechanism = data.draw(DRAWN[kind])
    written = mechanism.describe()
    text = json.dumps(written, allow_nan=False)
    read = from_description(json.loads(text))
    assert read == mechanism
    assert hash(read) == hash(mechanism)
    assert typed(read.describe()) == typed(written) == typed(json.loads(text))


@pytest.mark.parametrize("kind", MECHANISMS)
@given(data=st.data())
def test_they_compare_copy_and_pickle(kind: str, data: st.DataObject) -> None:
    one, other = data.draw(DRAWN[kind]), data.draw(DRAWN[kind])
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
        assert hash(again) == hash(one)
    assert (one == other) == (one.describe() == other.describe())


def test_nothing_changes_them() -> None:
    epsilon, hidden = {"a": 1.0}, {"a": [0]}
    weights: Any = np.array([1.0, 2.0])
    mechanism, noise = OneSided(epsilon, hidden), Laplace(1.0, weights)
    epsilon["a"], weights[0] = 9.0, 9.0
    hidden["a"].append(1)
    assert mechanism == OneSided({"a": 1.0}, {"a": [0]})
    assert noise == Laplace(1.0, [1, 2])
    with pytest.raises(TypeError):
        mechanism.epsilon["a"] = 9.0  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        Finite("a", [[1.0]]).matrix[0] = 0  # type: ignore[index]


LISTS: list[Any] = []
for _ in range(100_000):
    LISTS = [LISTS]
DEEP: dict[str, Any] = {"kind": "laplace", "scale": 1}
for _ in range(20):
    DEEP = {"kind": "together", "parts": [DEEP]}


@pytest.mark.parametrize(
    ("description", "says"),
    [
        (3, "mechanism: is no table"),
        ({}, "mechanism.kind: is missing; give one of extension, "),
        ({"kind": ["x"]}, "mechanism.kind: ['x'] is not"),
        (
            {"kind": [*range(99)]},
            "mechanism.kind: [0, 1, 2, 3, 4, 5, ...4, 95, 96, 97, 98] is not",
        ),
        ({"kind": "one-sidd"}, 'no "one-sidd". Did you mean "one-sided"'),
        ({"kind": "one-sided"}, "mechanism.epsilon: is missing"),
        ({"kind": "one-sided", "epsilon": {"a": "1"}}, "mechanism.epsilon: {'a': '1'} is not"),
        ({"kind": "one-sided", "epsilon": {"a": True}}, "a number for each name"),
        ({"kind": "one-sided", "epsilon": {"a": -1}}, "one-sided.epsilon of a: -1 must be 0 or"),
        ({"kind": "one-sided", "epsilon": {"a": math.nan}}, "one-sided.epsilon of a: nan must"),
        ({"kind": "laplace", "scale": 10**400}, "must be positive and finite"),
        ({"kind": "one-sided", "epsilon": {}, "sensitive": {"a": "x"}}, "mechanism.sensitive: "),
        ({"kind": "one-sided", "epsilon": {}, "sensitive": {"a": [{}]}}, "mechanism.sensitive: "),
        ({"kind": "one-sided", "epsilon": {}, "sensitive": {"a": [{"number": "x"}]}}, "a list of"),
        ({"kind": "one-sided", "epsilon": {}, "coins": 1}, "mechanism.coins: 1 is not"),
        ({"kind": "one-sided", "epsilon": {}, "eps": 1}, 'mechanism: there is no "eps"'),
        ({"kind": "laplace", "scale": 1, "weights": "abc"}, "mechanism.weights: 'abc' is not"),
        ({"kind": "laplace", "scale": "inf"}, "laplace.scale: inf must be positive and finite"),
        (
            {"kind": "finite", "name": "a", "matrix": [["0.5"]]},
            "matrix: [['0.5']] is not",
        ),
        ({"kind": "finite", "name": "a", "matrix": [[1], 2]}, "finite.matrix of a: "),
        ({"kind": "together", "parts": [{"kind": "laplace"}]}, "mechanism.parts[0].scale: is mis"),
        ({"kind": "finite", "name": "a", "matrix": LISTS}, "[mechanism] name, matrix: "),
        (DEEP, "lies too deep; at most 16"),
    ],
)
def test_what_describes_none_is_refused_in_one_line(description: Any, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        from_description(description)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_labels_without_a_word_are_refused() -> None:
    times = np.datetime64("2026-05-04", "ns"), np.timedelta64(3, "ns")  # whole numbers to NumPy
    for label in (math.nan, object(), 1j, Decimal("inf"), *times):
        with pytest.raises(InputError, match="cannot be written; use words or numbers"):
            OneSided({"a": 1.0}, {"a": [label]}).describe()
    assert OneSided({}, {"a": [np.int64(1)]}).describe()["sensitive"] == {"a": [1]}


def test_names_that_could_not_be_read_are_refused_beforehand() -> None:
    names: Any = {1: 1.0}
    for kind in (lambda: Laplace(1.0, names), lambda: OneSided(names)):
        with pytest.raises(InputError, match="1 is no str; names of variables are words"):
            kind()


def test_numbers_of_any_kind_are_written_as_numbers() -> None:
    weights: list[Any] = [[Decimal(1)], {"a": Fraction(1, 2)}]
    for own in weights:
        assert from_description(Laplace(1.0, own).describe()) == Laplace(1.0, own)
