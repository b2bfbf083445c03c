"""What a measure is: a convex function of the posterior and how it is taken over the cloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from unsaid.numerics.arrays import Array
from unsaid.types.bound import Bound
from unsaid.types.posteriors import Posteriors

__all__ = ["Measure"]


class Cloud(Protocol):
    """A view, as far as measures are concerned."""

    def sup(self, f: Callable[[Posteriors], Array]) -> Bound: ...
    def mean(self, f: Callable[[Posteriors], Array]) -> Bound: ...


@dataclass(frozen=True)
class Measure:
    """``f`` of the posterior, in nats, taken as ``over``: its largest value or its mean.

    f must be quasi-convex for "sup" and convex for "mean", and 0 where nothing was learned: then
    the measure never rises under post-processing. ``unit`` "odds" reports e^f, a factor on odds.
    """

    name: str
    f: Callable[[Posteriors], Array]
    over: Literal["sup", "mean"]
    unit: Literal["nat", "odds"] = "nat"

    def of(self, cloud: Cloud) -> Bound:
        bound = cloud.sup(self.f) if self.over == "sup" else cloud.mean(self.f)
        if self.unit == "odds" and bound.status == "ok":
            return Bound.of_odds(bound.low, bound.high, bound.premise, bound.why)
        return bound
