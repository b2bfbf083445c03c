"""Gaussian beliefs: T3 against vectors, quadrature, a binned table and the precision matrix."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.beliefs.gaussian import Gaussian
from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.mechanisms import (
    Finite,
    Geometric,
    Laplace,
    OneSided,
    RandomizedResponse,
    Together,
)
from unspoken.core.numerics.gauss_laplace import log_ratio
from unspoken.core.numerics.rounding import ROUNDED

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "pdp-ip.json"
CASES = [v for v in json.loads(VECTORS.read_text("utf-8"))["vectors"] if v["kind"] == "gaussian"]


def leak(belief: Gaussian, mechanism: Any, target: Any, knows: Any = (), **more: Any) -> float:
    bound = unspoken.leakage(belief, mechanism, unspoken.Adversary(target, knows=knows), **more)
    assert bound.exact
    return bound.value


def names(indices: Any) -> list[str]:
    return [f"x{i}" for i in indices]


def by_precision(
    covariance: np.ndarray, weights: np.ndarray, i: int, known: set[int]
) -> mpmath.mpf:
    """c = w_i - w_U' Q_UU^-1 Q_Ui at 60 digits: another formula than the belief's."""
    n = len(weights)
    with mpmath.workdps(60):
        q = mpmath.matrix(covariance.tolist()) ** -1
        u = [j for j in range(n) if j != i and j not in known]
        if not u:
            return mpmath.mpf(weights[i])
        quu = mpmath.matrix([[q[a, b] for b in u] for a in u])
        solved = mpmath.lu_solve(quu, mpmath.matrix([q[a, i] for a in u]))
        return weights[i] - mpmath.fsum(weights[a] * solved[k] for k, a in enumerate(u))


@st.composite
def covariances(draw: st.DrawFn, largest: int = 5) -> np.ndarray:
    """Random ones, from nearly independent to nearly singular, on very different scales."""
    n = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    root = rng.normal(size=(n, n)) + np.eye(n) * draw(st.sampled_from([0.01, 1.0, 30.0]))
    scales = np.exp(rng.normal(size=n) * draw(st.sampled_from([0.0, 3.0])))
    covariance = (root @ root.T) * np.outer(scales, scales)
    return np.asarray((covariance + covariance.T) / 2)


def ill_conditioned(covariance: np.ndarray, weights: np.ndarray, width: float) -> float:
    """What rounding costs at most where a covariance is nearly singular."""
    variances = np.diag(covariance)
    scale = np.abs(covariance / variances).max() * np.abs(weights).max() * width
    correlations = covariance / np.sqrt(np.outer(variances, variances))
    return float(1e-14 * scale * np.linalg.cond(correlations))


@pytest.mark.parametrize("vector", CASES, ids=[v["name"] for v in CASES])
def test_vectors(vector: dict[str, Any]) -> None:
    """Every adversary of every target, and the worst of them by enumeration."""
    given_, output = vector["input"], vector["output"]
    belief = Gaussian(given_["Sigma"], given_["R"])
    mechanism = Laplace(float(given_["lam"]), given_["w"])
    found = {}
    for node, expected in output["nodes"].items():
        target, known = node.split("|")
        knows = names(known.split(",")) if known else []
        found[node] = leak(belief, mechanism, f"x{target}", knows)
        assert found[node] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert len(found) == len(belief.domain.names) * 2 ** (len(belief.domain.names) - 1)
    assert max(found.values()) == pytest.approx(output["worst"], rel=1e-12)


@examples(60)
@given(covariances(), st.data())
def test_every_node_by_the_precision_matrix(covariance: np.ndarray, data: st.DataObject) -> None:
    n = len(covariance)
    numbers = st.floats(-3, 3).map(lambda w: round(w, 9))  # what rounding would hide is refused
    weights = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)))
    ranges = np.array(data.draw(st.lists(st.floats(0.1, 5), min_size=n, max_size=n)))
    i = data.draw(st.integers(0, n - 1))
    known = data.draw(st.sets(st.sampled_from([j for j in range(n) if j != i])))
    with mpmath.workdps(60):
        expected = abs(by_precision(covariance, weights, i, known)) * ranges[i] / 2
    belief = Gaussian(covariance, ranges)
    rounding = ill_conditioned(covariance, weights, ranges[i])
    adversary = unspoken.Adversary(f"x{i}", knows=names(sorted(known)))
    bound = unspoken.leakage(belief, Laplace(2.0, weights.tolist()), adversary)
    assert bound.exact
    assert bound.low <= expected <= bound.high
    # A logarithm of odds is off by what rounding leaves of odds next to 1, however small it is.
    assert bound.high - bound.low <= 1e-10 * expected + rounding + 4 * ROUNDED


@examples(40)
@given(covariances(4), st.data())
def test_invariances(covariance: np.ndarray, data: st.DataObject) -> None:
    """Units, an independent variable, the order of what is known, and known values.

    Units are powers of two: any others round the covariance, and of nearly singular ones (1 in
    some thousand drawn here) the leak of what is rounded is another one. So may be the last digits
    of what is added up in another order; the truth between the ends is the same one.
    """
    n = len(covariance)
    weights, ranges = np.linspace(1.0, 2.0, n), np.linspace(0.5, 1.5, n)
    known = data.draw(st.permutations(list(range(1, n))))[: data.draw(st.integers(0, n - 1))]

    def ends(belief: Gaussian, weights: Any, knows: Any) -> unspoken.Bound:
        adversary = unspoken.Adversary("x0", knows=knows)
        bound = unspoken.leakage(belief, Laplace(1.5, np.array(weights).tolist()), adversary)
        assert bound.exact
        return bound

    before = ends(Gaussian(covariance, ranges), weights, names(known))
    off = 1e-9 * before.high + 1e-12 + ill_conditioned(covariance, weights, ranges[0])

    unit = np.array(data.draw(st.lists(st.sampled_from([2**-7, 0.5, 4]), min_size=n, max_size=n)))
    scaled = Gaussian(covariance * np.outer(unit, unit), ranges * unit)
    apart = np.zeros((n + 1, n + 1))
    apart[:n, :n], apart[n, n] = covariance, 7.0
    more = Gaussian(apart, [*ranges, 3.0])
    also = data.draw(st.sampled_from([[], [n]]))
    moved = Gaussian(covariance, ranges, mean=np.arange(n))
    for after in (
        ends(scaled, weights / unit, names(known)),
        ends(more, [*weights, 5.0], names([*known, *also])),
        ends(moved, weights, names(known[::-1])),
        ends(moved, weights, dict.fromkeys(names(known), 0.0)),
    ):
        assert after.low <= before.high
        assert before.low <= after.high
        assert abs(after.value - before.value) <= off


@examples(40)
@given(covariances(4), st.integers(0, 2**32))
def test_given_is_the_conditional_gaussian(covariance: np.ndarray, seed: int) -> None:
    n, rng = len(covariance), np.random.default_rng(seed)
    mean, values = rng.normal(size=n), rng.normal(size=n)
    belief = Gaussian(covariance, np.ones(n), mean=mean)
    k = int(rng.integers(0, n))
    known = dict(zip(names(range(k)), values.tolist(), strict=False))
    later = belief.given(known)
    precision = np.linalg.inv(covariance)[k:, k:]
    scales = np.sqrt(np.diag(covariance))[k:]
    units = np.outer(scales, scales)
    assert later.domain.names == tuple(names(range(k, n)))
    assert later.covariance / units == pytest.approx(np.linalg.inv(precision) / units, abs=1e-7)
    pull = np.linalg.inv(covariance)[k:, :k] @ (values[:k] - mean[:k])
    expected = (mean[k:] - np.linalg.solve(precision, pull)) / scales
    assert later.mean / scales == pytest.approx(expected, rel=1e-6, abs=1e-6)
    one_by_one = belief
    for name, value in known.items():
        one_by_one = one_by_one.given({name: value})
    assert one_by_one.mean / scales == pytest.approx(later.mean / scales, rel=1e-6, abs=1e-6)


def test_the_limit_is_approached_by_the_density() -> None:
    """T3 by the closed form of the density: below the limit everywhere, and equal far out."""
    covariance = np.array([[2.0, 0.9, -0.4], [0.9, 1.0, 0.1], [-0.4, 0.1, 1.5]])
    weights, scale, width = np.array([1.0, -2.0, 0.5]), 0.7, 1.3
    through = covariance[0] @ weights / covariance[0, 0]
    variance = weights @ covariance @ weights - through**2 * covariance[0, 0]
    ratios = [log_ratio(r, through * width, 0.0, variance, scale) for r in np.linspace(-40, 40, 81)]
    limit = leak(Gaussian(covariance, [width, 1, 1]), Laplace(scale, weights.tolist()), "x0")
    assert max(map(abs, ratios)) <= limit * (1 + 1e-12)
    assert abs(ratios[0]) == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize(("rho", "scale"), [(0.5, 1.0), (-0.3, 0.8), (0.9, 2.0)])
def test_binned_tables_converge(rho: float, scale: float) -> None:
    """A table of x0 (two values) and x1 in ever finer and wider bins."""
    expected = leak(Gaussian([[1, rho], [rho, 1]], [1, 1]), Laplace(scale), "x0")
    off = []
    for bins in (9, 17, 129):
        reach = 2.0 + math.log2(bins)
        at = np.linspace(-reach, reach, bins)
        rows = np.array(
            [np.exp(-((at - rho * x) ** 2) / (2 * (1 - rho * rho))) for x in (0.0, 1.0)]
        )
        table = rows / rows.sum(1, keepdims=True) / 2
        belief = unspoken.Joint(table / table.sum(), values=[[0.0, 1.0], at.tolist()])
        got = unspoken.leakage(belief, Laplace(scale), unspoken.Adversary("x0")).value
        off.append(abs(got - expected))
    assert off[-1] < 2e-3
    assert off[-1] < off[0]


def test_several_answers_add_up() -> None:
    """sum_c R |c_c| / b_c, however the answers are spread over mechanisms and requests."""
    covariance = [[1.0, 0.5, 0.2], [0.5, 2.0, -0.3], [0.2, -0.3, 1.5]]
    belief = Gaussian(covariance, [2.0, 1.0, 1.0])
    queries = {"x0": [1.0, -1.0, 0.0], "x1": [1.0, 2.0, 1.0], "x2": [0.0, 1.0, 3.0]}
    each = [
        leak(belief, Laplace(1.5, {name: w[c] for name, w in queries.items()}), "x0", ["x2"])
        for c in range(3)
    ]
    vector = leak(belief, Laplace(1.5, queries), "x0", ["x2"])
    assert vector == pytest.approx(sum(each), rel=1e-13)
    both = Together([Laplace(1.5, queries), Laplace(0.5)])
    assert leak(belief, both, "x0") == pytest.approx(
        leak(belief, Laplace(1.5, queries), "x0") + leak(belief, Laplace(0.5), "x0"), rel=1e-13
    )
    twice = unspoken.Adversary("x0", asks=2)
    assert unspoken.leakage(belief, Laplace(0.5), twice).value == pytest.approx(
        2 * leak(belief, Laplace(0.5), "x0"), rel=1e-13
    )


@examples(40)
@given(covariances(4), st.data())
def test_groups_are_worst_at_corners(covariance: np.ndarray, data: st.DataObject) -> None:
    """Two targets: the largest of sum_c |C_c (x - x')| / b over pairs of points of the box."""
    n = len(covariance)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    weights, ranges = rng.normal(size=(2, n)), rng.exponential(size=n) + 0.1
    joint = weights[:, :2] + weights[:, 2:] @ covariance[2:, :2] @ np.linalg.inv(covariance[:2, :2])
    corners = np.array(list(itertools.product(*([-r, r] for r in ranges[:2]))))
    inside = rng.uniform(-1, 1, size=(200, 2)) * ranges[:2]
    expected = np.abs(corners @ joint.T).sum(1).max() / 1.5
    mechanism = Laplace(1.5, dict(zip(names(range(n)), weights.T.tolist(), strict=True)))
    got = leak(Gaussian(covariance, ranges), mechanism, ["x0", "x1"])
    assert got == pytest.approx(expected, rel=1e-6)
    assert np.abs(inside @ joint.T).sum(1).max() / 1.5 <= got * (1 + 1e-6)


@pytest.mark.parametrize("knows", [(), ("x1",)])
def test_delta_of_one_answer_from_both_sides(knows: tuple[str, ...]) -> None:
    """By the density: integral of (g(r) - e^eps g(r - d))_+, at the widest pair."""
    belief, eps = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0]), 0.5
    target = unspoken.Adversary("x0", knows=knows)
    bound = unspoken.leakage(belief, Laplace(1.0), target, "delta", eps=eps)
    grid, step = np.linspace(-60, 60, 24001, retstep=True)
    apart, log_density = (1.0, lambda t: -abs(t) - math.log(2)) if knows else (1.5, _log_density)
    density = np.exp([[log_density(r - shift) for r in grid] for shift in (0.0, apart)])
    truth = float(np.maximum(density[0] - math.exp(eps) * density[1], 0).sum() * step)
    assert bound.value == pytest.approx(truth, rel=1e-4)
    assert 0 <= bound.high - bound.low <= 1e-9
    if knows:
        assert bound.low <= 1 - math.exp((eps - 1) / 2) <= bound.high


def test_delta_of_a_group_is_that_of_its_widest_pair() -> None:
    """Two targets: the corners (0, 0) and (1, 1) are 2 apart, and nothing is left to blur."""
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    bound = unspoken.leakage(
        belief, Laplace(1.0), unspoken.Adversary(["x0", "x1"]), "delta", eps=0.5
    )
    assert bound.low <= 1 - math.exp((0.5 - 2) / 2) <= bound.high <= bound.low + 1e-9


def test_delta_of_what_is_no_single_value() -> None:
    """One corner against the mixture of the other three: less than the widest pair."""
    belief, one = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0]), Laplace(1.0)
    about = unspoken.Adversary(["x0", "x1"], secret=[(0.0, 0.0)])
    bound = unspoken.leakage(belief, one, about, "delta", eps=0.5)
    grid, step = np.linspace(-40, 40, 80001, retstep=True)
    each = np.exp([-abs(grid - shift) for shift in (0.0, 1.0, 1.0, 2.0)]) / 2
    truth = float(np.maximum(each[0] - math.exp(0.5) * each[1:].mean(0), 0).sum() * step)
    assert bound.low <= truth <= bound.high


def test_delta_of_several_answers_is_bounded_from_above() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    both = Together([Laplace(1.0), Laplace(2.0, {"x0": 1.0})])
    about = unspoken.Adversary("x0")
    bound = unspoken.leakage(belief, both, about, "delta", eps=0.5)
    assert bound.low <= unspoken.leakage(belief, Laplace(1.0), about, "delta", eps=0.5).high
    assert bound.high >= unspoken.leakage(belief, Laplace(1.0), about, "delta", eps=0.5).low


def _log_density(t: float) -> float:
    """Of the rest in the case above, v = 3/4, and Laplace noise of scale 1."""
    return math.log(
        sum(
            math.exp(0.375 + sign * t) * math.erfc((0.75 + sign * t) / math.sqrt(1.5))
            for sign in (-1, 1)
        )
        / 4
    )


def test_what_cannot_vary_cannot_leak() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [0.0, 1.0])
    assert leak(belief, Laplace(1.0), "x0") == 0.0
    assert leak(belief, Laplace(1.0, {"x0": 1.0, "x1": -2.0}), "x0") == 0.0
    assert leak(belief, Laplace(1.0), ["x0", "x1"]) == pytest.approx(1.0)
    opposed = Gaussian([[1.0, -0.5], [-0.5, 1.0]], [3.0, 1.0])
    assert leak(opposed, Laplace(1.0, [1, 2]), "x0") == pytest.approx(0, abs=1e-14)


def test_far_beyond_the_floats() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1e6, 1.0])
    assert leak(belief, Laplace(0.1), "x0") == pytest.approx(1.5e7, rel=1e-12)


def test_what_a_continuous_belief_refuses() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    about = unspoken.Adversary("x0")
    for mechanism in (
        RandomizedResponse("x1", 1.0),
        OneSided({"x0": 1.0}),
        Finite("x0", [[0.5, 0.5], [0.2, 0.8]]),
        Together([Laplace(1.0), RandomizedResponse("x0", 1.0)]),
    ):
        with pytest.raises(NotKnown, match="continuous"):
            unspoken.leakage(belief, mechanism, about)
    for measure in ("mutual-information", "max-information", "odds"):
        with pytest.raises(NotKnown, match="prior"):
            unspoken.leakage(belief, Laplace(1.0), about, measure)
    with pytest.raises(NotKnown, match="continuous"):
        belief.marginal(["x0"])
    with pytest.raises(NotKnown, match="continuous"):
        belief.sample(np.random.default_rng(0), 3)
    with pytest.raises(NotKnown, match="outcome"):
        unspoken.odds(belief, Laplace(1.0), about, {"answer": 1.0})
    with pytest.raises(TooLarge, match="ask for fewer"):
        belief.sums(["x0"], [{"x0": 1.0}] * 40)


def test_geometric_noise_is_for_whole_numbers() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    with pytest.raises(unspoken.UnspokenError, match="Laplace"):
        unspoken.leakage(belief, Geometric(0.5), unspoken.Adversary("x0"))


def test_known_values_are_any_numbers() -> None:
    belief = Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    assert leak(belief, Laplace(1.0), "x0", {"x1": -3.7}) == pytest.approx(1.0)
    assert belief.given({"x0": 2.0}).mean.tolist() == [1.0]
    assert belief.given({"x0": 2.0, "x1": 1}).domain.names == ()
    with pytest.raises(InputError, match="no finite number"):
        belief.given({"x0": math.nan})
    with pytest.raises(InputError, match="no finite number"):
        belief.given({"x0": "two"})
    with pytest.raises(InputError, match='there is no "y"'):
        belief.given({"y": 1.0})


@pytest.mark.parametrize(
    ("covariance", "ranges", "mean", "says"),
    [
        ([[1, 0.5], [0.4, 1]], [1, 1], None, "not symmetric"),
        ([[1, 2], [2, 1]], [1, 1], None, "not positive definite"),
        ([[1, 1], [1, 1]], [1, 1], None, "not positive definite"),
        ([[1, 0], [0, 0]], [1, 1], None, "variance 0"),
        ([[-1]], [1], None, "variance -1"),
        ([[1, 0, 0], [0, 1, 0]], [1, 1], None, "square"),
        ([1, 1], [1, 1], None, "square"),
        ([], [], None, "square"),
        ([[1, math.nan], [math.nan, 1]], [1, 1], None, "NaN"),
        ([[1, "a"], [0, 1]], [1, 1], None, "not a table"),
        ([[1, 0], [0, 1]], [1], None, "2 variables"),
        ([[1, 0], [0, 1]], 1.0, None, "2 variables"),
        ([[1, 0], [0, 1]], [1, -1], None, "has -1"),
        ([[1, 0], [0, 1]], [1, math.inf], None, "infinity"),
        ([[1, 0], [0, 1]], [1, 1], [0], "gaussian.mean"),
        ([[1, 0], [0, 1]], [1, 1], [0, math.nan], "gaussian.mean"),
    ],
)
def test_bad_input_is_named(covariance: Any, ranges: Any, mean: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Gaussian(covariance, ranges, mean)


def test_pairs_that_may_depend() -> None:
    covariance = [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    belief = Gaussian(covariance, [1.0, 1.0, 1.0], names="ABC")
    assert belief.pairs() == [("A", "B")]
    assert belief.facts()[0] == ("variables", "3: A, B, C")
