"""The same numbers for every belief that the counts leave possible: box(95 %), beside a plug-in.

Of few rows much is possible, and the box is wide. Where rows of one unit depend on one another
counting rows proves nothing: there units are counted, and few of them prove little.
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
from unspoken.releasing.units import Units
from unspoken.types.bound import Bound

__all__ = ["Boxed", "boxed", "in_words"]

MOST = 20_000  # combinations of labels up to which it is looked at: a second or two


@dataclass(frozen=True)
class Boxed:
    """The most that is told ``about`` a target, to whoever sees all that is read.

    ``by_rows``: as if all rows were independent; else by units, whose rows need not be.
    """

    about: str
    odds: Bound
    information: Bound
    by_rows: bool


def boxed(
    project: Project, believed: Believed, learned: Learned, mechanism: Mechanism, units: Units
) -> list[Boxed]:
    """Of each target with a secret: by rows and, where a unit has several, by units too."""
    pinned, level = believed.pinned, project.belief.confidence
    events = {name: labels for name, labels in learned.sensitive.items() if labels}
    counts = pinned.tables.get(JOINT)
    if level is None or counts is None or counts.size > MOST or not events:
        return []
    whole = [confidence.Units(units.groups, units.rows)] if units.largest > 1 else []
    found = []
    for counted in [None, *whole]:
        beliefs = confidence.box(
            counts,
            learned.belief,
            events,
            rows=pinned.rows,
            scale=scale_of(pinned.sensitivity, pinned.epsilon),
            confidence=level,
            units=counted,
        )
        for about, view in views(beliefs, mechanism, learned.sensitive, project.reads).items():
            odds, told = MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view)
            found.append(Boxed(about, odds, told, counted is None))
    return found


def in_words(found: Sequence[Boxed], unit: Sequence[str], several: bool) -> list[str]:
    """A sentence by rows, and one by units where these differ."""
    said = []
    for by_rows in (True, False):
        chosen = [each for each in found if each.by_rows == by_rows]
        if not chosen:
            continue
        worst = max(chosen, key=lambda each: each.odds.odds)
        most = max(each.information.bits for each in chosen)
        factor = worst.odds.odds
        odds = f"odds x {factor:.3g}" if factor < 1000 else f"odds x {factor:,.0f}"
        odds = "certainty" if math.isinf(factor) else odds
        rows = f" if all rows of one {' and '.join(unit)} were independent" if several else ""
        by = rows if by_rows else f", counted by {' and '.join(unit)}"
        said.append(
            f"For every belief that the counts leave possible ({worst.odds.premise}){by}: up to "
            f"{odds} (about {worst.about}) and {most:.2g} bit."
        )
    return said
