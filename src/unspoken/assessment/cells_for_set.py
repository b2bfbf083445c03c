"""Release probabilities with one coin a cell that hold for every prior in a confidence set.

Showing a cell less often is the same release with some of it left out, so under no prior do the
worst odds fall when a probability grows. Each probability is therefore found by bisection, in
thousandths, the others staying as they are: once all attributes were raised together, once each by
itself from nothing. The better of the two keeps the limits, and need not be the best there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from unspoken.assessment.leaks import limits_of, views
from unspoken.core.beliefs import Belief
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import OneSided
from unspoken.storage.coarse import STEPS, coarse, with_exponents
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project

__all__ = ["cells_for_set"]

MOST = 2**17  # combinations of values times answers up to which one look takes a second or so
ODDS = MEASURES["odds"]


def cells_for_set(project: Project, learned: Learned, beliefs: Belief, scale: float) -> OneSided:
    """One coin a cell that keeps the odds cap of ``project`` for every prior in ``beliefs``, and
    ``scale`` times its limits in bits for the observed frequencies.
    """
    task = _Task(project, learned, beliefs, scale)
    raised = [task.raised_together(), dict.fromkeys(project.reads, 0)]
    return max(map(task.raised_one_by_one, raised), key=task.shown_cells).mechanism


@dataclass(frozen=True)
class _Probabilities:
    """``steps``: of each attribute its release probability in thousandths."""

    steps: Mapping[str, int]
    mechanism: OneSided


@dataclass(frozen=True)
class _Task:
    project: Project
    learned: Learned
    beliefs: Belief
    scale: float

    def raised_together(self) -> dict[str, int]:
        """The largest probability that all attributes can have."""
        reads = self.project.reads
        most = _largest_step(lambda step: self._keeps(dict.fromkeys(reads, step)))
        return dict.fromkeys(reads, most)

    def raised_one_by_one(self, steps: Mapping[str, int]) -> _Probabilities:
        """Each attribute as far as it can be, those of which most cells are free first."""
        reached = dict(steps)
        for name in sorted(self.project.reads, key=self._free_share, reverse=True):
            reached[name] = _largest_step(
                lambda step, name=name: self._keeps({**reached, name: step}),  # type: ignore[misc]
                reached[name],
            )
        return _Probabilities(reached, self._mechanism(reached))

    def shown_cells(self, found: _Probabilities) -> float:
        """The expected number of cells that a row shows."""
        return math.fsum(found.steps[name] * self._free_share(name) for name in found.steps)

    def _free_share(self, name: str) -> float:
        return 1.0 - self.learned.sensitive_share(name)

    def _mechanism(self, steps: Mapping[str, int]) -> OneSided:
        every = {name: steps.get(name, 0) / STEPS for name in self.project.attributes}
        exponents = {name: -math.log1p(-p) if p < 1 else math.inf for name, p in every.items()}
        return with_exponents(OneSided(exponents, self.learned.sensitive), coarse(exponents))

    def _keeps(self, steps: Mapping[str, int]) -> bool:
        mechanism, secrets = self._mechanism(steps), self.learned.sensitive
        pools: Sequence[Sequence[str]] = [*self.project.pools.values()]
        if self._looks(steps) > MOST or not self._keeps_bits(mechanism, pools):
            return False
        log_cap = math.log(self.project.limits.odds_cap)
        return all(
            ODDS.of(view).nats <= log_cap
            for reads in pools
            for view in views(self.beliefs, mechanism, secrets, reads).values()
        )

    def _looks(self, steps: Mapping[str, int]) -> int:
        """Combinations of values times answers."""
        labels = self.learned.labels
        answers = math.prod(len(labels[name]) + 1 for name, step in steps.items() if step)
        return answers * math.prod(map(len, labels.values()))

    def _keeps_bits(self, mechanism: OneSided, pools: Sequence[Sequence[str]]) -> bool:
        if not self.project.limits.on_average:
            return True
        given, secrets = limits_of(self.project), self.learned.sensitive
        return all(
            MEASURES["mutual-information"].of(view).high <= self.scale * given.about(target)
            for reads in pools
            for target, view in views(self.learned.belief, mechanism, secrets, reads).items()
        )


def _largest_step(keeps: Callable[[int], bool], kept: int = 0) -> int:
    """The largest of the thousandths that keeps the limits, which ``kept`` is known to do."""
    if kept == STEPS or not keeps(kept + 1):  # often what is shown tells too much by itself
        return kept
    if keeps(STEPS):
        return STEPS
    kept, beyond = kept + 1, STEPS
    while beyond - kept > 1:
        middle = (kept + beyond) // 2
        kept, beyond = (middle, beyond) if keeps(middle) else (kept, middle)
    return kept
