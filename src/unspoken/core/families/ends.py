"""Two tables between which every table of a set lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy.typing as npt

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.tables import own_table
from unspoken.core.types.domain import Domain, Value

__all__ = ["Ends"]


@dataclass(frozen=True)
class Ends:
    """lower <= table <= upper, entry by entry; axis i = variable i."""

    lower: Array
    upper: Array
    domain: Domain

    @classmethod
    def of(
        cls,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        names: Iterable[str] | None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None,
        what: str,
    ) -> Ends:
        """Checked: numbers, of one shape, in order, in [0, 1]."""
        low, high = own_table(lower, f"{what}.lower"), own_table(upper, f"{what}.upper")
        if low.shape != high.shape or not low.ndim or not low.size:
            raise InputError(f"{what}: shapes {low.shape} and {high.shape}; two tables alike")
        if not ((low >= 0) & (low <= high) & (high <= 1)).all():
            raise InputError(f"{what}: 0 <= lower <= upper <= 1 does not hold everywhere")
        return cls(low, high, Domain.of(low.shape, names, values))
