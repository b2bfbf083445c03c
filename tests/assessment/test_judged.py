"""Noise beside coins, where both are not looked at together: what is added is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.workflows.release.test_pooled_records import project
from unspoken.assessment.deciding import judged
from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.core.mechanisms import Geometric, Together
from unspoken.planning import Limits
from unspoken.tables.policy import Project

FAR = 60  # of noise, beyond which nothing is left that a float would see


def told(law: Any, shows: Mapping[int, float], rate: float) -> tuple[float, float]:
    """I(S; what is shown of X), and with X + noise beside: by a loop over all answers, in nats."""
    joints: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for (s, x), mass in np.ndenumerate(law):
        for seen, p in ((x, shows[x]), (None, 1 - shows[x])):
            one, two = joints
            one.setdefault(seen, np.zeros(len(law)))[s] += mass * p
            for y in range(-FAR, law.shape[1] + FAR):
                often = (1 - rate) / (1 + rate) * rate ** abs(y - x)
                two.setdefault((seen, y), np.zeros(len(law)))[s] += mass * p * often
    prior = law.sum(1)
    found = [
        sum(
            mass * math.log(mass / own.sum() / prior[s])
            for own in joint.values()
            for s, mass in enumerate(own)
            if mass
        )
        for joint in joints
    ]
    return found[0], found[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_what_noise_adds_on_average(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most u - 1 - log u: never less than is really told, and a fourth of eps tanh(eps / 2)."""
    monkeypatch.setattr(judged, "ANSWERS", 0)
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(6, 0.5)).reshape(2, 3)
    shows = dict(enumerate(rng.integers(0, 5, 3) / 4))
    step = float(rng.choice([0.2, 0.7]))
    belief = unspoken.Joint(law, names=["s", "x"])
    coin = unspoken.Suppression(
        {(s, x): {("x",): int(shows[x] * 2**62)} for s in range(2) for x in range(3)},
        ["s", "x"], [range(2), range(3)], {"s": [0]},
    )  # fmt: skip
    both = Together([coin, Geometric(math.exp(-step), terms={"x": {1: 1.0, 2: 2.0}})])
    alone, exact = told(law, shows, math.exp(-step))
    given = Project.read(project(tmp_path, {"one": ["a"], "two": ["b"]}))
    judge = judged.Judge(given, belief, lambda: belief, {"s": [0]})

    def broken(nats: float) -> bool:
        return judge.broken(both, Limits({"s": nats}, math.inf)) is not None

    eps = 2 * step
    u = eps / -math.expm1(-eps)
    assert exact <= alone + u - 1 - math.log(u) < alone + eps * math.tanh(eps / 2) / 3
    assert broken(exact * (1 - 1e-6))
    assert broken(alone + (u - 1 - math.log(u)) * (1 - 1e-6))
    assert not broken(alone + (u - 1 - math.log(u)) * (1 + 1e-6) + 1e-9)


def test_noise_that_is_known_again_is_that_of_the_domain_that_is_asked_about() -> None:
    """One by one, and kept, it is what all parts together say; coins are what is left."""
    both = Together(
        [
            unspoken.OneSided({"s": 0.5}, {"s": [0]}),
            Geometric(0.5, {"x": 1.0}),
            unspoken.OneSided({"x": 0.25}, {}, coins="fresh"),
            Together([Geometric(0.25, {"s": 2.0, "x": 1.0}), unspoken.OneSided({"x": 1.0}, {})]),
        ]
    )
    for values in (2, 3, 2):
        law = np.full((2, values), 1 / (2 * values))
        domain = unspoken.Joint(law, names=["s", "x"]).domain
        parts = both.parts(domain, unspoken.Adversary("s"))
        shown = CoinsAndNoise(both, domain)
        coins = shown.coins
        assert shown.noise.queries == parts.queries
        assert len(shown.noise.queries) == 2
        assert not shown.noise.tosses
        assert shown.epsilon == pytest.approx(
            math.log(2) * (values - 1) + math.log(4) * (2 + values - 1)
        )
        assert shown.answers == values * 2 * values
        assert not coins.queries
        assert len(coins.channels) == 1
        assert [toss.exponent for _, toss in coins.tosses] == [0.5, 1.0]
        assert [toss.full.shape for _, toss in coins.tosses] == [(2, 2), (values, values + 1)]


def test_what_is_broken_counts_noise_and_coins_against_the_whole_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not coins alone against what noise leaves: "could grow x 1.8, the cap is 4" refuses nothing
    that anybody could understand.
    """
    monkeypatch.setattr(judged, "ANSWERS", 0)
    belief = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names=["s", "x"])
    coin = unspoken.OneSided({"x": math.log(4)}, {"x": [0]})
    both = Together([coin, Geometric(math.exp(-1.0), terms={"x": {1: 1.0}})])
    given = Project.read(project(tmp_path, {"one": ["a"], "two": ["b"]}))
    judge = judged.Judge(given, belief, lambda: belief, {"s": [0]})
    who = unspoken.Adversary("s", secret=[0])
    odds = unspoken.leakage(belief, coin, who, "odds").nats
    bits = unspoken.leakage(belief, coin, who, "mutual-information").nats
    assert 0 < odds < math.log(4) - 0.5

    found = judge.broken(both, Limits({}, math.exp(1.2)))
    assert found is not None
    assert found.limit == "odds"
    assert found.allowed == pytest.approx(1.2)
    assert found.reached == pytest.approx(odds + 1.0)

    u = 1 / -math.expm1(-1.0)
    more = u - 1 - math.log(u)
    found = judge.broken(both, Limits({"s": more + bits / 2}, math.inf))
    assert found is not None
    assert found.limit == "information"
    assert found.allowed == pytest.approx(more + bits / 2)
    assert found.reached == pytest.approx(more + bits)
