"""Results are compared with == without an error, whatever arrays they hold."""

from __future__ import annotations

import pytest

import unspoken
from tests.laws.valid_calls import CALLS

pytestmark = pytest.mark.slow

CHAIN = [[0.8, 0.2], [0.2, 0.8]]


@pytest.mark.parametrize("name", CALLS)
def test_two_results_of_the_same_call(name: str) -> None:
    function, arguments = CALLS[name]
    if "no such" in str(arguments):
        return
    first, second = function(**arguments), function(**arguments)
    assert (first == first) is True
    assert (first == second) in (True, False)
    assert first != object()


def test_temporal_leakages_are_equal_if_their_numbers_are() -> None:
    short, long = (unspoken.Chain(None, CHAIN, length) for length in (5, 6))
    assert unspoken.temporal(short, 0.1) == unspoken.temporal(short, 0.1)
    assert unspoken.temporal(short, 0.1) != unspoken.temporal(short, 0.2)
    assert unspoken.temporal(short, 0.1) != unspoken.temporal(long, 0.1)


def test_a_view_is_equal_to_itself_alone() -> None:
    """So that it can be a key, and is compared at no cost."""
    belief = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names=["A", "B"])
    for mechanism in (unspoken.Laplace(2.0), unspoken.OneSided({"A": 1.0})):
        first, second = (
            unspoken.view(belief, mechanism, unspoken.Adversary("B")) for _ in range(2)
        )
        assert first == first
        assert first != second
        assert {first: 1}[first] == 1
