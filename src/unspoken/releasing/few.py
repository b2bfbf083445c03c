"""Groups of fewer than five rows are not named: whom they are about may be known."""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.learning import Learned
from unspoken.policy import Project

__all__ = ["FEW", "few", "named"]

FEW = 5
GROUP = f"a group of fewer than {FEW} rows"


def few(rows: float) -> bool:
    """Whether so many rows are too few to be named."""
    return rows < FEW


def named(project: Project, learned: Learned, name: str, labels: Sequence[str]) -> list[str]:
    """These labels of an attribute, as far as they may be named.

    What the project file lists is named whatever there is of it: the holder wrote it, and it is the
    rule that a recipient needs. A label that was found in the table is not, if few rows have it.
    """
    rule = project.attributes[name]
    if rule.bins is not None or rule.values is not None:
        return list(labels)
    rows = dict(zip(learned.labels[name], learned.counts.get(name, ()), strict=False))
    kept = [label for label in labels if not few(rows.get(label, FEW))]
    rest = len(labels) - len(kept)
    return [*kept, *([f"{rest} of fewer than {FEW} rows each"] if rest else [])]
