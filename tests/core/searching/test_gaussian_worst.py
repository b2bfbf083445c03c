"""The worst adversary of Gaussian beliefs against the theory's vectors and all adversaries."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.core.searching.clocks import Ticking, give
from tests.core.searching.gaussian_cases import FAMILIES, Case, all_leaks, covariance, drawn, leak
from tests.within import HANG
from unspoken.core.errors import UnspokenError
from unspoken.core.searching.gaussian import exhaustive as gaussian_exhaustive
from unspoken.core.searching.gaussian import worst as gaussian_worst
from unspoken.core.searching.gaussian.branching import branch_and_bound
from unspoken.core.searching.gaussian.certificates import certificates, reflected, weakest_is_worst
from unspoken.core.searching.gaussian.exhaustive import exhaustive
from unspoken.core.searching.gaussian.problem import WorstCoefficient, gaussian_problem
from unspoken.core.searching.gaussian.worst import worst_gaussian

pytestmark = pytest.mark.slow

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
GAUSSIAN = [v for v in VECTORS["vectors"] if v["kind"] == "gaussian"]
# One ulp here, one there: the truth, too, is computed in floats.
BESIDE = 1e-12


def of_vector(vector: dict) -> Case:
    given = {key: np.array(value, dtype=float) for key, value in vector["input"].items()}
    return Case(given["Sigma"], given["R"], given["w"], float(given["lam"]), None)


@pytest.mark.parametrize("vector", GAUSSIAN, ids=lambda v: v["name"])
def test_the_vectors_of_the_theory(vector: dict) -> None:
    case, output = of_vector(vector), vector["output"]
    worst = worst_gaussian(*case)
    assert worst.low == pytest.approx(output["worst"], rel=1e-9)
    assert worst.high == pytest.approx(output["worst"], rel=1e-9)
    node = f"{worst.target}|{','.join(map(str, worst.known))}"
    assert output["nodes"][node] == pytest.approx(output["worst"], rel=1e-9)
    problem = gaussian_problem(*case)
    bounds = problem.ranges * reflected(problem)
    for bound, certified in zip(bounds, output["cert"], strict=True):
        assert problem.leak(float(bound)) == pytest.approx(certified, rel=1e-9)
    leaks = all_leaks(case)
    for key, exact in output["nodes"].items():
        target, _, known = key.partition("|")
        node_ = int(target), tuple(int(k) for k in known.split(",") if k)
        assert leaks[node_] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.stress
def test_against_every_adversary(family: str, effort: int) -> None:
    """Every search: what it certifies is never exceeded, what it finds is never overstated."""
    rng = np.random.default_rng(FAMILIES.index(family))
    for _ in range(60 * effort):
        case = drawn(family, rng)
        leaks = all_leaks(case)
        truth = max(leaks.values(), default=0.0)
        worst = worst_gaussian(*case)
        assert worst.low <= truth * (1 + BESIDE)
        assert truth <= worst.high * (1 + BESIDE)
        assert worst.high <= worst.low * (1 + 5e-10) + 1e-10
        if truth:
            assert leaks[worst.target, worst.known] == pytest.approx(truth, rel=1e-9)
            assert worst.low == pytest.approx(truth, rel=1e-10)
        each_search(case, leaks, truth)


def each_search(case: Case, leaks: dict, truth: float) -> None:
    problem = gaussian_problem(*case)
    if not len(problem.targets):
        return
    bounds = certificates(problem)
    for i in problem.targets:
        own = max(size for node, size in leaks.items() if node[0] == problem.indices[i])
        assert own <= problem.leak(float(problem.ranges[i] * bounds[i])) * (1 + BESIDE)
    assert truth <= problem.leak(weakest_is_worst(problem).high) * (1 + BESIDE)
    for answer in (exhaustive(problem), branch_and_bound(problem)):
        low, high = problem.leak(answer.low), problem.leak(answer.high)
        assert truth * (1 - 1e-9) <= low * (1 + BESIDE)
        assert low <= truth * (1 + BESIDE)
        assert truth * (1 - BESIDE) <= high <= truth * (1 + 2e-9) + 1e-10


@pytest.mark.parametrize("family", FAMILIES)
def test_branching_finds_what_listing_finds(family: str) -> None:
    rng = np.random.default_rng(3)
    n = 16
    case = Case(covariance(family, n, rng), np.ones(n), rng.choice([-1.0, 1.0], n), 1.0, None)
    problem = gaussian_problem(*case)
    listed, searched = exhaustive(problem), branch_and_bound(problem)
    assert searched.low == pytest.approx(listed.low, rel=2e-10)
    assert searched.high == pytest.approx(listed.high, rel=2e-9)
    assert searched.high >= listed.low
    assert searched.stopped == listed.stopped == ""
    one = gaussian_problem(*case._replace(targets=[listed.target]))
    assert exhaustive(one).low == pytest.approx(listed.low, rel=1e-12)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_cut_norms_hidden_in_beliefs(size: int) -> None:
    """T4: the worst adversary of target 0 knows the largest sub-matrix sum of a matrix of signs."""
    signs = np.random.default_rng(size).choice([-1.0, 1.0], (size, size))
    cut = max(
        float(np.maximum(signs[[bool(rows >> k & 1) for k in range(size)]].sum(axis=0), 0.0).sum())
        for rows in range(2**size)
    )
    n, tiny, join = 1 + 2 * size, 1 / (4 * size**4), 1 / (2 * math.sqrt(size))
    precision, one, other = np.eye(n), slice(1, 1 + size), slice(1 + size, n)
    precision[0, one] = precision[one, 0] = -join
    precision[one, other], precision[other, one] = -tiny * signs, -tiny * signs.T
    weights = np.r_[1.0, np.full(size, tiny / (8 * size)), np.ones(size)]
    ranges = np.r_[1.0, np.full(n - 1, 1e-9)]
    problem = gaussian_problem(np.linalg.inv(precision), ranges, weights, 1.0)
    listed, searched = exhaustive(problem), branch_and_bound(problem)
    for answer in (listed, searched):
        for leaked in (answer.low, answer.high):
            assert round((problem.leak(leaked) - 1) / (join * tiny)) == cut
    assert searched.low == pytest.approx(listed.low, rel=1e-9)


def test_positive_correlations_are_not_enough() -> None:
    """T7 needs Q_ij <= 0: here every correlation is positive, and knowing x_1 makes it worse."""
    table = [[1.0, 0.1, 0.4], [0.1, 1.0, 0.9], [0.4, 0.9, 1.0]]
    worst = worst_gaussian(table, [1.0] * 3, [1.0] * 3, 1.0)
    assert (worst.target, worst.known) == (2, (1,))
    assert worst.low == pytest.approx(50 / 19, rel=1e-12)
    problem = gaussian_problem(table, [1.0] * 3, [1.0] * 3, 1.0)
    weakest = weakest_is_worst(problem)
    assert problem.leak(weakest.high) >= 50 / 19
    assert problem.leak(weakest.low) == pytest.approx(2.3, rel=1e-12)


def test_a_little_positive_is_paid_for() -> None:
    """A Q_13 that is nearly 0, from either side, changes what is certified by about as much."""
    for over in (-1e-3, -1e-13, 0.0, 1e-13, 1e-9, 1e-4):
        precision = np.array([[2.0, -0.7, over], [-0.7, 2.0, -0.7], [over, -0.7, 2.0]])
        case = Case(np.linalg.inv(precision), np.ones(3), np.ones(3), 1.0, None)
        weakest = weakest_is_worst(gaussian_problem(*case))
        truth = max(all_leaks(case).values())
        problem = gaussian_problem(*case)
        assert truth <= problem.leak(weakest.high) * (1 + BESIDE)
        assert weakest.high <= weakest.low * (1 + 1e-12 + 100 * max(over, 0.0) + 1e-12)


def test_turning_signs_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    table, weights = covariance("chain", 9, rng), np.r_[np.ones(5), 0.0, np.ones(3)]
    signs = rng.choice([-1.0, 1.0], 9)
    plain = worst_gaussian(table, np.ones(9), weights, 1.0)
    turned = worst_gaussian(table * np.outer(signs, signs), np.ones(9), weights * signs, 1.0)
    assert "knows least" in plain.how
    assert "knows least" in turned.how
    assert turned.high == pytest.approx(plain.high, rel=1e-12)


def test_the_search_that_suits() -> None:
    rng = np.random.default_rng(2)
    hows = {
        "independent": np.diag([1.0, 4.0]),
        "knows least": covariance("equicorrelated", 40, rng),
        "listing": covariance("dense", 10, rng),
        "branch": covariance("spatial", 30, rng),
    }
    for word, table in hows.items():
        n = len(table)
        worst = worst_gaussian(table, np.ones(n), np.ones(n), 1.0)
        assert word in worst.how
        assert worst.settled
    falling = worst_gaussian(covariance("falling chain", 40, rng), np.ones(40), np.ones(40), 1.0)
    assert "tree" in falling.how
    assert falling.settled


def test_independent_variables_leak_their_own_range() -> None:
    worst = worst_gaussian(np.diag([1.0, 9.0, 2.0]), [1.0, 2.0, 1.0], [1.0, -2.0, 1.0], 0.5)
    assert (worst.target, worst.known) == (1, ())
    assert worst.low < 8.0 < worst.high
    assert worst.high == pytest.approx(8.0, rel=1e-15)


def test_blocks_are_searched_apart() -> None:
    rng = np.random.default_rng(4)
    parts = [covariance("dense", 5, rng), covariance("tree", 4, rng), np.eye(1)]
    table, at = np.zeros((10, 10)), 0
    for part in parts:
        table[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    order = rng.permutation(10)
    case = Case(table[np.ix_(order, order)], np.ones(10), rng.normal(size=10), 1.0, None)
    worst = worst_gaussian(*case)
    assert "3 independent blocks" in worst.how
    assert worst.low == pytest.approx(max(all_leaks(case).values()), rel=1e-10)
    assert leak(case, worst.target, worst.known) == pytest.approx(worst.low, rel=1e-10)


def test_nobody_in_any_block_exceeds_what_is_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adversary found may be in one block, what could not be settled in another."""
    ends = iter([(2.0, 3.0), (1.0, 5.0)])
    monkeypatch.setattr(
        gaussian_worst, "_of_block", lambda *_: WorstCoefficient(*next(ends), 0, (1,), "tried")
    )
    table = np.kron(np.eye(2), [[1.0, 0.5], [0.5, 1.0]])
    worst = worst_gaussian(table, np.ones(4), np.ones(4), 1.0)
    assert (worst.target, worst.known) == (0, (1,))
    assert worst.high / worst.low == pytest.approx(2.5, rel=1e-12)
    assert not worst.settled


def test_units_do_not_matter() -> None:
    """Powers of ten far from 1, up to where the leakage itself is no float."""
    rng = np.random.default_rng(5)
    table, ranges, weights = covariance("dense", 6, rng), np.ones(6), np.ones(6)
    plain = worst_gaussian(table, ranges, weights, 1.0)
    units = 10.0 ** rng.integers(-100, 100, 6)
    other = worst_gaussian(table * np.outer(units, units), ranges * units, weights / units, 1.0)
    assert other.high == pytest.approx(plain.high, rel=1e-9)
    assert worst_gaussian(table, ranges * 1e200, weights * 1e200, 1.0).high == math.inf
    assert worst_gaussian(table, ranges, weights, 1e-300).high == pytest.approx(plain.high * 1e300)


def test_what_rounding_decides_is_said() -> None:
    """Duplicates, but for one part in a million: sound, wider, and it says why."""
    table = np.full((10, 10), 1 - 1e-6) + 1e-6 * np.eye(10)
    weights = np.array([1.0, -1.0] * 3 + [1.0] * 4)
    worst = worst_gaussian(table, np.ones(10), weights, 1.0)
    assert "near to singular" in worst.how
    assert worst.low < worst.high < 1.01 * worst.low


def test_what_leaks_nothing() -> None:
    fixed = np.diag([0.0, 1.0])
    for case in (
        Case(fixed, np.ones(2), np.array([1.0, 0.0]), 1.0, None),
        Case(fixed, np.ones(2), np.ones(2), 1.0, [0]),
        Case(np.eye(2), np.zeros(2), np.ones(2), 1.0, None),
        Case(np.eye(2), np.ones(2), np.zeros(2), 1.0, None),
        Case(np.eye(2), np.ones(2), np.ones(2), 1.0, []),
    ):
        worst = worst_gaussian(*case)
        assert worst.low == worst.high == 0.0
        assert "no leakage" in worst.how


@pytest.mark.parametrize(
    ("table", "changes", "words"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], {}, "not positive definite"),
        ([[1.0, 1.0], [1.0, 1.0]], {}, "not positive definite|near to singular"),
        ([[1.0, 1 - 1e-15], [1 - 1e-15, 1.0]], {}, "near to singular"),
        ([[1.0, 0.5], [0.4, 1.0]], {}, r"not symmetric, \[0, 1\] is 0.5"),
        ([[-1.0, 0.0], [0.0, 1.0]], {}, "variable 0 has the variance -1"),
        ([[0.0, 0.1], [0.1, 1.0]], {}, "variable 0 has variance 0"),
        ([[1.0, math.nan], [math.nan, 1.0]], {}, "NaN"),
        ([[1.0, 0.0]], {}, "square"),
        ([[1.0, 0.0], [0.0]], {}, "equal row lengths"),
        (np.eye(2), {"ranges": [1.0]}, "ranges: shape"),
        (np.eye(2), {"ranges": [1.0, -1.0]}, "ranges: has -1"),
        (np.eye(2), {"weights": [1.0, math.inf]}, "weights: has NaN or infinity"),
        (np.eye(2), {"scale": 0.0}, "scale: 0"),
        (np.eye(2), {"scale": math.nan}, "scale: nan"),
        (np.eye(2), {"targets": [2]}, "targets:"),
        (np.eye(2), {"targets": [0.5]}, "targets:"),
    ],
)
def test_bad_input_is_refused_by_name(table: list, changes: dict, words: str) -> None:
    given = {"ranges": [1.0, 1.0], "weights": [1.0, 1.0], "scale": 1.0, **changes}
    with pytest.raises(UnspokenError, match=words):
        worst_gaussian(table, **given)


def test_too_many_to_list() -> None:
    problem = gaussian_problem(np.eye(40), np.ones(40), np.ones(40), 1.0)
    with pytest.raises(UnspokenError, match="at most 32 are listed"):
        exhaustive(problem)


def test_a_listing_that_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the keyboard or by its time: certified is then what holds for all, listed or not."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    table = covariance("dense", 17, np.random.default_rng(6))
    case = Case(table, np.ones(17), np.ones(17), 1.0, None)
    problem = gaussian_problem(*case)
    truth = exhaustive(problem).low
    answers = [exhaustive(problem, 0.0)]  # to the end or not, by how fast the machine is
    with monkeypatch.context() as patch:
        patch.setattr(gaussian_exhaustive.Threads, "_work", lambda *_: False)
        answers.append(exhaustive(problem, 0.0))
        patch.setattr(gaussian_exhaustive, "wait", stopped)
        answers.append(exhaustive(problem))
    monkeypatch.setattr(gaussian_exhaustive, "wait", stopped)
    answers.append(exhaustive(problem))
    assert "stopped after 0 s" in answers[1].how
    assert "keyboard" in answers[2].how
    for answer in answers:
        assert answer.low <= truth * (1 + BESIDE)
        assert truth <= answer.high * (1 + BESIDE)


def test_listing_follows_a_branching_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 18
    table = covariance("dense", n, np.random.default_rng(7))
    monkeypatch.setattr(gaussian_worst, "LISTING", 1.0)
    plain = worst_gaussian(table, np.ones(n), np.ones(n), 1.0, seconds=HANG)
    monkeypatch.setattr(gaussian_worst, "LISTING", 1e-12)
    give(Ticking(), monkeypatch)
    listed = worst_gaussian(table, np.ones(n), np.ones(n), 1.0, seconds=HANG)
    assert "branch" in plain.how
    assert "listing" in listed.how
    assert listed.low == pytest.approx(plain.low, rel=1e-9)
