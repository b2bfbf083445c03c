"""Plans on the account "value": what pooled released values tell about every secret, jointly."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from unsaid.planning.chosen import Chosen
from unsaid.planning.problem import Problem
from unsaid.planning.values import plan_values as maximise_values
from unsaid.types.bound import Bound

__all__ = ["plan_values"]


def plan_values(problem: Problem) -> Chosen:
    """The plan of planning/values.py, put as every account puts it."""
    limit = problem.limit
    limits = limit if isinstance(limit, Mapping) else dict.fromkeys(problem.names, limit)
    best = maximise_values(
        problem.belief,
        problem.sensitive,
        problem.weights,
        -np.expm1(-problem.caps),
        {name: limits.get(name, math.inf) for name in problem.names},
        problem.odds_cap,
        problem.exceed,
    )
    nothing = Bound.of_odds(0.0, 0.0, problem.belief.premise, "nothing is sensitive")
    with np.errstate(divide="ignore"):
        epsilon = np.minimum(-np.log1p(-best.p), problem.caps)
    return Chosen(
        epsilon=epsilon,
        total=max((bound.high for bound in best.information.values()), default=0.0),
        upper=best.upper,
        multiplier=math.nan,
        odds=max(best.odds.values(), key=lambda bound: bound.nats, default=nothing),
        information=best.information,
        telling=best.telling,
    )
