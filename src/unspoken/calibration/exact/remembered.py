"""A belief that works out every law of sums once, however often it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unspoken.beliefs import Belief
from unspoken.numerics.arrays import Array, Codes
from unspoken.types.channel import Channel
from unspoken.types.domain import Value
from unspoken.types.likelihood import Likelihood
from unspoken.types.sums import Sums, Weights

__all__ = ["Remembered"]


class Remembered(Belief):
    """Calibration asks the same question at many scales; the noise-free sums stay what they are."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.domain, self.premise = belief, belief.domain, belief.premise
        self._told: dict[Any, Any] = {}

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        key = ("sums", tuple(keep), *(tuple(query.items()) for query in queries))
        found: Sums = self._once(key, lambda: self.belief.sums(keep, queries))
        return found

    def sums_of_each(self, names: Sequence[str], queries: Sequence[Weights]) -> Sums | None:
        key = ("each", tuple(names), *(tuple(query.items()) for query in queries))
        found: Sums | None = self._once(key, lambda: self.belief.sums_of_each(names, queries))
        return found

    def given(self, known: Mapping[str, Value]) -> Belief:
        key = ("given", *known.items())
        found: Belief = self._once(key, lambda: Remembered(self.belief.given(known)))
        return found

    def knowing(self, names: Sequence[str]) -> tuple[Belief, tuple[str, ...]]:
        found: tuple[Belief, tuple[str, ...]] = self._once(
            ("knowing", *names), lambda: self._knowing(names)
        )
        return found

    def _knowing(self, names: Sequence[str]) -> tuple[Belief, tuple[str, ...]]:
        later, matter = self.belief.knowing(names)
        return (self if later is self.belief else Remembered(later)), matter

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._told:
            self._told[key] = make()
        return self._told[key]

    def marginal(self, names: Sequence[str]) -> Array:
        return self.belief.marginal(names)

    def beside(self, names: Sequence[str], targets: Sequence[str]) -> Array:
        return self.belief.beside(names, targets)

    def knows_jointly(self, names: Sequence[str]) -> bool:
        return self.belief.knows_jointly(names)

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        return self.belief.relevant(about, names)

    def pairs(self) -> list[tuple[str, str]]:
        return self.belief.pairs()

    def blocks(self) -> list[tuple[str, ...]]:
        return self.belief.blocks()

    def blanket(self, name: str) -> tuple[str, ...]:
        return self.belief.blanket(name)

    def shields(self, about: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        return self.belief.shields(about)

    def effort(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> float:
        return self.belief.effort(keep, channels)

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        return self.belief.outputs(keep, channels)

    def possible(self, events: Mapping[str, Channel]) -> bool:
        return self.belief.possible(events)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        return self.belief.sample(rng, rows)
