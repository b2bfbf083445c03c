"""What an answer does to guessing: the first guess, whatever the prior, and how many it takes.

How good a guess is, is a convex function g of the belief, and its gain E g(posterior) - g(prior).
To keep its digits, what the best guess before the answer is worth afterwards is subtracted first:
linear in the posterior, it has the mean g(prior), and what is left is >= 0 for every answer.
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.posteriors import Off, Posteriors

__all__ = ["BAYES_LEAKAGE", "GUESSING", "MAXIMAL_LEAKAGE"]

# What log lifts and priors of up to a thousand nats are rounded by is far less.
CLEAR = 1e-9


def _largest_lift(after: Posteriors) -> Array:
    """max_s P(y|s) / P(y) - 1, whose mean is sum_y max_s P(y|s) - 1."""
    excess: Array = np.expm1(after.log_lift.max(-1))
    return excess


def _better_guess(after: Posteriors) -> Array:
    """(max_s P(s|y) - P(r|y)) / P(r), r the likeliest class before.

    With l = log P(s|y) / P(r) and m = max_s l it is e^m - e^(l_r) = e^m (1 - e^(l_r - m)).
    """
    best = after.standing.max(-1)
    context, outcome = np.arange(best.shape[0])[:, None], np.arange(best.shape[1])
    before = after.standing[context, outcome, after.prior.argmax(-1)]
    better: Array = np.exp(best) * -np.expm1(before - best)
    return better


def _fewer_guesses(after: Posteriors) -> Array:
    """sum_i i (p_s(i) - p_t(i)): classes tried in the order s of the prior, or t of the posterior.

    Both are sorted by prior + (posterior - prior), the rounding of that sum told apart.
    """
    prior, moved = np.broadcast_arrays(after.prior, after.moved)
    total = prior + moved
    part = total - prior
    rounding = (prior - (total - part)) + (moved - part)  # exact (Knuth's two-sum)
    now = np.lexsort((-rounding, -total))
    before = np.argsort(-prior, kind="stable")
    saved = np.take_along_axis(prior, before, -1) - np.take_along_axis(prior, now, -1)
    saved += np.take_along_axis(moved, before, -1) - np.take_along_axis(moved, now, -1)
    fewer: Array = saved @ np.arange(1.0, saved.shape[-1] + 1.0)
    return fewer


def _with_largest(value: Array, off: Off, after: Posteriors) -> Array:
    """1 + f is the largest lift."""
    moved: Array = (1.0 + value) * off.lifts + 4.0 * UNIT * np.abs(value)
    return moved


def _with_best(value: Array, off: Off, after: Posteriors) -> Array:
    """f is a difference of two P(s) lift_s / P(r), the larger at most f + lift_r.

    Each is off by as much of itself as its lift and the two priors are. Where r leads by more than
    rounding moves it, nothing was gained at all.
    """
    r, each = after.prior.argmax(-1)[..., None], 2.0 * off.lifts + 2.0 * off.shares + 8.0 * UNIT
    leads = np.arange(after.prior.shape[-1]) == r
    others = np.where(leads, -math.inf, after.standing).max(-1)
    ahead = np.where(leads, after.standing, -math.inf).max(-1) - others
    moved: Array = np.where(
        ahead[..., None] > each + CLEAR, 0.0, each * (1.0 + value + off.furthest)
    )
    return moved


def _with_order(value: Array, off: Off, after: Posteriors) -> Array:
    """The most over orders of a sum of at most n P(s) and n P(s) lift_s, whose sums are 1.

    It is as far off as any of these. Where the order before stays by more than rounding moves it,
    nothing was gained at all.
    """
    classes = after.prior.shape[-1]
    prior, posterior = np.broadcast_arrays(after.prior, after.posterior)
    falling = np.take_along_axis(posterior, np.argsort(-prior, kind="stable", axis=-1), -1)
    each = off.lifts + 2.0 * off.shares + (8.0 + classes) * UNIT
    stays = (falling[..., :-1] - falling[..., 1:] > each + CLEAR) | (falling[..., 1:] == 0)
    moved: Array = np.where(stays.all(-1)[..., None], 0.0, classes * each)
    return moved


BAYES_LEAKAGE = Measure("bayes-leakage", _better_guess, "mean", finish=math.log1p, moves=_with_best)
GUESSING = Measure("guessing", _fewer_guesses, "mean", unit="guess", moves=_with_order)
MAXIMAL_LEAKAGE = Measure(
    "maximal-leakage", _largest_lift, "mean", finish=math.log1p, moves=_with_largest
)
