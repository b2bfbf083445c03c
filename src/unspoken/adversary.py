"""Who looks: what they are after, what they know, which outputs they see and how often they ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

from unspoken.errors import InputError
from unspoken.types.domain import Value, check_list

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
        check_list(self.knows, "adversary.knows")
        check_list(() if self.sees is None else self.sees, "adversary.sees")
        check_list(() if self.secret is None else self.secret, "adversary.secret")
        if not isinstance(self.target, str):
            check_list(self.target, "adversary.target")
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
        numbers = self.asks.values() if isinstance(self.asks, Mapping) else [self.asks]
        for number in numbers:
            _check_requests(number)

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
        return self.asks.get(name, 1) if isinstance(self.asks, Mapping) else self.asks

    def seen_among(self, names: Iterable[str]) -> tuple[str, ...]:
        """Which of these outputs reach them."""
        return tuple(name for name in names if self.sees is None or name in self.sees)


def _check_requests(number: float) -> None:
    counts = isinstance(number, Real) and number >= 1
    if not (counts and (math.isinf(number) or number == int(number))):
        raise InputError(f"adversary.asks: {number!r} is no number of requests; give 1, 2, ...")
