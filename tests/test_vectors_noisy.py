"""The numbers of the theory on dependent differential privacy and PDP, for mechanisms with noise.

Computed once with 50 digits; printed to 17, fractions as words.
"""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Finite, Laplace, Together

FOLDER = Path(__file__).parent / "vectors"
DDP = json.loads((FOLDER / "ddp.json").read_text())["vectors"]
PDP = json.loads((FOLDER / "pdp-ip.json").read_text())["vectors"]
REL = 1e-9


def kind(name: str, vectors: Any = DDP) -> pytest.MarkDecorator:
    chosen = [vector for vector in vectors if vector["kind"] == name]
    assert chosen, name
    return pytest.mark.parametrize("v", chosen, ids=[str(v["id"]) for v in chosen])


def same(got: float, expected: Any, rel: float = REL) -> None:
    assert got == pytest.approx(float(expected), rel=rel, abs=0.0)


def numbers(words: Any) -> list[float]:
    return [float(Fraction(word)) for word in words]


def joint(given: dict[str, Any]) -> unspoken.Joint:
    """D1, D2, ... with exact probabilities brought to counts."""
    supports = [numbers(own) for own in given["supports"]]
    shares = {tuple(cell): Fraction(p) for cell, p in given["P"]}
    one = math.lcm(*(p.denominator for p in shares.values()))
    table = np.zeros([len(own) for own in supports])
    for cell, p in shares.items():
        table[cell] = int(p * one)
    return unspoken.Joint(table, names=[f"D{i + 1}" for i in range(len(supports))], values=supports)


def leak(
    belief: Any, mechanism: Any, target: Any, measure: Any = "max-log-ratio", **more: Any
) -> float:
    options = {key: more.pop(key) for key in list(more) if key == "eps"}
    adversary = unspoken.Adversary(target, **more)
    return unspoken.leakage(belief, mechanism, adversary, measure, **options).value


def separation(belief: unspoken.Joint, mechanism: Any) -> float:
    """The largest over all targets, everything else integrated out."""
    return max(leak(belief, mechanism, name) for name in belief.domain.names)


@kind("ce_xor")
def test_pairwise_independent_bits(v: dict[str, Any]) -> None:
    belief, w = joint(v["input"]), numbers(v["input"]["w"])
    eps, expected = float(Fraction(v["input"]["eps"])), v["expected"]
    same(separation(belief, Laplace(1 / eps, w)), expected["sep_at_sigma_1_over_eps"])
    exact = Laplace(float(expected["sigma_exact"]), w)
    same(separation(belief, exact), eps)
    same(separation(belief, Together([exact, exact])), expected["two_release_sep"])
    two = unspoken.Adversary("D1", asks=2)
    same(unspoken.leakage(belief, exact, two).value, expected["two_release_sep"])


@kind("ce_lower_endpoint")
def test_one_endpoint_is_not_enough(v: dict[str, Any]) -> None:
    own = Laplace(float(v["expected"]["sigma_dpm_lo"]), numbers(v["input"]["w"]))
    same(separation(joint(v["input"]), own), v["expected"]["sep"])


@kind("ce_count_query")
def test_a_count_of_transformed_bits(v: dict[str, Any]) -> None:
    """1[D1 > t] + 1[D2 > t]: a linear query about the bits, which are a Joint of their own."""
    given = v["input"]
    threshold = Fraction(given["query"].split(">")[1].split("]")[0])
    bits = np.zeros((2, 2))
    for (a, b), p in given["P"]:
        values = (Fraction(given["supports"][0][a]), Fraction(given["supports"][1][b]))
        bits[tuple(int(value > threshold) for value in values)] += float(Fraction(p))
    sigma, belief = float(v["expected"]["sigma_dpm_B"]), unspoken.Joint(bits, names=["B1", "B2"])
    # The target is D1 itself: given its bit, nothing else of it matters.
    same(separation(belief, Laplace(sigma)), v["expected"]["sep"])
    same(separation(belief, Laplace(float(v["expected"]["sigma_needed"]))), given["eps"])


@kind("ce_partial_knowledge")
def test_partial_knowledge(v: dict[str, Any]) -> None:
    belief = joint(v["input"])
    own = Laplace(float(v["expected"]["sigma_dpm_B"]), numbers(v["input"]["w"]))
    same(leak(belief, own, "D1"), v["expected"]["sep_K_empty"])
    same(leak(belief, own, "D1", knows=["D3"]), v["expected"]["sep_K_3"])


@kind("ce_pearson")
def test_uncorrelated_and_dependent(v: dict[str, Any]) -> None:
    own = Laplace(1.0, numbers(v["input"]["w"]))
    same(separation(joint(v["input"]), own), v["expected"]["sep_at_sigma_1"])


@kind("ce_parallel")
def test_disjoint_parts_add_up(v: dict[str, Any]) -> None:
    belief = unspoken.Joint(np.eye(2), names=["D1", "D2"])
    scale = 1 / float(v["input"]["eps"])
    each = [Laplace(scale, {name: 1}) for name in ("D1", "D2")]
    for one in each:
        same(leak(belief, one, "D1"), v["expected"]["sep_each"])
    same(leak(belief, Together(each), "D1"), v["expected"]["sep_joint"])
    same(
        leak(belief, Laplace(scale, {"D1": [1, 0], "D2": [0, 1]}), "D1"), v["expected"]["sep_joint"]
    )


@kind("ce_friends_only")
def test_neighbours_only(v: dict[str, Any]) -> None:
    """A binary chain of eight, from its transition probabilities to the joint."""
    flip, n = Fraction(1, 20), 8
    table = np.zeros([2] * n)
    for cell in itertools.product((0, 1), repeat=n):
        flips = sum(a != b for a, b in itertools.pairwise(cell))
        table[cell] = int(20 ** (n - 1) * flip**flips * (1 - flip) ** (n - 1 - flips))
    belief = unspoken.Joint(table)
    # The middle of the chain; "node 4" counts from 0 or from 1, which by symmetry is the same.
    for name in ("x3", "x4"):
        scale = float(v["expected"]["sigma_dpm_B_neighbours"])
        same(leak(belief, Laplace(scale), name), v["expected"]["sep_node4"])
        same(leak(belief, Laplace(3.0), name), v["expected"]["sep_node4_baseline_L3"])


@kind("calibrate")
def test_separation_at_calibrated_scales(v: dict[str, Any]) -> None:
    belief, w, expected = joint(v["input"]), numbers(v["input"]["w"]), v["expected"]
    for scale, sep in (("sigma_LPM", "sep_at_LPM"), ("sigma_dpm_B", "sep_at_dpm_B")):
        if sep in expected:
            same(separation(belief, Laplace(float(expected[scale]), w)), expected[sep])
    exact = float(expected["sigma_exact"])
    if exact > 0:
        eps = float(Fraction(v["input"]["eps"]))
        assert separation(belief, Laplace(exact, w)) == pytest.approx(eps, rel=1e-9)


def identity(belief: unspoken.Joint, scale: float) -> Laplace:
    """Every variable on its own, with noise of its own."""
    names = belief.domain.names
    return Laplace(scale, {n: np.eye(len(names))[i].tolist() for i, n in enumerate(names)})


@kind("identity")
def test_identity(v: dict[str, Any]) -> None:
    belief, sigma = joint(v["input"]), float(Fraction(v["input"]["sigma"]))
    same(separation(belief, identity(belief, sigma)), v["expected"]["sep"])
    exact = float(v["expected"]["sigma_exact_eps1"])
    same(separation(belief, identity(belief, exact)), 1.0)


@kind("eps_delta")
def test_eps_delta(v: dict[str, Any]) -> None:
    belief, given = joint(v["input"]), v["input"]
    own = Laplace(float(Fraction(given["sigma"])), numbers(given["w"]))
    eps = float(Fraction(given["eps"]))
    bounds = [
        unspoken.leakage(belief, own, unspoken.Adversary(name), "delta", eps=eps)
        for name in belief.domain.names
    ]
    truth = float(v["expected"]["delta"])
    assert max(bound.low for bound in bounds) <= truth <= max(bound.high for bound in bounds)
    same(max(bound.high for bound in bounds), truth)


@kind("star_hub")
def test_a_star(v: dict[str, Any]) -> None:
    """Leaves that copy the hub up to a flip: at the exact scale its separation is eps."""
    leaves, flip = v["input"]["leaves"], float(Fraction(v["input"]["flip"]))
    if leaves > 12:
        leaves, eps = 12, float(Fraction(v["input"]["eps"]))
        t = 1 / float(v["expected"]["sigma_exact_hub"])
        truth = t + leaves * math.log(
            (flip + (1 - flip) * math.exp(t)) / (1 - flip + flip * math.exp(t))
        )
    else:
        t, eps = 1 / float(v["expected"]["sigma_exact_hub"]), float(Fraction(v["input"]["eps"]))
        truth = eps
    table = np.zeros([2] * (leaves + 1))
    for cell in itertools.product((0, 1), repeat=leaves + 1):
        flips = sum(own != cell[0] for own in cell[1:])
        table[cell] = flip**flips * (1 - flip) ** (leaves - flips) / 2
    same(leak(unspoken.Joint(table), Laplace(1 / t), "x0"), truth)


@kind("example1")
def test_example_1_on_a_grid(v: dict[str, Any]) -> None:
    """D2 = D1 / 2 + U[0, 1/2]: on a grid of m steps the sum is a translation family as well.

    So at sigma = 1 / eps its separation is eps times how far the mean moves: 1.5, exactly.
    """
    eps, m = float(Fraction(v["input"]["eps"])), 4
    table = np.zeros((2, 2 * m))
    table[0, :m], table[1, m:] = 1, 1
    values: list[list[float]] = [[0, 1], [k / (2 * m) for k in range(2 * m)]]
    belief = unspoken.Joint(table, names=["D1", "D2"], values=values)
    same(leak(belief, Laplace(1 / eps), "D1"), v["expected"]["sep_sum_LPM"])
    same(leak(belief, Laplace(1 / eps, [1, -1]), "D1"), v["expected"]["sep_sub_LPM"])
    same(leak(belief, Laplace(float(v["expected"]["sigma_exact_sum"])), "D1"), eps)


@kind("lap_mixture_identity")
def test_more_noise_is_post_processing(v: dict[str, Any]) -> None:
    a, b, s = (float(v["input"][key]) for key in ("sigma", "sigma2", "s"))
    mixture = (a / b) ** 2 + (1 - (a / b) ** 2) / (1 + (b * s) ** 2)
    same(mixture / (1 + (a * s) ** 2), v["expected"]["lhs"])
    belief = unspoken.Joint([[3, 1], [2, 5]])
    assert leak(belief, Laplace(b), "x0") < leak(belief, Laplace(a), "x0")


def table_of(v: dict[str, Any]) -> unspoken.Joint:
    given = v["input"]
    return unspoken.Joint(np.array(given["counts"], dtype=float), values=given["dom"])


@kind("pdp_exact", PDP)
def test_pdp(v: dict[str, Any]) -> None:
    given = v["input"]
    own = Laplace(float(Fraction(given["lam"])), [float(Fraction(str(w))) for w in given["w"]])
    knows = [f"x{k}" for k in given["K"]]
    same(leak(table_of(v), own, f"x{given['i']}", knows=knows), v["output"]["leak"])


@kind("theta_mixture", PDP)
def test_the_hull_is_not_covered_by_its_corners(v: dict[str, Any]) -> None:
    given, expected, own = v["input"], v["output"], Laplace(float(v["input"]["lam"]))
    first, second = (np.array(given[key]) for key in ("P1", "P2"))
    same(leak(unspoken.Joint(first), own, "x0"), expected["leak_P1"])
    same(leak(unspoken.Joint(second), own, "x0"), expected["leak_P2"])
    same(leak(unspoken.Joint((first + second) / 2), own, "x0"), expected["leak_mixture"])


@kind("markov_chain", PDP)
def test_chains_as_joints(v: dict[str, Any]) -> None:
    given = v["input"]
    table = np.array(given["pi"], dtype=float)
    for step in given["P"]:
        table = table[..., None] * np.array(step)
    belief, own = unspoken.Joint(table, values=given["values"]), Laplace(float(given["lam"]))
    for name, weakest in zip(belief.domain.names, v["output"]["weakest"], strict=True):
        same(leak(belief, own, name), weakest)
    target, knows = v["output"]["argworst"]
    same(leak(belief, own, f"x{target}", knows=[f"x{k}" for k in knows]), v["output"]["worst"])


CHANNEL = {
    "I_inf": "max-information",
    "KL_max": "relative-entropy",
    "KLmax": "relative-entropy",
    "MI": "mutual-information",
    "max_leakage": "maximal-leakage",
    "inferential": "max-log-ratio",
}


@kind("ip_channel", PDP)
def test_channels(v: dict[str, Any]) -> None:
    given, output = v["input"], v["output"]
    belief = unspoken.Joint(np.array(given["prior_counts"], dtype=float))
    own = Finite("x0", np.array(given["W_counts"], dtype=float))
    for word, measure in CHANNEL.items():
        if word in output:
            wanted = float(output[word])
            got = leak(belief, own, "x0", measure)
            assert got == pytest.approx(wanted, rel=REL, abs=1e-15), (word, got, wanted)
    furthest = max(float(output["I_inf"]), float(output["I_inf_minus"]))
    same(leak(belief, own, "x0", "max-information-two-sided"), furthest)


@kind("mechanism_and_joint", PDP)
def test_channels_on_all_variables_at_once(v: dict[str, Any]) -> None:
    """M(y | x1, ..., xn) as a channel on one variable: the whole row, of which parts are asked."""
    law = np.array(v["input"]["M_counts"], dtype=float)
    table = np.array(v["input"]["joint_counts"], dtype=float)
    rows = list(np.ndindex(*table.shape))
    sizes = table.shape
    wide = np.zeros((*sizes, len(rows)))
    for number, row in enumerate(rows):
        wide[(*row, number)] = table[row]
    names = [f"x{i}" for i in range(len(sizes))]
    belief = unspoken.Joint(wide, names=[*names, "row"])
    own = Finite("row", law.reshape(len(rows), -1))
    for name, expected in zip(names, v["output"]["target_functionals"], strict=True):
        for word, measure in CHANNEL.items():
            if word in expected:
                same(leak(belief, own, name, measure), expected[word])


def test_all_measures_are_there() -> None:
    assert {*CHANNEL.values(), "delta", "max-information-two-sided"} <= set(MEASURES)
