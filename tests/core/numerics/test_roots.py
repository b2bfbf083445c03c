"""The finder of roots: the safe end, looked at, next to one that is not."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.roots import CLOSE, bracket, last_where, least_scale

FALLING: list[Callable[[float], float]] = [
    lambda s: 1.0 / s,
    lambda s: math.exp(-s),
    lambda s: 3.0 if s < 7.0 else 1e-9,  # a step
    lambda s: math.inf if s < 2.0 else 1.0 / s**3,
    lambda s: 1.0 / s + max(0.0, 5.0 - s) ** 2,
    lambda s: 0.0 if s > 40.0 else 1.0,
]


@given(st.sampled_from(FALLING), st.floats(1e-6, 10.0), st.floats(1e-3, 1.0), st.floats(0.1, 1e3))
def test_a_scale_keeps_the_limit_and_hardly_a_smaller_one_does(
    leak: Callable[[float], float], limit: float, low: float, guess: float
) -> None:
    looked_at = list[float]()

    def looked(scale: float) -> float:
        looked_at.append(scale)
        return leak(scale)

    scale = least_scale(looked, limit, low, guess)
    assert scale in looked_at
    assert leak(scale) <= limit
    assert scale == low or leak(scale * (1 - 2.0**-35)) > limit
    assert len(looked_at) < 130


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_the_last_float_where_it_holds_from_either_side(a: float, b: float, at: float) -> None:
    inside, outside = min(a, at), max(b, at)
    last = last_where(lambda x: x <= at, inside, outside)
    assert last == at
    assert last_where(lambda x: x >= at, outside, inside) == at


@given(st.floats(0.1, 0.9), st.sampled_from([1e-3, 1e-9]), st.booleans())
def test_a_bracket_is_as_narrow_as_asked_for(at: float, width: float, relative: bool) -> None:
    widths = (0.0, width) if relative else (width, 0.0)
    inside, outside = bracket(lambda x: x**3 - at**3, 0.0, 1.0, *widths)
    assert inside <= at <= outside <= inside + width
    assert bracket(lambda x: x**3 - at**3, at, 0.0, *widths) == (0.0, 0.0)  # all of the way


def test_few_steps_where_the_line_is_smooth() -> None:
    count = 0

    def leak(scale: float) -> float:
        nonlocal count
        count += 1
        return 1.0 / scale + 0.1 / scale**2

    assert least_scale(leak, 0.3, 0.1, 3.0) == pytest.approx((1 + math.sqrt(1.12)) / 0.6, rel=1e-10)
    assert count <= 10


@pytest.mark.parametrize("power", [0.5, 1.0, 7.0])
@pytest.mark.parametrize("at", [1e-6, 3.7, 1e9])
@pytest.mark.parametrize("guess", [1e-9, 1.0, 1e12])
def test_roots_from_the_safe_side(power: float, at: float, guess: float) -> None:
    asked = []

    def leak(scale: float) -> float:
        asked.append(scale)
        return (at / scale) ** power

    found = least_scale(leak, 1.0, at * 1e-3, guess)
    assert leak(found) <= 1.0
    assert at <= found * (1 + 1e-15)
    assert found <= at * (1 + 2 * CLOSE)
    assert len(asked) < 150


def test_what_no_noise_keeps_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"limit 0\.5: no amount of noise keeps it; allow more"):
        least_scale(lambda scale: 1.0, 0.5, 1.0, 2.0)
