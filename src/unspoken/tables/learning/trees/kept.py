"""What a tree keeps of the pairs it was learned from, and what it loses of the secrets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.numerics.arrays import Array
from unspoken.tables.learning.trees.chow_liu import ChowLiu, information

__all__ = ["KeptLinks", "Link", "Lost"]

LOG2 = math.log(2.0)
LEAST = 0.005  # bits: what is lost of a secret and is less than this is not worth a sentence


@dataclass(frozen=True)
class Link:
    """A pair of attributes that the tree keeps, and what one tells of the other."""

    first: str
    second: str
    bits: float


@dataclass(frozen=True)
class Lost:
    """What ``name``, alone, tells of what is sensitive of ``target``: in the table, in the tree."""

    target: str
    name: str
    table: float  # bits
    tree: float

    def __str__(self) -> str:
        return (
            f"{self.name} tells {self.table:.2g} bit of what is sensitive of {self.target} "
            f"({self.tree:.2g} in the tree)"
        )


@dataclass(frozen=True)
class KeptLinks:
    """``links``, the strongest first; ``lost``: of each secret, what is lost most.

    ``pairs``: the beliefs about every two attributes, of which the tree keeps some.
    """

    links: tuple[Link, ...]
    lost: tuple[Lost, ...]
    pairs: tuple[Joint, ...]

    @classmethod
    def of(cls, learned: ChowLiu, sensitive: Mapping[str, Sequence[str]]) -> KeptLinks:
        domain, premise = learned.belief.domain, learned.belief.premise
        pairs = []
        for i, j in learned.tables:
            names, values = (domain.names[i], domain.names[j]), (domain.values[i], domain.values[j])
            pairs.append(Joint(learned.tables[i, j], names, values, premise))
        links = (
            Link(domain.names[i], domain.names[j], learned.information[i, j] / LOG2)
            for i, j in learned.kept
        )
        lost = [
            max(losses, key=lambda loss: round(loss.table - loss.tree, 12))
            for target, secrets in sensitive.items()
            if secrets and (losses := list(_lost(learned, pairs, target, secrets)))
        ]
        return cls(tuple(links), tuple(lost), tuple(pairs))

    def said(self) -> list[str]:
        """What the belief does not have, in words."""
        count = len(self.links) + 1
        few = (
            f"The belief is a tree: of the {len(self.pairs)} pairs of attributes it keeps the "
            f"{len(self.links)} that join all {count} and tell the most. Other pairs depend as far "
            "as these make them, and what three or more attributes show beyond that is not in it. "
            "What is said of it is sound under this belief, and not beyond it."
        )
        lost = [str(loss) for loss in self.lost if loss.table - loss.tree >= LEAST]
        if not lost:
            return [few]
        return [few, f"More is known than the tree says: in the table, alone, {'; '.join(lost)}."]


def _lost(
    learned: ChowLiu, pairs: Sequence[Joint], target: str, secrets: Sequence[str]
) -> list[Lost]:
    """What each other attribute tells of a secret."""
    values = learned.belief.domain.values_of(target)
    hidden = np.array([value in secrets for value in values])
    classes = np.vstack([np.eye(len(values))[hidden], ~hidden])

    def bits(table: Array) -> float:
        return information(classes @ table) / LOG2

    return [
        Lost(target, name, bits(pair.marginal(both)), bits(learned.belief.marginal(both)))
        for pair in pairs
        if target in pair.domain.names
        for both in [sorted(pair.domain.names, key=lambda name: name != target)]
        for name in both[1:]
    ]
