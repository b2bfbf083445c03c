"""Few rows: a group of fewer than five is not named, and of few rows little is known.

Whom a group of fewer than FEW rows is about may be known, so neither page nor table names it.
Beliefs are plug-ins: the shares of a table are taken for the truth. Of few rows that is far off, as
a rule of thumb where

    rows / combinations of values that some row has < ENOUGH,  or  rows with a secret < SECRETS.

Where counts have noise, they say little if it is about as large as they are: as a rule of thumb if

    rows / combinations of values of a table of counts < NOISY scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unspoken.assessment.rare import FEW
from unspoken.tables.learning import Learned
from unspoken.tables.learning.pinned import JOINT, Pinned
from unspoken.tables.policy import Project

__all__ = [
    "ENOUGH",
    "GROUP",
    "few",
    "named",
    "mostly_noise",
    "scarce",
    "too_few_rows",
]

GROUP = f"a group of fewer than {FEW} rows"
ENOUGH = 10
SECRETS = 30
NOISY = 3.0


def few(rows: float) -> bool:
    """Whether so many rows are too few to be named."""
    return rows < FEW


def named(project: Project, learned: Learned, name: str, labels: Sequence[str]) -> list[str]:
    """These labels of an attribute, as far as they may be named.

    What the project file lists is named whatever there is of it: the holder wrote it, and it is the
    rule that a recipient needs. A label that was found in the table is not, if few rows have it.
    """
    rule = project.attributes[name]
    if not rule.exact and (rule.bins is not None or rule.values is not None):
        return list(labels)
    kept = [label for label in labels if not few(rows_of_label(learned, name, label))]
    rest = len(labels) - len(kept)
    others = "1 value" if rest == 1 else f"{rest} values"
    return [*kept, *([f"{others} of fewer than {FEW} rows"] if rest else [])]


def rows_of_label(learned: Learned, name: str, label: object) -> float:
    """How many rows have it; infinity where that was not counted."""
    rows = dict(zip(learned.labels[name], learned.counts.get(name, ()), strict=False))
    return rows.get(str(label), math.inf)


def scarce(rows: int, occupied: int) -> bool:
    """Whether so few rows have each of the combinations that occur that much is chance."""
    return rows < ENOUGH * occupied


def too_few_rows(learned: Learned, pinned: Pinned | None = None, kept: str = "") -> str:
    """Why there are too few rows to rely on, in words; empty if there are enough. ``kept``: where
    the cap of a plan holds all the same, that it does.

    Without counts: it stands on pages that are handed on. ``pinned``: counts with noise, as they
    were drawn; made consistent, noise that is cut off at 0 would pass for rows of a secret, and
    cells with few rows for cells with none.
    """
    why, few_cells = [], scarce(learned.rows, learned.occupied)
    rows = {
        name: sum(rows_of_label(learned, name, label) for label in labels)
        for name, labels in learned.secrets.items()
    }
    occurs, perhaps = learned.occupied, ""
    if pinned is not None:
        occurs, perhaps = pinned.possible, "perhaps "
        few_cells = scarce(learned.rows, occurs)
        rows = {name: pinned.at_least(name, labels) for name, labels in learned.secrets.items()}
    if few_cells:
        why.append(
            f"{learned.rows:,} rows are about {learned.rows / occurs:.1g} for each combination of "
            f"values that {perhaps}occurs (rule of thumb: {ENOUGH} or more)"
        )
    why += [
        f"{perhaps}fewer than {SECRETS} rows have a secret of {name}"
        for name, found in rows.items()
        if found < SECRETS
    ]
    if not why:
        return ""
    told = " Shares and bits" if kept else "The numbers"
    more = "" if kept else ", and what is really told may be several times as much"
    return (
        f"FEW ROWS: {'; '.join(why)}. {kept}{told} take the shares in the table for the truth; of "
        f"so few rows many are made by chance{more}. Take fewer attributes, wider bins, or more "
        "rows."
    )


def mostly_noise(pinned: Pinned, kept: str = "") -> str:
    """Which counts are noise for a good part, in words; empty if none. It says of no row anything:
    how many there are, of what combinations, and the noise are public. ``kept``: as above.
    """
    scale = pinned.sensitivity / pinned.epsilon
    each = {name: pinned.rows / counts.size for name, counts in pinned.tables.items()}
    drowned = {name: rows for name, rows in each.items() if rows < NOISY * scale}
    if not drowned:
        return ""
    worst = min(drowned, key=lambda name: drowned[name])
    of = "values" if worst == JOINT else f"values and {worst}"
    contexts = ", ".join(name for name in drowned if name not in {JOINT, worst})
    also = f"; too few given {contexts}, too" if contexts else ""
    told = " Shares and bits" if kept else "Numbers"
    return (
        f"NOISE: every count is off by about {scale:,.0f} rows, and there are "
        f"{drowned[worst]:,.0f} for each combination of {of} (rule of thumb: {NOISY:g} times "
        f"the noise{also}). {kept}{told} made of such counts may say far too little, or "
        "too much. Take fewer contexts, attributes or bins, fewer rows of one unit, more rows, or "
        "a larger [belief] noise, which is an epsilon."
    )
