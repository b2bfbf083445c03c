"""Events, and what they show together by the formulas written down, over all events at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

from hypothesis import strategies as st

from unspoken.core.mechanisms import OneSided
from unspoken.storage.ledger import Release, tossing

# The epoch of the cell that is looked at, by each function of its key.
FUNCTIONS = {"month": "2026-05", "year": "2026", "constant": "x"}
SOME = ["a", "b"]


def event(epoch: str, **epsilon: float) -> Release:
    """By a function of the key, if there is one of that name; else under a label."""
    per_key = epoch in FUNCTIONS
    readings = {FUNCTIONS.get(epoch, epoch): dict.fromkeys(epsilon, "same")}
    return Release("t", epoch, per_key, OneSided(epsilon), readings, "k", "c", {}, {})


def eps(event: Release) -> dict[str, float]:
    return dict(event.mechanism.exponents())


# ---------------------------------------------------------------- the formulas, over all events


def exposure(events: Iterable[Release]) -> dict[str, float]:
    """The largest eps of each label or function, added up: what the account is, written down."""
    largest: dict[str, dict[str, float]] = {}
    for event in events:
        own = largest.setdefault(tossing(event), {})
        for name, epsilon in eps(event).items():
            own[name] = max(epsilon, own.get(name, 0.0))
    total: dict[str, float] = {}
    for own in largest.values():
        for name, epsilon in own.items():
            total[name] = total.get(name, 0.0) + epsilon
    return {name: epsilon for name, epsilon in total.items() if epsilon}


def added_to(event: Release, earlier: Sequence[Release]) -> list[dict[str, float]]:
    """What was shown, with the event, of the cells of each epoch that it shows more of.

    Every draw of the same label, or function, is about the same cells of the same epoch.
    """
    others = [one for one in earlier if rows(one) != rows(event)]
    own = [one for one in earlier if rows(one) == rows(event)]
    had = {tuple(epoch in one.readings for one in own) for epoch in event.readings}
    shown: list[dict[str, float]] = []
    for which in sorted(had):
        before = [*others, *compress(own, which)]
        after = exposure([*before, event])
        if after != exposure(before) and after not in shown:
            shown.append(after)
    return shown


def rows(event: Release) -> tuple[bool, str]:
    return event.per_key, event.epoch


def nothing_new(event: Release, earlier: Sequence[Release]) -> bool:
    return all(
        any(
            one.readings.get(epoch, {}).get(name) == own[name] and eps(one)[name] >= epsilon
            for one in earlier
            if one.draw == event.draw
        )
        for name, epsilon in eps(event).items()
        for epoch, own in event.readings.items()
    )


@st.composite
def histories(draw: Any, most: int = 8) -> list[Release]:
    """Events of few labels, epochs, readers and exponents, so that they meet."""
    events = []
    for number in range(draw(st.integers(1, most))):
        epsilon = {
            name: draw(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1e-9, 3e8, math.inf]))
            for name in draw(st.lists(st.sampled_from(SOME), min_size=1, unique=True))
        }
        one = event(draw(st.sampled_from(["1", "2", "3", "month", "year"])), **epsilon)
        if one.per_key:
            epochs = draw(st.lists(st.sampled_from(["x", "y", "z"]), unique=True))
            one = replace(one, readings={name: dict.fromkeys(epsilon, "same") for name in epochs})
        readings = {
            epoch: {name: draw(st.sampled_from(["same", "same", "other"])) for name in own}
            for epoch, own in one.readings.items()
        }
        readers = draw(st.sampled_from([(), ("r",), ("s",), ("r", "s"), ("gone",)]))
        which = draw(st.sampled_from([1, 1, 2, 3]))
        one = replace(one, table=f"t{number}", readings=readings, readers=readers, draw=which)
        events.append(one)
    return events
