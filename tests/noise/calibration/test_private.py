"""The epsilon of any private answer, against all answers there are, and against drawn ones."""

import itertools
import math
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.conversion import dp_budget
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.numerics.arrays import Array
from unspoken.noise.calibration import private_epsilon
from unspoken.noise.models.sensitivities import degree_histogram, kmeans_rounds

BITS = 3
PLACES = list(itertools.product((0, 1), repeat=BITS))


def likelihoods() -> Array:
    """Exponents of e^eps of all answers that no other tells more than.

    The answers with f(x) <= e^eps f(y) for neighbours x, y are a cone, and a ratio of means is
    largest on one of its edges. There so many inequalities are equations that they connect all x:
    f is a whole power of e^eps everywhere.
    """
    found = [[0]]
    for k, place in enumerate(PLACES[1:], 1):
        near = [j for j in range(k) if np.abs(np.subtract(place, PLACES[j])).sum() == 1]
        found = [
            [*answer, power]
            for answer in found
            for power in range(-BITS, BITS + 1)
            if all(abs(power - answer[j]) <= 1 for j in near)
        ]
    return np.array(found, dtype=np.float64)


ANSWERS = likelihoods()


def most(law: Array, epsilon: float) -> float:
    """What the best of all answers tells of any bit, to whoever knows any of the others."""
    places, weights, found = np.array(PLACES), np.exp(epsilon * ANSWERS), 0.0
    for target in range(BITS):
        others = [k for k in range(BITS) if k != target]
        for known in itertools.product((None, 0, 1), repeat=len(others)):
            fits = np.ones(len(places), dtype=bool)
            for k, value in zip(others, known, strict=True):
                fits &= (places[:, k] == value) | (value is None)
            means = []
            for own in (0, 1):
                own_law = law * (fits & (places[:, target] == own))
                if own_law.sum() > 0:
                    means.append(weights @ (own_law / own_law.sum()))
            if len(means) == 2:
                found = max(found, float(abs(np.log(means[0] / means[1])).max()))
    return found


def together() -> Iterator[Array]:
    """Laws of bits of which each is drawn to the others: log P(x) has no negative coefficient."""
    rng = np.random.default_rng(18)
    places = np.array(PLACES)
    for _ in range(6):
        logs = places @ rng.normal(size=BITS)
        for i, j in itertools.combinations(range(BITS), 2):
            logs = logs + rng.exponential() * places[:, i] * places[:, j]
        law = np.exp(logs)
        yield law / law.sum()
    yield np.array([0.3, 0, 0, 0, 0, 0, 0, 0.7])
    yield np.full(8, 0.125)


@pytest.mark.parametrize("law", [*together()])
@pytest.mark.parametrize("limit", [0.3, 1.5])
def test_no_answer_tells_more(law: Array, limit: float) -> None:
    found = private_epsilon(unspoken.Joint(law.reshape(2, 2, 2)), limit=limit)
    assert most(law, found) <= limit * (1 + 1e-9)
    assert most(law, found * 1.001) > limit


def test_bits_that_go_against_one_another_on_a_tree() -> None:
    """Turned over, they go together: the sum that tells most has weights 1 and -1."""
    against = [[0.2, 0.8], [0.7, 0.3]]
    tree = unspoken.Tree([-1, 0, 0], [0.4, 0.6], against, values=[["n", "y"]] * BITS)
    found = private_epsilon(tree, limit=1.0)
    law = tree.marginal(tree.domain.names).ravel()
    assert most(law, found) <= 1 + 1e-9
    assert most(law, found * 1.001) > 1


def hub(n: int, keeps: float) -> unspoken.Exchangeable:
    """Each bit is a common fair one with this probability."""
    away = 1 - keeps
    each = [keeps**c * away ** (n - c) + keeps ** (n - c) * away**c for c in range(n + 1)]
    return unspoken.Exchangeable([comb(n, c) * each[c] / 2 for c in range(n + 1)], n)


def test_ends() -> None:
    """Copies share the limit, independent bits need not; in between more than the bounds allow."""
    assert private_epsilon(hub(10, 1.0), limit=0.9) == pytest.approx(0.09)
    assert private_epsilon(hub(10, 0.5), limit=0.9) == pytest.approx(0.9)
    found, bound = private_epsilon(hub(10, 0.8), limit=0.9), dp_budget(0.9, hub(10, 0.8))
    assert 0.09 < bound < found < 0.9
    many = unspoken.Independent(np.full((1200, 2), 0.5))
    assert private_epsilon(many, limit=0.5) == pytest.approx(0.5)


def test_hub_in_closed_form() -> None:
    """Of a sum far out: eps + (n - 1) terms with the hub's law given the bit."""
    n, keeps, limit = 10, 0.8, 0.9
    eps = private_epsilon(hub(n, keeps), limit=limit, knows="nothing")
    up, down = (keeps * math.exp(e) + 1 - keeps for e in (eps, -eps))
    # Given the bit 1 the hub is 1 with `keeps`; each of n - 1 others adds E[e^(eps x)].
    ones, zeros = up ** (n - 1), (down * math.exp(eps)) ** (n - 1)
    told = keeps * ones + (1 - keeps) * zeros, (1 - keeps) * ones + keeps * zeros
    assert eps + math.log(told[0] / told[1]) == pytest.approx(limit, rel=1e-8)


def test_degrees_reach_it() -> None:
    """Two edges that are drawn together, far from one another: the histogram tells the limit."""
    law = np.array([[4, 1], [1, 4]]) / 10
    eps = private_epsilon(unspoken.Joint(law), limit=1.0)
    scale = degree_histogram("edge").scale(eps)
    # Edge k joins two nodes of degrees 4 k and 4 k + 2: four bins change by one each.
    moves = np.zeros((2, 8))
    for k in (0, 1):
        moves[k, 4 * k : 4 * k + 4] = -1, 1, -1, 1
    counts = {(x, y): x * moves[0] + y * moves[1] for x in (0, 1) for y in (0, 1)}
    told = 0.0
    for answer in itertools.product((-1.0, 0.0, 1.0), repeat=8):
        likely = {c: math.exp(-abs(np.array(answer) - m).sum() / scale) for c, m in counts.items()}
        given = [sum(law[x, y] * likely[x, y] for y in (0, 1)) / law[x].sum() for x in (0, 1)]
        told = max(told, abs(math.log(given[1] / given[0])))
    assert told == pytest.approx(1.0, rel=1e-9)


def test_rounds_of_k_means_reach_it() -> None:
    """Both records leave one corner's cluster for the other's, and say so to one side."""
    own = kmeans_rounds(numbers=2, rounds=1, largest=0.5)
    here, there = np.array([0.5, 0.5, 1, 0, 0, 0]), np.array([0, 0, 0, -0.5, -0.5, 1])
    assert abs(here - there).sum() == own.value


def test_what_does_not_go_together() -> None:
    xor = np.zeros((2, 2, 2))
    xor[0, 0, 0] = xor[0, 1, 1] = xor[1, 0, 1] = xor[1, 1, 0] = 1
    with pytest.raises(NotKnown, match="do not go together"):
        private_epsilon(unspoken.Joint(xor), limit=1.0)
    tables: dict[str, Any] = {name: [0.5, 0.5] for name in ("a", "b", "d")}
    tables |= {"c": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], "e": [[0.8, 0.2], [0.2, 0.8]]}
    parents = {"a": [], "b": [], "c": ["a", "b"], "d": [], "e": ["d"]}
    beside = unspoken.Network(parents, tables)
    assert len(beside.blocks()) == 2  # of which d and e go together
    with pytest.raises(NotKnown, match="do not go together"):
        private_epsilon(beside, limit=1.0)
    with pytest.raises(NotKnown, match="do not go together"):
        private_epsilon(unspoken.Exchangeable([1, 2, 30, 2, 1], 4), limit=1.0)
    with pytest.raises(NotKnown, match="do not go together"):
        private_epsilon(unspoken.Exchangeable([1, 0, 2, 1], 3), limit=1.0)
    with pytest.raises(NotKnown, match="more than two values"):
        private_epsilon(unspoken.Joint(np.ones((3, 2))), limit=1.0)
    with pytest.raises(InputError, match="rounding"):
        private_epsilon(hub(10, 0.8), limit=1e-11)


@pytest.mark.parametrize("limit", [0, -1.0, math.nan, math.inf, "a"])
def test_limits_that_are_none(limit: Any) -> None:
    with pytest.raises(InputError, match=r"private_epsilon\.limit"):
        private_epsilon(hub(3, 0.8), limit=limit)


def test_of_a_set_of_beliefs_the_least() -> None:
    both = unspoken.Beliefs([hub(4, 0.6), hub(4, 0.9)])
    assert private_epsilon(both, limit=1.0) == private_epsilon(hub(4, 0.9), limit=1.0)


def test_rare_cases_are_looked_at_too() -> None:
    """Given the third bit, which floats can hold and products of it cannot, two go against."""
    rare = 1e-200 * np.array([[0.05, 1], [1, 0.01]])
    often = np.array([[1, 1e-3], [1e-3, 1e-6]])
    law = np.stack([often, rare])
    belief = unspoken.Joint(law / law.sum())
    with pytest.raises(NotKnown, match="do not go together"):
        private_epsilon(belief, limit=1.0)
