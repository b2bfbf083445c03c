"""Plans on the account "value": what pooled released values tell about every secret, jointly."""

from __future__ import annotations

import math

import numpy as np

from unspoken.planning.chosen import Chosen, worst_odds
from unspoken.planning.problem import Problem
from unspoken.planning.values import plan_values as maximise_values

__all__ = ["plan_values"]


def plan_values(problem: Problem) -> Chosen:
    """The plan of planning/values.py, put as every account puts it."""
    best = maximise_values(problem)
    with np.errstate(divide="ignore"):
        epsilon = np.minimum(-np.log1p(-best.p), problem.caps)
    return Chosen(
        epsilon=epsilon,
        total=max((bound.high for bound in best.information.values()), default=0.0),
        upper=best.upper,
        multiplier=math.nan,
        odds=worst_odds(best.odds, problem.belief.premise),
        information=best.information,
        exceeded=best.above,
        telling=best.telling,
    )
