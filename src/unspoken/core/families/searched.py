"""What is asked of a set of tables: of two classes of cells, how far apart their means come."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.asking import NoisySum
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Domain
from unspoken.core.types.premise import Premise

__all__ = ["Furthest", "Pair", "Tables"]


@dataclass(frozen=True)
class Pair:
    """Two classes of the target's values, as cells [cell] of the table, in one context."""

    above: Mask
    below: Mask
    context: Mask


@dataclass(frozen=True)
class Furthest:
    """The largest log of P(y | above) / P(y | below), and the table [cell] that has it."""

    log_ratio: float
    table: Array

    @classmethod
    def of(cls, most: float, least: float, table: Array) -> Furthest | None:
        """From the two likelihoods; None where neither can be anything but 0."""
        if most == 0:
            return None if least == 0 else cls(-math.inf, table)
        return cls(math.inf if least == 0 else math.log(most) - math.log(least), table)


class Tables(Protocol):
    """A set of tables, as far as its views are concerned; cells are flattened.

    ``rounded``: what adding up its cells may leave of a mass; ``loose``: by how much masses may be
    off, and be the set's all the same.
    """

    kind: ClassVar[str]
    domain: Domain
    premise: Premise
    rounded: float
    loose: float = 0.0

    @abstractmethod
    def loosened(self, loose: float) -> Tables:
        """The set with masses that may be off by so much; below 0: no nearer to their ends."""

    def apart(self, query: NoisySum, adversary: Adversary) -> Bound | None:
        """The largest log-ratio of the likelihoods of two values, of one noisy sum; None where
        nothing is quicker than to look at every answer.
        """
        return None

    def corners(self) -> Array | None:
        """The tables [corner, cell] between which all others are; None: they are too many."""
        return None

    @abstractmethod
    def furthest(self, pair: Pair, kernel: Array) -> Furthest | None:
        """How far the kernel's [cell] means over both classes come apart; None: one cannot be."""

    @abstractmethod
    def likely(self, cells: Mask, context: Mask, kernel: Array) -> tuple[float, float] | None:
        """The least and the largest mean of the kernel over these cells; None: they cannot be."""

    @abstractmethod
    def weight(self, cells: Mask, context: Mask) -> tuple[float, float]:
        """The least and the largest P(cells | context)."""

    @abstractmethod
    def allowed(self) -> Mask:
        """Which cells [cell] some table allows."""

    @abstractmethod
    def examples(self) -> list[Array]:
        """Some tables [cell] of the set."""

    @abstractmethod
    def holds(self, table: Array) -> bool:
        """Whether a table [cell] is one of them, but for rounding."""
