"""What a plan protects: which values, from whom, and how much may be told of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError, quoted
from unspoken.core.numerics.numbers import number
from unspoken.core.types.bound import LOG2
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect, items, labels, labels_by_name

__all__ = ["TINY", "Limit", "Protection", "odds_limit"]

Limit = float | Mapping[str, float]
TINY = 1e-100  # the least number that counts: quotients of two have to be floats


@dataclass(frozen=True)
class Protection:
    """As a holder asks for it, whatever coins are tossed; see `unspoken.plan`. Each question fills
    in the default, for the names of a belief.
    """

    limit_bits: Limit | None = None
    sensitive: Mapping[str, Sequence[Value]] | None = None
    secrets: Mapping[str, Sequence[Value]] | None = None
    odds_cap: float | None = 4.0
    coalitions: Sequence[Sequence[str]] | None = None

    @property
    def cap(self) -> float:
        """On odds; infinite where there is none."""
        return odds_limit(self.odds_cap)

    def limit(self, belief: Belief) -> Limit:
        """In nats; without a limit infinite."""
        if self.limit_bits is None:
            return math.inf
        if not isinstance(self.limit_bits, Mapping):
            return _nats(self.limit_bits, "plan.limit_bits")
        for name in self.limit_bits:
            belief.domain.axis(name, "plan.limit_bits")
        return {
            name: _nats(bits, f"plan.limit_bits of {name}")
            for name, bits in self.limit_bits.items()
        }

    def withheld(self, belief: Belief) -> dict[str, tuple[Value, ...]]:
        """The sensitive values of every variable; by default the first value of a binary one, where
        somebody has stated which is first: in what is learned it is the least of those that occur.
        """
        sensitive = self.sensitive
        if sensitive is not None:
            expect(sensitive, Mapping, "plan.sensitive", "give {name: values}")
        elif belief.premise.kind == "learned":
            name, first = belief.domain.names[0], belief.domain.values[0][0]
            raise InputError(
                "plan.sensitive: this belief is learned, so no value is a secret until you say "
                f"which, for example sensitive={{{name!r}: [{first!r}]}}"
            )
        for name in sensitive or ():
            belief.domain.axis(name, "plan.sensitive")
        hidden: dict[str, tuple[Value, ...]] = {}
        for name, values in zip(belief.domain.names, belief.domain.values, strict=True):
            if sensitive is None and len(values) != 2:
                raise InputError(
                    f"plan.sensitive: {name} has {len(values)} values; say which are sensitive, "
                    f'sensitive={{"{name}": [...]}}'
                )
            given = values[:1] if sensitive is None else sensitive.get(name, ())
            chosen = labels(given, f"plan.sensitive of {name}")
            belief.domain.codes(name, chosen, "plan.sensitive")
            hidden[name] = tuple(dict.fromkeys(chosen))
        return hidden

    def secret(
        self, belief: Belief, withheld: Mapping[str, tuple[Value, ...]]
    ) -> Mapping[str, tuple[Value, ...]]:
        """The secrets of every variable, all of them withheld; by default all that is."""
        if self.secrets is None:
            return withheld
        named = labels_by_name(self.secrets, "plan.secrets")
        for name, values in named.items():
            belief.domain.codes(name, values, "plan.secrets")
            for value in values:
                if value not in withheld[name]:
                    raise InputError(
                        f"plan.secrets: {name} {value} may be released, so it is no secret; make "
                        "it sensitive too"
                    )
        return {name: tuple(dict.fromkeys(named.get(name, ()))) for name in withheld}

    def pools(self, belief: Belief) -> tuple[tuple[str, ...], ...] | None:
        """The names that each coalition sees."""
        if self.coalitions is None:
            return None
        where = "plan.coalitions"
        shown = tuple(items(sees, where) for sees in items(self.coalitions, where))
        for name in itertools.chain(*shown):
            belief.domain.axis(name, where)
        return shown


def odds_limit(given: float | None, where: str = "plan.odds_cap") -> float:
    """A factor on odds; infinite where there is none."""
    cap = math.inf if given is None else number(given)
    if not cap >= 1:
        raise InputError(f"{where}: {given} must be 1 or more (a factor on odds), or None")
    return cap


def _nats(bits: float, what: str) -> float:
    if not (number(bits) == 0 or number(bits) >= TINY):
        raise InputError(f"{what}: {quoted(bits)} must be a number of bits: 0, or {TINY:g} or more")
    return abs(number(bits)) * LOG2  # -0.0 is 0: what is above it is +inf times it, not -inf times
