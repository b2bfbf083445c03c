"""What a coalition has been shown over all events: nothing resets it.

It has been shown what was given to any of its members, to everybody, and to anybody who is not
declared any more and so may pool with whomever.

Coins are persistent (design: one coin a cell and epoch), so

- within an epoch, events with eps_1, eps_2, ... show together what the largest shows (nested);
- epochs by one function of the key hold every cell once, for ever: all its events are nested;
- another declared label, or another function, tosses fresh coins for the same cells: there
  exponents add (Theorem 1), since a cell stays withheld with e^-eps_1 e^-eps_2.

**Assumed:** a cell has the same value, and may be shown or not, in all epochs it is in. Adding then
is exact for what is free, whatever the joint law. Where values change from one label to the next,
it can be too little: an earlier value may say more of a later secret than any value that the belief
knows of, which is about the rows of one epoch only (docs/limits.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from unspoken.ledger.event import Release

__all__ = ["exposure", "reaching", "tossing"]


def tossing(event: Release) -> tuple[bool, str]:
    """What tells an event's coins apart from those of others: its label, or its function."""
    return event.per_key, event.epoch


def reaching(
    events: Iterable[Release], coalition: Collection[str], declared: Collection[str]
) -> list[Release]:
    """The events that a coalition has seen; ``declared``: all applications there are now."""
    return [
        event
        for event in events
        if not event.readers
        or any(name in coalition or name not in declared for name in event.readers)
    ]


def exposure(events: Iterable[Release]) -> dict[str, float]:
    """The eps per attribute of the one release that shows as much as all of these together."""
    apart: dict[tuple[bool, str], dict[str, float]] = {}
    for event in events:
        largest = apart.setdefault(tossing(event), {})
        for name, epsilon in event.epsilon.items():
            largest[name] = max(epsilon, largest.get(name, 0.0))
    return _added(apart.values())


def _added(epochs: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for epoch in epochs:
        for name, epsilon in epoch.items():
            total[name] = total.get(name, 0.0) + epsilon
    return total
