"""Any finite channel on one variable."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from unspoken.adversary import Adversary
from unspoken.display import Shown
from unspoken.errors import InputError
from unspoken.mechanisms.arguments import LABELS, TABLE, WORD
from unspoken.mechanisms.mechanism import Mechanism
from unspoken.mechanisms.parts import Parts
from unspoken.numerics.arrays import Array
from unspoken.types.channel import Channel, Output
from unspoken.types.domain import Domain

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
        law = _stochastic(self.matrix, f"finite.matrix of {self.name}")
        outputs = tuple(range(law.shape[1]) if self.outputs is None else self.outputs)
        different = sum(output not in outputs[:k] for k, output in enumerate(outputs))
        if different != law.shape[1] or not all(isinstance(own, Hashable) for own in outputs):
            raise InputError(
                f"finite.outputs of {self.name}: {different} different outputs for "
                f"{law.shape[1]} columns; give a word or a number for each"
            )
        law.flags.writeable = False
        object.__setattr__(self, "matrix", law)
        object.__setattr__(self, "outputs", outputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finite) and self._law() == other._law()

    def __hash__(self) -> int:
        return hash(self._law())

    def _law(self) -> tuple[object, ...]:
        law = np.asarray(self.matrix)
        return self.name, self.outputs, law.shape, law.tobytes()

    def channel(self) -> Channel:
        """What one request shows."""
        return Channel.of(self.outputs or (), np.asarray(self.matrix))

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        values, law = domain.values_of(self.name, "finite"), np.asarray(self.matrix)
        if len(values) != len(law):
            raise InputError(
                f"finite.matrix of {self.name}: {len(law)} rows for {len(values)} values"
            )
        return Parts(channels=((self.name, fresh(self.channel(), adversary, self.name)),))

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


def _stochastic(matrix: npt.ArrayLike, where: str) -> Array:
    """Rows of probabilities, or of counts."""
    try:
        given = np.array(matrix)
        law = given.astype(np.float64) if given.dtype.kind in "biufO" else np.array([math.nan])
    except (TypeError, ValueError):
        law = np.array([math.nan])
    if law.ndim != 2 or law.size == 0 or not np.isfinite(law).all() or (law < 0).any():
        raise InputError(
            f"{where}: a table of numbers in [0, 1], a row for each value, is expected"
        )
    totals = law.sum(1, keepdims=True)
    whole = bool((law == np.floor(law)).all()) and bool((totals >= 1).all())
    off = np.abs(totals[:, 0] - 1)
    if not whole and off.max() > 1e-9:
        row = int(off.argmax())
        raise InputError(f"{where}: row {row} sums to {totals[row, 0]:.12g}, not to 1")
    law = law / totals if whole or off.max() > 4e-16 * max(8, law.shape[1]) else law
    return law
