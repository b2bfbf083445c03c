"""The same numbers for every belief that the counts leave possible: box(95 %), beside a plug-in.

Of few rows much is possible, and the box is wide. Where one unit has several rows, which depend on
each other, it is a box by units, and wider still: of few units next to everything is possible. What
it would be if their rows were independent stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unspoken.learning import Learned, confidence
from unspoken.learning.confidence import Units
from unspoken.learning.pinned import JOINT, Pinned
from unspoken.measures import MEASURES
from unspoken.mechanisms import Mechanism
from unspoken.numerics.noise import scale_of
from unspoken.policy import Project
from unspoken.releasing.leaks import views
from unspoken.types.bound import Bound

__all__ = ["Boxed", "boxed", "in_words"]

MOST = 20_000  # combinations of labels up to which it is looked at: a second or two


@dataclass(frozen=True)
class Boxed:
    """The most that is told ``about`` a target, to whoever sees all that is read."""

    about: str
    odds: Bound
    information: Bound


def boxed(
    project: Project,
    pinned: Pinned,
    learned: Learned,
    mechanism: Mechanism,
    units: Units | None = None,
) -> list[Boxed]:
    """Of each target with a secret; ``units``: whose rows depend on each other."""
    level = project.belief.confidence
    events = {name: labels for name, labels in learned.sensitive.items() if labels}
    counts = pinned.tables.get(JOINT)
    if level is None or counts is None or counts.size > MOST or not events:
        return []
    scale = scale_of(pinned.sensitivity, pinned.epsilon)
    beliefs = confidence.box(
        counts,
        learned.belief,
        events,
        rows=pinned.rows,
        scale=scale,
        confidence=level,
        units=units,
    )
    return [
        Boxed(about, MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view))
        for about, view in views(beliefs, mechanism, learned.sensitive, project.reads).items()
    ]


def in_words(project: Project, pinned: Pinned, learned: Learned, mechanism: Mechanism) -> list[str]:
    """A sentence; where a unit has several rows, by units, and what it would be without."""
    units = pinned.units
    alone = boxed(project, pinned, learned, mechanism)
    if not alone:
        return []
    premise = str(alone[0].odds.premise)
    if units is None:
        return [f"For every belief that the counts leave possible ({premise}): {_most(alone)}."]
    unit, found = (
        " and ".join(project.source.unit),
        boxed(project, pinned, learned, mechanism, units),
    )
    most = f"{units.rows:,} rows at most"
    most += ", as far as these show" if project.source.rows_per_unit is None else ""
    return [
        f"For every belief that the counts leave possible ({premise}, by {units.count:,} of {unit} "
        f"with {most}): {_most(found)}. If all rows of one {unit} were independent: {_most(alone)}."
    ]


def _most(found: Sequence[Boxed]) -> str:
    worst = max(found, key=lambda each: each.odds.odds)
    most = max(each.information.bits for each in found)
    factor = worst.odds.odds
    odds = f"odds x {factor:.3g}" if factor < 1000 else f"odds x {factor:,.0f}"
    odds = "certainty" if math.isinf(factor) else odds
    return f"up to {odds} (about {worst.about}) and {most:.2g} bit"
