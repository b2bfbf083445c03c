"""Every adversary at once against one view each, and against the paper's named examples."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.mechanisms import Laplace
from unspoken.core.searching import pdp_nodes

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
EXACT = [v for v in VECTORS["vectors"] if v["kind"] == "pdp_exact"]


@pytest.mark.parametrize("vector", EXACT, ids=lambda v: v["name"])
def test_the_exact_leakages_of_the_theory(vector: dict) -> None:
    given_, names = vector["input"], [f"x{k}" for k in range(len(vector["input"]["w"]))]
    joint = unspoken.Joint(given_["counts"], values=[[float(v) for v in d] for d in given_["dom"]])
    nodes = pdp_nodes(joint, [float(w) for w in given_["w"]], float(given_["lam"]))
    leak = nodes.leak(names[given_["i"]], [names[k] for k in given_["K"]])
    assert leak == pytest.approx(float(vector["output"]["leak"]), rel=1e-9, abs=1e-14)


@pytest.mark.slow
@pytest.mark.stress
@examples(40)
@given(st.integers(0, 2**32 - 1))
def test_every_node_is_its_view(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(1, 4, size=rng.integers(1, 5)))
    table = rng.dirichlet(np.full(int(np.prod(sizes)), 0.5)).reshape(sizes)
    table = np.where(table < 0.02, 0.0, table)
    values = [
        np.sort(rng.choice([-2.0, -0.3, 0.0, 0.1, 1.0, 2.5], d, replace=False)) for d in sizes
    ]
    joint = unspoken.Joint(table / table.sum(), values=[v.tolist() for v in values])
    weights, scale = (
        rng.choice([-1.0, 0.0, 0.5, 1.0, 3.0], len(sizes)).tolist(),
        rng.uniform(0.2, 5),
    )
    nodes = pdp_nodes(joint, weights, scale)
    names, worst = joint.domain.names, 0.0
    for target in names:
        others = [name for name in names if name != target]
        for size in range(len(names)):
            for known in itertools.combinations(others, size):
                adversary = unspoken.Adversary(target, knows=known)
                exact = unspoken.leakage(joint, Laplace(scale, weights), adversary).value
                assert nodes.leak(target, known) == pytest.approx(exact, rel=1e-9, abs=1e-12)
                worst = max(worst, exact)
    assert nodes.worst()[0] == pytest.approx(worst, rel=1e-9, abs=1e-12)


def test_what_cannot_be_listed_is_refused() -> None:
    joint = unspoken.Joint(np.full((2,) * 2, 0.25))
    with pytest.raises(unspoken.UnspokenError, match="1 weights for 2 variables"):
        pdp_nodes(joint, [1.0], 1.0)
    with pytest.raises(unspoken.UnspokenError, match="600"):
        pdp_nodes(joint, [1.0, 1.0], 1e-4)
    wide = unspoken.Joint(np.full((2,) * 16, 2.0**-16))
    with pytest.raises(unspoken.UnspokenError, match="too many adversaries"):
        pdp_nodes(wide, [1.0] * 16, 1.0)
