"""Paper 002 as printed, and where it fails: every published scale leaks more than it promises."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.test_vectors_noisy import joint, kind, leak, numbers, same, separation
from unspoken.core.beliefs import Chain, Joint
from unspoken.core.mechanisms import Laplace, Together
from unspoken.noise.calibration import accuracy
from unspoken.noise.models.friends import Neighbour, blocked
from unspoken.noise.models.friendships import Friendships
from unspoken.noise.published.dependent import (
    PRINTED,
    baseline,
    dpm,
    dpm_any_query,
    dpm_neighbours,
    dpm_one_endpoint,
    dpm_pairwise,
    pairs,
    pearson,
)
from unspoken.noise.published.dependent_claims import (
    accuracy_of_vectors,
    entropy_drop,
    parallel,
    sequential,
)
from unspoken.noise.published.dependent_friends import dpm_friends


def limit_of(v: dict[str, Any]) -> float:
    return float(Fraction(v["input"]["eps"]))


def exceeds(belief: Any, scale: float, weights: Any, limit: float, expected: Any) -> None:
    """At this scale somebody learns more than the limit: exactly as much as the theory says."""
    found = separation(belief, Laplace(scale, weights))
    assert found > limit * (1 + 1e-6)
    same(found, expected)


@kind("ce_xor")
def test_pairs_say_nothing_of_three(v: dict[str, Any]) -> None:
    """Any two of the bits are independent: eq. 14 is 0 and L is 1, so no noise is added."""
    belief, limit = joint(v["input"]), limit_of(v)
    for printed in (dpm_pairwise(belief, limit=limit), baseline(belief, limit=limit)):
        same(printed.value, 1 / limit)
        exceeds(belief, printed.value, [1, 1, 1], limit, v["expected"]["sep_at_sigma_1_over_eps"])


@kind("ce_xor")
def test_exactly_calibrated_releases_do_not_add_up(v: dict[str, Any]) -> None:
    belief, limit = joint(v["input"]), limit_of(v)
    one = Laplace(float(v["expected"]["sigma_exact"]), [1, 1, 1])
    same(separation(belief, one), limit)
    both = separation(belief, Together([one, one]))
    assert both > sequential([limit, limit]).value == 2 * limit
    same(both, v["expected"]["two_release_sep"])


@kind("ce_lower_endpoint")
def test_one_end_of_the_range(v: dict[str, Any]) -> None:
    belief, w, limit = joint(v["input"]), numbers(v["input"]["w"]), limit_of(v)
    scale = dpm_one_endpoint(belief, w, limit=limit).value
    same(scale, v["expected"]["sigma_dpm_lo"])
    exceeds(belief, scale, w, limit, v["expected"]["sep"])
    assert dpm(belief, w, limit=limit).value > scale
    assert separation(belief, Laplace(dpm(belief, w, limit=limit).value, w)) <= limit


@kind("ce_count_query")
def test_a_count(v: dict[str, Any]) -> None:
    """Eq. 22 on 1[D1 > 1/2] + 1[D2 > 1/2]: the coefficient is that of D2, the noise for its bit."""
    belief, limit = joint(v["input"]), limit_of(v)
    laws = pairs(belief, ranges={"D1": (0, 1), "D2": (0, 1)})
    scale = dpm_any_query({"D1": 1, "D2": 1}, laws, limit=limit).value
    same(scale, v["expected"]["sigma_dpm_B"])
    above = [np.array(belief.domain.numbers(name)) > 0.5 for name in belief.domain.names]
    cells = list(itertools.product((0, 1), repeat=2))
    mass = [belief.table[np.ix_(above[0] == s, above[1] == t)].sum() for s, t in cells]
    bits = np.reshape(mass, (2, 2))
    exceeds(Joint(bits), scale, [1, 1], limit, v["expected"]["sep"])
    same(separation(Joint(bits), Laplace(scale)) / limit, v["expected"]["ratio"])


@kind("ce_vector_tuple")
@pytest.mark.parametrize("limit", [0.5, 1.0, 3.0])
def test_one_coordinate_of_vectors(v: dict[str, Any], limit: float) -> None:
    """The others never move, yet they dilute the coefficient."""
    m = v["input"]["m"]
    places = np.full((2, m), 0.5)
    places[:, 0] = 0, 1
    copy = Neighbour.of(np.eye(2), places, low=np.zeros(m), high=np.ones(m))
    same(copy.coefficient(1.0), v["expected"]["rho18"])
    laws = {("D1", "D2"): copy, ("D2", "D1"): copy}
    scale = dpm_any_query({"D1": 1, "D2": 1}, laws, limit=limit).value
    ratio = separation(Joint(np.eye(2)), Laplace(scale)) / limit
    assert ratio > 1.1
    same(ratio, v["expected"]["ratio"])


def xor() -> Joint:
    table = np.zeros((2, 2, 2))
    for i, k in itertools.product((0, 1), repeat=2):
        table[i, i ^ k, k] = 1
    return Joint(table, names="ijk")


@kind("ce_block")
def test_blocks_that_overlap(v: dict[str, Any]) -> None:
    """Copies of i, j and k: what depends on i is i and j, and all the rest is independent of it."""
    given, limit = v["input"], limit_of(v)
    w = [given["copies_Di"], given["copies_Dj"], given["copies_Dk"]]
    scale = dpm_neighbours(xor(), {"j": ["i", "k"]}, w, limit=limit).value
    same(scale, v["expected"]["sigma_dpm_B"])
    exceeds(xor(), scale, w, limit, v["expected"]["sep"])


@kind("ce_partial_knowledge")
def test_who_knows_another_tuple(v: dict[str, Any]) -> None:
    belief, w, limit = joint(v["input"]), numbers(v["input"]["w"]), limit_of(v)
    own = Laplace(dpm(belief, w, limit=limit).value, w)
    same(own.scale, v["expected"]["sigma_dpm_B"])
    same(leak(belief, own, "D1"), v["expected"]["sep_K_empty"])
    assert leak(belief, own, "D1") <= limit < leak(belief, own, "D1", knows=["D3"])
    same(leak(belief, own, "D1", knows=["D3"]), v["expected"]["sep_K_3"])


@kind("ce_pearson")
def test_uncorrelated_and_dependent(v: dict[str, Any]) -> None:
    belief, limit = joint(v["input"]), limit_of(v)
    scale = pearson(belief, limit=limit).value
    same(scale, 1 / limit)
    exceeds(belief, scale, [1, 1], limit, v["expected"]["sep_at_sigma_1"])


def test_correlation_is_what_it_is_called() -> None:
    rng = np.random.default_rng(3)
    belief = Joint(rng.dirichlet(np.ones(6)).reshape(2, 3), values=[[0, 2], [1, 2, 5]])
    rows = np.array(list(itertools.product([0, 2], [1, 2, 5])), dtype=float)
    spread = np.cov(rows.T, aweights=belief.table.ravel(), ddof=0)
    rho = abs(spread[0, 1]) / math.sqrt(spread[0, 0] * spread[1, 1])
    same(pearson(belief, limit=1).value, max(2 + 4 * rho, 4 + 2 * rho))
    same(pearson(belief, limit=1, threshold=0.99).value, 4.0)


@kind("ce_parallel")
def test_disjoint_parts(v: dict[str, Any]) -> None:
    belief, limit = Joint(np.eye(2), names=["D1", "D2"]), float(v["input"]["eps"])
    each = [Laplace(1 / limit, {name: 1}) for name in ("D1", "D2")]
    claimed = parallel([leak(belief, one, "D1") for one in each])
    same(claimed.value, v["expected"]["thm4_claim"])
    assert leak(belief, Together(each), "D1") > claimed.value
    same(leak(belief, Together(each), "D1"), v["expected"]["sep_joint"])


@kind("ce_theorem2_pointwise")
def test_one_answer_takes_more_than_the_mean(v: dict[str, Any]) -> None:
    limit = float(v["input"]["eps"])
    prior = np.append(0.5, np.full(2**20, 0.5 / 2**20))
    told = np.append(math.exp(limit), np.ones(2**20))
    posterior = prior * told / (prior @ told)
    before, after = (-float(p @ np.log(p)) for p in (prior, posterior))
    assert before - after > entropy_drop(limit).value
    same((before - after) / math.log(2), v["expected"]["entropy_drop_bits"])
    same(entropy_drop(limit).value / math.log(2), v["expected"]["eps_in_bits"])
    # The mean does keep to it: of two values, told apart by e^eps either way.
    fair = [[math.exp(limit), 1], [1, math.exp(limit)]]
    told_on_average = unspoken.leakage(
        Joint([1, 1]),
        unspoken.Finite("x0", np.array(fair) / (1 + math.exp(limit))),
        unspoken.Adversary("x0"),
        "mutual-information",
    )
    assert told_on_average.value < limit * math.tanh(limit / 2) <= limit


@kind("ce_friends_only")
def test_neighbours_in_a_graph(v: dict[str, Any]) -> None:
    limit = limit_of(v)
    chain = Chain([0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], length=8)
    graph = {a: [b] for a, b in itertools.pairwise(chain.domain.names)}
    printed = dpm_neighbours(chain, graph, limit=limit).value
    same(printed, v["expected"]["sigma_dpm_B_neighbours"])
    counted = baseline(chain, neighbours=graph, limit=limit).value
    same(counted, 3.0)
    for scale, expected in ((printed, "sep_node4"), (counted, "sep_node4_baseline_L3")):
        found = leak(chain, Laplace(scale), "x4")
        assert found > 2 * limit
        same(found, v["expected"][expected])


@kind("accuracy")
def test_theorem_10_is_of_one_number(v: dict[str, Any]) -> None:
    alpha, sigma = float(v["input"]["alpha"]), float(Fraction(v["input"]["sigma"]))
    printed = accuracy_of_vectors(sigma, alpha).value
    same(printed, v["expected"]["beta_paper"])
    true = accuracy(sigma, alpha, dimension=v["input"]["dim"])
    assert true > 100 * printed
    same(true, v["expected"]["beta_L1"])


@kind("rho")
def test_coefficients(v: dict[str, Any]) -> None:
    """Readings B, M and 14 of the same pair, and the one that looks at the lower end only."""
    given, sigma = v["input"], float(Fraction(v["input"]["sigma"]))
    other = pairs(joint(given))[f"D{given['i'] + 1}", f"D{given['j'] + 1}"]
    for reading in ("B", "M", "14"):
        same(other.coefficient(sigma, reading), v["expected"][reading])
    same(PRINTED["lo"](other, sigma) / other.width, v["expected"]["lo"])


@kind("identity")
def test_eq_14_is_the_truth_of_two_tuples(v: dict[str, Any]) -> None:
    """Releasing both: at most D_i / sigma + rho_14 D_j / sigma, for three tuples not even that."""
    belief = joint(v["input"])
    if len(belief.domain.names) == 2:
        scale = dpm_pairwise(belief, limit=1.0).value
        both = Laplace(scale, {"D1": [1, 0], "D2": [0, 1]})
        assert max(leak(belief, both, name) for name in ("D1", "D2")) <= 1 + 1e-9


def line(users: int) -> Friendships:
    return Friendships.of(np.arange(users - 1), np.arange(1, users))


def test_friends_of_friends() -> None:
    """Eq. 26, normalised, on a line of friends in two places: a chain of which all is known."""
    law = Neighbour.by_distance([0, 1])
    chain = Chain([0.5, 0.5], law.law.tolist(), length=12)
    scale = dpm_friends(line(12), law, limit=1.0, reach=1.0).value
    found = max(bound.value for bound in unspoken.leakages(chain, Laplace(scale)).values())
    assert round(found, 2) == 1.87
    sound = blocked(12, limit=1.0, reach=1.0, friends=law).scale
    assert scale < sound < blocked(12, limit=1.0, reach=1.0).scale
    for bound in unspoken.leakages(chain, Laplace(sound)).values():
        assert bound.value <= 1.0


@kind("friend_fixed_point")
def test_the_fixed_point_of_one_friend(v: dict[str, Any]) -> None:
    from_all = Neighbour.by_distance(np.array(list(itertools.product(CENTRES, repeat=2))))
    star = Friendships.of(np.zeros(v["input"]["degree"], int), 1 + np.arange(v["input"]["degree"]))
    scale = dpm_friends(star, from_all, limit=limit_of(v), reach=1.9).value
    same(scale, v["expected"]["sigma"])
    same(from_all.coefficient(scale), v["expected"]["rho"])


CENTRES = (np.arange(20) + 0.5) / 20


def test_how_little_noise_friends_would_need() -> None:
    """L = 6,969 users against 100 and 300 friends: the gains are of not counting all others."""
    law = Neighbour.by_distance(np.array(list(itertools.product(CENTRES, repeat=2))))
    for degree, ratio in ((100, 112), (300, 38)):
        star = Friendships.of(np.zeros(degree, int), 1 + np.arange(degree))
        printed = dpm_friends(star, law, limit=1.0, reach=law.width).value
        assert round(6969 * law.width / printed) == ratio


def test_classes_have_laws_of_their_own() -> None:
    near, far = Neighbour.by_distance([0, 1]), Neighbour.by_distance([0, 1], [0, 0.5, 1])
    laws = {("a", "a"): near, ("a", "b"): far, ("b", "a"): far, ("b", "b"): near}
    edges = Friendships.of([0, 0, 1], [1, 2, 2], {0: "a", 1: "a", 2: "b"})
    scale = dpm_friends(edges, laws, limit=2.0, reach=3.0, reading="M").value
    rho = {pair: law.coefficient(1.0, "M") for pair, law in laws.items()}
    most = max(rho["a", "a"] + rho["a", "b"], 2 * rho["b", "a"])
    same(scale, 1.5 * (1 + most))
    with pytest.raises(unspoken.UnspokenError, match="law of the classes"):
        dpm_friends(edges, {("a", "a"): near}, limit=1.0, reach=1.0)


def test_all_of_them_say_that_they_are_no_guarantee() -> None:
    belief = xor()
    found = [
        baseline(belief, limit=1),
        dpm(belief, limit=1),
        dpm_neighbours(belief, {"i": ["j"]}, limit=1),
        dpm_one_endpoint(belief, limit=1),
        dpm_pairwise(belief, limit=1),
        pearson(belief, limit=1),
        dpm_any_query(dict.fromkeys("ijk", 1.0), pairs(belief), limit=1),
        sequential([1, 1]),
        parallel([1, 1]),
        entropy_drop(1),
        accuracy_of_vectors(1, 1),
        dpm_friends(line(3), Neighbour.by_distance([0, 1]), limit=1, reach=1),
    ]
    for one in found:
        assert isinstance(one, unspoken.Estimate)
        assert "no guarantee" in repr(one)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: dpm(xor(), limit=1, reading="C"), 'reading: there is no "C"'),
        (lambda: dpm_neighbours(xor(), {"i": ["x"]}, limit=1), 'no "x"'),
        (lambda: dpm_any_query({"i": 1.0}, pairs(xor()), limit=1), "moves"),
        (lambda: dpm(xor(), limit=-1), "limit"),
        (lambda: parallel([]), "epsilons"),
        (lambda: accuracy_of_vectors(0, 1), "accuracy"),
        (lambda: pairs(xor(), ranges={"i": (0.5, 1)}), "outside"),
        (lambda: dpm_friends(line(3), Neighbour.by_distance([0, 1]), limit=0, reach=1), "limit"),
    ],
)
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words):
        ask()
