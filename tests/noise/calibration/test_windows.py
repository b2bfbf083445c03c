"""Long chains through windows: never too little noise, and hardly too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.questions import leakages
from unspoken.core.searching.search import worst
from unspoken.noise.calibration import calibrate
from unspoken.noise.calibration.exact.windows import Windows
from unspoken.noise.calibration.problem import NoiseProblem


def windows_of(chain: unspoken.Chain, weights, anybody: bool, share: float) -> Windows:
    found = Windows.of(NoiseProblem(chain, weights, 1.0), anybody, share)
    assert found is not None
    return found


@pytest.mark.stress
@examples(20)
@given(st.integers(0, 2**32 - 1))
def test_windows_tell_at_least_as_much(seed: int) -> None:
    """Whatever their width; as wide as the chain, no more than the group bound."""
    rng = np.random.default_rng(seed)
    length, size = int(rng.integers(2, 9)), int(rng.integers(2, 4))
    steps = [rng.dirichlet(np.full(size, 0.7), size=size) for _ in range(length - 1)]
    if rng.random() < 0.5:
        steps = [steps[0]] * (length - 1)
    steps = [np.where(step < 0.02, 0.0, step) for step in steps]
    steps = [step / step.sum(1, keepdims=True) for step in steps]
    chain = unspoken.Chain(rng.dirichlet(np.ones(size)), steps)
    weights, scale = rng.choice([-1.0, 1.0, 2.0], length).tolist(), float(rng.uniform(0.5, 6.0))
    mechanism = unspoken.Laplace(scale, weights)
    nobody = max(own.value for own in leakages(chain, mechanism).values())
    everybody = worst(chain, mechanism).bound.value
    for share in (0.5, 1e-3, 1e-15):
        own = [windows_of(chain, weights, anybody, share) for anybody in (False, True)]
        seen, known = (part.worst(scale) for part in own)
        assert seen.value >= nobody * (1 - 1e-12)
        assert known.value >= everybody * (1 - 1e-12)
        assert known.bound(scale).low <= everybody * (1 + 1e-9)
        assert seen.leak(scale) == pytest.approx(seen.value)
    for width in range(1, length):  # edges that tell too much, some of them everything
        for part, exact in zip(own, (nobody, everybody), strict=True):
            assert replace(part, width=width).worst(scale).value >= exact * (1 - 1e-12)
    if own[0].width >= length:  # no edges are told
        group = sum(NoiseProblem(chain, weights, 1.0).reaches.values()) / scale
        assert seen.value <= group * (1 + 1e-9)


def test_what_is_known_beyond_a_told_edge_adds_to_it() -> None:
    """x2 is known and says more of x1, which is told: 3.29 nat come of it, not 2.20."""
    chain, weights = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 3), [5.0, 1.0, 0.0]
    one = replace(windows_of(chain, weights, True, 1e-15), width=1)
    who = unspoken.Adversary("x0", knows=["x2"])
    leak = unspoken.leakage(chain, unspoken.Laplace(0.2, weights), who).value
    assert leak == pytest.approx(25.0 + 3.29, abs=0.01)
    assert one.worst(0.2).value >= leak


@pytest.mark.slow
@pytest.mark.parametrize("knows", ["nothing", "anything"])
def test_a_long_chain_is_a_short_one_in_the_middle(knows: str) -> None:
    """Far from its ends a chain needs what any other needs; settled to seven digits."""
    step = [[0.8, 0.2], [0.4, 0.6]]
    short = calibrate(unspoken.Chain([2 / 3, 1 / 3], step, 80), limit=1.0, knows=knows).scale
    long = calibrate(unspoken.Chain([2 / 3, 1 / 3], step, 3000), limit=1.0, knows=knows)
    assert long.scale == pytest.approx(short, rel=1e-7)
    assert 1 - 1e-7 <= long.bound.low <= long.bound.value <= 1.0
    assert "steps to either side" in long.bound.why


@pytest.mark.parametrize("anybody", [False, True])
def test_an_edge_that_rules_a_value_out_tells_it(anybody: bool) -> None:
    """Who has left never comes back: an edge still at home says that x was at home, for certain."""
    chain = unspoken.Chain([0.9, 0.1], [[0.8, 0.2], [0.0, 1.0]], 6)
    windows = windows_of(chain, None, anybody, 1e-9)
    assert windows.width == 6  # to the ends: no such edge is good enough
    mechanism = unspoken.Laplace(4.0)
    exact = max(own.value for own in leakages(chain, mechanism).values())
    for width in (1, 2, 3):
        narrow = replace(windows, width=width)
        assert exact < narrow.worst(4.0).value == np.inf


def test_a_chain_that_never_forgets_has_no_window() -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.0, 1.0], [1.0, 0.0]], 700)
    assert Windows.of(NoiseProblem(chain, None, 1.0), False, 1e-9) is None
    other = unspoken.Chain([0.5, 0.5], [np.full((2, 3), 1 / 3), np.full((3, 2), 0.5)])
    assert Windows.of(NoiseProblem(other, None, 1.0), False, 1e-9) is None
