"""Answers too many to list: what is bounded holds what listing them gives, for every measure."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import TooLarge
from unspoken.core.measures import MeasureName
from unspoken.core.mechanisms import noisy
from unspoken.core.types.posteriors import Posteriors
from unspoken.core.views import BandView

WEIGHTS = {"A": 1.0, "B": 0.5, "C": -2.0}


def question(
    seed: int, scale: float
) -> tuple[unspoken.Joint, unspoken.Together, unspoken.Adversary]:
    table = np.random.default_rng(seed).dirichlet(np.full(12, 0.5)).reshape(3, 2, 2)
    belief = unspoken.Joint(table, names="ABC")
    two = [unspoken.Laplace(scale, WEIGHTS), unspoken.Laplace(2 * scale, {"A": 1.0, "B": 1.0})]
    return belief, unspoken.Together(two), unspoken.Adversary("A")


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer of the two can be listed, both cannot."""
    monkeypatch.setattr(noisy, "CELLS", 60)


@pytest.mark.parametrize("scale", [0.8, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_truth_lies_between(seed: int, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question(seed, scale)
    exact = {name: unspoken.leakage(*asked, name) for name in get_args(MeasureName)}
    monkeypatch.setattr(noisy, "CELLS", 60)
    assert isinstance(unspoken.view(*asked), BandView)
    for name, truth in exact.items():
        bound = unspoken.leakage(*asked, name)
        assert bound.low <= truth.high * (1 + 1e-12) + 1e-15, name
        assert truth.low <= bound.high * (1 + 1e-12) + 1e-15, name


@pytest.mark.usefixtures("no_room")
def test_likelihoods_are_as_far_apart_as_all_that_moves() -> None:
    """sum |w| (max - min) / scale = (2 + .5 + 2) / 5 + (2 + 1) / 10."""
    bound = unspoken.leakage(*question(1, 5.0), "max-log-ratio")
    assert bound.high == pytest.approx(4.5 / 5 + 3 / 10, rel=1e-12)
    assert 0 < bound.low < bound.high


@pytest.mark.usefixtures("no_room")
def test_a_corner_is_reached_from_the_prior() -> None:
    """Values e^E likelier than the others have the lift e^E / (1 + (e^E - 1) P)."""
    belief, mechanism, adversary = question(2, 5.0)
    grown = math.exp(4.5 / 5 + 3 / 10)
    prior = belief.marginal(["A"])
    largest = max(math.log(grown / (1 + (grown - 1) * p)) for p in prior)
    bound = unspoken.leakage(belief, mechanism, adversary, "max-information")
    assert bound.high == pytest.approx(largest, rel=1e-12)


@pytest.mark.usefixtures("no_room")
def test_a_mean_is_at_most_that_of_the_secret_itself() -> None:
    """Noise next to none: E is large, and the entropy of the prior is what is left to learn."""
    belief, mechanism, adversary = question(3, 0.05)
    prior = belief.marginal(["A"])
    bound = unspoken.leakage(belief, mechanism, adversary, "mutual-information")
    assert bound.high == pytest.approx(float(-prior @ np.log(prior)), rel=1e-9)


@pytest.mark.usefixtures("no_room")
def test_nobody_lists_the_answers() -> None:
    view = unspoken.view(*question(1, 5.0))
    with pytest.raises(TooLarge, match="answers about A"):
        view.outcomes()

    def first(after: Posteriors) -> np.ndarray:
        return np.asarray(after.posterior[..., 0])

    assert view.worst(first) is None
    assert view.mean(first).low <= view.sup(first).high
