"""Where a cloud is too large to list, its bounds hold: from below and from above."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from tests.selection import slow_values
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.mechanisms import local
from unspoken.core.types.bound import LOG2
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.views import FiniteView, HeadsView


def random_question(seed: int) -> tuple[unspoken.Joint, unspoken.OneSided, unspoken.Adversary]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    table = rng.dirichlet(np.full(3**n, 0.3)).reshape((3,) * n)
    names = "ABCD"[:n]
    belief = unspoken.Joint(table, names=names)
    sensitive = {name: [0] if rng.random() < 0.7 else [] for name in names}
    epsilon = {name: float(rng.exponential()) for name in names}
    shows: Literal["bit", "value"] = "bit" if rng.random() < 0.3 else "value"
    return belief, unspoken.OneSided(epsilon, sensitive, shows=shows), unspoken.Adversary("A")


@pytest.mark.parametrize("seed", [*range(10), *slow_values(*range(10, 60))])
@pytest.mark.parametrize("budget", [40, 200])
def test_bounds_hold(seed: int, budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    belief, mechanism, adversary = random_question(seed)
    names = get_args(MeasureName)
    exact = [unspoken.leakage(belief, mechanism, adversary, name) for name in names]
    monkeypatch.setattr(local, "CELLS", budget)
    bounds = [
        unspoken.leakage(belief, mechanism, adversary, name) for name in get_args(MeasureName)
    ]
    for truth, bound in zip(exact, bounds, strict=True):
        assert bound.low <= truth.high * (1 + 1e-12) + 1e-15
        assert truth.low <= bound.high * (1 + 1e-12) + 1e-15


def right_guess(after: Posteriors) -> np.ndarray:
    """A convex function that is not 0 on the prior."""
    return np.asarray(after.posterior.max(-1))


def two_guesses(after: Posteriors) -> np.ndarray:
    """Two convex functions at once: the worse of them counts."""
    return np.stack([after.posterior[..., 0] ** 2, 3.0 * after.posterior[..., 1] ** 2], axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("f", [right_guess, two_guesses])
def test_bounds_hold_for_functions_of_ones_own(
    seed: int, f: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = random_question(seed)
    exact = unspoken.view(*question)
    assert isinstance(exact, FiniteView)
    monkeypatch.setattr(local, "CELLS", 40)
    bounded = unspoken.view(*question)
    f = Functional(f) if f is two_guesses else f  # of a user's own, one number each
    for truth, bound in [(exact.mean(f), bounded.mean(f)), (exact.sup(f), bounded.sup(f))]:
        assert bound.low <= truth.high * (1 + 1e-12)
        assert truth.low <= bound.high * (1 + 1e-12)


def test_a_bound_is_finished_at_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maximal leakage is log(1 + mean), for the low end as for the high one."""
    question = random_question(3)
    monkeypatch.setattr(local, "CELLS", 40)
    cloud = unspoken.view(*question)
    assert isinstance(cloud, HeadsView)
    measure = MEASURES["maximal-leakage"]
    raw, done = cloud.mean(Functional(measure.f)), measure.of(cloud)
    assert raw.low < raw.high
    assert (done.low, done.high) == (math.log1p(raw.low), math.log1p(raw.high))


def test_pairwise_bounds_hold_whatever_the_joint() -> None:
    """Pairs do not see a XOR: all pairwise terms are 0, the bound must not be."""
    fair = [0.5, 0.5]
    pairs = unspoken.Pairwise([fair] * 3, {}, names=["A", "B", "C"])
    xor = np.zeros((2, 2, 2))
    for a in range(2):
        for b in range(2):
            xor[a, b, a ^ b] = 0.25
    mechanism = unspoken.OneSided({"A": 1.0, "B": 1.0}, {"C": [0]}, shows="value")
    adversary = unspoken.Adversary("C", sees=["A", "B"])
    truth = unspoken.leakage(
        unspoken.Joint(xor, names=["A", "B", "C"]), mechanism, adversary, "mutual-information"
    )
    bound = unspoken.leakage(pairs, mechanism, adversary, "mutual-information")
    assert bound.low == 0.0
    assert 0.2 < truth.value <= bound.high
    assert bound.high == pytest.approx((1 - math.exp(-1)) ** 2 * math.log(2), rel=1e-9)
    assert math.isinf(unspoken.leakage(pairs, mechanism, adversary, "odds").high)


def test_pairwise_is_exact_for_one_output() -> None:
    pairs = unspoken.Pairwise(
        [[0.3, 0.7], [0.3, 0.7]], {("A", "B"): [[0.2, 0.1], [0.1, 0.6]]}, "AB"
    )
    joint = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], "AB")
    mechanism = unspoken.OneSided({"A": 1.0, "B": 2.0}, shows="bit")
    for name in get_args(MeasureName):
        assert (
            computed(pairs, mechanism, unspoken.Adversary("B"), name).value
            == computed(joint, mechanism, unspoken.Adversary("B"), name).value
        )


@pytest.mark.slow
def test_a_large_coalition_is_bounded() -> None:
    names = [f"a{i}" for i in range(200)]
    tables = {(names[i], names[i + 1]): [[0.06, 0.04], [0.04, 0.86]] for i in range(199)}
    belief = unspoken.Pairwise([[0.1, 0.9]] * 200, tables, names)
    mechanism = unspoken.OneSided(dict.fromkeys(names, 1e-4), shows="bit")
    bound = unspoken.leakage(belief, mechanism, unspoken.Adversary("a100"), "mutual-information")
    assert 0 < bound.low < bound.high < 0.001


def test_a_plan_on_pairs_keeps_its_own_limits() -> None:
    """Variables with eps = 0 stay in the plan's mechanism; they must not cost what is known."""
    tables = {("A", "B"): [[0.1, 0.1], [0.2, 0.6]], ("B", "C"): [[0.1, 0.2], [0.15, 0.55]]}
    belief = unspoken.Pairwise([[0.2, 0.8], [0.3, 0.7], [0.25, 0.75]], tables, names="ABC")
    plan = unspoken.plan(belief, limit_bits=0.1 / LOG2)
    assert plan.objective > 0
    for name in "ABC":
        adversary = unspoken.Adversary(name)
        assert unspoken.leakage(belief, plan.mechanism, adversary, "odds").value <= 4
        told = unspoken.leakage(belief, plan.mechanism, adversary, "mutual-information")
        assert told.value <= 0.1
