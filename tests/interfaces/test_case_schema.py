"""What a key may hold is what its argument is annotated with, however that type is called."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_type_hints

import numpy.typing as npt
import pytest

from unspoken.core.errors import InputError
from unspoken.core.families import Intervals
from unspoken.interfaces.case_schema import held, made, plain_type_of

Budget = Mapping[str, float]
INF = float("inf")


def spend(
    belief: object, shares: Budget, *, ask: Literal["once", "twice"] = "once", **options: float
) -> tuple[Any, ...]:
    return belief, shares, ask, options


@pytest.mark.parametrize(
    ("kind", "fits", "not_so", "wanted"),
    [
        (float, [1, 0.5, INF], ["1", True, None, [1]], "a number"),
        (int, [1, 2.0, INF], [0.5, "1", True], "a whole number"),
        (bool, [True, False], [0, 1, "yes"], "true or false"),
        (str, ["A", ""], [1, None, ["A"]], "a word in quotes"),
        (Sequence[str], [[], ["A"]], ["A", [1], {"A": 1}], 'a list of names, ["A"]'),
        (Iterable[Hashable], [[0, "x"]], ["x", [[0]]], "a list of values, [0]"),
        (Budget, [{}, {"A": 1}], [1.0, {"A": "x"}], "a number for each name, {A = 1.0}"),
        (
            Mapping[str, Sequence[Hashable]] | None,
            [{"A": [0]}],
            [{"A": 0}, None],
            "a list of values for each name, {A = [0]}",
        ),
        (
            float | Budget,
            [1, {"A": 2.0}],
            ["x", [1.0]],
            "a number; or a number for each name, {A = 1.0}",
        ),
        (Sequence[Sequence[str]], [[["A"]]], [["A"]], 'a list of lists of names, [["A"]]'),
        (Literal["bit", "value"], ["bit"], ["bits", ["bit"]], '"bit" or "value"'),
        (Annotated[list[Any], "a list of measures"], [["odds"]], ["odds"], "a list of measures"),
        (npt.ArrayLike, [[[1, 2]], "x"], [], "anything"),
    ],
)
def test_annotations_are_shapes(kind: Any, fits: Any, not_so: Any, wanted: str) -> None:
    shape = plain_type_of(kind)
    assert [shape.fits(value) for value in fits] == [True] * len(fits)
    assert [shape.fits(value) for value in not_so] == [False] * len(not_so)
    for value in not_so:
        with pytest.raises(InputError, match=re.escape(f"x.y: {value!r} is not what it takes: ")):
            held("x.y", kind, value)
    assert wanted in shape.wanted


def test_arguments_are_keys() -> None:
    given = {"shares": {"A": 1.0}, "ask": "twice", "eps": 2.0}
    assert made("ask.spend", spend, given, "b") == ("b", {"A": 1.0}, "twice", {"eps": 2.0})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "ask.spend.shares: is missing"),
        ({"shares": 1.0}, "ask.spend.shares: 1.0 is not what it takes: a number for each name"),
        ({"shares": {}, "ask": "never"}, "ask.spend.ask: 'never' is not what it takes: \"once\""),
        ({"shares": {}, "eps": "x"}, "ask.spend.eps: 'x' is not what it takes: a number"),
        ({"shares": {}, "belief": 1}, "ask.spend"),
    ],
)
def test_slips_name_the_key(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        made("ask.spend", spend, given, "b")


def test_what_files_cannot_write_is_not_asked_of_them() -> None:
    """A table's keys are words, so events stand in a list of tables."""
    kind = get_type_hints(Intervals.__init__)["intervals"]
    with pytest.raises(InputError, match="not what it takes: a list of tables"):
        held("belief.intervals", kind, {"name": "A"})
