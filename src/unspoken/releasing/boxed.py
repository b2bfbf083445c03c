"""The same numbers for every belief that the counts leave possible: box(95 %), beside a plug-in.

Of few rows much is possible, and the box is wide. It takes rows to be independent; where one unit
has several it says so, since how many units were counted is not kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unspoken.learning import Learned, confidence
from unspoken.learning.pinned import JOINT
from unspoken.measures import MEASURES
from unspoken.mechanisms import Mechanism
from unspoken.numerics.noise import scale_of
from unspoken.policy import Project
from unspoken.releasing.believing import Believed
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
    project: Project, believed: Believed, learned: Learned, mechanism: Mechanism
) -> list[Boxed]:
    """Of each target with a secret."""
    pinned, level = believed.pinned, project.belief.confidence
    events = {name: labels for name, labels in learned.sensitive.items() if labels}
    counts = pinned.tables.get(JOINT)
    if level is None or counts is None or counts.size > MOST or not events:
        return []
    scale = scale_of(pinned.sensitivity, pinned.epsilon)
    beliefs = confidence.box(
        counts, learned.belief, events, rows=pinned.rows, scale=scale, confidence=level
    )
    return [
        Boxed(about, MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view))
        for about, view in views(beliefs, mechanism, learned.sensitive, project.reads).items()
    ]


def in_words(found: Sequence[Boxed], unit: Sequence[str], several: bool) -> list[str]:
    """A sentence; ``several``: rows of one unit, which need not be independent."""
    if not found:
        return []
    worst = max(found, key=lambda each: each.odds.odds)
    most = max(each.information.bits for each in found)
    factor = worst.odds.odds
    odds = f"odds x {factor:.3g}" if factor < 1000 else f"odds x {factor:,.0f}"
    odds = "certainty" if math.isinf(factor) else odds
    rows = f" if all rows of one {' and '.join(unit)} were independent" if several else ""
    return [
        f"For every belief that the counts leave possible ({worst.odds.premise}){rows}: up to "
        f"{odds} (about {worst.about}) and {most:.2g} bit."
    ]
