"""Methods "mean" and "dpm" where all pair laws come at once: as if each were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.computed import computed
from tests.core.beliefs.branching import drawn
from tests.effort import examples
from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Chain, Joint
from unspoken.core.mechanisms import Laplace
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.dpm import READINGS, coefficient, dpm, mean

SEEDS = st.integers(0, 2**32 - 1)
CLOSE = 2.0**-35  # the fixed point is found to 2^-36


def defined(problem: NoiseProblem, reading: str, sigma: float) -> float:
    """max_i (D_i + sum_j |w_j| R_j rho_ij(sigma)), pair by pair."""
    belief, reaches = problem.belief, problem.reaches
    total = dict(reaches)
    for block in belief.blocks():
        for i in block:
            for j in block:
                if i != j and reaches[j]:
                    total[i] += reaches[j] * coefficient(problem, i, j, sigma, reading)
    return max(total.values())


def mean_by_loops(belief: Joint, limit: float) -> float:
    most, names = 0.0, belief.domain.names
    for i in names:
        joint = {j: belief.marginal([i, j]) for j in names if j != i}
        for a, mass in enumerate(belief.marginal([i])):
            if mass > 0:
                far = float(np.ptp(belief.domain.numbers(i)))
                for j, table in joint.items():
                    x, law = belief.domain.numbers(j), table[a] / mass
                    far += max(float(law @ abs(x - c)) for c in (x.min(), x.max()))
                most = max(most, far)
    return most / limit


@examples(40)
@given(st.sampled_from(["chain", "tree"]), SEEDS, st.floats(0.1, 4.0))
def test_on_forests_as_on_the_joint(kind: str, seed: int, limit: float) -> None:
    belief, joint = drawn(kind, seed)
    one, other = NoiseProblem(belief, None, limit), NoiseProblem(joint, None, limit)
    # A joint is one block; independent others add to it what they do not to a forest's.
    if len(belief.blocks()) == 1:
        assert mean(one) == pytest.approx(mean(other), rel=1e-12)
        for reading in READINGS:
            assert dpm(one, reading) == pytest.approx(dpm(other, reading), rel=CLOSE)
    assert mean(other) == pytest.approx(mean_by_loops(joint, limit), rel=1e-11)


@examples(25)
@given(st.sampled_from(["chain", "tree"]), SEEDS, st.sampled_from(list(READINGS)))
def test_the_fixed_point(kind: str, seed: int, reading: str) -> None:
    belief, _ = drawn(kind, seed)
    problem = NoiseProblem(belief, None, 0.7)
    scale = dpm(problem, reading)
    if scale:
        assert defined(problem, reading, scale) / scale == pytest.approx(0.7, rel=CLOSE)
        assert defined(problem, reading, scale) / scale <= 0.7 * (1 + 1e-12)


@pytest.mark.parametrize("cells", [1, 500, 5000])
def test_a_few_targets_at_a_time(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    steps = [rng.dirichlet(np.ones(2 + (t + 1) % 2), size=2 + t % 2) for t in range(20)]
    problem = NoiseProblem(Chain([0.2, 0.8], steps), {"x3": 2.0, "x4": -1.0, "x10": 1.0}, 1.0)
    whole = [mean(problem), *(dpm(problem, reading) for reading in READINGS)]
    monkeypatch.setattr("unspoken.noise.calibration.rules.pair_laws.CELLS", cells)
    parts = [mean(problem), *(dpm(problem, reading) for reading in READINGS)]
    assert parts == pytest.approx(whole, rel=CLOSE)


@pytest.mark.parametrize("limit", [100.0, 700.0, 2000.0, 5000.0])
@pytest.mark.parametrize("reading", ["A", "B", "M"])
def test_ends_of_the_range_that_cannot_be_say_nothing(limit: float, reading: str) -> None:
    """Values 0 and 1 are declared, .4 and .6 occur: at hardly any noise the ends underflowed."""
    table = np.zeros((2, 4, 4, 4))
    table[0, 1, 1, 1] = table[1, 2, 2, 2] = 0.5
    belief = Joint(table, values=[[0.0, 1.0]] + [[0.0, 0.4, 0.6, 1.0]] * 3)
    scale = dpm(NoiseProblem(belief, None, limit), reading)
    told = computed(belief, Laplace(scale), Adversary("x0"))
    assert told.value <= limit * (1 + 1e-12)
