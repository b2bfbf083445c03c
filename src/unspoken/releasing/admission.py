"""Whether one more release may be: the same key, the same source in an epoch, and within limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unspoken.beliefs import Belief
from unspoken.errors import InputError, LimitExceeded
from unspoken.ledger import Release, exposure, reaching, tossing
from unspoken.mechanisms import OneSided
from unspoken.policy import Project
from unspoken.releasing.told import limits_of, views
from unspoken.types.bound import LOG2, exp_or_inf
from unspoken.types.domain import Value

__all__ = ["Admission", "added_to", "nothing_new", "policy_of"]

HALVINGS = 30
SENSITIVE = " (sensitive)"  # how labels of a bin end of which only a part is sensitive


@dataclass(frozen=True)
class Admission:
    """What a new event is held against: the belief, the closed policy, and the project's limits.

    ``declared``: of the ``sensitive`` labels, which are withheld, those that the holder has
    declared: the secrets. ``scale``: the share of the plan that the event asks for.
    """

    project: Project
    belief: Belief
    sensitive: Mapping[str, Sequence[Value]]
    declared: Mapping[str, Sequence[Value]]
    scale: float = 1.0

    def check(self, event: Release, earlier: Sequence[Release]) -> None:
        """Raise, before anything is charged or read, if ``event`` must not follow ``earlier``."""
        self._same_coins(event, earlier)
        self._same_source(event, earlier)
        if all(nothing_new(event, seen) for seen in self._accounts(event, earlier)):
            return
        self._known(earlier)
        self._never_shown(event, earlier)
        broken = self._too_much(event, earlier)
        if broken:
            raise LimitExceeded(f"{broken}; {self._what_fits(event, earlier)}")

    def _too_much(self, event: Release, earlier: Sequence[Release]) -> str | None:
        """The first limit that the event would break, for any coalition that sees it, of the cells
        of any epoch it adds to.
        """
        asked = (
            self._broken(after)
            for seen in self._accounts(event, earlier)
            for after in added_to(event, seen)
        )
        return next(filter(None, asked), None)

    def _accounts(self, event: Release, earlier: Sequence[Release]) -> list[list[Release]]:
        """What every coalition that sees the event has seen before."""
        declared = self.project.applications
        return [
            reaching(earlier, coalition, declared)
            for coalition in self.project.pools
            if reaching([event], coalition, declared)
        ]

    def _same_coins(self, event: Release, earlier: Sequence[Release]) -> None:
        for one in earlier:
            if one.key != event.key:
                raise InputError(
                    f"{self.project.files.key.name}: is coin key {event.key}, the releases in this "
                    f"ledger used {one.key}; another key tosses every coin again. Restore the old "
                    "key, or start a new ledger, if nothing was ever given out under this one"
                )
            if one.coins != event.coins:
                raise InputError(
                    f"ledger {self.project.files.ledger.name}: has releases with coins "
                    f"{one.coins}, this unspoken tosses {event.coins}; use the version that did"
                )
            if one.keys != event.keys and sorted(one.keys) == sorted(event.keys):
                raise InputError(
                    f"{self.project.at('source', 'keys')}: are {', '.join(event.keys)}, and in the "
                    f"releases in this ledger {', '.join(one.keys)}; another order tosses every "
                    "coin again. Write them in the old order"
                )

    def _same_source(self, event: Release, earlier: Sequence[Release]) -> None:
        """Coins belong to the name of an epoch, so whatever gave it that name has to be the same:
        another label or function, another table with such an attribute, would share the coins.
        """
        for one in earlier:
            for epoch, now in event.readings.items():
                before = one.readings.get(epoch, {})
                changed = [name for name in now if before.get(name, now[name]) != now[name]]
                if changed:
                    raise LimitExceeded(self._changed(epoch, changed[0], event, one))

    def _changed(self, epoch: str, name: str, event: Release, one: Release) -> str:
        from_other = f" from {one.table}" if one.table != event.table else ""
        apart = ", or leave this epoch out, with [source] sql" if event.per_key else ""
        return (
            f"epoch {epoch}: the source of {name} (its rows, its values, or what is sensitive) "
            f"changed since it was first read{from_other}; a cell answered from two readings shows "
            f"the change. Give out the earlier release again{apart}, or declare a new [epoch] "
            "label, whose coins are charged to the same account"
        )

    def _known(self, earlier: Sequence[Release]) -> None:
        """What was released counts, so it has to be declared."""
        for one in earlier:
            for name, epsilon in one.epsilon.items():
                if epsilon > 0 and name not in self.belief.domain.names:
                    raise InputError(
                        f"attribute.{name}: was released before, from {one.table}, so it counts in "
                        "this ledger; declare it here too (no application needs to read it), or "
                        "give a table that has nothing to do with it a key and a ledger of its own"
                    )

    def _never_shown(self, event: Release, earlier: Sequence[Release]) -> None:
        """What is sensitive now must not have been given out under other coins."""
        for one in earlier:
            if tossing(one) == tossing(event):
                continue  # the same reading in each epoch, so the same cells were withheld
            for name, epsilon in one.epsilon.items():
                shown = self._shown(name, one.policy.get(name, {})) if epsilon > 0 else []
                if shown:
                    raise LimitExceeded(
                        f'attribute.{name}: "{shown[0]}" is sensitive now, and may have been given '
                        f"out under epoch {one.epoch}; that cannot be taken back, and withholding "
                        "it now protects nobody. Leave free what was free, or, for rows that were "
                        "never released, take a key and a ledger of their own"
                    )

    def _shown(self, name: str, policy: Mapping[str, Any]) -> list[Value]:
        """The labels that are sensitive now and that ``policy`` is not known to have hidden."""
        now = policy_of(self.project, name)
        same = all(policy.get(part) == value for part, value in now.items())
        parted = [label for label in self.sensitive[name] if str(label).endswith(SENSITIVE)]
        hidden = [label for label in policy.get("hidden", ()) if label not in parted]
        certain = [*hidden, *(self.declared[name] if same else ())]
        return [label for label in self.sensitive[name] if label not in certain]

    def _broken(self, epsilon: Mapping[str, float]) -> str | None:
        """The first limit that this much exposure would break, in words."""
        mechanism = OneSided(dict(epsilon), self.sensitive)
        seen = views(self.belief, mechanism, tuple(epsilon), self.declared)
        for broken in limits_of(self.project).broken(seen):
            if broken.limit == "information":
                bits, most = broken.reached / LOG2, broken.allowed / LOG2
                return (
                    f"what is told about {broken.target} would be {bits:.4g} bit, the limit is "
                    f"{most:g}"
                )
            factor, cap = exp_or_inf(broken.reached), self.project.limits.odds_cap
            return f"the odds of {broken.target} could grow x {factor:.4g}, the cap is {cap:g}"
        return None

    def _what_fits(self, event: Release, earlier: Sequence[Release]) -> str:
        """The largest share of the eps asked for that fits beside what was released before."""
        fits, breaks = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (fits + breaks) / 2
            scaled = {name: middle * eps for name, eps in event.epsilon.items() if eps < math.inf}
            asked = replace(event, epsilon={**event.epsilon, **scaled})
            if self._too_much(asked, earlier):
                breaks = middle
            else:
                fits = middle
        scale = math.floor(fits * self.scale * 1e4) / 1e4  # down: what is said has to fit
        if not scale:
            return "nothing more fits beside what was released before"
        fits = scale / self.scale
        p = {name: -math.expm1(-fits * eps) for name, eps in event.epsilon.items() if eps > 0}
        listed = ", ".join(f"{name} {share:.1%}" for name, share in p.items())
        return (
            f"beside what was released before, at most this would fit: {listed} (scale {scale:.4f})"
        )


def nothing_new(event: Release, earlier: Sequence[Release]) -> bool:
    """Whether one with the same coins, from the same reading, showed all that ``event`` shows."""
    return all(
        any(
            one.readings.get(epoch, {}).get(name) == reading and one.epsilon[name] >= epsilon
            for one in earlier
        )
        for name, epsilon in event.epsilon.items()
        for epoch, own in event.readings.items()
        for reading in [own[name]]
    )


def added_to(event: Release, earlier: Sequence[Release]) -> list[dict[str, float]]:
    """What has been shown, with ``event``, of the cells of each epoch that it shows more of.

    Events of its own coins count where they had the epoch; those of other coins may be about any
    cell. An old epoch that was shown too much (the belief has been learned again since) does not
    stand in the way of a new one.
    """
    others = [one for one in earlier if tossing(one) != tossing(event)]
    own = [one for one in earlier if tossing(one) == tossing(event)]
    had = {tuple(epoch in one.readings for one in own) for epoch in event.readings}
    shown: list[dict[str, float]] = []
    for which in sorted(had):
        before = [*others, *itertools.compress(own, which)]
        after = exposure([*before, event])
        if after != exposure(before) and after not in shown:
            shown.append(after)
    return shown


def policy_of(project: Project, name: str) -> dict[str, Any]:
    """What the holder declares that decides which values of an attribute may be shown."""
    own = project.attributes[name]
    return {"sensitive": own.sensitive, "missing": own.missing}
