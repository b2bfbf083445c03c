"""What every belief answers: a new one gives `marginal` and `given`, the rest is derived."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from unsaid.beliefs.contraction import contract
from unsaid.display import Shown
from unsaid.errors import InputError
from unsaid.numerics.arrays import Array, Codes
from unsaid.types.bound import Premise
from unsaid.types.channel import Channel
from unsaid.types.domain import Domain, Value
from unsaid.types.likelihood import Likelihood

__all__ = ["Belief"]


class Belief(Shown, ABC):
    """P(X) over a domain, on a premise."""

    domain: Domain
    premise: Premise

    @abstractmethod
    def marginal(self, names: Sequence[str]) -> Array:
        """The joint table of these variables, axes in the order of ``names``."""

    @abstractmethod
    def given(self, known: Mapping[str, Value]) -> Belief:
        """The belief about the other variables once these values are known (Bayes)."""

    def knows_jointly(self, names: Sequence[str]) -> bool:
        """Whether `marginal` can answer for these names at all."""
        return True

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Those of ``names`` that may say something about ``about``."""
        return tuple(names)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of variables that may depend on one another."""
        names = self.domain.names
        return [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]

    def cells(self, names: Sequence[str]) -> int:
        """How many entries the joint table of these names has."""
        return math.prod(len(self.domain.values_of(name)) for name in names)

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        """P(x_keep) and P(y | x_keep) for the local channels of the seen variables."""
        summed = [name for name in channels if name not in keep]
        table = self.marginal([*keep, *summed])
        own = {keep.index(name): channels[name] for name in channels if name in keep}
        return contract(table, len(keep), own, [channels[name] for name in summed])

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        """``rows`` draws, a column a variable, as positions among its values (simulation only)."""
        table = self.marginal(self.domain.names)
        flat = rng.choice(table.size, size=rows, p=table.ravel())
        return np.stack(np.unravel_index(flat, table.shape), axis=1)

    def facts(self) -> list[tuple[str, str]]:
        names = self.domain.names
        listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        return [("variables", f"{len(names)}: {listed}"), ("premise", str(self.premise))]


def probabilities(numbers: object, what: str) -> Array:
    """A table of probabilities from probabilities or whole counts; one line of complaint otherwise.

    A table that sums to 1 but for rounding is kept as it is: dividing would cost its last digits.
    """
    try:
        table = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: not a table of numbers of equal row lengths") from None
    if table.size == 0 or table.ndim == 0:
        raise InputError(f"{what}: an empty table says nothing; give at least one probability")
    if not np.isfinite(table).all():
        raise InputError(f"{what}: has NaN or infinity; every entry must be a number")
    if (table < 0).any():
        raise InputError(
            f"{what}: has a negative entry {table.min():g}; probabilities are in [0, 1]"
        )
    total = float(table.sum())
    if abs(total - 1) <= 4e-16 * max(8, math.sqrt(table.size)):
        return table
    counts = bool((table == np.floor(table)).all()) and total >= 1
    if total <= 0 or (not counts and abs(total - 1) > 1e-9):
        raise InputError(
            f"{what}: sums to {total:.12g}; probabilities sum to 1, counts are whole numbers"
        )
    return table / total
