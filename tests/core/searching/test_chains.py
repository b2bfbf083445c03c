"""The worst adversary of a chain against all of them, and against the theory's vectors."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import unspoken
from tests.core.searching.everyone import all_nodes, chain_table, leak_of_node
from tests.core.searching.found import attained
from tests.effort import tries
from unspoken.core.adversary import Adversary
from unspoken.core.numerics.ring import OutOfRange
from unspoken.core.searching import chains
from unspoken.core.searching.blurring import blurred
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.chains import Runs, worst_of_chain
from unspoken.core.searching.search import worst

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
CHAINS = [v for v in VECTORS["vectors"] if v["kind"] == "markov_chain"]
# How many random instances in a daily run, and how often they have so many variables.
COUNT, SIZES = 800, [1, 2, 2, 3, 3, 3, 4]
VALUES = [-2.0, -1.0, 0.0, 1.0, 2.0, 4.0]


def certificates(
    chain: unspoken.Chain, mechanism: unspoken.Laplace | unspoken.Geometric
) -> list[Certificate]:
    names = chain.domain.names
    (query,) = mechanism.parts(chain.domain, Adversary(names[0])).queries
    steps = worst_of_chain(chain, query, names)
    return [] if steps is None else list(steps)


def drawn(rng: np.random.Generator, n: int) -> tuple[list, list, list, list[float], float]:
    """Start, steps, values, weights and scale; some probabilities are 0, some steps say nothing."""
    sizes = rng.integers(1, 4, n)

    def rows(count: int, size: int) -> np.ndarray:
        law = rng.dirichlet(np.full(size, rng.choice([0.3, 1.0, 3.0])), count)
        law[law < rng.choice([0.0, 0.1])] = 0.0
        return law / law.sum(1, keepdims=True)

    steps = [rows(*pair) for pair in itertools.pairwise(sizes)]
    steps = [np.repeat(s[:1], len(s), axis=0) if rng.random() < 0.1 else s for s in steps]
    values = [np.sort(rng.choice(VALUES, size, replace=False)).tolist() for size in sizes]
    weights = rng.choice([-1.0, 0.0, 0.5, 1.0, 1.0, 3.0], n).tolist()
    return rows(1, sizes[0])[0], steps, values, weights, float(rng.uniform(0.2, 5.0))


@pytest.mark.parametrize("vector", CHAINS, ids=lambda v: v["name"])
def test_the_vectors_of_the_theory(vector: dict) -> None:
    own, output = vector["input"], vector["output"]
    chain = unspoken.Chain(own["pi"], own["P"], values=own["values"])
    found = worst(chain, unspoken.Laplace(float(own["lam"])))
    assert found.bound.exact
    assert found.bound.value == pytest.approx(output["worst"], rel=1e-9)
    assert unspoken.leakage(chain, unspoken.Laplace(float(own["lam"])), attained(found)).value == (
        pytest.approx(output["worst"], rel=1e-9)
    )
    i, known = output["argworst"]
    nodes = all_nodes(chain_table(own["pi"], own["P"]), own["values"], 1 / float(own["lam"]))
    assert nodes[i, tuple(known)] == pytest.approx(output["worst"], rel=1e-9)
    names = chain.domain.names
    told = (names.index(attained(found).target), tuple(map(names.index, attained(found).known)))
    assert nodes[told] == pytest.approx(output["worst"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.stress
def test_against_every_adversary() -> None:
    rng = np.random.default_rng(0)
    for k in range(tries(COUNT)):
        n = int(rng.integers(5, 8)) if k % 80 == 0 else int(rng.choice(SIZES))
        start, steps, values, weights, scale = drawn(rng, n)
        chain = unspoken.Chain(start, steps, values=values)
        told = certificates(chain, unspoken.Laplace(scale, weights))
        terms = [w * np.array(own) for w, own in zip(weights, values, strict=True)]
        nodes = all_nodes(chain_table(start, steps), terms, 1 / scale)
        truth = max(nodes.values())
        if not told:
            assert not any(weights)
            continue
        assert told[-1].low == told[-1].high == pytest.approx(truth, rel=1e-10, abs=1e-13)
        assert all(step.low <= truth + 1e-13 for step in told)
        assert all(truth <= step.high + 1e-13 for step in told)
        if told[-1].target:
            names = chain.domain.names
            target = names.index(told[-1].target)
            known = [j for j in range(n) if j != target and names[j] not in told[-1].unknown]
            assert nodes[target, tuple(known)] == pytest.approx(truth, rel=1e-10)


def test_what_is_known_further_off_counts_as_long_as_runs_are_short() -> None:
    """Of random chains one in some thousand has an upper end on the way that would be too low."""
    start, steps = [0.75, 0.25], [[[0.83, 0.17], [0.38, 0.62]], [[0.21, 0.79], [0.03, 0.97]]]
    values, weights, scale = [[0.0, 2.0], [1.0, 4.0], [-2.0, 1.0]], [0.0, 1.0, 3.0], 0.4
    chain = unspoken.Chain(start, steps, values=values)
    terms = [w * np.array(own) for w, own in zip(weights, values, strict=True)]
    truth = max(all_nodes(chain_table(start, steps), terms, 1 / scale).values())
    told = certificates(chain, unspoken.Laplace(scale, weights))
    assert len(told) > 1
    assert all(step.low <= truth + 1e-12 and truth <= step.high + 1e-12 for step in told)


def test_geometric_noise_is_laplace_noise_of_its_rate() -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]], length=6)
    laplace = worst(chain, unspoken.Laplace(2.0))
    geometric = worst(chain, unspoken.Geometric(math.exp(-0.5)))
    assert geometric.bound.value == pytest.approx(laplace.bound.value, rel=1e-12)
    assert geometric.adversary == laplace.adversary


def test_one_target_of_many() -> None:
    start, steps, values, weights, scale = drawn(np.random.default_rng(8), 5)
    chain = unspoken.Chain(start, steps, values=values)
    terms = [w * np.array(own) for w, own in zip(weights, values, strict=True)]
    nodes = all_nodes(chain_table(start, steps), terms, 1 / scale)
    for i, name in enumerate(chain.domain.names):
        own = max(leak for (target, _), leak in nodes.items() if target == i)
        found = worst(chain, unspoken.Laplace(scale, weights), targets=[name])
        assert found.bound.value == pytest.approx(own, rel=1e-10)
        assert attained(found).target == name


def test_a_long_chain_over_all_it_may_know() -> None:
    """Known ends, 14 steps away, add a little to the closed form of who knows nothing else."""
    chain = unspoken.Chain([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], length=200)
    found, names = worst(chain, unspoken.Laplace(10.0)), chain.domain.names
    alone = unspoken.leakage(chain, unspoken.Laplace(10.0), Adversary(names[100]))
    assert alone.value == pytest.approx(0.303064957648866, rel=1e-9)
    assert found.bound.exact
    assert alone.value < found.bound.value < alone.value * 1.0001
    hidden = [name for name in names if name not in attained(found).known]
    first, last = names.index(hidden[0]), names.index(hidden[-1])
    assert hidden == list(names[first : last + 1])
    ends = [names[k] for k in (first - 1, last + 1) if 0 <= k < len(names)]
    query = unspoken.Laplace(10.0, dict.fromkeys(hidden, 1.0))
    who = Adversary(attained(found).target, knows=ends)
    assert unspoken.leakage(chain, query, who).value == pytest.approx(found.bound.value, rel=1e-10)


def test_sums_on_no_lattice_are_left_to_views() -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]], length=4)
    weights = [1.0, math.sqrt(2), math.pi, math.e]
    assert certificates(chain, unspoken.Laplace(1.0, weights)) == []
    terms = [w * np.arange(2) for w in weights]
    step = [[0.9, 0.1], [0.3, 0.7]]
    truth = max(all_nodes(chain_table([0.5, 0.5], [step] * 3), terms, 1.0).values())
    assert worst(chain, unspoken.Laplace(1.0, weights)).bound.value == pytest.approx(
        truth, rel=1e-10
    )


def test_little_noise_is_left_to_views() -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]], length=4)
    with pytest.raises(OutOfRange):
        certificates(chain, unspoken.Laplace(0.001))
    found = worst(chain, unspoken.Laplace(0.001))
    assert found.bound.value >= 1000
    seen = unspoken.leakage(chain, unspoken.Laplace(0.001), attained(found))
    assert seen.value == pytest.approx(found.bound.value, rel=1e-12)


def test_a_chain_beyond_the_budget_is_left_to_its_branches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]], length=60)
    exact = worst(chain, unspoken.Laplace(8.0)).bound
    monkeypatch.setattr(chains, "WORK", 1000.0)
    with pytest.raises(unspoken.UnspokenError, match="37,820 intervals of a chain of 60 variables"):
        certificates(chain, unspoken.Laplace(8.0))
    found = worst(chain, unspoken.Laplace(8.0)).bound
    assert found.low == pytest.approx(exact.low, rel=1e-12)
    assert exact.high < found.high < 1.1 * exact.high


def test_runs_are_the_laws_of_their_sums() -> None:
    start, steps, values, _, scale = drawn(np.random.default_rng(3), 4)
    chain = unspoken.Chain(start, steps, values=values)
    (query,) = unspoken.Laplace(scale, [1.0] * 4).parts(chain.domain, Adversary("x0")).queries
    runs = Runs.of(chain, query)
    assert runs is not None
    for i, law in enumerate(runs.lefts()):
        assert law[0, 0, : len(values[i])].sum(-1) == pytest.approx(chain.marginal([f"x{i}"]))
        assert law.shape[-1] == runs.lengths[i]
    for k, law in enumerate(runs.rights()):
        fits = chain.marginal([f"x{3 - k}"]) > 0
        assert law[0, 0, : len(fits)].sum(-1) == pytest.approx(fits.astype(float))


def test_blurring_is_the_sum_it_stands_for() -> None:
    rng = np.random.default_rng(0)
    for rate, length in ((0.01, 50), (3.0, 150), (150.0, 3), (400.0, 1), (1e-9, 9)):
        laws = rng.dirichlet(np.full(length, 0.1), 4)
        apart = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
        plain = laws @ np.exp(-rate * apart)
        assert blurred(laws, rate) == pytest.approx(plain, rel=1e-12, abs=0)
    with pytest.raises(OutOfRange):
        blurred(np.eye(1, 1000), 1.0)


def test_the_oracle_knows_two_coins() -> None:
    """Known answers: a single variable leaks its range, duplicates twice that."""
    assert leak_of_node(np.array([0.5, 0.5]), [[0.0, 1.0]], 0.5, 0, ()) == pytest.approx(0.5)
    both = np.diag([0.5, 0.5])
    assert leak_of_node(both, [[0.0, 1.0]] * 2, 0.5, 0, ()) == pytest.approx(1.0)
    assert leak_of_node(both, [[0.0, 1.0]] * 2, 0.5, 0, (1,)) == 0.0
