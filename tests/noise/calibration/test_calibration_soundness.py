"""What is called sound keeps the limit on random beliefs; readings that are not, break it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from tests.effort import EFFORT, tries
from tests.noise.calibration.joints import (
    accepted,
    joint_of,
    random_joint,
    separation,
    separation_of_all,
    vectors,
)
from unspoken.core.mechanisms import Laplace
from unspoken.noise.calibration import METHODS, calibrate, coefficient
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.dpm import READINGS, dpm

pytestmark = pytest.mark.slow

# Thirty times as many, 3,000, have been run; `make stress` runs ten times as many.
BELIEFS = tries(100)
OF_THEIR_OWN = ("bdp_gaussian", "bdp_markov", "branches", "influence", "quilt")
FOR_NOBODY = [name for name in METHODS if name not in OF_THEIR_OWN]
FOR_VECTORS = [name for name in FOR_NOBODY if name != "wasserstein"]


def cases(seed: int, count: int):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        table, values = random_joint(rng)
        weights = np.round(rng.uniform(0.2, 3.0, table.ndim), 3)
        for own in (np.ones(table.ndim), weights):
            yield unspoken.Joint(table, values=[v.tolist() for v in values]), values, own, rng


def kept(
    problem: NoiseProblem, methods: list[str], truth: Callable[[float], float]
) -> dict[str, float]:
    """The scales of all methods, none of which leaks too much or is below the exact one.

    ``truth``: what really leaks at a scale, by enumeration; a little below the exact one too much.
    """
    limit = problem.limit
    exact = calibrate(
        problem.belief, problem.weights, limit=limit, knows="nothing", floor=False
    ).scale
    scales = {name: METHODS[name](problem) for name in methods}
    scales |= {f"dpm {name}": dpm(problem, name) for name in READINGS}
    for name, scale in {"exact": exact, **scales}.items():
        assert exact <= scale * (1 + 1e-10), name
        if scale:
            assert accepted(truth(scale), limit), name
    if exact:
        assert not accepted(truth(exact * (1 - 1e-7)), limit)
    return scales


def any_limit(rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(math.log(0.1), math.log(4.0))))


@pytest.mark.stress
def test_no_sound_method_leaks_more_than_the_limit() -> None:
    """All of them against enumeration; and none of them needs less noise than the exact one."""
    for belief, values, weights, rng in cases(1, BELIEFS):
        terms = [w * v for w, v in zip(weights, values, strict=True)]
        problem = NoiseProblem(belief, weights, any_limit(rng))
        scales = kept(problem, FOR_NOBODY, partial(separation, belief.table, terms))
        assert scales["mean"] <= scales["dpm M"] * (1 + 1e-12) <= scales["dpm B"] * (1 + 1e-10)
        assert scales["dpm B"] <= scales["dpm A"] * (1 + 1e-10) <= scales["group"] * (1 + 1e-9)


@pytest.mark.stress
def test_nor_where_every_value_is_released_with_noise() -> None:
    """The identity: as many answers as variables, on the whole grid of what they can be."""
    for belief, values, _, rng in itertools.islice(cases(3, BELIEFS), 0, None, 2):
        names = belief.domain.names
        identity = {name: np.eye(len(names))[k] for k, name in enumerate(names)}
        problem = NoiseProblem(belief, identity, any_limit(rng))
        kept(problem, FOR_VECTORS, partial(separation_of_all, belief.table, values))


@pytest.mark.stress
def test_methods_hold_for_whoever_they_say() -> None:
    """With knows="anything" no adversary of all learns more than the limit."""
    for belief, _, weights, rng in cases(2, 6 * EFFORT):
        limit, names = float(rng.uniform(0.3, 2.0)), belief.domain.names
        for method in ("exact", *FOR_NOBODY):
            found = calibrate(belief, weights, limit=limit, method=method)
            for target in names:
                others = [name for name in names if name != target]
                for mask in range(2 ** len(others)):
                    known = [name for k, name in enumerate(others) if mask >> k & 1]
                    adversary = unspoken.Adversary(target, knows=known)
                    leak = computed(belief, found.mechanism, adversary).value
                    assert accepted(leak, limit), (method, target, known)


def test_pairwise_dependence_is_not_enough() -> None:
    """Eq. 14 adds up what each other variable by itself says of x_i: nothing, for XOR."""
    (vector, *_) = vectors("ce_xor")
    belief = joint_of(vector["input"])
    scale = 1.0
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert (belief.marginal([f"x{i}", f"x{j}"]) == 0.25).all()
    leak = computed(belief, Laplace(scale), unspoken.Adversary("x0")).value
    assert leak == pytest.approx(math.log((1 + math.exp(2.0)) / 2))
    assert leak > 1.4 * 1.0


def test_neighbours_in_a_graph_are_not_enough() -> None:
    (vector,) = vectors("ce_friends_only")
    step = [[0.95, 0.05], [0.05, 0.95]]
    chain, wanted = unspoken.Chain([0.5, 0.5], step, 8), vector["expected"]
    sigma = float(wanted["sigma_dpm_B_neighbours"])
    problem = NoiseProblem(chain, None, 1.0)
    beside = [coefficient(problem, "x4", other, sigma, "B") for other in ("x3", "x5")]
    assert 1 + sum(beside) == pytest.approx(sigma, rel=1e-12)
    for scale, key in ((sigma, "sep_node4"), (3.0, "sep_node4_baseline_L3")):
        leak = computed(chain, Laplace(scale), unspoken.Adversary("x4")).value
        assert leak == pytest.approx(float(wanted[key]), rel=1e-12)
        assert leak > 2.0
    for method in ("dpm", "mean", "group", "wasserstein", "quilt", "exact"):
        found = calibrate(chain, limit=1.0, knows="nothing", method=method)
        assert computed(chain, found.mechanism, unspoken.Adversary("x4")).value <= 1.0 + 1e-12


def test_limits_do_not_add_up() -> None:
    """Two answers, each calibrated to a limit: together they tell more than twice of it."""
    (vector, *_) = vectors("ce_xor")
    belief, limit = joint_of(vector["input"]), 0.5
    scale = calibrate(belief, limit=limit, knows="nothing").scale
    twice = Laplace(scale, {name: [1.0, 1.0] for name in belief.domain.names})
    leak = computed(belief, twice, unspoken.Adversary("x0")).value
    assert leak == pytest.approx(float(vector["expected"]["two_release_sep"]), rel=1e-9)
    assert leak > 2 * limit
    jointly = calibrate(belief, {n: [1.0, 1.0] for n in belief.domain.names}, limit=2 * limit)
    assert computed(belief, jointly.mechanism, unspoken.Adversary("x0")).value <= 2 * limit


def test_the_group_rule_takes_blocks_of_a_forest() -> None:
    """Trees that are apart protect one another: the largest counts."""
    silent = [[0.5, 0.5], [0.5, 0.5]]
    sticky = [[0.9, 0.1], [0.1, 0.9]]
    chain = unspoken.Chain([0.5, 0.5], [sticky, silent, sticky, sticky])
    found = calibrate(chain, limit=1.0, method="group")
    assert found.scale == pytest.approx(3.0)
    assert unspoken.leakage(chain, found.mechanism, unspoken.Adversary("x3")).value <= 1.0
    means = calibrate(chain, limit=1.0, method="mean", knows="nothing").scale
    assert means < 3.0


def test_unbounded_values_have_no_group() -> None:
    """Ranges say what is compared, not how far the others of a Gaussian move."""
    belief = unspoken.Gaussian([[1.0, 9.0], [9.0, 100.0]], [1.0, 0.1])
    exact = calibrate(belief, limit=1.0)
    assert exact.scale == pytest.approx(10.0)
    for method in METHODS:
        with pytest.raises(unspoken.UnspokenError, match=r"bounded|of one variance"):
            calibrate(belief, limit=1.0, method=method)
