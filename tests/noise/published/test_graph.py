"""The weighted hierarchical graph of paper 003, as printed; and where it is wrong."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.searching import pdp_nodes
from unspoken.noise.published import Graph, graph
from unspoken.noise.published.tails import pdp_tails

pytestmark = pytest.mark.slow

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
REL = 1e-9


def kind(name: str) -> pytest.MarkDecorator:
    chosen = [v for v in VECTORS["vectors"] if v["kind"] == name]
    assert chosen, name
    return pytest.mark.parametrize("vector", chosen, ids=[v["name"] for v in chosen])


def drawn_of(v: dict[str, Any]) -> Graph:
    """The graph of a vector's input."""
    return graph(joint_of(v), [float(w) for w in v["w"]], float(v["lam"]))


def joint_of(v: dict[str, Any]) -> unspoken.Joint:
    return unspoken.Joint(v["counts"], values=[[float(value) for value in own] for own in v["dom"]])


def named(name: str) -> dict[str, Any]:
    (found,) = [v for v in VECTORS["vectors"] if v["name"] == name and v["kind"] == "pdp_exact"]
    return found


def same(got: float, expected: float, rel: float = REL) -> None:
    assert got == pytest.approx(float(expected), rel=rel, abs=1e-14)


@kind("whg_chain")
def test_the_chain_rule_of_the_theory(vector: dict[str, Any]) -> None:
    found = drawn_of(vector["input"])
    expected = vector["output"]
    assert len(found.nodes()) == len(expected["nodes"])
    for key, value in expected["nodes"].items():
        target, _, known = key.partition("|")
        node = found.node(f"x{target}", [f"x{k}" for k in known.split(",") if k])
        same(node.published.value, value)
    same(found.worst.value, expected["max"])


@kind("pdp_exact")
def test_the_exact_leakages_and_tails_of_the_theory(vector: dict[str, Any]) -> None:
    v, expected = vector["input"], vector["output"]
    joint, weights = joint_of(v), [float(w) for w in v["w"]]
    target, known = f"x{v['i']}", [f"x{k}" for k in v["K"]]
    same(pdp_tails(joint, weights, float(v["lam"])).leak(target, known), expected["tail"])
    same(pdp_nodes(joint, weights, float(v["lam"])).leak(target, known), expected["leak"])


def test_tails_are_the_means_of_the_tilted_sums() -> None:
    rng = np.random.default_rng(5)
    table = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    weights, scale = [1.0, -2.0, 0.5], 1.3
    sums = np.add.outer(np.add.outer([0, 1.0], [0, -2.0, -4.0]), [0, 0.5])
    worst = 0.0
    for sigma in (1, -1):
        for k in range(2):  # somebody after x0 who knows x2 = k
            tilted = (table * np.exp(sigma * sums / scale))[:, :, k].sum(1)
            worst = max(worst, float(np.ptp(np.log(tilted / table[:, :, k].sum(1)))))
    same(pdp_tails(unspoken.Joint(table), weights, scale).leak("x0", ["x2"]), worst, 1e-13)


def by_hand(table: np.ndarray, terms: list[np.ndarray], i: int, known: tuple[int, ...]) -> float:
    """The chain rule for adversary (i, K), a number at a time. ``terms`` are w_j x_j / lambda."""
    rest = [j for j in range(table.ndim) if j != i and j not in known]
    if not rest:
        return float(np.ptp(terms[i]))
    best = math.inf
    for j in rest:
        stronger = by_hand(table, terms, i, tuple(sorted((*known, j))))
        gone = tuple(k for k in rest if k != j)
        cells = np.moveaxis(table.sum(gone, keepdims=True), (i, j), (0, 1))
        cells = cells.reshape(*cells.shape[:2], -1)
        worst = 0.0
        for c, a, b, sigma in itertools.product(
            range(cells.shape[2]), range(len(cells)), range(len(cells)), (1, -1)
        ):
            if terms[i][a] > terms[i][b] and cells[a, :, c].sum() > 0 < cells[b, :, c].sum():
                up, down = (
                    cells[row, :, c] @ np.exp(sigma * terms[j]) / cells[row, :, c].sum()
                    for row in (a, b)
                )
                worst = max(worst, abs(stronger + sigma * math.log(up / down)))
        best = min(best, worst)
    return best


def test_the_chain_rule_a_number_at_a_time() -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        table = rng.dirichlet(np.full(12, 0.4)).reshape(2, 3, 2)
        table = np.where(table < 0.02 * (seed % 2), 0.0, table)
        weights, scale = rng.choice([-2.0, -1.0, 0.5, 1.0], 3).tolist(), float(rng.uniform(0.3, 3))
        found = graph(unspoken.Joint(table / table.sum()), weights, scale)
        terms = [w * np.arange(d) / scale for w, d in zip(weights, (2, 3, 2), strict=True)]
        for node in found.nodes():
            known = tuple(int(name[1]) for name in node.knows)
            same(node.published.value, by_hand(table, terms, int(node.target[1]), known))


# Where the paper is wrong. Each: who, what is published, what is true.


def test_ce1_an_answer_in_the_middle_tells_most() -> None:
    """Theorem 2: the edge looks far out, where log cosh 1 is told."""
    node = drawn_of(named("CE1 interior sup")["input"]).node("x0")
    same(node.published.value, math.log(math.cosh(1)))
    same(node.bound.low, math.log(math.cosh(1)))
    same(node.exact.value, 1.0)
    assert node.falls_short


def test_ce2_absolute_values_forget_the_sign() -> None:
    """Theorem 5: |...||l + e| + e| turns a negative leakage round, in the middle of the path."""
    found = drawn_of(named("CE2 star w=(1,2,2)")["input"])
    node = found.node("x0")
    same(node.published.value, 1.0)
    edge = math.log((0.05 * math.e**2 + 0.95) / (0.95 * math.e**2 + 0.05))
    same(node.bound.low, abs(1 + 2 * edge))
    same(node.exact.value, named("CE2 star w=(1,2,2)")["output"]["leak"])
    assert found.worst.value == 2.0 < found.exact.worst()[0]


def test_ce3_what_the_others_say_depends_on_what_is_forgotten() -> None:
    """x1 = x2 repeat x0 in 8 of 10 cases: both move together, and each edge moves one."""
    joint = unspoken.Joint([[[4, 0], [0, 1]], [[1, 0], [0, 4]]])
    node = graph(joint, [1, 1, 1], 1.0).node("x0")
    grown = math.e**2 - 1
    same(node.exact.value, 1 + math.log((1 + 0.8 * grown) / (1 + 0.2 * grown)))
    assert round(node.published.value, 3) == 1.569
    assert (
        node.published.value < node.bound.low <= node.exact.value == pytest.approx(1.987, abs=1e-3)
    )


def test_ce4_weights_of_one_do_not_help() -> None:
    node = drawn_of(named("CE4 star 4 negative leaves")["input"]).node("x0")
    assert round(node.published.value, 3) == 0.771
    assert round(node.exact.value, 3) == 2.542
    strongest = drawn_of(named("CE4 star 4 negative leaves")["input"]).node(
        "x0", ["x1", "x2", "x3", "x4"]
    )
    assert strongest.exact.value == pytest.approx(1.0)
    found = drawn_of(named("CE4 star 4 negative leaves")["input"])
    assert found.exact.worst()[0] > found.tails.worst()[0] + 1e-4  # not even the worst is a tail


def test_corollary_1_case_2_the_weakest_need_not_be_the_worst() -> None:
    """All increment ratios are positive; but x1 speaks of x0 more where x2 = 1 is known."""
    counts = [[[4096, 16], [16, 1]], [[16, 1], [1, 1]]]
    found = graph(unspoken.Joint(counts), [1, 1, 1], 2.0)
    assert np.nanmin(found.edges.least) > 0
    (claim,) = found.corollary()
    assert claim.case == 2
    assert (round(claim.says.value, 4), round(claim.exact.value, 4)) == (0.6419, 0.7435)
    same(found.node("x1", ["x2"]).exact.value, claim.exact.value)


@pytest.mark.parametrize("name", ["Cor1(3) AND, weakest lam 1", "Cor1(3) AND, weakest lam 10"])
def test_corollary_1_case_3_the_strongest_need_not_be_the_worst(name: str) -> None:
    """All increment ratios are negative: x0 says that not all four others are 1."""
    vector = named(name)
    found = drawn_of(vector["input"])
    assert np.nanmax(found.edges.largest) <= 1e-12
    (claim,) = [claim for claim in found.corollary() if claim.case == 3]
    same(claim.says.value, 1 / float(vector["input"]["lam"]))
    same(claim.exact.value, vector["output"]["leak"])
    assert claim.exact.value > 1.17 * claim.says.value


def test_the_published_value_may_be_too_much() -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
    found = graph(unspoken.Joint(table), [1, 1, 1], 1.0)
    assert found.worst.value > 1.01 * found.exact.worst()[0]


def test_the_fast_search_has_no_direction() -> None:
    more, fewer = 0, 0
    for seed in range(30):
        table = np.random.default_rng(seed).dirichlet(np.full(16, 0.5)).reshape((2,) * 4)
        found = graph(unspoken.Joint(table), [1, 1, 1, 1], 1.0)
        fast = found.fast(3)
        more += fast.value > found.worst.value + 1e-9
        fewer += fast.value < found.worst.value - 1e-9
        same(found.fast(99).value, found.worst.value)
    assert more > 0 < fewer


# What of it is true.


def test_two_binary_variables_of_positive_dependence() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        same_, apart = rng.uniform(0.3, 0.5, 2), rng.uniform(0.0, 0.2, 2)
        table = np.array([[same_[0], apart[0]], [apart[1], same_[1]]])
        for node in graph(unspoken.Joint(table / table.sum()), [1, 1], 1.0).nodes():
            same(node.published.value, node.exact.value)


def test_independent_variables() -> None:
    """Theorem 1; all ratios are 0, so two cases of the corollary hold, and say the same."""
    table = np.multiply.outer(np.multiply.outer([0.3, 0.7], [0.5, 0.2, 0.3]), [0.1, 0.9])
    found = graph(unspoken.Joint(table), [2, 1, 1], 1.0)
    for node in found.nodes():
        same(node.published.value, 2.0 if node.target != "x2" else 1.0)
        same(node.exact.value, node.published.value)
    assert [claim.case for claim in found.corollary()] == [2, 3]
    for claim in found.corollary():
        same(claim.says.value, claim.exact.value)


def test_copies_are_a_group() -> None:
    """Corollary 1 (1)."""
    found = graph(unspoken.Joint([[1, 0], [0, 1]]), [1, 3], 2.0)
    first = found.corollary()[0]
    assert first.case == 1
    same(first.says.value, 2.0)
    same(first.exact.value, 2.0)
    same(found.node("x0").published.value, 2.0)


def test_a_path_and_its_edges() -> None:
    found = drawn_of(named("CE2 star w=(1,2,2)")["input"])
    first = found.edge("x0", ["x1", "x2"], "x2")
    same(found.chain("x0", ["x2"]).value, abs(1.0 + first.gain.value))
    same(first.ratio.value, first.gain.value / 2)
    assert -1 <= first.ratio.value < 0
    same(found.chain("x0", []).value, 1.0)
    assert found.node("x0").published.value == pytest.approx(
        min(found.chain("x0", path).value for path in (["x1", "x2"], ["x2", "x1"]))
    )


def test_signs_are_of_weighted_values() -> None:
    """A negative weight is the same as values turned round (paper 003, III-A3)."""
    table = np.random.default_rng(3).dirichlet(np.ones(12)).reshape(2, 3, 2)
    one = graph(unspoken.Joint(table), [1, -1, 1], 1.0)
    other = graph(unspoken.Joint(table, values=[[0, 1], [0, -1, -2], [0, 1]]), [1, 1, 1], 1.0)
    np.testing.assert_allclose(one.values.leaks, other.values.leaks, rtol=1e-12)
    np.testing.assert_allclose(one.exact.leaks, other.exact.leaks, rtol=1e-12)


def test_increment_ratios_are_within_one() -> None:
    """Theorem 3 (1)."""
    for seed in range(20):
        table = np.random.default_rng(seed).dirichlet(np.full(12, 0.3)).reshape(2, 3, 2)
        edges = graph(unspoken.Joint(table), [1, 2, -1], 0.7).edges
        reach = edges.reach[None, :, None]
        assert np.nanmax(np.abs(edges.largest) / reach) <= 1 + 1e-12
        assert np.nanmax(np.abs(edges.least) / reach) <= 1 + 1e-12


def test_what_is_shown() -> None:
    found = drawn_of(named("CE1 interior sup")["input"])
    assert "published for 1 of 4" in repr(found)
    assert "no guarantee" in repr(found)
    assert "too little" in repr(found.node("x0"))
    assert "nothing else" in repr(found.node("x0"))
    rows = found.as_rows()
    assert [row["layer"] for row in rows] == [1, 1, 2, 2]
    assert all(row["tail"] <= row["exact"] * (1 + 1e-12) for row in rows)  # type: ignore[operator]
    assert all(row["exact"] <= row["upper"] * (1 + 1e-12) for row in rows)  # type: ignore[operator]
    assert [row["falls short"] for row in rows] == [False, False, True, False]
    for thing in (found.edge("x0", ["x1"], "x1"), found.corollary()[0]):
        assert "nat" in repr(thing)


def test_an_estimate_is_no_bound() -> None:
    found = drawn_of(named("CE1 interior sup")["input"])
    published = (
        found.worst,
        found.fast(2),
        found.node("x0").published,
        found.chain("x0", ["x1"]),
        found.edge("x0", ["x1"], "x1").gain,
        found.corollary()[0].says,
    )
    for number in published:
        assert isinstance(number, unspoken.Estimate)
        assert not isinstance(number, unspoken.Bound)


def test_wrong_names_are_told() -> None:
    found = drawn_of(named("CE1 interior sup")["input"])
    with pytest.raises(unspoken.UnspokenError, match='no "x7"'):
        found.node("x7")
    with pytest.raises(unspoken.UnspokenError, match="knows the target"):
        found.node("x0", ["x0"])
    with pytest.raises(unspoken.UnspokenError, match="forgets"):
        found.edge("x0", ["x1"], "x0")
    with pytest.raises(unspoken.UnspokenError, match="not known any more"):
        found.chain("x0", ["x1", "x1"])
    with pytest.raises(unspoken.UnspokenError, match="give 1, 2"):
        found.fast(0)


def test_targets_of_other_kinds_are_refused_in_one_line() -> None:
    found = graph(unspoken.Joint([[3, 1], [1, 3]]), [1.0, 1.0], 2.0)
    for wrong in (np.array(["x0", "x1"]), np.zeros(0), None):
        with pytest.raises(unspoken.UnspokenError, match="give names of variables"):
            found.chain(wrong, ["x1"])  # type: ignore[arg-type]
