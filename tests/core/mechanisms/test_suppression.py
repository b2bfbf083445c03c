"""One coin a record: the table, in one order however given; what is refused; what is shown."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Suppression, from_description
from unspoken.core.mechanisms.record_table import WHOLE

NAMES = ["occ", "arr"]
VALUES = {"arr": ["on", "late"], "occ": ["low", "normal", "high"]}
HIDDEN = {"arr": ["late"]}
TABLE: dict[Any, dict[Any, int]] = {
    ("low", "on"): {("occ",): WHOLE // 2},
    ("normal", "on"): {("arr", "occ"): WHOLE // 4, ("arr",): WHOLE // 4, (): WHOLE // 2},
    ("normal", "late"): {("occ",): 3},
    ("high", "late"): {("occ",): 0},
}
COIN = Suppression(TABLE, NAMES, VALUES, HIDDEN)
DAYS = unspoken.Joint(
    [[15, 5, 2], [10, 70, 1]], names=["arr", "occ"], values=[["late", "on"], VALUES["occ"]]
)
# Of the first table; frozen, since coins are drawn for it.
DIGEST = "2c309243610faf74daf19fc654aec27159f015528aa3cb2bad6c26618b5817eb"


def test_the_digest_is_frozen() -> None:
    assert COIN.digest == DIGEST


@given(seed=st.integers(0, 2**32))
def test_the_order_in_which_it_is_given_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [NAMES[i] for i in rng.permutation(2)]
    values = {n: [VALUES[n][i] for i in rng.permutation(len(VALUES[n]))] for n in names}
    table: dict[Any, Any] = {}
    for at in rng.permutation(len(TABLE)):
        record, shows = list(TABLE.items())[at]
        patterns = [list(shows.items())[i] for i in rng.permutation(len(shows))]
        own = tuple(record[NAMES.index(name)] for name in names)
        table[own] = {tuple(rng.permutation(p).tolist()): w for p, w in patterns}
    other = Suppression(table, names, values, HIDDEN)
    assert other == COIN
    assert (other.digest, hash(other), other.describe()) == (DIGEST, hash(COIN), COIN.describe())


def changed(**new: Any) -> Suppression:
    return Suppression(
        **{"records": TABLE, "names": NAMES, "values": VALUES, "sensitive": HIDDEN, **new}
    )


def test_any_other_table_has_another_digest() -> None:
    more = {**TABLE, ("low", "on"): {("occ",): WHOLE // 2 + 1}}
    others = [
        changed(records=more),
        changed(sensitive={}),
        changed(values={**VALUES, "arr": ["on", "late", "never"]}),
        changed(names=["occ", "bee"], values={"occ": VALUES["occ"], "bee": VALUES["arr"]},
                sensitive={"bee": ["late"]}, records={}),
    ]  # fmt: skip
    assert len({COIN.digest, *(other.digest for other in others)}) == 5


def test_of_arrays_is_the_same() -> None:
    codes, starts = [[1, 0], [0, 0], [1, 1]], [0, 2, 3, 4]
    masks, weights = [0b11, 0b10, 0b1, 0b1], [WHOLE // 4, WHOLE // 4, WHOLE // 2, 3]
    for kind in (list, np.array):
        given: dict[str, Any] = {
            "codes": codes,
            "starts": starts,
            "masks": masks,
            "weights": weights,
        }
        arrays: Any = {name: kind(each) for name, each in given.items()}
        made = Suppression.of_arrays(**arrays, names=NAMES, values=VALUES, sensitive=HIDDEN)
        assert made == COIN


def test_it_is_written_and_read_with_all_digits() -> None:
    table = {("low", "on"): {("occ",): 2**61 + 1, ("arr",): 2**60 + 7}}
    coin = Suppression(table, NAMES, VALUES, HIDDEN)
    for own in (coin, coin.showing(["arr"]), coin.showing([])):
        again: Any = from_description(json.loads(json.dumps(own.describe())))
        for same in (again, pickle.loads(pickle.dumps(own)), copy.deepcopy(own)):
            assert same == own
            assert hash(same) == hash(own)
            assert same.digest == coin.digest
    assert coin.describe()["weights"] == [[2**60 + 7, 2**61 + 1]]


def test_showing_less_is_the_same_coin() -> None:
    part = COIN.showing(["arr"])
    assert part.digest == COIN.digest
    assert part != COIN
    assert (part.delivered, part.reads, COIN.delivered) == (("arr",), ("arr",), ("arr", "occ"))
    assert COIN.showing(["occ", "arr"]) == COIN
    assert part.showing(["occ"]).delivered == ()
    assert part.shown(DAYS) == {"arr": COIN.shown(DAYS)["arr"]}


def test_what_is_sensitive_and_what_coins_it_has() -> None:
    assert (COIN.hides("arr"), COIN.hides("occ")) == (("late",), ())
    assert COIN.sensitive_values(DAYS.domain, "arr") == ("late",)
    assert COIN.sensitive_values(DAYS.domain, "occ") is None
    assert (COIN.exponents(), COIN.drawn_anew()) == ({}, ())
    with pytest.raises(InputError, match="suppression: there is no"):
        COIN.sensitive_values(unspoken.Joint([1, 1], names=["x"]).domain, "arr")


def test_how_often_each_name_is_shown() -> None:
    shown, given = COIN.shown(DAYS), COIN.shown_given(DAYS)
    assert shown["arr"] == pytest.approx(70 / 81 / 2, rel=1e-15)  # of those that may be
    assert shown["occ"] == pytest.approx((10 / 2 + 70 / 4) / 103, rel=1e-15)
    assert given["arr"] == pytest.approx({"late": 0.0, "on": 70 / 81 / 2}, rel=1e-15)
    assert given["occ"] == pytest.approx({"high": 0, "low": 0.2, "normal": 70 / 75 / 4}, rel=1e-15)
    more = unspoken.Joint(  # a label that the table does not have shows nothing
        [[15, 5, 2, 0], [10, 70, 1, 0], [0, 0, 0, 97]],
        names=["arr", "occ"],
        values=[["late", "on", "?"], [*VALUES["occ"], "?"]],
    )
    assert COIN.shown(more) == pytest.approx({"arr": 35 / 178, "occ": shown["occ"] * 103 / 200})


def of(record: Any, shows: Any) -> Mapping[str, Any]:
    return {"records": {record: shows}}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"records": 3}, "suppression: 3 is no mapping; give {record: {(names shown): integer}}"),
        (of(("low", "on"), 3), "suppression of ('low', 'on'): 3 is no mapping"),
        (of("low", {}), "suppression, a record: a list is expected, write ['low']"),
        (of(("low",), {}), "suppression of ('low',): 1 labels for 2 names"),
        (of(("lo", "on"), {}), 'value of occ: there is no "lo". Did you mean "low"'),
        (of(("low", "on"), {"occ": 1}), "a list is expected, write ['occ']"),
        (of(("low", "on"), {("oc",): 1}), 'there is no "oc". Did you mean "occ"'),
        (of(("low", "on"), {("occ",): -1}), "showing occ: -1 is no integer from 0 to 2^62"),
        (of(("low", "on"), {("occ",): 0.5}), "showing occ: 0.5 is no integer"),
        (of(("low", "on"), {("occ",): True}), "showing occ: True is no integer"),
        (of(("low", "on"), {("occ",): WHOLE + 1}), "is no integer from 0 to 2^62"),
        (of(("low", "on"), {("occ",): WHOLE, ("arr",): 1}), "weights sum to more than 2^62"),
        (of(("low", "on"), {("occ",): 1, (): 1}), "what shows nothing has what the others leave"),
        (of(("low", "on"), {("occ", "arr"): 1, ("arr", "occ"): 1}), "arr, occ is given twice"),
        (of(("low", "late"), {("occ", "arr"): 1}), "('late', 'low'): shows arr, which is sensitiv"),
        ({"names": []}, "suppression.names: name what a record has"),
        ({"names": ["occ", "occ"]}, 'names: "occ" is given twice'),
        ({"names": ["occ", "arrr"]}, 'suppression.values: there is no "arrr"'),
        ({"values": [["low", "normal", "high"]]}, "values: 1 lists of values for 2 variables"),
        ({"values": {**VALUES, "arr": ["on", "on"]}}, "values of arr: a value is listed twice"),
        ({"sensitive": ["arr"]}, "suppression.sensitive: ['arr'] is no mapping"),
        ({"sensitive": {"ar": ["late"]}}, 'suppression.sensitive: there is no "ar"'),
        ({"sensitive": {"arr": ["lat"]}}, 'value of arr: there is no "lat"'),
        ({"reads": ["ar"]}, 'suppression.reads: there is no "ar"'),
        ({"reads": "arr"}, "suppression.reads: a list is expected, write ['arr']"),
        (
            {"names": [f"x{i}" for i in range(63)], "values": [[0, 1]] * 63},
            "suppression.names: 63 of them; at most 62",
        ),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(given: Any, says: str) -> None:
    if len(given.get("names", "")) == 63:
        given = {**given, "records": {}, "sensitive": {}}
    with pytest.raises(InputError) as refusal:
        changed(**given)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


ARRAYS: dict[str, Any] = {
    "codes": [[0, 0], [1, 0]], "starts": [0, 1, 2], "masks": [1, 3], "weights": [5, 7]
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"codes": [[0, 0], [0, 0]]}, "the record ('on', 'low') is given twice"),
        ({"codes": [[0, 0], [3, 0]]}, "a position that no value of its name has"),
        ({"codes": [[0, 0], [-1, 0]]}, "a position that no value of its name has"),
        ({"codes": [[0, 0, 0]]}, "shape (1, 3); give a row of 2 a record"),
        ({"codes": [[0, 0], [1.0, 0]]}, "suppression.codes: give whole numbers"),
        ({"codes": [[0, 0], [1]]}, "suppression.codes: give whole numbers"),
        ({"starts": [0, 1]}, "2 records, 2 masks and 2 weights do not fit the starts"),
        ({"starts": [0, 3, 2]}, "do not fit the starts"),
        ({"starts": [1, 1, 2]}, "do not fit the starts"),
        ({"masks": [1, 4]}, "suppression.masks: a bit beyond the 2 names"),
        ({"masks": [1, -1]}, "suppression.masks: a bit beyond the 2 names"),
        ({"weights": [5, 2**63]}, "suppression.weights: give whole numbers below 2^63"),
        ({"weights": [5, 2**62 + 1]}, "4611686018427387905 is no integer from 0 to 2^62"),
        ({"starts": [0, 2, 2], "weights": [2**62, 1]}, "('on', 'low'): the weights sum to more"),
        ({"starts": [0, 2, 2], "masks": [1, 1]}, "what shows occ is given twice"),
    ],
)
def test_arrays_that_are_none_are_refused_in_one_line(given: Any, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        Suppression.of_arrays(**{**ARRAYS, **given}, names=NAMES, values=VALUES, sensitive=HIDDEN)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_descriptions_that_are_none_are_refused() -> None:
    plain = COIN.describe()
    wrong: list[dict[str, Any]] = [
        {"masks": plain["masks"][1:]},
        {"masks": [1, 2, 3]},
        {"weights": [[0.5], [1, 1], [3]]},
        {"names": "arr"},
        {"sensitive": {"occ": ["normal"]}},
        {"reads": ["x"]},
    ]
    for change in wrong:
        with pytest.raises(InputError, match="mechanism"):
            from_description({**plain, **change})
    without = {key: value for key, value in plain.items() if key != "codes"}
    with pytest.raises(InputError, match=r"mechanism\.codes: is missing"):
        from_description(without)


def test_sums_of_weights_are_exact() -> None:
    """Just 2^62 in many parts, and one more."""
    names = [f"x{i}" for i in range(5)]
    patterns = [tuple(n for b, n in enumerate(names) if m >> b & 1) for m in range(1, 32)]
    each = WHOLE // 31
    shows = dict.fromkeys(patterns, each)
    shows[patterns[0]] += WHOLE - 31 * each
    record = (0,) * 5
    assert Suppression({record: shows}, names, [[0, 1]] * 5, {}).names == tuple(names)
    shows[patterns[7]] += 1
    with pytest.raises(InputError, match="sum to more than"):
        Suppression({record: shows}, names, [[0, 1]] * 5, {})


def test_of_what_may_never_be_shown_nothing_is() -> None:
    """A belief may leave a name no value but secret ones."""
    belief = unspoken.Joint([[0.4, 0.6], [0.0, 0.0]], names=["a", "b"])
    table = unspoken.Suppression({(1, 0): {("a",): 5}}, ["a", "b"], [[0, 1]] * 2, {"a": [0]})
    assert table.shown(belief)["a"] == 0.0
