"""Policy closure: what tells too much by being released at all is withheld as well.

A released value shows P(secret | value) whatever its release probability, so no plan helps against
one that multiplies a secret's odds beyond the cap: it must not be released, or not count. Closed,
it is withheld like a secret, but it is none: what is protected is what was declared. So one look is
enough. What a value v_i tells once it is released,

    odds(S_j | v_i) / odds(S_j) = P(v_i | S_j) / P(v_i | not S_j),

depends on the secrets and not on what else is withheld; with the secrets as they are, nothing that
is left free can begin to tell too much. What a blank tells grows with every value closed, and that
is up to p, which the plan chooses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from unspoken.core.beliefs import Belief
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.types.domain import Value
from unspoken.planning.pairs import dependents
from unspoken.planning.supports import Telling, telling_values, worst_first

__all__ = ["Closure", "closure"]


@dataclass(frozen=True, repr=False)
class Closure(Shown):
    """``sensitive``: all that is withheld. ``telling``: what was closed, and why, the worst first.

    What is not in ``telling`` was declared: the secrets.
    """

    sensitive: Mapping[str, tuple[Value, ...]]
    telling: tuple[Telling, ...]

    @property
    def added(self) -> dict[str, tuple[Value, ...]]:
        """The values that were closed, name by name."""
        names = dict.fromkeys(closed.name for closed in self.telling)
        return {
            name: tuple(closed.value for closed in self.telling if closed.name == name)
            for name in names
        }

    def facts(self) -> list[tuple[str, str]]:
        if not self.telling:
            return [("closed", "as it is: no value tells too much by itself")]
        return [("closed", str(closed)) for closed in self.telling]


def closure(
    belief: Belief,
    sensitive: Mapping[str, Sequence[Value]],
    odds_cap: float,
    released: Collection[str] | None = None,
) -> Closure:
    """Withhold every value of ``released`` (all) that alone breaks the cap on the odds of a secret,
    by any belief of a set.

    ``sensitive`` are the secrets. At worst a variable ends up with nothing that may be released.
    """
    if not odds_cap >= 1:
        raise InputError(f"closure.odds_cap: {odds_cap} must be 1 or more (a factor on odds)")
    for name, values in sensitive.items():
        belief.domain.codes(name, values, "closure.sensitive")
    names = belief.domain.names
    for name in released or ():
        belief.domain.axis(name, "closure.released")
    secrets = {name: _ordered(belief, name, sensitive.get(name, ())) for name in names}
    shown = [name for name in names if released is None or name in released]
    targets = {name: values for name, values in secrets.items() if values}
    telling = [
        value
        for member in belief.candidates
        for value in telling_values(member, secrets, targets, shown, odds_cap, dependents(member))
    ]
    worst = worst_first(telling, lambda value: (value.name, value.value))
    closed = {
        name: _ordered(belief, name, [*secret, *(w.value for w in worst if w.name == name)])
        for name, secret in secrets.items()
    }
    return Closure(closed, worst)


def _ordered(belief: Belief, name: str, some: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(value for value in belief.domain.values_of(name) if value in some)
