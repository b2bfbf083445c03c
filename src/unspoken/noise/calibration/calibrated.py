"""How much noise an answer needs, so that nobody learns more of anything than a limit allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.display import Shown
from unspoken.core.errors import among
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.mechanisms import Geometric, Laplace, OneSidedNoise
from unspoken.core.mechanisms.linear import Terms, Weighted, merged
from unspoken.core.types.bound import Bound, in_words
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect, labels_by_name
from unspoken.noise.calibration.exact.scale import check_within_reach, exact
from unspoken.noise.calibration.exact.single_variable import floor_of
from unspoken.noise.calibration.knowledge import Knows, checked, whom
from unspoken.noise.calibration.problem import LEAST, NOISES, RATIO, NoiseProblem
from unspoken.noise.calibration.rules.methods import METHODS, by_method, scales_by_rule

__all__ = ["Calibrated", "calibrate"]


@dataclass(frozen=True, repr=False)
class Calibrated(Shown):
    """``mechanism`` has noise of this ``scale``; ``bound``: what the worst adversary learns of it.

    scale 0: no noise is needed; the mechanism then has the least there is. ``problem``, ``method``
    and ``knows`` are what was asked.
    """

    mechanism: Laplace | Geometric | OneSidedNoise
    scale: float
    bound: Bound
    problem: NoiseProblem = field(compare=False)
    method: str
    knows: Knows

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print: the scale and the bound."""
        return {"scale": self.scale, **self.bound.as_json()}

    def facts(self) -> list[tuple[str, str]]:
        scales = scales_by_rule(self.problem)
        others = ", ".join(f"{name} {scale:.5g}" for name, scale in scales.items())
        rules = [("rules", f"{others}, if nothing else is known")] if others else []
        limit = in_words(self.problem.limit, MEASURES[self.problem.measure].unit)
        return [("limit", limit), ("scale", f"{self.scale:.6g}"), *self.bound.facts(), *rules]


def calibrate(
    belief: Belief,
    weights: Weighted = None,
    *,
    terms: Terms = None,
    limit: float,
    measure: MeasureName = RATIO,
    knows: Knows = "anything",
    method: str = "exact",
    floor: bool = True,
    noise: str = "laplace",
    sensitive: Mapping[str, Sequence[Value]] | None = None,
    **options: float,
) -> Calibrated:
    """The least noise on S = sum_i f_i(x_i) with which no variable leaks more than the limit.

    ``weights`` and ``terms``: what is added up, as for `Laplace`.
    ``limit``: in the unit of the ``measure``, any of `MEASURES`: nats, mostly, not bits (a bit is
    log 2 = 0.693 nats). ``options`` are the measure's own.
    ``knows``: what an adversary may know beside the belief: "anything" (whichever of the other
    variables is worst), "nothing", or names. ``floor``: at least as much noise as each variable
    needs by itself (for max-log-ratio: differential privacy's scale); False lets noise from the
    data itself count, down to none at all. ``method``: "exact", or one of `METHODS`, which are
    sound and need more noise. ``noise``: "laplace", "geometric" for whole numbers, "one-sided" for
    counts of what is not ``sensitive`` ({name: values}; `OneSidedNoise`). Of a set of beliefs the
    limit holds whichever of them is true.
    """
    expect(belief, Belief, "calibrate.belief", A_BELIEF)
    among("noise", noise, NOISES)
    asked = merged(weights, terms, noise)[2]
    hidden = _hidden(belief, sensitive)
    problem = NoiseProblem(belief, asked, limit, measure, options, noise, hidden)
    knows = checked(belief.domain, knows, "calibrate")
    among("method", method, ["exact", *METHODS])
    expect(floor, int, "floor", "True or False")
    if noise == "one-sided":
        check_within_reach(problem, knows)
    start = max(floor_of(problem) if floor else 0.0, LEAST[noise])
    if method == "exact":
        scale, bound = exact(problem, knows, start)
    else:
        scale = max(start, by_method(method, problem, knows))
        why = f'method "{method}" for those who know {whom(knows)}'
        bound = Bound(0.0, limit, "nat", belief.premise, why)
    none = scale <= LEAST[noise]
    return Calibrated(
        problem.mechanism(scale), 0.0 if none else scale, bound, problem, method, knows
    )


def _hidden(
    belief: Belief, sensitive: Mapping[str, Sequence[Value]] | None
) -> Mapping[str, Sequence[Value]]:
    """Values of the belief, as they were given."""
    where, given = "calibrate.sensitive", {} if sensitive is None else sensitive
    found = labels_by_name(given, where)
    for name, values in found.items():
        belief.domain.codes(name, values, where)
    return found
