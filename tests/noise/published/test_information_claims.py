"""Paper 004's hopes for P^delta as printed, each with laws where more is lost than it says."""

from __future__ import annotations

import pytest

from tests.core.conversion import reference
from unspoken.core.conversion import bound_from_dp, mechanism_distances
from unspoken.core.errors import InputError
from unspoken.noise.published import information_group, information_sequential

EPSILON, SIGMA = 0.5, 0.1


def test_two_answers_tell_more_than_both_limits() -> None:
    belief = reference.with_background(6, 0.098, 1e-9)
    assert max(reference.total_variations(belief)) <= SIGMA
    one = reference.towards((2,) * 6, (1,) * 6, EPSILON, 0.2)
    assert mechanism_distances(one)[1] == pytest.approx(EPSILON)
    limit = bound_from_dp(EPSILON, k=6, sigma=SIGMA).value
    assert reference.max_information(belief, one, 0) <= limit == pytest.approx(1.251, abs=5e-4)
    two = (one[..., :, None] * one[..., None, :]).reshape(*one.shape[:-1], 4)
    told = reference.max_information(belief, two, 0)
    assert told == pytest.approx(3.737, abs=5e-4)
    claimed = information_sequential([limit, limit])
    assert told > 1.4 * claimed.value
    assert "3.737" in claimed.why
    assert told <= bound_from_dp(2 * EPSILON, k=6, sigma=SIGMA).value


def test_two_variables_lose_more_than_twice_the_limit() -> None:
    belief = reference.with_background(8, 0.0999, 1e-9)
    assert max(reference.total_variations(belief)) <= SIGMA
    one = reference.towards((2,) * 8, (1,) * 8, EPSILON, 0.2)
    limit = bound_from_dp(EPSILON, k=8, sigma=SIGMA).value
    for i in range(8):
        assert reference.max_information(belief, one, i) <= limit == pytest.approx(1.938, abs=5e-4)
    told = reference.max_information(belief, one, 0, 1)
    assert told == pytest.approx(4.0, abs=5e-4)
    claimed = information_group(limit, 2)
    assert told > claimed.value
    assert "4.0" in claimed.why


def test_wrong_numbers_are_refused() -> None:
    for wrong in ([], [-1.0], [float("inf")]):
        with pytest.raises(InputError, match="0 or more"):
            information_sequential(wrong)
    with pytest.raises(InputError, match="number of variables"):
        information_group(1.0, 0)


def test_limits_add_up_as_printed() -> None:
    assert information_sequential([0.25, 0.5, 1.0]).value == 1.75
    assert information_group(0.5, 3).value == 1.5
