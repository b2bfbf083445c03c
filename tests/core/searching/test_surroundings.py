"""The worst adversary of large trees: two ends, both true, and somebody at the lower one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.branching import drawn
from tests.core.searching.everyone import all_nodes
from tests.core.searching.found import attained
from tests.effort import examples
from unspoken.core.beliefs.forests.markov import Markov
from unspoken.core.errors import TooLarge
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.joints import AllBut
from unspoken.core.searching.search import SearchProblem, looks_at_everybody, worst
from unspoken.core.searching.surroundings import worst_of_branches

pytestmark = pytest.mark.slow

FAIR, FLIP = [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]


def binary(variables: int) -> unspoken.Tree:
    return unspoken.Tree([-1, *((v - 1) // 2 for v in range(1, variables))], FAIR, FLIP)


def branched(belief: Markov, mechanism: unspoken.Laplace) -> list[Certificate]:
    """As for a belief that is too large for anything else."""
    names = belief.domain.names
    found = SearchProblem(belief, mechanism, MEASURES["max-log-ratio"], names, {}, None).branches()
    assert found is not None
    return list(found)


@pytest.mark.stress
@examples(40)
@given(st.integers(0, 2**32 - 1))
def test_the_truth_lies_between(seed: int) -> None:
    rng = np.random.default_rng(seed)
    belief, joint = drawn("tree" if seed % 3 else "chain", seed, 5)
    weights = rng.choice([-1.0, 0.0, 1.0, 3.0], len(belief.domain.names)).tolist()
    scale = float(rng.choice([0.5, 3.0, 30.0]))
    names = belief.domain.names
    terms = [w * joint.domain.numbers(name) for w, name in zip(weights, names, strict=True)]
    everybody = all_nodes(joint.table, terms, 1 / scale)
    truth = max(everybody.values())
    mechanism = unspoken.Laplace(scale, weights)
    steps = branched(belief, mechanism)
    for step in steps:
        assert step.low <= truth * (1 + 1e-9) + 1e-13
        assert truth <= step.high * (1 + 1e-9) + 1e-13
    last = steps[-1]
    assert [step.low for step in steps] == sorted(step.low for step in steps)
    assert last.done == last.total
    if last.target:
        known = [k for k, n in enumerate(names) if n != last.target and n not in last.unknown]
        leak = everybody[names.index(last.target), tuple(known)]
        assert last.low == pytest.approx(leak, rel=1e-9, abs=1e-13)


def test_a_tree_of_thousands() -> None:
    found = worst(binary(2000), unspoken.Laplace(300.0))
    assert 0.97 * found.bound.high < found.bound.low < found.bound.high < 1
    assert "one branch after the other" in found.bound.why
    seen = unspoken.leakage(binary(2000), unspoken.Laplace(300.0), attained(found))
    assert seen.value == pytest.approx(found.bound.low, rel=1e-9)


def test_small_trees_are_looked_at_whole() -> None:
    assert worst(binary(9), unspoken.Laplace(3.0)).bound.exact
    assert looks_at_everybody(binary(9), unspoken.Laplace(3.0), "max-log-ratio")
    assert not looks_at_everybody(binary(31), unspoken.Laplace(3.0), "max-log-ratio")


def test_a_large_tree_of_independent_variables_is_exact() -> None:
    loose = unspoken.Tree([-1, *[0] * 99], FAIR, [[0.2, 0.8], [0.2, 0.8]])
    assert worst(loose, unspoken.Laplace(4.0)).bound.value == pytest.approx(0.25)


def test_some_targets_only() -> None:
    """A leaf leaks less than the middle; nobody else is looked for."""
    tree, laplace = binary(63), unspoken.Laplace(20.0)
    leaf, everybody = worst(tree, laplace, targets=["x62"]), worst(tree, laplace)
    assert attained(leaf).target == "x62"
    assert leaf.bound.high < everybody.bound.high


def test_a_hub_whose_neighbours_cannot_be_listed() -> None:
    """1,000 leaves have 2^1000 contexts; of these nobody has to look at any."""
    star = unspoken.Tree([-1] + [0] * 1000, FAIR, FLIP)
    found = worst(star, unspoken.Laplace(1000.0)).bound
    assert 0.9 * found.high < found.low < found.high


def test_vectors_and_coins() -> None:
    rows = {f"x{v}": [1.0, float(v % 2)] for v in range(40)}
    two = worst(binary(40), unspoken.Laplace(30.0, rows)).bound
    one = worst(binary(40), unspoken.Laplace(30.0)).bound
    assert one.high < two.high < 3 * one.high
    assert two.low > 0
    each = unspoken.Together([unspoken.RandomizedResponse(f"x{v}", 0.1) for v in range(5)])
    coins = worst(binary(40), each, targets=["x0"]).bound
    assert 0.1 < coins.low <= coins.high < 0.5
    whole = worst(binary(40), unspoken.Geometric(np.exp(-1 / 30.0).item())).bound
    assert whole.high == pytest.approx(one.high, rel=1e-9)


def test_what_shows_values_for_certain_is_refused_as_before() -> None:
    asked: list[tuple[Mechanism, MeasureName]] = [
        (unspoken.OneSided({f"x{v}": 1.0 for v in range(40)}, {"x0": [1]}), "max-log-ratio"),
        (unspoken.Laplace(30.0), "mutual-information"),
    ]
    for mechanism, measure in asked:
        with pytest.raises(unspoken.UnspokenError, match="adversaries of 40 variables"):
            worst(binary(40), mechanism, measure)


def test_a_chain_that_is_too_long() -> None:
    rng = np.random.default_rng(2)
    steps = [rng.dirichlet([3.0, 3.0], 2) for _ in range(2499)]
    found = worst(unspoken.Chain(FAIR, steps), unspoken.Laplace(4.0)).bound
    assert 0.5 * found.high < found.low < found.high


def test_wherever_it_is_stopped_it_tells_what_holds() -> None:
    class Stops:
        left = 3

        def __call__(self, now: Certificate) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    found = worst(binary(100), unspoken.Laplace(50.0), progress=Stops())
    assert found.bound.why.startswith("stopped from the keyboard: from above")
    assert 0 < found.bound.low < found.bound.high < 2


def test_whom_views_cannot_show_is_passed_over() -> None:
    tree = binary(40)

    def nobody(who: AllBut) -> float:
        raise TooLarge(who.target)

    parts = unspoken.Laplace(30.0).parts(tree.domain, unspoken.Adversary("x0"))
    found = worst_of_branches(tree, parts, tree.domain.names, nobody)
    assert found is not None
    last = list(found)[-1]
    assert last.low == pytest.approx(1 / 30.0)
    assert last.unknown == frozenset()
