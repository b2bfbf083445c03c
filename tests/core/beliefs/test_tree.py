"""Trees: what they are given as, published numbers, and large ones."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.beliefs.tree import Tree
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Laplace

DDP = json.loads((Path(__file__).parents[2] / "vectors" / "ddp.json").read_text("utf-8"))["vectors"]
FLIP = [[0.9, 0.1], [0.1, 0.9]]
FAIR = [0.5, 0.5]
ALIGNED: list[Any] = [FAIR, FLIP, FLIP]


def star(leaves: int, flip: float) -> Tree:
    return Tree([-1] + [0] * leaves, FAIR, [[1 - flip, flip], [flip, 1 - flip]])


@pytest.mark.parametrize(
    "vector", [pytest.param(v, id=v["id"]) for v in DDP if v["kind"] == "star_hub"]
)
def test_the_hub_of_a_star(vector: dict[str, Any]) -> None:
    given = vector["input"]
    belief = star(given["leaves"], float(Fraction(given["flip"])))
    scale = float(vector["expected"]["sigma_exact_hub"])
    found = unspoken.leakage(belief, Laplace(scale), unspoken.Adversary("x0"))
    assert found.value == pytest.approx(float(Fraction(given["eps"])), rel=1e-12)


def test_two_thousand_witnesses() -> None:
    """Each withheld leaf multiplies the odds; together they are far beyond the floats."""
    leaves, epsilon = 2000, 3.0
    belief = star(leaves, 0.1)
    names = belief.domain.names
    channel = unspoken.OneSided({"x1": epsilon}, {"x1": [0]}).channel(belief.domain, "x1")
    withheld = channel.event("withheld", [unspoken.WITHHELD])
    seen = belief.outputs(["x0"], dict.fromkeys(names[1:], withheld))
    assert seen.in_logs
    lift = seen.lifts(np.eye(2, dtype=bool)).log_lift[0, 0]
    quiet = math.exp(-epsilon)
    one, other = 0.9 + 0.1 * quiet, 0.1 + 0.9 * quiet
    assert lift[0] - lift[1] == pytest.approx(leaves * math.log(one / other), rel=1e-12)


def test_a_large_tree_adds_up() -> None:
    """The mean and the variance of a sum over 2,000 nodes, against pairs of marginals."""
    rng = np.random.default_rng(1)
    parents = [-1, *(int(rng.integers(max(0, v - 40), v)) for v in range(1, 2000))]
    belief = Tree(parents, [0.3, 0.7], FLIP)
    names = belief.domain.names
    law = belief.sums([], [dict.fromkeys(names, 1.0)])
    table = np.exp(law.table) if law.in_logs else law.table
    assert table.sum() == pytest.approx(1.0, rel=1e-11)
    mean = sum(belief.marginal([name])[1] for name in names)
    assert table @ law.points[0] == pytest.approx(mean, rel=1e-11)


@pytest.mark.parametrize(
    "tree",
    [
        lambda: Tree({"b": "a", "c": "a"}, FAIR, FLIP),
        lambda: Tree({"a": None, "b": "a", "c": "a"}, FAIR, {"b": FLIP, "c": FLIP}),
        lambda: Tree([None, 0, 0], FAIR, [None, FLIP, FLIP], "abc"),
        lambda: Tree([-1, 0, 0], FAIR, ALIGNED, "abc"),
        lambda: Tree({"b": "a", "c": "a"}, [1, 1], np.array([[9, 1], [1, 9]]), names="abc"),
    ],
)
def test_all_ways_to_say_it(tree: Any) -> None:
    belief = tree()
    assert belief.domain.names == ("a", "b", "c")
    np.testing.assert_allclose(belief.marginal(["b", "c"]), [[0.41, 0.09], [0.09, 0.41]])
    assert belief.blanket("a") == ("b", "c")


def test_known_values_cut_the_tree() -> None:
    belief = Tree({"b": "a", "c": "b", "d": "b"}, FAIR, FLIP)
    later = belief.given({"b": 1})
    assert later.blocks() == [("a",), ("c",), ("d",)]
    assert later.marginal(["a"]) == pytest.approx([0.1, 0.9])
    assert later.relevant(["c"], ["a", "c", "d"]) == ("c",)
    with pytest.raises(InputError, match="this belief holds that impossible"):
        Tree({"b": "a"}, [1.0, 0.0], [[1, 0], [0, 1]]).given({"b": 1})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (({"b": "a", "c": "d", "d": "c"}, FAIR, FLIP), "c -> d -> c|d -> c -> d"),
        (({"a": "b", "b": "a"}, FAIR, FLIP), "no root above it"),
        (([0], FAIR, FLIP), "x0 -> x0"),
        (({"b": "a", "d": "c"}, FAIR, FLIP), "a, c have no parent each; a tree has one root"),
        (([-1, -1, 0], FAIR, FLIP), "x0, x1 have no parent"),
        (([-1, 5], FAIR, FLIP), "5 is the number of no variable"),
        (([-1, 0], FAIR, FLIP, ["a"]), "1 names for 2"),
        (({"b": "a"}, FAIR, FLIP, ["b", "z"]), 'there is no "a"'),
        (({"b": "a"}, FAIR, {"B": FLIP}), 'there is no "B"'),
        (({"b": "a"}, FAIR, {}), "no table for b"),
        (([-1, 0], FAIR, [None, None]), "no table for x1"),
        (([-1, 0], FAIR, [FLIP]), "1 tables for 2 variables"),
        (({"b": "a"}, FAIR, [[0.5, 0.5]]), r"tables\[b\]: 1 rows, but its parent a has 2"),
        (({"b": "a"}, FAIR, [[0.5, 0.6], [1, 0]]), r"tables\[b\], row 0: sums to"),
        (({"b": "a"}, [FAIR], FLIP), "tree.root: must be a flat list"),
        (([], FAIR, FLIP), "a tree has one"),
    ],
)
def test_wrong_trees_are_refused(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        Tree(*arguments)
    assert "\n" not in str(raised.value)
