"""h(x) = (1+x) log(1+x) - x to a few units in the last place, wherever x lies."""

from __future__ import annotations

import mpmath
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.numerics.entropy import h

PLACES = st.one_of(
    st.floats(-1.0, -0.1),
    st.floats(0.1, 3.0),
    st.floats(-20.0, 3.0).map(lambda x: 10.0**x),
    st.floats(-20.0, -0.01).map(lambda x: -(10.0**x)),
    st.floats(-17.0, -1.0).map(lambda x: 10.0**x - 1.0),
)


@given(st.lists(PLACES, min_size=1, max_size=20))
def test_in_long_arithmetic(places: list[float]) -> None:
    for x, found in zip(places, h(np.array(places)).tolist(), strict=True):
        with mpmath.workdps(60):
            t = mpmath.mpf(x)
            exact = (1 + t) * mpmath.log(1 + t) - t if x > -1 else mpmath.mpf(1)
            assert abs(found - exact) <= 2e-15 * abs(exact)


def test_just_below_minus_one_is_rounding() -> None:
    assert h(np.array([-1.0 - 1e-15, -1.0])).tolist() == [1.0, 1.0]
