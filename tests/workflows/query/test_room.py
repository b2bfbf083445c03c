"""What a release leaves for queries, in words: one budget for all attributes."""

from __future__ import annotations

from unspoken.workflows.query import RoomForAnswers


def test_attributes_with_the_same_epsilon_share_it() -> None:
    said = str(RoomForAnswers(dict.fromkeys("abck", 0.692)))
    wanted = "an epsilon of 0.692 in all for one record, about a, b, c or k"
    assert said == f"This release leaves queries {wanted}"
    assert said.count("0.692") == 1


def test_attributes_with_different_epsilons_share_one_budget() -> None:
    said = str(RoomForAnswers({"a": 0.5, "b": 0.7, "c": 0.0}))
    assert "an epsilon of 0.5 about a or 0.7 about b, for one record and in all: a query" in said
    assert "leaves less for the others, and nothing about c. A smaller odds_cap" in said
