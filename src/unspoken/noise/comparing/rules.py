"""The rules by which people choose the scale of noise, sound or not, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from unspoken.core.mechanisms.linear import parted
from unspoken.core.types.bound import Estimate
from unspoken.noise.calibration import by_method, calibrate
from unspoken.noise.calibration.knowledge import Knows
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.published import (
    baseline,
    dpm_neighbours,
    dpm_one_endpoint,
    dpm_pairwise,
    pearson,
)

__all__ = ["RULES", "ScaleRule"]


@dataclass(frozen=True)
class ScaleRule:
    """``sound``: whether its scale keeps the limit always; ``why`` it does, or where it does not.

    ``composes``: whether the scales of several answers may be had one by one ("as epsilons": these
    are added up first and converted once; "as a vector": calibrate all at once).
    """

    scale: Callable[[NoiseProblem, Knows], float] = field(compare=False)
    sound: bool
    why: str
    composes: str


def _exact(problem: NoiseProblem, knows: Knows) -> float:
    weights, terms = parted(problem.weights)
    asked = calibrate(problem.belief, weights, terms=terms, limit=problem.limit, knows=knows)
    return asked.scale


def _sound(method: str, why: str, composes: str) -> ScaleRule:
    """One of `unspoken.noise.calibration.METHODS`."""
    return ScaleRule(partial(by_method, method), True, why, composes)


def _alone(problem: NoiseProblem, knows: Knows) -> float:
    return problem.reach / problem.limit


def _printed(rule: Callable[..., Estimate], why: str) -> ScaleRule:
    """One of `unspoken.published`, which gives no guarantee; its limits add up no better."""
    return ScaleRule(partial(_by_print, rule), False, why, "no")


def _by_print(rule: Callable[..., Estimate], problem: NoiseProblem, knows: Knows) -> float:
    return rule(problem.belief, problem.weights, limit=problem.limit).value


def _neighbours(problem: NoiseProblem, knows: Knows) -> float:
    """The graph is the belief's own: whoever shields a variable from the rest."""
    belief = problem.belief
    graph = {name: belief.blanket(name) for name in belief.domain.names}
    return dpm_neighbours(belief, graph, problem.weights, limit=problem.limit).value


LINEAR = "yes, if linear"

RULES: Mapping[str, ScaleRule] = {
    "exact": ScaleRule(
        _exact,
        True,
        "the largest log-ratio lies at a possible sum",
        "as a vector",
    ),
    "bdp_gaussian": _sound(
        "bdp_gaussian",
        "the largest correlation, among all that depend on one another; for everybody",
        "yes",
    ),
    "bdp_markov": _sound(
        "bdp_markov",
        "any private answer, and four times the largest log-ratio of transitions; for everybody",
        "as epsilons",
    ),
    "branches": _sound(
        "branches",
        "a branch lets through no more than its edge, nor more than is behind it; for everybody",
        "as a vector",
    ),
    "budget": _sound(
        "budget",
        "any private answer tells no more, given how far the others move (total variation)",
        "as epsilons",
    ),
    "dpm": _sound("dpm", "the pairs' coefficients over the whole block, both ends", LINEAR),
    "group": _sound(
        "group", "changing one value changes its independent block at most; for everybody", "yes"
    ),
    "influence": _sound(
        "influence",
        "half of what neighbours do to one another's odds, and its powers; for everybody",
        "yes",
    ),
    "mean": _sound("mean", "as dpm, with means in place of exponential moments", LINEAR),
    "quilt": _sound(
        "quilt",
        "what lies between two variables of a chain is shielded by them",
        "same quilts only",
    ),
    "wasserstein": _sound(
        "wasserstein", "moving mass by w moves no likelihood by more than e^(w / scale)", "no"
    ),
    "dp": ScaleRule(
        _alone,
        False,
        "differential privacy keeps its promise, which is about who knows all others",
        "as epsilons",
    ),
    "baseline": _printed(
        baseline,
        "Theorem 7 of paper 002 with dependence counted pair by pair: misses three bits that are "
        "an xor",
    ),
    "dpm_neighbours": ScaleRule(
        _neighbours, False, "eq. 23 over neighbours: dependence does not end at them", "no"
    ),
    "dpm_one_endpoint": _printed(
        dpm_one_endpoint, "eq. 18 with one end of the range: two tuples leak 1.17 times the limit"
    ),
    "dpm_pairwise": _printed(
        dpm_pairwise, "eq. 14 summed over pairs: misses three bits that are an xor"
    ),
    "pearson": _printed(pearson, "correlations see straight lines only"),
}
