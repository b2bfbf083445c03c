"""What a measure is: a convex function of the posterior and how it is taken over the cloud."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import Literal, Protocol

from unspoken.core.errors import InputError, NotKnown, quoted, unknown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.rounding import down, up
from unspoken.core.types.bound import Bound
from unspoken.core.types.posteriors import Functional, Moves, Reads, by_lifts

__all__ = ["Measure", "MeasureName"]

# `finish` is off by less than an ulp, so that the next float is beyond.
FINISH = 0.0

MeasureName = Literal[
    "bayes-leakage",
    "delta",
    "exclusion",
    "guessing",
    "max-information",
    "max-information-two-sided",
    "max-log-ratio",
    "maximal-leakage",
    "mutual-information",
    "odds",
    "relative-entropy",
]


class Cloud(Protocol):
    """A view, as far as measures are concerned."""

    @property
    def prior_known(self) -> bool: ...
    def sup(self, f: Functional) -> Bound: ...
    def mean(self, f: Functional) -> Bound: ...


@dataclass(frozen=True)
class Measure:
    """``finish`` of the largest value, or the mean, of ``f``: a function of the posterior.

    f must be quasi-convex for "sup" and convex for "mean", and 0 where nothing was learned: then
    the measure never rises under post-processing. Where the worst of several such functions is
    meant (pairs of secrets), f gives them along one more axis, the last. ``finish`` is increasing,
    with finish(0) = 0. ``unit`` "odds" reports e^f, a factor on odds. ``moves``: how far f may be
    off where the posteriors are, ``least`` and ``most``: what its ends are, ``reads``: what of them
    it depends on (types/posteriors.py). ``options``: those f takes, with their defaults.
    """

    name: MeasureName
    f: Callable[..., Array]
    over: Literal["sup", "mean"]
    unit: Literal["nat", "odds", "guess", "probability"] = "nat"
    finish: Callable[[float], float] = float
    moves: Moves = by_lifts
    least: float = 0.0
    most: float = math.inf
    reads: Reads = "prior"
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def prior_free(self) -> bool:
        """Whether classes are only compared two by two."""
        return self.reads == "pairs"

    def of(self, cloud: Cloud, **options: float) -> Bound:
        """This measure of the cloud, as computed; ``options`` of this measure only."""
        return self._of(cloud, self._with(options))

    def rounded(self, cloud: Cloud, **options: float) -> Bound:
        """The same, with the rounding behind its ends (`Bound.outer`)."""
        return self._of(cloud, replace(self._with(options), outer=True))

    def _of(self, cloud: Cloud, f: Functional) -> Bound:
        if not (cloud.prior_known or self.prior_free):
            raise NotKnown(
                f"{self.name}: needs the prior probabilities of the target's values, which this "
                'belief compares without knowing them; ask for "max-log-ratio" or "delta"'
            )
        bound = cloud.sup(f) if self.over == "sup" else cloud.mean(f)
        if bound.status != "ok":
            return bound
        if bound.outer is None and self.unit == bound.unit and self.finish is float:
            return bound
        outer = bound.outer and (max(bound.outer[0], self.least), bound.outer[1])
        if self.unit == "odds":
            return Bound.of_odds(bound.low, bound.high, bound.premise, bound.why, outer)
        low, high = self.finish(bound.low), self.finish(bound.high)
        if outer is not None:
            outer = self.finish(outer[0]), min(self.finish(outer[1]), max(self.most, high))
            if self.finish is not float:
                outer = min(low, down(outer[0], FINISH)), max(high, up(outer[1], FINISH))
        return Bound(low, high, self.unit, bound.premise, bound.why, outer=outer)

    def _with(self, options: Mapping[str, float]) -> Functional:
        """f with these options, the others being as by default."""
        for name in options:
            if not self.options:
                raise InputError(f'{self.name}: takes no options; leave out "{name}"')
            if name not in self.options:
                raise unknown(f"option of {self.name}", name, self.options)
            if not isinstance(options[name], Real):
                raise InputError(
                    f"{self.name}: {name} must be a number, got {quoted(options[name])}"
                )
        given = {name: number(options[name]) for name in options}
        f = partial(self.f, **{**self.options, **given}) if self.options else self.f
        return Functional(f, self.reads, self.name, self.moves, self.least)
