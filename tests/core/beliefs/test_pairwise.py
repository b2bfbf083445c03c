"""What a pairwise belief knows, and what it refuses by name."""

from __future__ import annotations

import pytest

import unspoken
from unspoken.core.errors import InputError, NotKnown

FAIR = [0.5, 0.5]
SAME = [[0.5, 0.0], [0.0, 0.5]]
OPPOSITE = [[0.0, 0.5], [0.5, 0.0]]


def test_pairs_are_known_both_ways() -> None:
    table = [[0.2, 0.1], [0.3, 0.4]]
    belief = unspoken.Pairwise([[0.3, 0.7], FAIR], {("A", "B"): table}, names=["A", "B"])
    assert belief.marginal(["A", "B"]).tolist() == table
    assert belief.marginal(["B", "A"]).T.tolist() == table


def test_a_pair_without_a_table_is_independent() -> None:
    belief = unspoken.Pairwise([[0.3, 0.7], FAIR], {}, names=["A", "B"])
    assert belief.marginal(["A", "B"]).tolist() == [[0.15, 0.15], [0.35, 0.35]]


def test_joint_questions_are_refused_by_name() -> None:
    belief = unspoken.Pairwise([FAIR] * 3, {("A", "B"): SAME}, names=["A", "B", "C"])
    seen = {"A": unspoken.WITHHELD, "B": unspoken.WITHHELD}
    with pytest.raises(NotKnown, match="pairs only"):
        belief.marginal(["A", "B", "C"])
    with pytest.raises(NotKnown, match="more than pairs"):
        belief.given({"A": 0})
    with pytest.raises(NotKnown, match="pairs only"):
        unspoken.odds(belief, unspoken.OneSided({"A": 1, "B": 1}), unspoken.Adversary("C"), seen)


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ({("A", "B"): [[0.4, 0.2], [0.2, 0.2]]}, "contradicts the marginal of A"),
        ({("A", "A"): SAME}, "two different names"),
        ({("A", "B"): SAME, ("B", "A"): SAME}, "given once"),
        ({("A", "D"): SAME}, "there is no"),
        ({("A", "B"): [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]}, "shape"),
        ({("A", "B"): SAME, ("B", "C"): SAME, ("A", "C"): OPPOSITE}, "contradict each other"),
    ],
)
def test_contradictions_are_refused(
    tables: dict[tuple[str, str], list[list[float]]], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        unspoken.Pairwise([FAIR] * 3, tables, names=["A", "B", "C"])


def test_three_tables_that_fit_one_joint_are_taken() -> None:
    unspoken.Pairwise([FAIR] * 3, {("A", "B"): SAME, ("B", "C"): SAME, ("A", "C"): SAME}, "ABC")
