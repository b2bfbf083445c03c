"""The sound chain rule: never below what any adversary really learns, from any mechanism."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.mechanisms import Laplace
from unspoken.core.searching import pdp_nodes
from unspoken.core.searching.upper import partial_sums, pdp_upper, reaches
from unspoken.noise.published.tails import pdp_tails

INSTANCES = 800
ROUNDING = 1e-12


def drawn(seed: int, holes: bool) -> tuple[unspoken.Joint, list[float], float]:
    """A table of up to four variables, some of its cells empty if asked for; weights; a scale."""
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(1, 4, size=rng.integers(1, 5)))
    table = rng.dirichlet(np.full(math.prod(sizes), 0.5)).reshape(sizes)
    table = np.where(table < 0.03, 0.0, table) if holes else table + 1e-9
    weights = rng.choice([-1.0, 0.0, 0.5, 1.0, 3.0], len(sizes)).tolist()
    return unspoken.Joint(table / table.sum()), weights, float(rng.uniform(0.2, 5))


def test_the_truth_is_between_the_tails_and_the_bound(effort: int) -> None:
    over, short = [], 0
    for seed in range(INSTANCES * effort):
        joint, weights, scale = drawn(seed, holes=seed % 3 == 0)
        exact = pdp_nodes(joint, weights, scale)
        epsilons = reaches(joint, weights, scale)
        bound = pdp_upper(joint, epsilons)
        assert (np.isnan(exact.leaks) == np.isnan(bound.leaks)).all()
        tails = pdp_tails(joint, weights, scale)
        assert np.nanmin(bound.leaks - exact.leaks) >= -ROUNDING
        assert np.nanmin(exact.leaks - tails.leaks) >= -ROUNDING
        short += bool(np.nanmax(exact.leaks - tails.leaks) > 1e-3)
        assert np.nanmax(bound.leaks) <= sum(epsilons) * (1 + 1e-14)
        if exact.worst()[0] > 0:
            over.append(bound.worst()[0] / exact.worst()[0])
    assert 1 < np.mean(over) < 1.5
    assert 0.1 < short / (INSTANCES * effort) < 0.9  # tails are mostly, but not always, enough


@pytest.mark.stress
@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_it_holds_for_every_mechanism_of_these_epsilons(seed: int) -> None:
    """Also for tables of P(y | x) that add no noise to a sum; all adversaries, one by one."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(8, 0.5)).reshape(2, 2, 2)
    told = rng.dirichlet(np.ones(3), size=(2, 2, 2)) + 0.05
    told /= told.sum(-1, keepdims=True)
    epsilons = [float(np.abs(np.diff(np.log(told), axis=i)).max()) for i in range(3)]
    joint = unspoken.Joint(table)
    bound = pdp_upper(joint, [eps * (1 + 1e-15) for eps in epsilons])
    both = joint.table[..., None] * told
    for i in range(3):
        others = [j for j in range(3) if j != i]
        for known in itertools.chain.from_iterable(
            itertools.combinations(others, k) for k in range(3)
        ):
            unknown = tuple(j for j in others if j not in known)
            seen = both.sum(unknown) / joint.table.sum(unknown)[..., None]
            at = i - sum(j < i for j in unknown)
            leak = float(np.ptp(np.log(seen), axis=at).max())
            names = [f"x{j}" for j in known]
            assert leak <= bound.leak(f"x{i}", names) + ROUNDING


def test_two_variables_by_hand() -> None:
    """UB = eps + log (1 + p (e^eps - 1)) / (1 + q (e^eps - 1)), p = .8, q = .2: exact here."""
    joint = unspoken.Joint([[4, 1], [1, 4]])
    bound = pdp_upper(joint, [1.0, 1.0])
    grown = math.e - 1
    expected = 1 + math.log((1 + 0.8 * grown) / (1 + 0.2 * grown))
    assert bound.leak("x0") == pytest.approx(expected, rel=1e-14)
    assert bound.leak("x0") >= expected
    assert bound.leak("x0", ["x1"]) == 1.0
    exact = unspoken.leakage(joint, Laplace(1.0), unspoken.Adversary("x0"))
    assert exact.value == pytest.approx(expected, rel=1e-14)


def test_values_that_rule_one_another_out_count_in_full() -> None:
    bound = pdp_upper(unspoken.Joint([[1, 0], [0, 1]]), [1.0, 2.0])
    assert bound.leak("x0") == pytest.approx(3.0, rel=1e-15)
    assert bound.worst()[0] == bound.leak("x1")


def test_independent_variables_add_nothing() -> None:
    table = np.multiply.outer(np.multiply.outer([0.3, 0.7], [0.5, 0.2, 0.3]), [0.1, 0.9])
    bound = pdp_upper(unspoken.Joint(table), [1.0, 2.0, 0.5])
    for i, eps in enumerate([1.0, 2.0, 0.5]):
        assert np.nanmax(bound.leaks[i]) == pytest.approx(eps, rel=1e-12)


def test_partial_sums_are_sums() -> None:
    table = np.random.default_rng(0).random((2, 3, 2))
    found = dict(partial_sums(table))
    assert len(found) == 8
    for mask, cells in found.items():
        axes = tuple(j for j in range(3) if mask >> j & 1)
        np.testing.assert_allclose(cells, table.sum(axes, keepdims=True), rtol=1e-14)


def test_what_cannot_be_listed_is_refused() -> None:
    joint = unspoken.Joint(np.full((2, 2), 0.25))
    for wrong in ([1.0], [1.0, math.inf], [1.0, -1.0], [1.0, math.nan]):
        with pytest.raises(unspoken.UnspokenError, match="a finite epsilon for each of 2"):
            pdp_upper(joint, wrong)
    wide = unspoken.Joint(np.full((2,) * 16, 2.0**-16))
    with pytest.raises(unspoken.UnspokenError, match="too many adversaries"):
        pdp_upper(wide, [1.0] * 16)
