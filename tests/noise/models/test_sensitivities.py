"""Every sensitivity against neighbouring data sets: of graphs all, of other data drawn ones."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.beliefs import Independent, Joint
from unspoken.core.mechanisms import Laplace
from unspoken.noise.models.sensitivities import (
    Sensitivity,
    additive,
    bounded,
    count,
    degree_histogram,
    histogram,
    kmeans_rounds,
    mean,
    svm_objective,
    svm_output,
    total,
)


def neighbours(seed: int, low: float = 0.0, high: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Two data sets of 6 records of 3 numbers that differ in one record, often at the ends."""
    rng = np.random.default_rng(seed)
    ends = rng.choice([low, high], (6, 3))
    records = np.where(rng.random((6, 3)) < 0.7, ends, rng.uniform(low, high, (6, 3)))
    other = records.copy()
    other[rng.integers(6)] = low + high - records[rng.integers(6)]
    return records, other


def largest(answer: Any, low: float = 0.0, high: float = 1.0, trials: int = 400) -> float:
    pairs = (neighbours(seed, low, high) for seed in range(trials))
    return max(float(np.abs(answer(one) - answer(other)).sum()) for one, other in pairs)


def reached(found: float, own: Sensitivity, share: float = 1.0) -> None:
    """Never more, and somewhere this share of it."""
    assert share * own.value * (1 - 1e-12) <= found <= own.value * (1 + 1e-12)


def test_counts_sums_means_and_histograms() -> None:
    reached(largest(lambda d: (d[:, 0] > 0.5).sum()), count())
    reached(largest(lambda d: d.sum(0), -1, 2), total([-1] * 3, [2] * 3))
    reached(largest(lambda d: d[:, 0].sum(), -1, 2), total(-1, 2))
    reached(largest(lambda d: d.mean(0), -1, 2), mean([-1] * 3, 2, 6))
    bins = np.array([0, 0.3, 0.6, 1.1])
    reached(largest(lambda d: np.histogram(d[:, 0], bins)[0]), histogram(3))
    assert histogram(1).value == 0
    assert total(0, 1).value == 1.0
    assert Fraction(mean(0, 1, 3).value) >= Fraction(1, 3) > Fraction(math.nextafter(1 / 3, 0))


def test_rounds_of_kmeans() -> None:
    """Sums and numbers of both clusters of fixed centres; the next centres are made of answers."""

    def answer(data: np.ndarray) -> np.ndarray:
        near = (np.abs(data - 0.1).sum(1) < np.abs(data - 0.9).sum(1)).astype(int)
        return np.array([[*data[near == k].sum(0), (near == k).sum()] for k in (0, 1)])

    assert kmeans_rounds(3, 1).value == 8
    assert largest(answer) <= 8
    moved = np.array([[0.5, 0.4, 0.4], [0.5, 0.6, 0.6]])  # just across the border
    assert np.abs(answer(moved[:1]) - answer(moved[1:])).sum() == pytest.approx(1.3 + 1.7 + 2)
    reached(largest(answer, -1, 1), kmeans_rounds(3, 1), 0.5)
    assert kmeans_rounds(12, 5).value == 5 * 26
    assert kmeans_rounds(2, 3, largest=0.5).value == 3 * 4


def graphs(nodes: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """All graphs, a row each: the edges they have; and what the edges are."""
    ends = list(itertools.combinations(range(nodes), 2))
    return np.array(list(itertools.product((0, 1), repeat=len(ends)))), ends


def histograms(has: np.ndarray, ends: list[tuple[int, int]], nodes: int) -> np.ndarray:
    degrees = np.zeros((len(has), nodes), dtype=int)
    for k, (a, b) in enumerate(ends):
        degrees[:, a] += has[:, k]
        degrees[:, b] += has[:, k]
    return (degrees[:, :, None] == np.arange(nodes + 1)).sum(1)


@pytest.mark.parametrize("nodes", [4, 5])
def test_degree_histograms_of_all_graphs(nodes: int) -> None:
    has, ends = graphs(nodes)
    bins = histograms(has, ends, nodes)
    place = {row.tobytes(): k for k, row in enumerate(has)}
    flipped = [
        [place[(row ^ unit).tobytes()] for row in has] for unit in np.eye(len(ends), dtype=int)
    ]
    apart = np.abs(bins[np.array(flipped)] - bins).sum(2)
    assert apart.max() == degree_histogram("edge").value == 4

    own = [k for k, pair in enumerate(ends) if 0 in pair]
    without = np.array([k for k in range(len(ends)) if k not in own])
    alone = has.copy()
    alone[:, own] = 0
    lost = histograms(alone, ends, nodes)
    lost[:, 0] -= 1  # node 0 is gone, not only its edges
    degree = has[:, own].sum(1)
    for most in range(1, nodes):
        found = np.abs(bins - lost).sum(1)[degree <= most].max()
        assert found == degree_histogram("node", degree=most).value == 2 * most + 1
        kept = degree <= most
        rewired = 0
        for rest in np.unique(has[:, without], axis=0):
            same = bins[kept & (has[:, without] == rest).all(1)]
            rewired = max(rewired, int(np.abs(same[:, None] - same[None]).sum(2).max()))
        limit = degree_histogram("rewire", nodes=nodes, degree=most).value
        assert rewired <= limit == min(4 * most, 2 * nodes)
        assert rewired == limit or most > 1


def test_labels() -> None:
    labels = np.array(list(itertools.product(range(3), repeat=4)))
    bins = (labels[:, :, None] == np.arange(3)).sum(1)
    one = (labels[:, None] != labels[None]).sum(2) == 1
    assert np.abs(bins[:, None] - bins[None]).sum(2)[one].max() == degree_histogram("label").value


# Support vector machines with Huber's hinge (h = 1/2).
H = 0.5


def slope(z: np.ndarray) -> np.ndarray:
    """l'(z)."""
    return np.where(z > 1 + H, 0.0, np.where(z < 1 - H, -1.0, -(1 + H - z) / (2 * H)))


def curve(z: np.ndarray) -> np.ndarray:
    """l''(z)."""
    return np.where(np.abs(z - 1) <= H, 1 / (2 * H), 0.0)


def machines(rng: np.random.Generator, trials: int, records: int) -> tuple[np.ndarray, np.ndarray]:
    """y x for each record, |x| <= 1; and the same with one record replaced."""
    signed = rng.normal(size=(trials, records, 2))
    signed *= rng.random((trials, records, 1)) ** 0.5 / np.linalg.norm(
        signed, axis=2, keepdims=True
    )
    other = signed.copy()
    other[:, 0] = -signed[:, 0] / np.linalg.norm(signed[:, 0], axis=1, keepdims=True)
    return signed, other


def trained(signed: np.ndarray, regularisation: float) -> np.ndarray:
    """argmin of the mean loss + Lambda/2 |w|^2, by gradient steps, for many data sets at once."""
    w = np.zeros((len(signed), 2))
    for _ in range(3000):
        z = (signed @ w[:, :, None])[:, :, 0]
        gradient = (slope(z)[:, :, None] * signed).mean(1) + regularisation * w
        w -= gradient / (regularisation + 1 / (2 * H))
    assert np.abs(gradient).max() < 1e-9
    return w


@pytest.mark.slow
def test_trained_machines_move_by_less() -> None:
    rng = np.random.default_rng(4)
    for records, regularisation in ((3, 0.2), (6, 0.05)):
        one, other = machines(rng, 200, records)
        moved = np.linalg.norm(
            trained(one, regularisation) - trained(other, regularisation), axis=1
        )
        bound = svm_output(records, regularisation)
        assert 0.2 * bound.value < moved.max() <= bound.value
        assert bound.norm == "l2"
        assert bound.value == pytest.approx(2 / (records * regularisation), rel=1e-15)


def log_density(w: np.ndarray, signed: np.ndarray, weight: float, rate: float) -> np.ndarray:
    """Of w being the minimum with noise b: -rate |b| + log |det db/dw|, b as w needs it."""
    records = signed.shape[1]
    z = (signed @ w[:, :, None])[:, :, 0]
    b = (slope(z)[:, :, None] * signed).sum(1) + records * weight * w
    outer = signed[:, :, :, None] * signed[:, :, None, :]
    jacobian = (curve(z)[:, :, None, None] * outer).sum(1) + records * weight * np.eye(2)
    return -rate * np.linalg.norm(b, axis=1) + np.linalg.slogdet(jacobian)[1]


@pytest.mark.parametrize(("epsilon", "regularisation"), [(1.0, 1.0), (3.0, 0.5), (0.5, 0.01)])
def test_objective_perturbation_is_private(epsilon: float, regularisation: float) -> None:
    """At every w, whatever the data: the densities of two neighbouring data sets."""
    rng, records, trials = np.random.default_rng(6), 3, 20_000
    noise = svm_objective(epsilon, records, regularisation, H)
    one, other = machines(rng, trials, records)
    one[:, 0] /= np.linalg.norm(one[:, 0], axis=1, keepdims=True)
    w = rng.normal(size=(trials, 2)) * np.exp(rng.normal(size=(trials, 1)))
    weight = regularisation + noise.extra
    apart = log_density(w, one, weight, noise.rate) - log_density(w, other, weight, noise.rate)
    assert 0.4 * epsilon < np.abs(apart).max() <= epsilon


def test_what_objective_perturbation_leaves() -> None:
    plain = svm_objective(1.0, 1000, 0.01)
    left = 1.0 - math.log(1 + 2 / 10 + 1 / 100)
    assert plain.extra == 0
    assert plain.epsilon == pytest.approx(left, rel=1e-12)
    assert plain.rate == plain.epsilon / 2
    tight = svm_objective(0.1, 10, 0.01)
    assert tight.epsilon == 0.05
    assert tight.extra == pytest.approx(1 / (10 * math.expm1(0.025)) - 0.01, rel=1e-12)


# What dependence makes of them.


def drawn(seed: int) -> Joint:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, int(rng.integers(2, 4))).tolist()
    return Joint(rng.dirichlet(np.full(math.prod(sizes), 0.3)).reshape(sizes))


def worst(table: np.ndarray, answers: np.ndarray, scale: float) -> float:
    """max over i, a, b and outputs of the log-ratio, for one number a cell; by plain sums."""
    found = 0.0
    points = np.unique(answers)
    noise = np.exp(-np.abs(points[:, None] - answers.ravel()) / scale)
    for axis in range(table.ndim):
        told = np.moveaxis((noise * table.ravel()).reshape(-1, *table.shape), axis + 1, 1)
        told = told.reshape(*told.shape[:2], -1).sum(2)
        mass = np.moveaxis(table, axis, 0).reshape(table.shape[axis], -1).sum(1)
        logs = np.log(told[:, mass > 0] / mass[mass > 0])
        found = max(found, float(np.ptp(logs, axis=1).max()))
    return found


@given(seed=st.integers(0, 10**6), limit=st.sampled_from([0.2, 1.0, 4.0]))
@examples(60)
def test_additive_queries_keep_the_limit(seed: int, limit: float) -> None:
    belief, rng = drawn(seed), np.random.default_rng(seed)
    names = belief.domain.names
    terms = {
        name: rng.choice([-1.0, 0.0, 2.0], size)
        for name, size in zip(names, belief.table.shape, strict=True)
    }
    if seed % 3 == 0:
        terms.pop(names[0])
    parts = [
        terms.get(name, np.zeros(d)) for name, d in zip(names, belief.table.shape, strict=True)
    ]
    answers = np.sum(np.meshgrid(*parts, indexing="ij"), axis=0)
    scale = additive(belief, terms, limit=limit)
    if scale:
        assert worst(belief.table, answers, scale) <= limit * (1 + 1e-9)
    assert scale <= sum(np.ptp(own) for own in terms.values()) / limit * (1 + 1e-12)


@given(seed=st.integers(0, 10**6), limit=st.sampled_from([0.2, 1.0, 4.0]))
@examples(60)
def test_any_bounded_query_keeps_the_limit(seed: int, limit: float) -> None:
    belief, rng = drawn(seed), np.random.default_rng(seed)
    answers = rng.choice([0.0, 1.0, 5.0], belief.table.shape)
    scale = bounded(belief, answers, limit=limit)
    assert scale <= np.ptp(answers) / limit * (1 + 1e-9)
    if scale:
        assert worst(belief.table, answers, scale) <= limit * (1 + 1e-9)


@pytest.mark.parametrize("limit", [0.5, 2.0])
def test_a_bounded_query_of_two_numbers(limit: float) -> None:
    """Their answers as two variables more, with noise each."""
    rng = np.random.default_rng(9)
    for _ in range(10):
        table = rng.dirichlet(np.full(6, 0.5)).reshape(2, 3)
        answers = rng.integers(0, 3, (2, 3, 2))
        wide = np.zeros((2, 3, 3, 3))
        for a, b in itertools.product(range(2), range(3)):
            wide[a, b, answers[a, b, 0], answers[a, b, 1]] = table[a, b]
        scale = bounded(Joint(table), answers, limit=limit)
        noisy = Laplace(scale, {"x2": [1, 0], "x3": [0, 1]})
        for name in ("x0", "x1"):
            found = unspoken.leakage(Joint(wide), noisy, unspoken.Adversary(name))
            assert found.value <= limit * (1 + 1e-9)


def test_independent_blocks_do_not_count() -> None:
    belief = Independent([[0.5, 0.5]] * 30)
    assert additive(belief, {name: [0, 3] for name in belief.domain.names}, limit=1.0) < 3.0001


def test_the_count_that_eq_22_leaks() -> None:
    """Vectors v042 to v044: 2 / limit is needed, and given."""
    table = np.zeros((2, 4))
    table[0, :2], table[1, 2:] = [1, 99], [99, 1]
    belief = Joint(table, values=[[0.4, 0.6], [0, 0.4, 0.6, 1]])
    scale = additive(belief, {"x0": [0, 1], "x1": [0, 0, 1, 1]}, limit=1.0)
    assert scale == pytest.approx(2.0, rel=1e-12)
    answers = np.add.outer([0, 1], [0, 0, 1, 1])
    assert bounded(belief, answers, limit=1.0) == pytest.approx(2.0, rel=1e-12)


def test_groups_hold_for_any_query() -> None:
    """D2 = D1: both move, and any query of sensitivity 1 to one of them has 2 to both."""
    table, answers = np.eye(2) / 2, np.array([[0.0, 1], [1, 2]])
    own = total(0, 1)
    assert worst(table, answers, own.scale(1.0)) == pytest.approx(2.0)
    assert worst(table, answers, own.scale(1.0, together=2)) <= 1.0 + 1e-12
    assert svm_output(100, 0.1).scale(0.5, together=3) == pytest.approx(3 * 0.2 / 0.5)


def test_coefficients_are_for_sums_only() -> None:
    assert total(0, 1).dependent_scale(0.5, 1.5) == pytest.approx(5.0)
    assert mean(0, 1, 10).dependent_scale(1.0, 0.0) == pytest.approx(0.1)
    for own in (
        count(),
        histogram(4),
        degree_histogram("edge"),
        kmeans_rounds(2, 3),
        svm_output(10, 0.1),
    ):
        with pytest.raises(unspoken.UnspokenError, match=f"{own.query}: adds up no tuples"):
            own.dependent_scale(1.0, 0.5)


@pytest.mark.parametrize(("kappa", "grown"), [(0.8, 1.1764705882352941), (0.9, 1.0810810810810811)])
def test_coefficients_that_are_too_small(kappa: float, grown: float) -> None:
    """Vectors v100 and v101: the limit grows by less than the coefficients shrink."""
    own = total(0, 1)
    ratio = own.dependent_scale(1.0, 3.0) / own.dependent_scale(1.0, kappa * 3.0)
    assert ratio == pytest.approx(grown, rel=1e-12)
    assert ratio < 1 / kappa


def test_they_say_whose_neighbours() -> None:
    assert "a node comes or goes" in repr(degree_histogram("node", degree=3))
    assert "one record is replaced" in repr(count())


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: total(1, 0), "low first"),
        (lambda: total(0, math.inf), "NaN or infinity"),
        (lambda: mean(0, 1, 0), "mean.records"),
        (lambda: histogram(0), "histogram.bins"),
        (lambda: degree_histogram("nodes"), 'Did you mean "node"'),
        (lambda: degree_histogram("node"), "degree_histogram.degree"),
        (lambda: degree_histogram("rewire", degree=2), "degree_histogram.nodes"),
        (lambda: kmeans_rounds(2, 0), "rounds"),
        (lambda: kmeans_rounds(2, 1, -1), "largest"),
        (lambda: svm_output(10, 0), "regularisation"),
        (lambda: svm_objective(0, 10, 0.1), "epsilon"),
        (lambda: svm_objective(1, 10, 0.1, 0), "huber"),
        (lambda: count().scale(0), "limit"),
        (lambda: count().scale(1, together=0), "blocks: 0"),
        (lambda: total(0, 1).dependent_scale(1, -1), "0 or more"),
        (lambda: additive(drawn(1), {"x9": [0, 1]}, limit=1), 'no "x9"'),
        (lambda: additive(drawn(1), {"x0": [0.0]}, limit=1), "a number for each"),
        (lambda: bounded(drawn(1), [0, 1], limit=1), "bounded.answers"),
        (lambda: bounded(Joint([1, 1]), [0, math.nan], limit=1), "NaN"),
        (lambda: bounded(Independent([[0.5, 0.5]] * 24), [0], limit=1), "combinations"),
    ],
)
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words):
        ask()
