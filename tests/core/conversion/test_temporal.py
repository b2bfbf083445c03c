"""Temporal leakage: the outside numbers, and randomised response on every step, enumerated."""

from __future__ import annotations

import itertools
import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.conversion import reference
from tests.effort import examples
from unspoken import Chain
from unspoken.core.conversion import WorstEvents, temporal, worst_event
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.numerics.kernels import reversed_kernel, stationary

SYMMETRIC = [[0.8, 0.2], [0.2, 0.8]]
ABSORBED = [[0.8, 0.2], [0.0, 1.0]]
PAIR = Chain(None, SYMMETRIC, 2)
# L(.1), L(1), L(5), then BPL_2, BPL_3, BPL_10 and the supremum at epsilon .1, the supremum at 1:
# the authors' program, a linear program and the closed form agree on these 12 digits.
OUTSIDE = {
    "symmetric": (
        SYMMETRIC,
        "0.0599680147176 0.569445196043 1.36138244537 "
        "0.159968014718 0.195849969555 0.247382890773 0.248771834966 1.98074737052",
    ),
    "absorbed": (
        ABSORBED,
        "0.0807840338638 0.864839725163 4.77853951828 "
        "0.180784033864 0.24714774106 0.49638859685 0.645906616058 inf",
    ),
    "3": (
        reference.striped(3),
        "0.0499907261206 0.560505209615 1.98495284236 "
        "0.149990726121 0.175625737313 0.203237887357 0.203544671851 2.30869408264",
    ),
    "30": (
        reference.striped(30),
        "0.0356075474773 0.361227243921 2.10500499847 "
        "0.135607547477 0.148276482003 0.155268718175 0.155273785795 1.54777771144",
    ),
    "60": (
        reference.striped(60),
        "0.0344576390149 0.356047627952 2.08885209863 "
        "0.134457639015 0.146361344668 0.152644244982 0.152647948855 1.54298796427",
    ),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_outside_numbers(name: str) -> None:
    """To every digit given. There the matrix is run as it is: our forward leakage, from the end."""
    matrix = np.array(OUTSIDE[name][0], dtype=float)
    events = WorstEvents.of(matrix)
    forward = temporal(Chain(None, matrix, 10), 0.1).forward[::-1]
    got = [events.leak(given) for given in (0.1, 1.0, 5.0)]
    got += [float(forward[i]) for i in (1, 2, 9)]
    got += [events.fixed_point(epsilon) for epsilon in (0.1, 1.0)]
    for number, expected in zip(got, OUTSIDE[name][1].split(), strict=True):
        digits = len(expected.replace(".", "").lstrip("0"))
        assert f"{number:.{digits}g}" == expected


def test_backward_runs_the_matrix_turned_round() -> None:
    matrix = reference.striped(4)
    law = stationary(matrix)
    assert law is not None
    turned = reversed_kernel(law, matrix)
    assert turned.T * law == pytest.approx(law[:, None] * matrix, rel=1e-12)
    one, other = (temporal(Chain(None, step, 6), 0.3) for step in (matrix, turned))
    assert one.backward == pytest.approx(other.forward[::-1], rel=1e-10)
    assert one.forward == pytest.approx(other.backward[::-1], rel=1e-10)
    assert one.total == pytest.approx(one.backward + one.forward - 0.3, rel=1e-12)


def test_keeping_its_value_a_chain_adds_up() -> None:
    result = temporal(Chain([0.2, 0.3, 0.5], np.eye(3), 10), 0.1)
    assert result.backward == pytest.approx(0.1 * np.arange(1, 11), rel=1e-15)
    assert result.total == pytest.approx(np.ones(10), rel=1e-15)
    with pytest.raises(NotKnown, match="supremum"):
        _ = result.supremum


def test_forgetting_its_value_a_chain_adds_nothing() -> None:
    result = temporal(Chain(None, np.full((3, 3), 1 / 3), 3), [0.1, 0.2, 0.3])
    assert result.total == pytest.approx([0.1, 0.2, 0.3], rel=1e-13)
    assert result.worst.value == pytest.approx(0.3, rel=1e-13)
    assert result.at(0).low == 0.0


@st.composite
def chains(draw: st.DrawFn) -> tuple[np.ndarray, list[np.ndarray], list[float]]:
    """A start, two or three matrices (with zeros at times), an epsilon for each step."""
    d, steps = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    weights = st.integers(0, 6)
    rows = draw(st.lists(weights, min_size=d * d * steps, max_size=d * d * steps))
    tables = np.array(rows, dtype=float).reshape(steps, d, d)
    tables[tables.sum(-1) == 0] = 1.0
    start = np.array(draw(st.lists(weights, min_size=d, max_size=d)), dtype=float)
    start[0] += start.sum() == 0
    epsilons = draw(st.lists(st.floats(0.0, 3.0), min_size=steps + 1, max_size=steps + 1))
    return start / start.sum(), list(tables / tables.sum(-1, keepdims=True)), epsilons


@examples(150)
@given(chains())
def test_randomised_response_leaks_no_more(chain: Any) -> None:
    """All paths, all outputs. What leaks about a step, by its past, by its future, by all."""
    start, kernels, epsilons = chain
    result = temporal(Chain(start, kernels), epsilons)
    joint = reference.every_path(start, kernels)
    everything = reference.responses(joint.shape, epsilons)
    for t in range(joint.ndim):
        true = reference.inferential(joint, everything, t)
        assert true <= result.total[t] * (1 + 1e-12) + 1e-14
        past = joint.sum(axis=tuple(range(t + 1, joint.ndim)))
        before = reference.responses(past.shape, epsilons[: t + 1])
        true = reference.inferential(past, before, t)
        assert true <= result.backward[t] * (1 + 1e-12) + 1e-14
        future = joint.sum(axis=tuple(range(t)))
        after = reference.responses(future.shape, epsilons[t:])
        assert reference.inferential(future, after, 0) <= result.forward[t] * (1 + 1e-12) + 1e-14


@examples(60)
@given(st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.floats(0.05, 2.0), st.integers(2, 5))
def test_of_two_values_randomised_response_leaks_all_of_it(
    stay: float, leave: float, epsilon: float, length: int
) -> None:
    """Positive dependence: the worst outputs are all alike."""
    p, q = max(stay, leave), min(stay, leave)
    matrix = np.array([[p, 1 - p], [q, 1 - q]])
    result = temporal(Chain(None, matrix, length), epsilon)
    law = stationary(matrix)
    assert law is not None
    joint = reference.every_path(law, [matrix] * (length - 1))
    mechanism = reference.responses(joint.shape, [epsilon] * length)
    for t in range(length):
        true = reference.inferential(joint, mechanism, t)
        assert result.total[t] == pytest.approx(true, rel=1e-9)
        assert result.total[t] >= true * (1 - 1e-13)


@examples(60)
@given(chains())
def test_step_by_step(chain: Any) -> None:
    """Against the recursion written with every ordered pair of rows, at every step anew."""
    start, kernels, epsilons = chain
    result, law = temporal(Chain(start, kernels), epsilons), start
    leak = epsilons[0]
    for t, kernel in enumerate(kernels, start=1):
        joint, law = law[:, None] * kernel, law @ kernel
        rows = [joint[:, a] / law[a] for a in range(len(law)) if law[a] > 0]
        leak = crossing(rows, leak) + epsilons[t]
        assert result.backward[t] == pytest.approx(leak, rel=1e-9, abs=1e-12)
    leak = epsilons[-1]
    for t in reversed(range(len(kernels))):
        leak = crossing(list(kernels[t]), leak) + epsilons[t]
        assert result.forward[t] == pytest.approx(leak, rel=1e-9, abs=1e-12)


def crossing(rows: list[np.ndarray], leak: float) -> float:
    pairs = itertools.permutations(rows, 2)
    return max((worst_event(p, q, leak) for p, q in pairs), default=0.0)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("matrix", [SYMMETRIC, reference.striped(3), reference.striped(9)])
def test_supremum(matrix: Any, epsilon: float) -> None:
    longer = [temporal(Chain(None, matrix, length), epsilon) for length in (2, 5, 60, 400)]
    tops = {result.supremum.value for result in longer}
    assert len(tops) == 1
    worst = [result.worst.value for result in longer]
    assert worst == sorted(worst)
    assert worst[-1] <= tops.pop() <= worst[-1] * (1 + 1e-6)
    at_home = temporal(Chain(stationary(np.array(matrix)), matrix, 5), epsilon)
    assert at_home.supremum.value == pytest.approx(longer[0].supremum.value, rel=1e-12)


def test_a_thousand_steps() -> None:
    """A positive binary chain: what sums of a thousand values, Laplace noise added, do leak."""
    result = temporal(Chain(None, [[0.7, 0.3], [0.2, 0.8]], 1000), 0.1)
    assert result.supremum.value == pytest.approx(0.303064957648866, rel=1e-13)
    assert result.worst.value == pytest.approx(0.303064957648866, rel=1e-13)


def test_a_supremum_needs_one_chain() -> None:
    assert temporal(Chain(None, [[0.5, 0.5], [0.0, 1.0]], 4), 1.0).supremum.value == math.inf
    for chain, epsilon in (
        (Chain([0.5, 0.5], [SYMMETRIC, ABSORBED]), 0.1),
        (Chain(None, SYMMETRIC, 3), [0.1, 0.2, 0.1]),
        (Chain([0.9, 0.1], SYMMETRIC, 3), 0.1),
        (Chain([0.9, 0.1], SYMMETRIC, 1), 0.1),
    ):
        with pytest.raises(NotKnown, match="one matrix, one epsilon"):
            _ = temporal(chain, epsilon).supremum


def test_counts_and_unequal_steps_are_a_chain_like_any_other() -> None:
    """Counts are rows of laws; variables may have different numbers of values."""
    counts, laws = [[8, 2], [2, 8]], SYMMETRIC
    assert (
        temporal(Chain(None, counts, 5), 0.1).total == temporal(Chain(None, laws, 5), 0.1).total
    ).all()
    wide = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    back = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    start, epsilon = np.array([0.3, 0.7]), 0.7
    result = temporal(Chain(start, [wide, back]), epsilon)
    joint = start[:, None, None] * wide[:, :, None] * back
    everything = reference.responses(joint.shape, [epsilon] * 3)
    for t in range(3):
        assert reference.inferential(joint, everything, t) <= result.total[t] * (1 + 1e-12)
    assert temporal(Chain([0.3, 0.7], [wide, back], premise="learned(9)"), 1.0).worst.premise == (
        "learned(9)"
    )
    alone = temporal(Chain([0.3, 0.7], SYMMETRIC, 1), 0.4)
    assert alone.total == pytest.approx([0.4])


def test_stationary_laws() -> None:
    rare = np.array([[1 - 1e-12, 1e-12, 0], [0.5, 0, 0.5], [0, 1e-9, 1 - 1e-9]])
    law = stationary(rare)
    assert law is not None
    assert law @ rare == pytest.approx(law, rel=1e-13)
    assert stationary(np.array(ABSORBED)) == pytest.approx([0.0, 1.0])
    assert stationary(np.eye(2)) is None
    cycle = np.roll(np.eye(5), 1, axis=1)
    assert stationary(cycle) == pytest.approx(np.full(5, 0.2), rel=1e-14)


def test_shown() -> None:
    shown = repr(temporal(Chain(None, SYMMETRIC, 20), 0.1))
    assert "steps" in shown
    assert "any length" in shown
    assert temporal(Chain(None, SYMMETRIC, 20), 0.1).at(-1).premise == "stated"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((SYMMETRIC, 0.1), "temporal: needs a Chain, not list"),
        ((unspoken.Joint([0.5, 0.5]), 0.1), "temporal: needs a Chain, not Joint"),
        ((PAIR, -0.1), "epsilon: -0.1 must be 0 or more"),
        ((PAIR, [0.1, math.nan]), "epsilon: nan must be 0 or more"),
        ((PAIR, "much"), "epsilon: 'much' is no number"),
        ((PAIR, [0.1]), "epsilon: 1 numbers for 2 steps"),
        ((PAIR, [0.1, 0.1, 0.1]), "epsilon: 3 numbers for 2 steps"),
    ],
)
def test_bad_input_is_one_line(arguments: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        temporal(*arguments)
    assert "\n" not in str(caught.value)


def test_there_is_no_such_step() -> None:
    with pytest.raises(InputError, match="one of 0 to 1"):
        temporal(PAIR, [0.1, 0.1]).at(2)
    with pytest.raises(InputError, match=r"step: 1\.5 must be one of 0 to 1"):
        temporal(PAIR, 0.1).at(cast(Any, 1.5))
