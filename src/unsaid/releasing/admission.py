"""Whether one more release may be: the same key, the same source in an epoch, and within limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unsaid.beliefs import Belief
from unsaid.errors import InputError, LimitExceeded
from unsaid.ledger import Release, exposure
from unsaid.mechanisms import OneSided
from unsaid.policy import Project
from unsaid.releasing.told import Told, told
from unsaid.types.domain import Value

__all__ = ["Admission"]

HALVINGS = 30


@dataclass(frozen=True)
class Admission:
    """What a new event is held against: the belief, the closed policy, and the project's limits."""

    project: Project
    belief: Belief
    sensitive: Mapping[str, Sequence[Value]]

    def check(self, event: Release, earlier: Sequence[Release]) -> None:
        """Raise, before anything is charged or read, if ``event`` must not follow ``earlier``."""
        self._same_key(event, earlier)
        self._same_source(event, earlier)
        before, after = exposure(earlier), exposure([*earlier, event])
        if after == before:
            return  # the same coins again: nobody learns anything new
        broken = self._broken(after)
        if broken:
            raise LimitExceeded(f"{broken}; {self._what_fits(event, earlier)}")

    def _same_key(self, event: Release, earlier: Sequence[Release]) -> None:
        other = next((one.key for one in earlier if one.key != event.key), None)
        if other is not None:
            raise InputError(
                f"{self.project.files.key.name}: is coin key {event.key}, the releases in this "
                f"ledger used {other}; another key tosses every coin again. Restore the old key, "
                "or start a new ledger, if nothing was ever given out under this one"
            )

    def _same_source(self, event: Release, earlier: Sequence[Release]) -> None:
        now = event.readings
        for one in earlier:
            if (one.epoch, one.per_key) != (event.epoch, event.per_key):
                continue
            changed = [name for name in now if one.readings.get(name, now[name]) != now[name]]
            if changed:
                raise LimitExceeded(
                    f"epoch {changed[0]}: the source (its values, or what is sensitive) changed "
                    "since it was first read; a cell answered from two readings shows the change. "
                    "Give out the earlier release again, or declare a new [epoch] label, whose "
                    "coins are charged to the same account"
                )

    def _broken(self, epsilon: Mapping[str, float]) -> str | None:
        """The first limit that this much exposure would break, in words."""
        limits = self.project.limits
        for one in self._told(epsilon):
            most = limits.about(one.about)
            if one.information.bits > most * (1 + 1e-9):
                bits = one.information.bits
                return (
                    f"what is told about {one.about} would be {bits:.4g} bit, the limit is {most:g}"
                )
            if one.above(limits.odds_cap) > limits.exceed:
                factor, cap = one.odds.value, limits.odds_cap
                return f"the odds of {one.about} could grow x {factor:.4g}, the cap is {cap:g}"
        return None

    def _told(self, epsilon: Mapping[str, float]) -> list[Told]:
        mechanism = OneSided(dict(epsilon), self.sensitive)
        targets = [name for name, labels in self.sensitive.items() if labels]
        return [told(self.belief, mechanism, "everybody", tuple(epsilon), name) for name in targets]

    def _what_fits(self, event: Release, earlier: Sequence[Release]) -> str:
        """The largest share of the eps asked for that fits beside what was released before."""
        fits, breaks = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (fits + breaks) / 2
            scaled = {name: middle * eps for name, eps in event.epsilon.items() if eps < math.inf}
            asked = replace(event, epsilon={**event.epsilon, **scaled})
            if self._broken(exposure([*earlier, asked])):
                breaks = middle
            else:
                fits = middle
        if fits < 1e-6:
            return "nothing more fits beside what was released before"
        p = {name: -math.expm1(-fits * eps) for name, eps in event.epsilon.items() if eps > 0}
        listed = ", ".join(f"{name} {share:.1%}" for name, share in p.items())
        return (
            f"beside what was released before, at most this would fit: {listed} (scale {fits:.4f})"
        )
