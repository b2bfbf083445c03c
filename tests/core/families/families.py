"""What the tests of sets of beliefs share."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.families import Box
from unspoken.core.mechanisms import Laplace

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
REL, ROUNDING = 1e-9, 1e-12
X0, NOISE = unspoken.Adversary("x0"), Laplace(1.0)


def kind(name: str) -> pytest.MarkDecorator:
    chosen = [v for v in VECTORS["vectors"] if v["kind"] == name]
    assert chosen, name
    return pytest.mark.parametrize("vector", chosen, ids=[v["name"] for v in chosen])


def leak(belief: Any, mechanism: Any = NOISE, adversary: Any = X0) -> float:
    return unspoken.leakage(belief, mechanism, adversary).value


def member(rng: np.random.Generator, box: Box) -> np.ndarray:
    """A corner of the box cut at mass 1, or something between two."""
    low, up = box.ends.lower.ravel(), box.ends.upper.ravel()
    made = np.zeros_like(low)
    shares = rng.dirichlet([0.3, 0.3])
    for share in shares:
        corner, left = low.copy(), 1 - low.sum()
        for cell in rng.permutation(low.size):
            step = min(left, up[cell] - low[cell])
            corner[cell] += step
            left -= step
        made += share * corner
    return made.reshape(box.ends.lower.shape)
