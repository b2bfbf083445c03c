"""What the laws share: drawn settings, every measure of one, and how to compare them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.effort import tries
from tests.laws.cases import FAMILIES, Question, random_look, random_mechanism, shape, table_of
from tests.oracle import Look, Setting

ROUNDS = tries(25)
Numbers = dict[str, float]
SILENT = {name: 1.0 if name == "odds" else 0.0 for name in oracle.MEASURES}


def numbers(setting: Setting, look: Look) -> Numbers:
    return {name: bound.value for name, bound in Question(setting, look).leakages().items()}


def at_most(less: Numbers, more: Numbers, why: Any = "") -> None:
    """Measure by measure; rounding may add a relative 1e-10."""
    for name in less:
        assert less[name] <= more[name] * (1 + 1e-10) + 1e-15, (name, less[name], more[name], why)


def equal(one: Numbers, other: Numbers, why: Any = "") -> None:
    for name in oracle.MEASURES:
        fine = math.isclose(one[name], other[name], rel_tol=1e-9, abs_tol=1e-14)
        assert fine, (name, one[name], other[name], why)


def draws(family: str, seed: int) -> Iterator[tuple[np.random.Generator, Setting, Look]]:
    rng = np.random.default_rng([seed, list(FAMILIES).index(family)])
    for _ in range(ROUNDS):
        setting = random_mechanism(rng, table_of(FAMILIES[family](rng, shape(rng)), rng))
        yield rng, setting, random_look(rng, setting)


each_family = pytest.mark.parametrize("family", FAMILIES)
