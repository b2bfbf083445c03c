"""Published rules for the scale, in sound readings: no search, and more noise."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from unspoken.core.errors import NotKnown, TooLarge
from unspoken.noise.calibration.exact.branched import branches
from unspoken.noise.calibration.exact.contexts import contexts
from unspoken.noise.calibration.knowledge import Knows
from unspoken.noise.calibration.problem import RATIO, NoiseProblem
from unspoken.noise.calibration.rules.bayesian import bdp_gaussian, bdp_markov
from unspoken.noise.calibration.rules.dpm import dpm, mean
from unspoken.noise.calibration.rules.group import budget, group
from unspoken.noise.calibration.rules.influence import influence
from unspoken.noise.calibration.rules.quilt import quilt
from unspoken.noise.calibration.rules.wasserstein import wasserstein

__all__ = ["FOR_EVERYBODY", "METHODS", "by_method", "scales_by_rule"]

# For "max-log-ratio"; all but these hold for those who know nothing else (contexts.py).
FOR_EVERYBODY = ("bdp_gaussian", "bdp_markov", "branches", "group", "influence")
UNBOUNDED = ("bdp_gaussian",)  # values need not be
METHODS: dict[str, Callable[[NoiseProblem], float]] = {
    "bdp_gaussian": bdp_gaussian,
    "bdp_markov": bdp_markov,
    "branches": branches,
    "budget": budget,
    "dpm": dpm,
    "group": group,
    "influence": influence,
    "mean": mean,
    "quilt": quilt,
    "wasserstein": wasserstein,
}

# Rules that take all pairs of variables, or all sums, are shown beside a result up to so many.
SLOW, FEW = ("dpm", "mean", "wasserstein"), 400


def by_method(method: str, problem: NoiseProblem, knows: Knows) -> float:
    """The scale of one of `METHODS`; of a set of beliefs, the one that serves all of them."""
    if problem.measure != RATIO:
        raise NotKnown(f'method "{method}": bounds "{RATIO}" only; use method="exact"')
    if problem.members is None:
        raise NotKnown(
            f'method "{method}": needs beliefs that can be listed; use "exact", or give '
            "Beliefs([...]), finitely many"
        )
    return max(_of_one(method, member, knows) for member in problem.members)


def _of_one(method: str, problem: NoiseProblem, knows: Knows) -> float:
    """Beyond those who know nothing else, case by case."""
    bounded = problem.belief.knows_jointly(problem.belief.domain.names[:1])
    if not bounded and method not in UNBOUNDED:
        raise NotKnown(f'method "{method}": needs bounded values, which these are not; use "exact"')
    if method in FOR_EVERYBODY:
        return METHODS[method](problem)
    return max(METHODS[method](context) for context in contexts(problem, knows, method))


def scales_by_rule(problem: NoiseProblem) -> dict[str, float]:
    """The scales of all rules that apply, the least first, for those who know nothing else."""
    few = len(problem.belief.domain.names) <= FEW
    scales = dict[str, float]()
    for name in METHODS:
        with suppress(NotKnown, TooLarge):
            if few or name not in SLOW:
                scales[name] = by_method(name, problem, "nothing")
    return dict(sorted(scales.items(), key=lambda rule: rule[1]))
