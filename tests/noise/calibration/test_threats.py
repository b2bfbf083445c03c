"""How often is looked at everybody on the way to the least scale: a search of all takes long."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

import unspoken
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import Premise
from unspoken.noise.calibration.exact.scale import left_at
from unspoken.noise.calibration.exact.sides import ChainSide
from unspoken.noise.calibration.exact.threats import WorstAt, least
from unspoken.noise.calibration.problem import NoiseProblem


@dataclass
class Beyond:
    """Of everybody is said that they learn no more than one who learns 1 / scale, and so much."""

    slow: ClassVar[bool] = False
    share: float
    asked: list[float] = field(default_factory=list)

    def worst(self, scale: float) -> WorstAt:
        self.asked.append(scale)
        return WorstAt((1.0 + self.share) / scale, lambda s: 1.0 / s, self.bound)

    def bound(self, scale: float) -> Bound:
        return Bound(1.0 / scale, (1.0 + self.share) / scale, "nat", Premise("stated"), "")


@pytest.mark.parametrize("share", [0.0, 1e-15, 3e-12, 1e-10])
def test_rounding_is_allowed_for_without_looking_at_everybody_again(share: float) -> None:
    threat = Beyond(share)
    scale, worst = least(threat, 0.1, 1.0, 10.0)
    assert worst.value <= 0.1
    assert scale == pytest.approx(10.0 * (1.0 + share), rel=1e-10)
    assert len(threat.asked) <= 3


def test_what_is_more_than_rounding_is_searched() -> None:
    threat = Beyond(1e-3)
    scale, worst = least(threat, 0.1, 1.0, 10.0)
    assert worst.value <= 0.1
    assert scale == pytest.approx(10.01, rel=1e-9)


def test_sides_of_a_window_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the scale that is answered: for all of its variables, and for the worst one."""
    asked, reach = Counter[tuple[int, float, int]](), ChainSide.reach

    def counted(self, nodes, rate, width, anybody):
        asked[(len(nodes), rate, width)] += 1
        return reach(self, nodes, rate, width, anybody)

    monkeypatch.setattr(ChainSide, "reach", counted)
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 400)
    left = left_at(NoiseProblem(chain, None, 1.0), "anything", 20.0)
    assert left.low == pytest.approx(left.high, rel=1e-6)
    assert set(asked.values()) == {2}  # ahead and behind
