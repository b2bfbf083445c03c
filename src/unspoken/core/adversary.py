"""Who looks: what they are after, what they know, which outputs they see and how often they ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unspoken.core.errors import InputError, quoted
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import expect, items, labels

__all__ = ["Adversary"]


@dataclass(frozen=True)
class Adversary:
    """``target``: the variable they are after, or several at once (their values, as a tuple).

    ``secret``: its values nobody is to learn of. ``knows``: names (the worst case over their
    values) or {name: value}. ``sees``: the variables whose outputs reach them, their own and their
    colluders' (default: all). ``asks``: how many requests for each, one number or per name; it
    matters where every request tosses a fresh coin.
    """

    target: str | Sequence[str]
    secret: Sequence[Value] | None = None
    knows: Sequence[str] | Mapping[str, Value] = ()
    sees: Sequence[str] | None = None
    asks: int | Mapping[str, int] = 1

    def __post_init__(self) -> None:
        for field in ("target", "knows", "sees", "secret"):
            self._keep_list(field)
        for name in (*self.targets, *self.knows, *(self.sees or ())):
            expect(name, str, "adversary", "target, knows and sees are names of variables")
        if self.secret is not None and not len(self.secret):
            raise InputError(
                f"adversary.secret: is empty, so nothing can leak; name values of {self.target}"
            )
        if not self.targets or len(set(self.targets)) < len(self.targets):
            raise InputError(
                f"adversary.target: {list(self.targets)} must name variables once each"
            )
        for name in set(self.targets) & set(self.knows):
            raise InputError(
                f'adversary.knows: has the target "{name}" itself; nothing is left to learn'
            )
        if isinstance(self.asks, Mapping):
            requests: Any = {name: _requests(given) for name, given in self.asks.items()}
        else:
            requests = _requests(self.asks)
        object.__setattr__(self, "asks", requests)
        for field in ("knows", "asks"):  # of which nobody else has a copy to change
            if isinstance(given := getattr(self, field), Mapping):
                labels(given.values(), f"adversary.{field}")
                object.__setattr__(self, field, Frozen(given))

    def __hash__(self) -> int:
        return hash((self.targets, frozenset(self.knows)))  # values may stand in a dictionary

    def _keep_list(self, field: str) -> None:
        """As a tuple; what may stay as it is: one target, values that are known, None."""
        given = getattr(self, field)
        plain = {"target": str, "knows": Mapping}.get(field, type(None))
        if not isinstance(given, plain):
            object.__setattr__(self, field, items(given, f"adversary.{field}"))

    @property
    def targets(self) -> tuple[str, ...]:
        """The variables they are after; one, mostly."""
        return (self.target,) if isinstance(self.target, str) else tuple(self.target)

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.knows))

    @property
    def known_values(self) -> Mapping[str, Value]:
        """The values they know; empty where the worst case over all values is asked for."""
        return self.knows if isinstance(self.knows, Mapping) else {}

    def asks_of(self, name: str) -> float:
        """How often; a number that is no float counts as infinite."""
        return number(self.asks.get(name, 1) if isinstance(self.asks, Mapping) else self.asks)

    def seen_among(self, names: Iterable[str]) -> tuple[str, ...]:
        """Which of these outputs reach them."""
        return tuple(name for name in names if self.sees is None or name in self.sees)


def _requests(given: Any) -> Any:
    """How many requests, as given; infinite where that is more than a float holds."""
    requests = number(given)
    if not (requests >= 1 and (math.isinf(requests) or requests == int(requests))):
        raise InputError(
            f"adversary.asks: {quoted(given)} is no number of requests; give 1, 2, ..."
        )
    return math.inf if math.isinf(requests) else given
