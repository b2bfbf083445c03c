"""Near runs first: what the search over all intervals finds, on chains of every kind."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.core.searching.found import attained
from unspoken import Adversary
from unspoken.core.searching import chains, stretches
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.chains import IntervalSearch, worst_of_chain
from unspoken.core.searching.search import worst

STICKY, TURNS = [[0.9, 0.1], [0.2, 0.8]], [[0.05, 0.95], [0.95, 0.05]]


def both_ways(
    chain: unspoken.Chain, scale: float, weights: Any = None, targets: Any = None
) -> tuple[list[Certificate], Certificate]:
    """The certificates, and what the search over all intervals ends with."""
    names = chain.domain.names
    (query,) = unspoken.Laplace(scale, weights).parts(chain.domain, Adversary(names[0])).queries
    targets = names if targets is None else targets
    near = worst_of_chain(chain, query, targets)
    runs = chains.Runs.of(chain, query)
    assert near is not None
    assert runs is not None
    places = [chain.domain.axis(name) for name in targets]
    search = IntervalSearch(chain.domain, query, runs, places)
    *_, last = search.steps(search.known)
    return list(near), last


def check(near: list[Certificate], exact: Certificate) -> None:
    assert near[-1].low == near[-1].high == pytest.approx(exact.low, rel=1e-11)
    assert near[-1].done == near[-1].total
    assert all(step.low <= exact.low * (1 + 1e-11) for step in near)
    assert all(step.high >= exact.low * (1 - 1e-11) for step in near)


@pytest.mark.parametrize(
    "step", [STICKY, TURNS, [[1.0, 0.0], [0.3, 0.7]], [[0.0, 1.0], [1.0, 0.0]]]
)
@pytest.mark.parametrize("scale", [0.4, 3.0, 40.0])
def test_one_matrix_for_every_step(step: list[list[float]], scale: float) -> None:
    check(*both_ways(unspoken.Chain([0.4, 0.6], step, 24), scale))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_any_chain(seed: int) -> None:
    """Steps, values, weights, targets of all kinds."""
    rng = np.random.default_rng(seed)
    n, few = int(rng.integers(2, 14)), [rng.dirichlet(np.ones(3), 3) for _ in range(2)]
    steps = [few[k] for k in rng.integers(0, 2, n - 1).tolist()]
    if seed % 3 == 0:
        steps = [rng.dirichlet(np.full(3, 0.4), 3) for _ in range(n - 1)]
    steps = [np.where(step < 0.05, 0.0, step) for step in steps]
    steps = [step / step.sum(1, keepdims=True) for step in steps]
    chain = unspoken.Chain(rng.dirichlet(np.ones(3)), steps, values=[0.0, 1.0, 3.0])
    weights = rng.choice([-1.0, 1.0, 2.0], n).tolist() if seed % 2 else None
    names = chain.domain.names
    targets = rng.choice(names, int(rng.integers(1, n + 1)), replace=False).tolist()
    check(*both_ways(chain, float(rng.uniform(0.3, 6.0)), weights, targets))


def test_where_there_is_no_room_all_intervals_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = unspoken.Chain([0.4, 0.6], STICKY, 12)
    for room in (0, 30, 300):
        monkeypatch.setattr(stretches, "ROOM", room)
        near, exact = both_ways(chain, 3.0)
        check(near, exact)
        assert any(step.done not in (0, step.total) for step in near)
        for before, after in itertools.pairwise(near):
            assert after.low >= before.low
            assert after.high <= before.high


@pytest.mark.slow
def test_a_long_chain_and_who_is_worst_there() -> None:
    """The one found can be asked about like anybody else."""
    chain, noise = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 1000), unspoken.Laplace(8.0)
    found = worst(chain, noise)
    assert found.bound.exact
    again = unspoken.leakage(chain, noise, attained(found))
    assert again.value == pytest.approx(found.bound.value, rel=1e-10)
    short = worst(unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 300), noise).bound
    both = (found.bound.low + found.bound.high) / 2, (short.low + short.high) / 2
    assert both[0] == pytest.approx(both[1], rel=1e-12)
    assert found.bound.low <= short.low <= short.high <= found.bound.high


@pytest.mark.slow
def test_a_chain_that_turns_needs_no_more_noise_than_one_variable() -> None:
    """Whoever knows less of it sees less: neighbours take one another's place in the sum."""
    chain = unspoken.Chain([0.5, 0.5], TURNS, 100)
    found = unspoken.calibrate(chain, limit=0.4, floor=False)
    assert found.scale == pytest.approx(2.5, rel=1e-9)
    assert found.bound.high <= 0.4
