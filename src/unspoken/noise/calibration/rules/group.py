"""Scales that hold whatever the dependence in a block is, or know only how strong it is."""

from __future__ import annotations

from unspoken.core.conversion import dependence
from unspoken.core.numerics.rounding import quotient_up, up
from unspoken.noise.calibration.problem import NoiseProblem

__all__ = ["budget", "group"]


def group(problem: NoiseProblem) -> float:
    """max over blocks of sum_i D_i / limit: group privacy (the "baseline", for unequal weights).

    Needs blocks that are jointly independent of one another; then changing x_i changes its block at
    most. Holds for any dependence within a block, and for everybody, whatever they know. Counting
    the variables that depend on x_i pair by pair, or its neighbours in a graph, is not enough.
    """
    reaches = problem.reaches
    sums = [sum(reaches[name] for name in block) for block in problem.belief.blocks()]
    return quotient_up(up(max(sums), len(reaches)), problem.limit)


def budget(problem: NoiseProblem) -> float:
    """max_i D_i / eps for the largest eps that k dependent ones and a distance sigma allow.

    Needs the total variation distance sigma_i = max_ab TV(P(x_others | a), P(x_others | b)) of each
    variable and the size k of its block (paper 004; unspoken.dp_budget). Any epsilon-private answer
    will do, not only this one. Holds for those who know nothing else.
    """
    return quotient_up(problem.reach, dependence(problem.belief).budget(problem.limit))
