"""Counts of what several variables of a record are together, with geometric noise: histograms in
two dimensions, sums of one variable by another. No sum over the variables says them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import INTEGERS, LABELS_BY_NAME, NUMBER
from unspoken.core.mechanisms.geometric import falling
from unspoken.core.mechanisms.laplace import asked
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.mechanisms.record_noise import RecordNoise
from unspoken.core.numerics.arrays import Counts
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import labels_by_name

__all__ = ["RecordCounts"]

LARGEST = 2**31  # of what a record adds


@dataclass(frozen=True, repr=False)
class RecordCounts(Mechanism, Shown):
    """f_c(x) + Z_c with P(Z = z) = (1 - alpha) / (1 + alpha) alpha^|z|, for each c.

    ``values``: {name: values} of the variables that f depends on; ``adds[c][i][j]...``: what a
    record with the i-th value of the first, the j-th of the second, ... adds to number c. Values
    not named add 0.
    """

    alpha: float
    values: Mapping[str, Sequence[Value]]
    adds: Sequence[Any]

    kind: ClassVar = "record-counts"
    arguments: ClassVar = {"alpha": NUMBER, "values": LABELS_BY_NAME, "adds": INTEGERS}

    def __post_init__(self) -> None:
        alpha = falling(self.alpha, self.kind)
        values = labels_by_name(self.values, f"{self.kind}.values")
        shape = tuple(map(len, values.values()))
        try:
            adds = np.asarray(self.adds)
        except ValueError:
            adds = np.empty(0)
        whole = adds.dtype.kind in "iu" and adds.shape[1:] == shape and adds.size > 0
        if not whole or not shape or abs(adds).max() > LARGEST:
            raise InputError(
                f"{self.kind}.adds: for each number a table of {' x '.join(map(str, shape))} whole "
                f"numbers is expected, none beyond {LARGEST:,}"
            )
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "values", Frozen(values))
        object.__setattr__(self, "adds", _tuples(adds))

    @property
    def about(self) -> Mapping[str, Sequence[Value]]:
        return self.values

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        for name, values in self.values.items():
            domain.codes(name, values, f"{self.kind}.values")
        adds = np.asarray(self.adds, dtype=np.int64)
        return Parts(noises=asked([RecordNoise(self.alpha, self.values, adds)], adversary))

    def facts(self) -> list[tuple[str, str]]:
        numbers = f"{len(self.adds)} of {', '.join(self.values)} together"
        return [("noise", f"geometric, alpha {self.alpha:.6g}"), ("numbers", numbers)]


def _tuples(adds: Counts) -> tuple[Any, ...]:
    return tuple(adds.tolist()) if adds.ndim == 1 else tuple(map(_tuples, adds))
