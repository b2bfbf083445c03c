"""Columns that would be released and say nothing: blank in every row, or one label everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unspoken.core.beliefs import Belief
from unspoken.core.mechanisms import Mechanism

__all__ = ["BlankColumn", "blank_columns"]

NOTHING = 1e-4  # of all rows
REMEDY = "Raise odds_cap or give it other bins or values, or take it out of what is read"


@dataclass(frozen=True)
class BlankColumn:
    """``label``: the only one that is ever shown; None: no cell is."""

    column: str
    label: str | None

    def __str__(self) -> str:
        shown = "be blank in every row"
        if self.label is not None:
            shown = f"show one label only, {self.label}, or a blank"
        return f"The column {self.column} would {shown}. {REMEDY}"


def blank_columns(
    mechanism: Mechanism, belief: Belief, names: Sequence[str]
) -> tuple[BlankColumn, ...]:
    """Those of these columns, but for one row in ten thousand, as far as the belief goes."""
    found = []
    for name in names:
        shown = _shown_labels(mechanism, belief, name)
        likely = max(shown, key=lambda label: shown[label], default="")
        total = sum(shown.values())
        if total <= NOTHING:
            found.append(BlankColumn(name, None))
        elif total - shown[likely] <= NOTHING:
            found.append(BlankColumn(name, likely))
    return tuple(found)


def _shown_labels(mechanism: Mechanism, belief: Belief, name: str) -> dict[str, float]:
    """In which share of all rows each label is shown."""
    free, given = mechanism.shown(belief).get(name, 0.0), mechanism.shown_given(belief).get(name)
    hidden, shares = {*mechanism.hides(name)}, belief.marginal([name])
    chances = {
        value: (0.0 if value in hidden else free) if given is None else given.get(value, 0.0)
        for value in belief.domain.values[belief.domain.names.index(name)]
    }
    return {
        str(value): float(share) * chance
        for (value, chance), share in zip(chances.items(), shares, strict=True)
    }
