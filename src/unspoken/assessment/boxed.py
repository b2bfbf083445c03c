"""The same numbers for every belief that the counts leave possible: box(95 %), beside a plug-in.

Of few rows much is possible, and the box is wide. Where one unit has several rows, which depend on
each other, it is a box by units, and wider still: of few units next to everything is possible. What
it would be if their rows were independent stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.assessment.leaks import views
from unspoken.core.beliefs import Belief
from unspoken.core.errors import TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.bound import Bound
from unspoken.noise.discrete_laplace import scale_of
from unspoken.tables.learning import Learned
from unspoken.tables.learning.intervals import confidence
from unspoken.tables.learning.intervals.confidence import Clusters
from unspoken.tables.learning.once import moved
from unspoken.tables.learning.pinned import JOINT, Pinned
from unspoken.tables.policy import Project

__all__ = ["Boxed", "box_of", "boxed", "in_words"]

MOST = 20_000  # combinations of labels up to which there is a box
ASKED = 2**19  # these times answers, of all targets, up to which it is looked at: ten seconds


@dataclass(frozen=True)
class Boxed:
    """The most that is told ``about`` a target, to whoever sees all that is read."""

    about: str
    odds: Bound
    information: Bound


def box_of(
    project: Project, learned: Learned, pinned: Pinned | None, units: Clusters | None = None
) -> Belief:
    """Every belief that the counts leave possible, around what was learned; that alone where no
    level is declared, nothing is secret, or the table is too large to look at. Counts that will
    have noise are as unsure as if they had it: what is planned by them is about what will be.
    ``units``: whose rows depend on each other; None: all rows are independent.
    """
    level, events = project.belief.confidence, learned.secrets
    counts = learned.joint if pinned is None else pinned.tables.get(JOINT)
    if level is None or counts is None or counts.size > MOST or not events:
        return learned.belief
    return confidence.box(
        counts.astype(np.int64),
        learned.belief,
        events,
        rows=learned.rows,
        scale=_scale(project, pinned),
        confidence=level,
        units=units,
    )


def _scale(project: Project, pinned: Pinned | None) -> float | None:
    """Of the noise that the counts have, or will have; None: they are exact for good."""
    if pinned is not None:
        return scale_of(pinned.sensitivity, pinned.epsilon)
    epsilon = project.belief.noise
    return (
        None if epsilon is None else scale_of(moved(project, [JOINT, *project.contexts]), epsilon)
    )


def boxed(project: Project, learned: Learned, beliefs: Belief, mechanism: Mechanism) -> list[Boxed]:
    """Of each target with a secret; none if there is no set of beliefs. Each answer is looked for
    the worst table of its own, over all combinations: refused where that would take minutes.
    """
    if beliefs is learned.belief:
        return []
    cloud = views(learned.belief, mechanism, learned.sensitive, project.reads).values()
    answers = sum(len(view.outcomes()) for view in cloud)
    cells = math.prod(map(len, learned.labels.values()))
    if answers * cells > ASKED:
        raise TooLarge(f"{answers:,} answers of {cells:,} combinations of values are too many")
    return [
        Boxed(about, MEASURES["odds"].of(view), MEASURES["mutual-information"].of(view))
        for about, view in views(beliefs, mechanism, learned.sensitive, project.reads).items()
    ]


def in_words(
    project: Project,
    pinned: Pinned,
    learned: Learned,
    beliefs: Belief,
    mechanism: Mechanism,
    floor: bool = False,
) -> list[str]:
    """A sentence; where a unit has several rows, by units, and what it would be without. Of the
    ``floor``, whose cap holds for every belief, none where that would take minutes.
    """
    units = pinned.units
    try:
        alone = boxed(project, learned, beliefs, mechanism)
    except TooLarge as large:
        if floor:
            return []
        return [f"Not looked at for every belief that the counts leave possible: {large}."]
    if not alone:
        return []
    premise = str(alone[0].odds.premise)
    if units is None:
        return [f"For every belief that the counts leave possible ({premise}): {_most(alone)}."]
    unit = " and ".join(project.source.unit)
    found = boxed(project, learned, box_of(project, learned, pinned, units), mechanism)
    # The table may have more by now, and elsewhere it is said how many.
    counted = " when they were counted, as far as these show"
    most = f"each with {units.rows:,} rows at most"
    most += counted if project.source.rows_per_unit is None else ""
    return [
        f"For every belief that the counts leave possible ({premise}, counted by {unit}: "
        f"{units.count:,} of them, {most}): {_most(found)}. "
        f"If all rows of one {unit} were independent: {_most(alone)}."
    ]


def _most(found: Sequence[Boxed]) -> str:
    worst = max(found, key=lambda each: each.odds.odds)
    factor, bits = worst.odds.odds, max(each.information.bits for each in found)
    odds = f"odds x {factor:.3g}" if factor < 1000 else f"odds x {factor:,.0f}"
    odds = "certainty" if math.isinf(factor) else odds
    # I(x; answer) <= H(x) <= log2 of how many values x may have: there a bound bounds nothing.
    trivial = bits > 0 and math.isclose(2**bits, round(2**bits), rel_tol=1e-9)
    told = f" and {bits:.2g} bit"
    if trivial:
        told = f", and no bound in bits ({bits:.2g} bit is all there is)"
    return f"up to {odds} (about {worst.about}){told}"
