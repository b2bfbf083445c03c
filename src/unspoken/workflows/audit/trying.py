"""The catalogue tried: each scenario drawn, attacked and held against what was expected of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.display import Shown
from unspoken.workflows.audit.judging import FAMILY, Verdict, attacked
from unspoken.workflows.audit.scenario import Scenario

__all__ = ["ZERO", "Tried", "TriedAll", "try_all"]

REACHED = 0.9  # of the bound
ZERO = 1e-9  # nats: what rounding leaves of no leakage
NOTHING = 0.05  # nats that a control may be off by


@dataclass(frozen=True, repr=False)
class Tried(Shown):
    """A scenario and what came out."""

    scenario: Scenario
    verdict: Verdict

    @property
    def as_expected(self) -> bool:
        """Whether what was written down beforehand came out."""
        verdict, expect = self.verdict, self.scenario.expect
        if expect == "broken":
            return verdict.word == "fail"
        if verdict.word != "pass":
            return False
        if expect == "reached":
            return verdict.share >= REACHED
        found = max(attack.leakage.value for attack in verdict.reached)
        return expect == "holds" or (
            verdict.claim.bound is not None and verdict.claim.bound <= ZERO and found <= NOTHING
        )

    def facts(self) -> list[tuple[str, str]]:
        head = [("scenario", self.scenario.name), ("released", self.scenario.about)]
        expected = (
            f"{self.scenario.expect}, {'and so it was' if self.as_expected else 'BUT IT WAS NOT'}"
        )
        return [*head, *self.verdict.facts(), ("expected", expected)]


@dataclass(frozen=True, repr=False)
class TriedAll(Shown):
    """``share``: of the trials that the catalogue asks for."""

    tried: Sequence[Tried]
    share: float
    chance: float

    @property
    def otherwise(self) -> list[Tried]:
        """Those that did not come out as expected."""
        return [attempt for attempt in self.tried if not attempt.as_expected]

    def facts(self) -> list[tuple[str, str]]:
        kinds = {attempt.scenario.expect for attempt in self.tried}
        counts = {
            kind: [o for o in self.tried if o.scenario.expect == kind] for kind in sorted(kinds)
        }
        return [
            (kind, f"{sum(o.as_expected for o in number)} of {len(number)} scenarios")
            for kind, number in counts.items()
        ] + [("otherwise", attempt.scenario.name) for attempt in self.otherwise]


def try_all(
    scenarios: Sequence[Scenario],
    rng: np.random.Generator,
    share: float = 1.0,
    tell: Callable[[str], object] = str,
    chance: float = FAMILY,
) -> TriedAll:
    """All of them, with this share of their trials, but as many as it takes to find what is broken;
    ``chance``: that any interval misses.
    """
    each = chance / sum(len(scenario.attacks) for scenario in scenarios)
    tried = []
    for number, scenario in enumerate(scenarios, 1):
        tell(f"{number} of {len(scenarios)}, {scenario.name}")
        world = scenario.world
        trials = world.draw(rng, scenario.fewer(share).trials)
        tried.append(
            Tried(scenario, attacked(world.claim, world.known, trials, scenario.attacks, each))
        )
    return TriedAll(tried, share, chance)
