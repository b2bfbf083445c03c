"""The worst adversary of exchangeable variables against all of them."""

import math

import numpy as np
import pytest

import unspoken
from tests.core.searching.everyone import all_nodes, exchangeable_table
from tests.core.searching.found import attained
from tests.effort import tries
from unspoken.core.adversary import Adversary
from unspoken.core.searching import exchangeable
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.exchangeable import worst_of_exchangeable
from unspoken.core.searching.joints import counted
from unspoken.core.searching.search import worst

pytestmark = pytest.mark.slow

COUNT, SIZES = 800, [1, 2, 2, 3, 3, 4, 4]


def beta_binomial(n: int, a: float, b: float) -> list[float]:
    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    logs = [
        math.log(math.comb(n, c)) + log_beta(c + a, n - c + b) - log_beta(a, b)
        for c in range(n + 1)
    ]
    law = np.exp(logs)
    return (law / law.sum()).tolist()


def certificates(belief: unspoken.Exchangeable, mechanism: unspoken.Laplace) -> list[Certificate]:
    (query,) = mechanism.parts(belief.domain, Adversary("x0")).queries
    steps = worst_of_exchangeable(belief, query, belief.domain.names)
    return [] if steps is None else list(steps)


@pytest.mark.stress
def test_against_every_adversary() -> None:
    rng = np.random.default_rng(0)
    for k in range(tries(COUNT)):
        n = int(rng.integers(5, 8)) if k % 80 == 0 else int(rng.choice(SIZES))
        counts = rng.dirichlet(np.full(n + 1, rng.choice([0.2, 1.0, 5.0])))
        counts[counts < rng.choice([0.0, 0.1])] = 0.0
        counts /= counts.sum()
        weight, scale = float(rng.choice([-2.0, 0.3, 1.0])), float(rng.uniform(0.2, 5.0))
        belief = unspoken.Exchangeable(counts, n)
        told = certificates(belief, unspoken.Laplace(scale, [weight] * n))
        terms = [[0.0, weight]] * n
        nodes = all_nodes(exchangeable_table(counts, n), terms, 1 / scale)
        truth = max(nodes.values())
        assert told[-1].low == told[-1].high == pytest.approx(truth, rel=1e-10, abs=1e-13)
        assert all(step.low <= truth + 1e-13 for step in told)
        assert all(truth <= step.high + 1e-13 for step in told)
        if told[-1].target:
            known = [j for j in range(1, n) if f"x{j}" not in told[-1].unknown]
            assert told[-1].target == "x0"
            assert nodes[0, tuple(known)] == pytest.approx(truth, rel=1e-10)


def test_the_number_of_the_theory() -> None:
    """Beta-binomial(2, 3), 1/lambda = 0.2: for n = 1000 it is 4.70 (benchmarks)."""
    found = worst(unspoken.Exchangeable(beta_binomial(200, 2, 3), 200), unspoken.Laplace(5.0))
    assert found.bound.exact
    strongest = worst(unspoken.Exchangeable(beta_binomial(1, 2, 3), 1), unspoken.Laplace(5.0))
    assert strongest.bound.value == pytest.approx(0.2, rel=1e-12)
    nobody = unspoken.Adversary("x0")
    belief = unspoken.Exchangeable(beta_binomial(200, 2, 3), 200)
    assert attained(found).known == ()
    alone = unspoken.leakage(belief, unspoken.Laplace(5.0), nobody).value
    assert found.bound.value == pytest.approx(alone, rel=1e-11)
    assert 2.5 < found.bound.value < 4.7


def test_parts_of_a_table_are_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = beta_binomial(30, 0.4, 0.7)
    counts[7] = counts[8] = counts[20] = 0.0
    belief = unspoken.Exchangeable(np.array(counts) / sum(counts), 30)
    whole = worst(belief, unspoken.Laplace(3.0)).bound.value
    for cells in (1, 40, 100):
        monkeypatch.setattr(exchangeable, "CELLS_AT_ONCE", cells)
        assert worst(belief, unspoken.Laplace(3.0)).bound.value == pytest.approx(whole, rel=1e-13)


def test_a_count_that_is_always_the_same_tells_nothing() -> None:
    """Exactly one of three is 1: whoever it is, the sum is 1."""
    belief = unspoken.Exchangeable([0, 1, 0, 0], 3)
    found = worst(belief, unspoken.Laplace(1.0))
    assert found.bound.value == pytest.approx(0.0, abs=2e-13)
    table = exchangeable_table([0, 1, 0, 0], 3)
    assert max(all_nodes(table, [[0.0, 1.0]] * 3, 1.0).values()) == 0.0


@pytest.mark.stress
def test_different_weights_by_kinds_of_adversaries() -> None:
    rng = np.random.default_rng(2)
    for _ in range(tries(15)):
        n = int(rng.integers(2, 6))
        counts = rng.dirichlet(np.ones(n + 1))
        weights = rng.choice([0.0, 1.0, 1.0, -0.5], n).tolist()
        belief, laplace = unspoken.Exchangeable(counts, n), unspoken.Laplace(1.5, weights)
        terms = [[0.0, w] for w in weights]
        nodes = all_nodes(exchangeable_table(counts, n), terms, 1 / 1.5)
        parts = laplace.parts(belief.domain, Adversary("x0"))
        kinds = counted(belief, parts, belief.domain.names)
        assert kinds is not None
        places = [
            (
                belief.domain.axis(kind.target),
                tuple(sorted(map(belief.domain.axis, kind.boundary))),
            )
            for kind in kinds
        ]
        assert max(nodes[place] for place in places) == pytest.approx(max(nodes.values()))
        found = worst(belief, laplace, "max-information")
        own = [
            unspoken.leakage(
                belief,
                laplace,
                Adversary(f"x{i}", knows=[f"x{j}" for j in known]),
                "max-information",
            ).value
            for i, known in nodes
        ]
        assert found.bound.value == pytest.approx(max(own), rel=1e-10, abs=1e-13)
