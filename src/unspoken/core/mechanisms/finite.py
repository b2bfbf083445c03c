"""Any finite channel on one variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import LABELS, TABLE, WORD
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.numerics.tables import as_laws
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Domain
from unspoken.core.types.kinds import check_names, labels

__all__ = ["Finite", "fresh"]

# Outputs of repeated requests up to which they are listed as sequences.
SEQUENCES = 2**16


@dataclass(frozen=True, repr=False, eq=False)
class Finite(Mechanism, Shown):
    """P(y | x) = matrix[x, y] for one variable; every request draws afresh.

    Rows are the variable's values, probabilities or counts; ``outputs`` default to 0, 1, ...
    """

    name: str
    matrix: npt.ArrayLike
    outputs: Sequence[Output] | None = None

    kind: ClassVar = "finite"
    arguments: ClassVar = {"name": WORD, "matrix": TABLE, "outputs": LABELS}

    def __post_init__(self) -> None:
        check_names([self.name], "finite.name")
        law = as_laws(self.matrix, f"finite.matrix of {self.name}")
        object.__setattr__(self, "matrix", law)
        object.__setattr__(self, "outputs", self._outputs(law.shape[1]))

    def _outputs(self, columns: int) -> tuple[Output, ...]:
        """One for each column, all different."""
        if self.outputs is None:
            return tuple(range(columns))
        outputs = labels(self.outputs, f"finite.outputs of {self.name}")
        different = len(set(outputs))
        if different != columns or different != len(outputs):
            raise InputError(
                f"finite.outputs of {self.name}: {different} different outputs for "
                f"{columns} columns; give a word or a number for each"
            )
        return outputs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finite) and self._law() == other._law()

    def __hash__(self) -> int:
        return hash(self._law())

    def _law(self) -> tuple[object, ...]:
        law = np.asarray(self.matrix)
        return self.name, self.outputs, law.shape, law.tobytes()

    @cached_property
    def channel(self) -> Channel:
        """What one request shows; kept, since nobody can change it or the matrix."""
        return Channel.of(self.outputs or (), np.asarray(self.matrix))

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        values, law = domain.values_of(self.name, "finite"), np.asarray(self.matrix)
        if len(values) != len(law):
            raise InputError(
                f"finite.matrix of {self.name}: {len(law)} rows for {len(values)} values"
            )
        return Parts(channels=((self.name, fresh(self.channel, adversary, self.name)),))

    def facts(self) -> list[tuple[str, str]]:
        rows, columns = np.asarray(self.matrix).shape
        return [("of", self.name), ("channel", f"{rows} values, {columns} outputs")]


def fresh(channel: Channel, adversary: Adversary, name: str) -> Channel:
    """As many independent draws as the adversary asks for; what was seen is their sequence."""
    times = adversary.asks_of(name)
    if times * math.log(max(2, len(channel.outputs))) > math.log(SEQUENCES):
        raise InputError(
            f"adversary.asks of {name}: {times:g} draws of {len(channel.outputs)} outputs are too "
            f"many sequences to list; at most {SEQUENCES:,}"
        )
    return reduce(Channel.beside, [channel] * int(times))
