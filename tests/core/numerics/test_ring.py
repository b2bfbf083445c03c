"""The two rings compute the same numbers; the second where the first does not reach."""

import numpy as np
import pytest

from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import LINEAR, LOGS, OutOfRange, Ring, in_range, with_all_digits


def test_both_rings_agree() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random((2, 3, 4)), rng.random((4, 5))
    one[0, 1, 2] = other[2, 3] = 0.0
    logs = LOGS.dot(LOGS.of(one), LOGS.of(other))
    assert np.allclose(np.exp(logs), LINEAR.dot(one, other), rtol=1e-14, atol=0)
    for ring in (LINEAR, LOGS):
        row = ring.of(one[0])
        assert (ring.ratio(row, row)[row != ring.zero] == ring.of(np.ones(1))[0]).all()
        assert ring.ratio(row, row)[1, 2] == ring.zero
    assert np.allclose(LINEAR.of_logs(LOGS.of(one)), one, rtol=1e-15, atol=0)
    assert LOGS.of_logs(one) is one


@pytest.mark.parametrize("small", [1e-200, 1e-155])
def test_products_that_are_no_floats_are_made_again_on_logarithms(small: float) -> None:
    def squared(ring: Ring) -> Array:
        return ring.times(ring.of(np.full(9, small)), ring.of(np.full(9, small)))

    assert np.allclose(with_all_digits(squared), 2 * np.log(small))


def test_who_finds_numbers_out_of_range_says_so() -> None:
    def refused(ring: Ring) -> bool:
        if not ring.in_logs:
            raise OutOfRange
        return ring.in_logs

    assert in_range(refused)
    assert with_all_digits(refused)
    assert not in_range(lambda ring: ring.in_logs)
