"""A belief given as the whole joint table: knows everything, costs the product of the domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import Belief, different, evidence, impossible, nothing_left
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.tables import law_and_total
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import is_frame
from unspoken.core.types.premise import Premise

__all__ = ["Joint"]


class Joint(Belief):
    """``table``: probabilities or counts, axis i = variable i."""

    def __init__(
        self,
        table: npt.ArrayLike,
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        if is_frame(table):  # of 0 and 1, even rows could be taken for probabilities
            raise InputError(
                "joint.table: is a data frame; unspoken.learn(frame) counts its rows. If it holds "
                "probabilities or counts, give these: frame.to_numpy()"
            )
        self.table, self.total = law_and_total(table, "joint.table")
        self.domain = Domain.of(self.table.shape, names, values)
        self.premise = Premise.of(premise)

    def operations(self, names: Sequence[str]) -> float:
        """A quotient for counts and one for what is known; sums over the other cells."""
        return 4.0 + self.table.size / self.cells(names)

    def marginal(self, names: Sequence[str]) -> Array:
        return self._marginal_of(self.table, names)

    def row_counts(self, names: Sequence[str]) -> Array | None:
        if self.total is None:
            return None
        return self._marginal_of(np.rint(self.table * self.total), names)

    def _marginal_of(self, table: Array, names: Sequence[str]) -> Array:
        """Over the other variables."""
        axes = [self.domain.axis(name) for name in different(names)]
        gone = tuple(axis for axis in range(table.ndim) if axis not in axes)
        left: Array = table.sum(axis=gone) if gone else table  # as large as memory, maybe
        return left.transpose(np.argsort(np.argsort(axes)))

    def given(self, known: Mapping[str, Value]) -> Joint:
        index: list[int | slice] = [slice(None)] * self.table.ndim
        for name, value in evidence(known).items():
            index[self.domain.axis(name, "given")] = self.domain.code(name, value, "given")
        rest = self.table[tuple(index)]
        if not rest.sum() > 0:
            raise impossible(known)
        if not rest.ndim:
            raise nothing_left()
        domain = self.domain.without(known)
        return Joint(rest / rest.sum(), domain.names, domain.values, self.premise)
