"""The numbers of the theory of dependent differential privacy, and those of other programs."""

from typing import Any

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from tests.noise.calibration.joints import joint_of, number, separation, vectors
from unspoken.core.mechanisms import Laplace
from unspoken.noise.calibration import (
    accuracy,
    calibrate,
    coefficient,
    quilt_any_start,
    quilt_approximate,
)
from unspoken.noise.calibration.problem import NoiseProblem

CLOSE = 2e-11


def by_id(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors(kind), ids=lambda own: own["id"])


@by_id("calibrate")
def test_scales(vector: dict[str, Any]) -> None:
    given, wanted = vector["input"], vector["expected"]
    belief, weights, limit = joint_of(given), [number(w) for w in given["w"]], number(given["eps"])
    nobody = calibrate(belief, weights, limit=limit, knows="nothing")
    assert nobody.scale == pytest.approx(number(wanted["sigma_exact"]), rel=CLOSE)
    assert limit * (1 - 1e-10) <= nobody.bound.value <= limit
    dpm = calibrate(belief, weights, limit=limit, knows="nothing", method="dpm")
    assert dpm.scale == pytest.approx(number(wanted["sigma_dpm_B"]), rel=CLOSE)
    group = calibrate(belief, weights, limit=limit, method="group").scale
    assert group <= number(wanted["sigma_baseline"]) * (1 + 1e-13)  # equal where weights are
    alone = Laplace(number(wanted["sigma_LPM"]), weights)
    worst = max(
        computed(belief, alone, unspoken.Adversary(name)).value for name in belief.domain.names
    )
    assert worst == pytest.approx(number(wanted["sep_at_LPM"]), rel=1e-12)


@by_id("rho")
def test_coefficients(vector: dict[str, Any]) -> None:
    given = vector["input"]
    problem, sigma = NoiseProblem(joint_of(given), None, 1.0), number(given["sigma"])
    for reading in ("A", "B", "M"):
        own = coefficient(problem, f"x{given['i']}", f"x{given['j']}", sigma, reading)
        assert own == pytest.approx(number(vector["expected"][reading]), rel=1e-14)


@by_id("rho_asym")
def test_coefficients_differ_by_direction(vector: dict[str, Any]) -> None:
    problem, sigma = (
        NoiseProblem(joint_of(vector["input"]), None, 1.0),
        number(vector["input"]["sigma"]),
    )
    for i, j in ((0, 1), (1, 0)):
        own = coefficient(problem, f"x{i}", f"x{j}", sigma, "B")
        assert own == pytest.approx(number(vector["expected"][f"rho_{i}{j}_B"]), rel=1e-14)


@by_id("identity")
def test_a_vector_query(vector: dict[str, Any]) -> None:
    belief = joint_of(vector["input"])
    found = calibrate(belief, np.eye(len(belief.domain.names)).tolist(), limit=1.0, knows="nothing")
    assert found.scale == pytest.approx(number(vector["expected"]["sigma_exact_eps1"]), rel=CLOSE)


@by_id("ce_xor")
def test_independent_pairs_are_not_independent(vector: dict[str, Any]) -> None:
    belief, limit = joint_of(vector["input"]), number(vector["input"]["eps"])
    found = calibrate(belief, limit=limit, knows="nothing")
    assert found.scale == pytest.approx(number(vector["expected"]["sigma_exact"]), rel=CLOSE)


@by_id("ce_partial_knowledge")
def test_who_knows_one_more_learns_twice_as_much(vector: dict[str, Any]) -> None:
    """A scale for those who know nothing else: somebody who knows x2 learns up to 2 limits."""
    belief, weights = joint_of(vector["input"]), [number(w) for w in vector["input"]["w"]]
    dpm = calibrate(belief, weights, limit=1.0, knows="nothing", method="dpm")
    assert dpm.scale == pytest.approx(number(vector["expected"]["sigma_dpm_B"]), rel=CLOSE)
    insider = unspoken.Adversary("x0", knows=["x2"])
    leak = computed(belief, dpm.mechanism, insider).value
    assert leak == pytest.approx(number(vector["expected"]["sep_K_3"]), rel=CLOSE)
    nobody = calibrate(belief, weights, limit=1.0, knows="nothing")
    assert computed(belief, nobody.mechanism, insider).value == pytest.approx(2.0, rel=1e-10)
    for knows in ("anything", ["x2"]):
        found = calibrate(belief, weights, limit=1.0, knows=knows)
        assert found.scale == pytest.approx(2.0, rel=1e-10)
        assert computed(belief, found.mechanism, insider).value <= 1.0


@by_id("ce_pearson")
def test_correlation_0_is_not_independence(vector: dict[str, Any]) -> None:
    belief = joint_of(vector["input"])
    pearson = calibrate(belief, limit=1.0, knows="nothing").scale
    assert pearson > 1.0  # what a correlation of 0 would allow leaks 1.5
    leak = max(computed(belief, Laplace(1.0), unspoken.Adversary(x)).value for x in ("x0", "x1"))
    assert leak == pytest.approx(number(vector["expected"]["sep_at_sigma_1"]), rel=1e-12)


@by_id("ce_lower_endpoint")
def test_one_end_of_the_range_is_not_enough(vector: dict[str, Any]) -> None:
    """Eq. 18 with the lower end only, computed here: its scale leaks 1.17 limits."""
    given, wanted = vector["input"], vector["expected"]
    belief, weights, limit = joint_of(given), [number(w) for w in given["w"]], number(given["eps"])
    terms = [w * np.array(belief.domain.values[i], float) for i, w in enumerate(weights)]
    unsound = number(wanted["sigma_dpm_lo"])
    assert one_ended(belief.table, belief.domain.values, weights, unsound) == pytest.approx(
        unsound * limit, rel=1e-12
    )
    leak = separation(belief.table, terms, unsound)
    assert leak == pytest.approx(number(wanted["sep"]), rel=1e-12)
    sound = calibrate(belief, weights, limit=limit, knows="nothing", method="dpm").scale
    assert separation(belief.table, terms, sound) <= limit


def one_ended(table: np.ndarray, values: Any, weights: list[float], sigma: float) -> float:
    """max_i (w_i + w_j sigma max_a log E[e^(x_j / sigma) | a]) for two variables on [0, 1]."""
    sums = []
    for i, own in ((0, table), (1, table.T)):
        grown = np.exp(np.array(values[1 - i], float) / sigma)
        moments = own @ grown / own.sum(1)
        sums.append(weights[i] + weights[1 - i] * sigma * float(np.log(moments).max()))
    return max(sums)


@by_id("star_hub")
def test_stars(vector: dict[str, Any]) -> None:
    given, wanted = vector["input"], vector["expected"]
    flip, leaves, limit = number(given["flip"]), given["leaves"], number(given["eps"])
    star = unspoken.Tree([-1] + [0] * leaves, [0.5, 0.5], [[1 - flip, flip], [flip, 1 - flip]])
    scale = calibrate(star, limit=limit, knows="nothing").scale
    assert scale == pytest.approx(number(wanted["sigma_exact_hub"]), rel=CLOSE)
    group = calibrate(star, limit=limit, method="group").scale
    assert group == pytest.approx(number(wanted["sigma_baseline"]), rel=1e-12)
    if leaves < 10:
        dpm = calibrate(star, limit=limit, knows="nothing", method="dpm").scale
        assert dpm == pytest.approx(number(wanted["sigma_dpm_B_hub"]), rel=CLOSE)


@pytest.mark.slow
@by_id("infinite_chain")
def test_endless_chains(vector: dict[str, Any]) -> None:
    """Long ones come up to the scale of an endless one, and need no more."""
    flip, limit = number(vector["input"]["flip"]), number(vector["input"]["eps"])
    wanted = number(vector["expected"]["sigma_Rinf"])
    length = 200 if flip > 0.1 else 600
    chain = unspoken.Chain([0.5, 0.5], [[1 - flip, flip], [flip, 1 - flip]], length)
    scale = calibrate(chain, limit=limit, knows="nothing").scale
    assert wanted * (1 - 1e-6) <= scale <= wanted * (1 + 1e-9)


@by_id("accuracy")
def test_how_far_off(vector: dict[str, Any]) -> None:
    given, wanted = vector["input"], vector["expected"]
    scale, alpha, q = number(given["sigma"]), number(given["alpha"]), given["dim"]
    told = accuracy(scale, alpha=alpha, dimension=q)
    assert told == pytest.approx(number(wanted["beta_L1"]), rel=1e-12)
    largest = accuracy(scale, alpha=alpha, dimension=q, norm="linf")
    # The vectors are differences from 1 at 50 digits.
    assert largest == pytest.approx(number(wanted["beta_Linf"]), rel=1e-12, abs=1e-48)


@by_id("accuracy_inverse")
def test_how_far_off_at_most(vector: dict[str, Any]) -> None:
    beta, q = number(vector["input"]["beta"]), vector["input"]["dim"]
    for norm, key in (("l1", "alpha_over_sigma_L1"), ("linf", "alpha_over_sigma_Linf")):
        alpha = accuracy(2.0, beta=beta, dimension=q, norm=norm)
        assert alpha == pytest.approx(2 * number(vector["expected"][key]), rel=1e-13)
        assert accuracy(2.0, alpha=alpha, dimension=q, norm=norm) <= beta
        assert accuracy(None, alpha=alpha, beta=beta, dimension=q, norm=norm) == pytest.approx(2.0)


@by_id("underestimate")
def test_understated_dependence(vector: dict[str, Any]) -> None:
    """With kappa rho in place of rho the guarantee is eps DS / DS_kappa, at most eps / kappa."""
    given = vector["input"]
    kappa, own, others = (number(given[k]) for k in ("kappa", "DeltaQi", "sum_rho_Delta"))
    kept = (own + others) / (own + kappa * others) * number(given["eps"])
    assert kept == pytest.approx(number(vector["expected"]["eps_actual_bound"]), rel=1e-14)
    # Three copies of a bit: rho = 1, the sum moves by 1 + 3; at the understated scale it leaks so.
    copies = np.zeros((2,) * 4)
    copies[0, 0, 0, 0] = copies[1, 1, 1, 1] = 0.5
    leak = computed(unspoken.Joint(copies), Laplace(own + kappa * others), unspoken.Adversary("x0"))
    assert leak.value == pytest.approx(kept, rel=1e-12)


# (q, p, length, limit): approximate, exact from the stationary start, exact from any start.
QUILTS = [
    (0.5, 0.6, 100, 1.0, 10.2975186119, 1.80599008032, 2.57447821072),
    (0.4, 0.7, 100, 1.0, 13.9115125794, 5.13064968156, 5.58344820518),
    (0.3, 0.8, 100, 1.0, 20.0692594545, 10.1200141098, 10.6401929816),
    (0.3, 0.8, 100, 0.2, 139.072695234, 80.7391178636, 83.0996362341),
    (0.1, 0.1, 100, 1.0, 12.9222583117, 1.0, 1.0),
    (0.3, 0.8, 1000, 1.0, 20.0692594545, 10.1200141098, 10.6401929816),
]


@pytest.mark.parametrize("row", QUILTS, ids=lambda row: "-".join(map(str, row[:4])))
def test_quilts_of_two_states(row: tuple[float, ...]) -> None:
    q, p, length, limit, approximate, stationary, any_start = row
    step, law = [[1 - q, q], [1 - p, p]], np.array([1 - p, q]) / (1 - p + q)
    chain = unspoken.Chain(law, step, int(length))
    own = calibrate(chain, limit=limit, knows="nothing", method="quilt")
    assert own.scale == pytest.approx(stationary, rel=5e-12)
    assert quilt_approximate(step, int(length), limit) == pytest.approx(approximate, rel=5e-12)
    if length == 100:
        assert quilt_any_start(step, int(length), limit) == pytest.approx(any_start, rel=5e-12)
        exact = calibrate(chain, limit=limit, knows="nothing").scale
        assert exact <= stationary * (1 + 1e-10)


@pytest.mark.parametrize(
    ("states", "approximate", "exact"),
    [
        (3, 27.6193557795, 8.85648731588),
        (5, 33.0877837205, 6.91852648348),
        (10, 32.7899151801, 5.56907828274),
        (20, 35.9117246862, 5.5958605477),
    ],
)
def test_quilts_of_many_states(states: int, approximate: float, exact: float) -> None:
    k = np.arange(states)
    table = 1.0 + (7 * k[:, None] + 3 * k + k[:, None] * k) % 11
    step = table / table.sum(1, keepdims=True)
    assert quilt_approximate(step, 100, 1.0) == pytest.approx(approximate, rel=5e-12)
    assert quilt_any_start(step, 30, 1.0) == pytest.approx(exact, rel=5e-12)


FLU = unspoken.Exchangeable([0.1, 0.15, 0.5, 0.15, 0.1], 4)


@pytest.mark.parametrize(
    ("limit", "leak", "scale"),
    [
        (0.1, 0.0550111482056, 11.0073486742),
        (0.5, 0.276369716327, 2.23379070851),
        (1.0, 0.560393109395, 1.15452655909),
        (2.0, 1.16818450971, 0.612170360522),
    ],
)
def test_flu(limit: float, leak: float, scale: float) -> None:
    """A clique of four: Wasserstein carries 2, the group all 4; the exact scale is near half."""
    moved = calibrate(FLU, limit=limit, knows="nothing", method="wasserstein")
    assert moved.scale == 2 / limit
    assert computed(FLU, moved.mechanism, unspoken.Adversary("x0")).value == pytest.approx(leak)
    assert calibrate(FLU, limit=limit, method="group").scale == pytest.approx(4 / limit)
    exact = calibrate(FLU, limit=limit, knows="nothing", floor=False).scale
    assert exact == pytest.approx(scale, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("q", "p", "scale"),
    [
        (0.3, 0.8, 3.02390738),
        (0.4, 0.7, 1.84982255),
        (0.5, 0.6, 1.21692373),
        (0.2, 0.9, 5.91294644),
    ],
)
def test_chains_of_a_hundred(q: float, p: float, scale: float) -> None:
    chain = unspoken.Chain(np.array([1 - p, q]) / (1 - p + q), [[1 - q, q], [1 - p, p]], 100)
    found = calibrate(chain, limit=1.0, knows="nothing").scale
    assert found == pytest.approx(scale, abs=5e-9)
    assert found <= calibrate(chain, limit=1.0).scale <= found * 1.01
    assert found <= 0.68 * calibrate(chain, limit=1.0, knows="nothing", method="quilt").scale


def test_a_family_of_shifts() -> None:
    """The paper's first example, on a grid: d + d / 2 + noise of its own moves by 1.5 d in all."""
    steps = 20
    table = np.zeros((steps + 1, 3 * steps + 1))
    for d in range(steps + 1):
        table[d, d : d + steps + 1] = 1.0  # 2 x_1 is uniform on [d, d + 1], of steps
    values = [[d / steps for d in range(steps + 1)], [k / steps / 2 for k in range(3 * steps + 1)]]
    belief = unspoken.Joint(table, values=values)
    found = calibrate(belief, {"x0": 1.0, "x1": 1.0}, limit=1.0, knows="nothing")
    leak = computed(belief, found.mechanism, unspoken.Adversary("x0")).value
    assert leak == pytest.approx(1.5 / found.scale, rel=1e-9)
