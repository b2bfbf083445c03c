"""Names and values that are no lists of them are refused in one line."""

from __future__ import annotations

from typing import Any

import pytest

import unspoken
from unspoken.core.errors import InputError

TABLE = [[0.25, 0.25], [0.25, 0.25]]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"names": 3}, "names: a list is expected"),
        ({"names": [1, 2]}, "must be words"),
        ({"names": ["A", "A"]}, "given twice"),
        ({"values": 3}, "values: a list is expected"),
        ({"values": [3, 4]}, "values of x0: a list is expected"),
        ({"values": ["ab", "cd"]}, r"values of x0: a list is expected, write \['ab'\]"),
        ({"values": {"x0": None}}, "values of x0: a list is expected"),
        ({"values": [[[1], [2]], [0, 1]]}, "is no value; give words"),
        ({"values": [[0, 0], [0, 1]]}, "listed twice"),
    ],
)
def test_what_is_no_list_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as told:
        unspoken.Joint(TABLE, **given)
    assert "\n" not in str(told.value)


def test_values_of_a_chain_are_a_list() -> None:
    with pytest.raises(InputError, match="a list is expected"):
        unspoken.Chain([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], 3, values=5)  # type: ignore[arg-type]


def test_any_order_of_names_and_values_is_kept() -> None:
    own = unspoken.Joint(TABLE, names=("b", "a"), values=[range(3, 5), ["x", "y"]])
    assert own.domain.names == ("b", "a")
    assert own.domain.values == ((3, 4), ("x", "y"))
