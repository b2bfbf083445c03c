"""What is to be calibrated: a belief, a linear query, a measure and its limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, NotKnown, among, shown
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.mechanisms import Geometric, Laplace, OneSidedNoise
from unspoken.core.mechanisms.geometric import alpha_of
from unspoken.core.mechanisms.linear import Weighted, frozen, linear_queries, parted, written
from unspoken.core.numerics.arrays import CELLS
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.same import state
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect
from unspoken.core.types.sums import Weights, moved_by
from unspoken.core.views import NoisyView, View

__all__ = ["LEAST", "NOISES", "RATIO", "NoiseProblem"]

RATIO: Final = "max-log-ratio"
NOISES = ("laplace", "geometric", "one-sided")
# The least noise there is: what a scale of 0 ("no noise is needed") is looked at with.
LEAST = {"laplace": 1e-150, "geometric": 1.0 / 700.0, "one-sided": 1.0 / 700.0}
SMALLEST = 1e-150  # of a limit: noise for a smaller one would be more than floats can hold

Found = TypeVar("Found")


@dataclass(frozen=True)
class NoiseProblem:
    """``limit``: what nobody is to exceed, in the unit of the measure.

    ``weights``: a mechanism's weights and terms in one. ``sensitive``: of one-sided noise.
    """

    belief: Belief
    weights: Weighted
    limit: float
    measure: MeasureName = RATIO
    options: Mapping[str, float] = field(default_factory=dict)
    noise: str = "laplace"
    sensitive: Mapping[str, Sequence[Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        expect(self.belief, Belief, "belief", A_BELIEF)
        among("measure", self.measure, MEASURES)
        among("noise", self.noise, NOISES)
        unit = MEASURES[self.measure].unit
        nothing = 1.0 if unit == "odds" else 0.0
        if not nothing + SMALLEST < number(self.limit) < math.inf:
            raise InputError(
                f"limit, in {unit}: {shown(self.limit)} must be finite and more than {nothing:g}, "
                f"which {self.measure} is where nothing leaks"
            )
        object.__setattr__(self, "limit", number(self.limit))
        object.__setattr__(self, "weights", frozen(self.weights, f"{self.noise}.weights"))
        self._check_noise()
        self.mechanism(1.0).parts(self.belief.domain, Adversary(self.belief.domain.names[0]))

    def __getstate__(self) -> dict[str, Any]:
        return state(self)  # copies work out for themselves what was asked of the belief

    def _check_noise(self) -> None:
        if self.noise != "one-sided":
            if self.sensitive:
                raise InputError('calibrate.sensitive: is what noise="one-sided" hides; say that')
            return
        if self.measure == RATIO:
            raise NotKnown(
                f'calibrate: noise="one-sided" keeps no limit on "{RATIO}": an answer may show '
                'that somebody is not sensitive; take measure="exclusion", or noise="geometric"'
            )
        plain, _ = parted(self.weights)
        if self.weights is None or (plain is not None and any(map(np.any, _numbers(plain)))):
            raise InputError(
                'calibrate: noise="one-sided" counts what is not sensitive; give terms, '
                "{name: {value: number}}, of which sensitive values add 0"
            )

    def mechanism(self, scale: float) -> Laplace | Geometric | OneSidedNoise:
        """The query with this much noise; P(z) ~ e^(-|z| / scale), of one-sided noise z <= 0."""
        if self.noise == "one-sided":
            return OneSidedNoise(alpha_of(scale), parted(self.weights)[1] or {}, self.sensitive)
        if self.noise == "geometric":
            return Geometric(alpha_of(scale), *parted(self.weights))
        return Laplace(scale, *parted(self.weights))

    def width(self, scale: float) -> float:
        """The scale that noise really has: no less than asked for, and as near as floats allow."""
        return scale if self.noise == "laplace" else -1.0 / math.log(alpha_of(scale))

    def view(self, adversary: Adversary, scale: float) -> View:
        """What one adversary may come to believe at this scale."""
        return self.mechanism(scale).view(self.worked_out_once, adversary)

    def leak(self, adversary: Adversary, scale: float) -> float:
        """What one adversary learns, as computed."""
        return MEASURES[self.measure].of(self.view(adversary, scale), **self.options).value

    def bound(self, adversary: Adversary, scale: float) -> Bound:
        """The same, with the rounding behind its ends."""
        view = self.view(adversary, scale)
        return MEASURES[self.measure].rounded(view, **self.options).outward()

    def most(self, adversary: Adversary, scale: float, pieces: int = 1) -> float:
        """What this adversary does not exceed, quickly: told the answer but for some of its noise
        (core/types/noise.py: seeing nodes tells at least as much as seeing the answer). The nodes
        are the points, and of one answer so many ``pieces`` between them.
        """
        view = self.view(adversary, scale)
        if isinstance(view, NoisyView):
            nodes = list(view.points)
            if len(nodes) == 1 and pieces > 1:
                (noise,), (points,) = view.source.noises, nodes
                nodes = [noise.finer(points, np.full(len(points) - 1, pieces))]
            view = view.source.listed(view.source.nodes(nodes))
        return MEASURES[self.measure].of(view, **self.options).value

    @cached_property
    def queries(self) -> list[Weights]:
        return linear_queries(self.belief.domain, self.weights, "calibrate")

    @cached_property
    def worked_out_once(self) -> Belief:
        """The belief; only the noise depends on the scale, so its laws are kept (pairs, sums)."""
        return _keeping(self.belief)

    def once(self, work: Callable[..., Found], *arguments: Hashable) -> Found:
        """``work`` on this problem, of whatever depends on no scale: it is kept, too."""
        key = work, *arguments
        if key not in self._found:
            self._found[key] = work(self, *arguments)
        found: Found = self._found[key]
        return found

    @cached_property
    def _found(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def members(self) -> list[NoiseProblem] | None:
        """The problem for each belief that may be true; None where they cannot be listed."""
        try:
            beliefs = self.belief.candidates
        except NotKnown:
            return None
        return [self if it is self.belief else replace(self, belief=it) for it in beliefs]

    @cached_property
    def reaches(self) -> dict[str, float]:
        """D_i = max over x_i, x_i' of sum_c |f_ci(x_i) - f_ci(x_i')|: how far x_i alone moves all
        answers; of weights sum_c |w_ci| (max x_i - min x_i).
        """
        domain = self.belief.domain
        return {
            name: moved_by(domain, name, [(1.0, query.get(name, 0.0)) for query in self.queries])
            for name in domain.names
        }

    @property
    def reach(self) -> float:
        return max(self.reaches.values())

    def part(self, belief: Belief) -> NoiseProblem:
        """The same about some of the variables, all else in the answers being known."""
        return replace(self.about(belief.domain.names), belief=belief)

    def about(self, names: Sequence[str]) -> NoiseProblem:
        """The same of answers that have these variables in them only."""
        return replace(self, weights=written(self.belief.domain, self.queries, names))

    @property
    def fast(self) -> bool:
        """Whether largest log-ratios of one number are all that is asked for."""
        return self.measure == RATIO and len(self.queries) == 1


def _numbers(weights: Any) -> list[Any]:
    return [*weights.values()] if isinstance(weights, Mapping) else [*weights]


def _keeping(belief: Belief) -> Belief:
    """The same belief, which works out every law once, however often it is asked for.

    What it keeps lasts as long as it does; of tables of pairs, so many as make CELLS numbers.
    """
    if "sums" in vars(belief):
        return belief  # which is one that keeps them
    same, made, room = copy(belief), dict[Hashable, Any](), CELLS

    def once(primitive: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal room
        key = primitive.__name__, *map(_hashable, arguments)
        if key in made:
            return made[key]
        answer = primitive(*arguments)
        size = answer.size if isinstance(answer, np.ndarray) else 0
        if size <= room:
            made[key], room = answer, room - size
        return answer

    def given(known: Mapping[str, Value]) -> Belief:
        return _keeping(belief.given(known))

    def knowing(names: Sequence[str]) -> tuple[Belief, tuple[str, ...]]:
        later, matter = belief.knowing(names)
        return (same if later is belief else _keeping(later)), matter

    for primitive in (belief.sums, belief.sums_of_each, belief.beside, given, knowing):
        setattr(same, primitive.__name__, partial(once, primitive))
    return same


def _hashable(argument: Any) -> Hashable:
    """Names, {name: value}, or a list of {name: weight}."""
    if isinstance(argument, Mapping):
        return tuple(argument.items())
    return tuple(_hashable(part) if isinstance(part, Mapping) else part for part in argument)
