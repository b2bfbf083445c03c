"""What a coalition has been shown over all events: nothing resets it.

Coins are persistent (design: one coin a cell and epoch), so

- within an epoch, events with eps_1, eps_2, ... show together what the largest shows (nested);
- an epoch that is a function of the key holds a cell for ever: all its events are nested;
- another declared label tosses fresh coins for the same cells: there exponents add (Theorem 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unsaid.ledger.event import Release

__all__ = ["exposure"]


def exposure(events: Iterable[Release]) -> dict[str, float]:
    """The eps per attribute of the one release that shows as much as all of these together."""
    per_epoch: dict[str, dict[str, float]] = {}
    for event in events:
        # All epochs that are functions of the key form one class: no cell is in two of them.
        largest = per_epoch.setdefault("" if event.per_key else f"label {event.epoch}", {})
        for name, epsilon in event.epsilon.items():
            largest[name] = max(epsilon, largest.get(name, 0.0))
    return _added(per_epoch.values())


def _added(epochs: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for epoch in epochs:
        for name, epsilon in epoch.items():
            total[name] = total.get(name, 0.0) + epsilon
    return total
