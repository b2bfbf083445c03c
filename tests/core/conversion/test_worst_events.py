"""LFP: against every event, against a linear program, in long arithmetic, and as a law."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from tests.core.conversion.reference import every_event, striped
from tests.effort import examples
from unspoken.core.conversion import WorstEvents, worst_event

NATS = st.floats(1e-6, 30.0)


@st.composite
def rows(draw: st.DrawFn, count: int | None = None, most: int = 6) -> np.ndarray:
    """A stochastic matrix, often with zeros and equal entries."""
    shape = (count or draw(st.integers(2, 5)), draw(st.integers(2, most)))
    weights = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 9)))
    weights[weights.sum(1) == 0] = 1
    return weights / weights.sum(1, keepdims=True)


def exactly(p: np.ndarray, q: np.ndarray, given: float) -> mpmath.mpf:
    """Every event, with 60 digits, the laws taken as the floats they are, over their exact sums.

    Floats that add up to 1 + 5e-17 are no law: of p(A) > 1 the best h would leak more than e^L,
    which no program of that form can.
    """
    with mpmath.workdps(60):
        grown = mpmath.expm1(mpmath.mpf(given))
        laws = [[mpmath.mpf(float(x)) for x in law] for law in (p, q)]
        of_all = [[x / mpmath.fsum(law) for x in law] for law in laws]
        best = mpmath.mpf(0)
        for event in itertools.product((0, 1), repeat=len(p)):
            above, below = (
                mpmath.fsum(x for x, e in zip(law, event, strict=True) if e) for law in of_all
            )
            best = max(best, mpmath.log((1 + above * grown) / (1 + below * grown)))
        return best * (1 - mpmath.mpf(10) ** -50)  # less what these digits leave open


@given(rows(2, 9), NATS)
def test_no_event_is_worse(pair: np.ndarray, nats: float) -> None:
    p, q = pair
    expected = every_event(p, q, nats)
    assert worst_event(p, q, nats) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(rows(), NATS)
def test_all_pairs_at_once(matrix: np.ndarray, nats: float) -> None:
    expected = max(every_event(p, q, nats) for p, q in itertools.permutations(matrix, 2))
    got = WorstEvents.of(matrix).leak(nats)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert got <= nats


@examples(60)
@given(rows(2, 5), st.sampled_from([1e-12, 1e-6, 0.1, 3.0, 40.0, 699.9, 700.1, 900.0]))
def test_rounded_up_and_never_far(pair: np.ndarray, nats: float) -> None:
    """At 1e-12 nothing cancels, at 900 nothing overflows, and the float is above the truth."""
    p, q = pair
    expected, got = exactly(p, q, nats), worst_event(p, q, nats)
    assert got >= expected
    assert got <= float(expected) * (1 + 1e-12) + 1e-13 * min(nats, 1.0)


@examples(25)
@given(rows(2, 6), st.floats(0.01, 6.0))
def test_linear_program(pair: np.ndarray, nats: float) -> None:
    """maximise <p, h> subject to <q, h> = 1 and t <= h <= e^L t."""
    p, q = pair
    d = len(p)
    lower = np.hstack([-np.eye(d), np.ones((d, 1))])
    upper = np.hstack([np.eye(d), -np.full((d, 1), math.exp(nats))])
    solved = linprog(
        -np.append(p, 0.0),
        A_ub=np.vstack([lower, upper]),
        b_ub=np.zeros(2 * d),
        A_eq=np.append(q, 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * (d + 1),
    )
    assert worst_event(p, q, nats) == pytest.approx(math.log(-solved.fun), rel=1e-7, abs=1e-9)


def test_what_is_impossible_in_one_row() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.0, 1.0])
    assert worst_event(p, q, math.inf) == math.inf
    assert worst_event(q, p, math.inf) == pytest.approx(math.log(2), rel=1e-14)
    assert worst_event(p, q, 800.0) == pytest.approx(800 - math.log(2), rel=1e-13)
    assert worst_event(np.array([1.0, 0.0]), q, 800.0) == 800.0
    assert worst_event(p, q, 0.0) == worst_event(p, p, 5.0) == worst_event(p, p, math.inf) == 0.0


@given(rows(), st.floats(0.01, 3.0))
def test_fixed_point(matrix: np.ndarray, epsilon: float) -> None:
    """It maps to itself, and every number of steps stays below it. Infinite: rightly so."""
    events = WorstEvents.of(matrix)
    top = events.fixed_point(epsilon)
    leak, steps = epsilon, 400
    for _ in range(steps):
        assert leak <= top
        leak = events.leak(leak) + epsilon
    if math.isinf(top):  # something impossible in one row has probability e^-eps in another
        pairs = itertools.permutations(matrix, 2)
        assert max(p[q == 0].sum() for p, q in pairs) * math.exp(epsilon) > 1 - 1e-9
    else:
        assert events.leak(top) + epsilon <= top
        assert events.leak(top) + epsilon == pytest.approx(top, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 0.1, 1.0, 30.0, 800.0, math.inf])
def test_fixed_point_at_the_ends(epsilon: float) -> None:
    same, keeps = np.full((3, 3), 1 / 3), np.eye(3)
    assert WorstEvents.of(same).fixed_point(epsilon) == epsilon
    assert WorstEvents.of(keeps).fixed_point(epsilon) == math.inf
    matrix = striped(5)
    top = WorstEvents.of(matrix).fixed_point(epsilon)
    assert epsilon <= top <= epsilon + math.log((matrix.max(0) / matrix.min(0)).max()) * (1 + 1e-9)
    assert WorstEvents.of(matrix).fixed_point(0.0) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("k", "digits"), [(2, 1e-12), (4, 1e-12), (6, 1e-12)])
def test_fixed_point_in_long_arithmetic(k: int, digits: float) -> None:
    matrix, epsilon = striped(k), 1e-9
    with mpmath.workdps(40):
        leak = mpmath.mpf(epsilon)
        for _ in range(200):
            grown = mpmath.expm1(leak)
            leak = epsilon + max(_long(p, q, grown) for p, q in itertools.permutations(matrix, 2))
    top = WorstEvents.of(matrix).fixed_point(epsilon)
    assert leak <= top <= float(leak) * (1 + digits)


def _long(p: np.ndarray, q: np.ndarray, grown: mpmath.mpf) -> mpmath.mpf:
    above = below = best = mpmath.mpf(0)
    for z in sorted(range(len(p)), key=lambda z: -p[z] / q[z]):
        above, below = above + mpmath.mpf(float(p[z])), below + mpmath.mpf(float(q[z]))
        best = max(best, mpmath.log((1 + above * grown) / (1 + below * grown)))
    return best
