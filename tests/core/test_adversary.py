"""What an adversary is: lists however they are written, what reaches them, how often they ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError


def test_lists_are_lists_however_they_are_written() -> None:
    plain = unspoken.Adversary("A", secret=(0,), knows=("B",), sees=("B", "C"))
    forms: list[Any] = [list, iter, np.array]
    for listed in forms:
        other = unspoken.Adversary("A", listed([0]), listed(["B"]), listed(["B", "C"]))
        assert other == plain
    assert unspoken.Adversary(["A"]).targets == ("A",)


def test_known_by_name_or_by_value() -> None:
    assert unspoken.Adversary("A", knows=["B", "B"]).known == ("B",)
    assert unspoken.Adversary("A", knows=["B"]).known_values == {}
    valued = unspoken.Adversary("A", knows={"B": 1})
    assert (valued.known, valued.known_values) == (("B",), {"B": 1})


@pytest.mark.parametrize(
    ("sees", "reach"), [(None, ("B", "C")), ([], ()), (["C"], ("C",)), (["Z", "B"], ("B",))]
)
def test_what_reaches_them(sees: list[str] | None, reach: tuple[str, ...]) -> None:
    assert unspoken.Adversary("A", sees=sees).seen_among(["B", "C"]) == reach


def test_requests_are_counted_for_each() -> None:
    assert unspoken.Adversary("A", asks=3).asks_of("B") == 3
    each = unspoken.Adversary("A", asks={"B": 4})
    assert (each.asks_of("B"), each.asks_of("C")) == (4, 1)
    with pytest.raises(InputError, match=r"0\.5 is no number of requests"):
        unspoken.Adversary("A", asks=0.5)  # type: ignore[arg-type]


def test_nobody_is_after_what_they_know() -> None:
    with pytest.raises(InputError, match="nothing is left to learn"):
        unspoken.Adversary("A", knows=["A"])
