"""Theorems 1 to 4 of paper 001: printed formula, library, and every case listed, on drawn laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

import unspoken
from studies.by_hand import apart, laws, same
from studies.p001.law import belief, deltas, f1, f2, library, listed, odds
from studies.row import Outcome, Row, compared
from unspoken import Adversary, OneSided
from unspoken.core.numerics.arrays import Array

EVERY = slice(None)
DRAWS, SEED = 30, 1
EPSILONS = (0.1, 1.0, 4.0)
HOW = f"formula, `odds` and all cases listed, {DRAWS} drawn laws, eps = 0.1, 1, 4"


def worst_of(check: Callable[[Array, float], tuple[float, float, float]]) -> float:
    """The largest difference among printed, listed and the library's number."""
    found = [
        max(apart(printed, by_hand), apart(printed, own))
        for law in laws(DRAWS, (2, 2), SEED)
        for epsilon in EPSILONS
        for printed, by_hand, own in [check(law, epsilon)]
    ]
    return max(found)


def agreed(worst: float, more: str = "", why: str = "") -> Outcome:
    return compared(worst <= 1e-9, "; ".join(filter(None, [same(worst), more])), why)


def theorem_1(small: bool) -> Outcome:
    def check(asked: int, law: Array, epsilon: float) -> tuple[float, float, float]:
        by_hand = odds(listed(law, epsilon, 0.0, asked), law, 0, (0, EVERY))
        own = library(law, {"i": epsilon}, "i", {"i": 0}, asked)
        return math.exp(asked * epsilon), by_hand, own

    worst = max(worst_of(partial(check, asked)) for asked in (1, 5))
    return agreed(worst, "e^(n eps) for n = 1 and 5", "the prior does not matter")


def lemma_1(small: bool) -> Outcome:
    """So that P(x_j | m) is the mean of P(x_j | x_i) over P(x_i | m), as `odds` has either."""

    def check(law: Array, epsilon: float, shown: int) -> float:
        own, other = law[0].sum() / law[1].sum(), law[:, 0].sum() / law[:, 1].sum()
        factor = library(law, {"i": epsilon}, "i", {"i": shown})
        sensitive = factor * own / (1 + factor * own)  # P(X_i = 0 | m)
        given = law[:, 0] / law.sum(1)  # P(X_j = 0 | x_i)
        after = sensitive * given[0] + (1 - sensitive) * given[1]
        found = library(law, {"i": epsilon}, "j", {"i": shown})
        return apart(after / (1 - after) / other, found)

    worst = max(
        check(law, eps, shown)
        for law in laws(DRAWS, (2, 2), SEED)
        for eps in EPSILONS
        for shown in (0, 1)
    )
    return agreed(worst, "", "the coin of i looks at X_i only")


def theorem_2(small: bool) -> Outcome:
    worst = worst_of(
        lambda law, eps: (
            f1(law, eps),
            odds(listed(law, eps), law, 1, (0, EVERY)),
            library(law, {"i": eps}, "j", {"i": 0}),
        )
    )
    law = next(laws(1, (2, 2), SEED))
    first, second = deltas(law)
    apart_law = np.outer([0.2, 0.8], [0.3, 0.7])
    ends = [library(law, {"i": eps}, "j", {"i": 0}) for eps in (0.0, math.inf)]
    free = library(apart_law, {"i": 2.0}, "j", {"i": 0})
    limits = max(apart(ends[0], 1), apart(ends[1], first / second), apart(free, 1))
    return agreed(
        max(worst, limits),
        f"x {ends[0]:.4f} at eps = 0, x {ends[1]:.4f} = delta_1 / delta_2 without end, "
        f"x {free:.4f} if independent",
    )


def corollary_1(small: bool) -> Outcome:
    worst = worst_of(
        lambda law, eps: (
            f1(law, 3 * eps),
            odds(listed(law, eps, 0.0, 3), law, 1, (0, EVERY)),
            library(law, {"i": eps}, "j", {"i": 0}, 3),
        )
    )
    return agreed(worst, "n = 3, fresh coins")


def theorem_3(small: bool) -> Outcome:
    worst = worst_of(
        lambda law, eps: (
            f2(law),
            odds(listed(law, eps), law, 1, (1, EVERY)),
            library(law, {"i": eps}, "j", {"i": 1}),
        )
    )
    law = np.array([[0.01, 0.30], [0.24, 0.45]])
    small_eps = unspoken.leakage(belief(law), OneSided({"i": 0.01}), Adversary("j"), "odds").value
    why = "a smaller eps makes the answer rarer, not weaker: no freedom from exclusion about j"
    return agreed(worst, f"at eps = 0.01 the odds may move by x {small_eps:.4f}", why)


def theorem_4(small: bool) -> Outcome:
    def check(shown: int, law: Array, epsilon: float) -> tuple[float, float, float]:
        printed = (f2(law) if shown else f1(law, epsilon)) * math.exp(0.5)
        by_hand = odds(listed(law, epsilon, 0.5), law, 1, (shown, 0))
        own = library(law, {"i": epsilon, "j": 0.5}, "j", {"i": shown, "j": 0})
        return printed, by_hand, own

    worst = max(worst_of(partial(check, shown)) for shown in (0, 1))
    law = next(laws(1, (2, 2), SEED))
    left = max(library(law, {"i": 1.0, "j": 0.5}, "j", {"i": m, "j": 1}) for m in (0, 1))
    return agreed(
        worst,
        f"where M_j = 1: x {left:g}",
        "the paper leaves out M_j = 1, which rules X_j = 0 out",
    )


def cancelling(small: bool) -> Outcome:
    """At eps_i = log(1 + (1 - e^-eps_j) / (e^-eps_j delta_2 - delta_1)) two blanks say nothing."""
    first, second, eps_j = 0.1, 0.7, 0.8
    law = np.array([[0.3 * first, 0.7 * second], [0.3 * (1 - first), 0.7 * (1 - second)]])
    keep = math.exp(-eps_j)
    eps_i = math.log1p((1 - keep) / (keep * second - first))
    both = {"i": eps_i, "j": eps_j}
    silent, other = (library(law, both, "j", {"i": m, "j": 0}) for m in (0, 1))
    told = [
        unspoken.leakage(
            belief(law), OneSided(both), Adversary("j", sees=sees), "mutual-information"
        ).bits
        for sees in (["j"], ["i", "j"])
    ]
    return compared(
        abs(silent - 1) < 1e-9 and told[1] > told[0],
        f"delta_1 = 0.1 < delta_2 = 0.7: two blanks x {silent:.4f}; i shown, j blank "
        f"x {other:.4f}; on average {told[0]:.4f} bit from j, {told[1]:.4f} from both",
        "one answer cancels, no coalition learns less on average",
    )


def reinforcing(small: bool) -> Outcome:
    held = [
        library(law, {"i": eps, "j": 0.5}, "j", {"i": 0, "j": 0}) > math.exp(0.5)
        for law in laws(DRAWS, (2, 2), SEED)
        for eps in EPSILONS
        if deltas(law)[0] > deltas(law)[1]
    ]
    return compared(all(held), f"{sum(held)} of {len(held)} draws with delta_1 > delta_2")


def slips(small: bool) -> Outcome:
    """Remarks under Theorem 4, taken literally."""
    law = next(law for law in laws(DRAWS, (2, 2), SEED) if deltas(law)[0] < deltas(law)[1])
    at_zero = library(law, {"i": 0.0}, "j", {"i": 0})
    released = library(law, {"i": 1.0, "j": 0.5}, "j", {"i": 1, "j": 0}) / math.exp(0.5)
    return compared(
        at_zero < 1 and released < 1,
        f"f1(0) = {at_zero:.4f}; with delta_1 < delta_2 f2 = {released:.4f}",
        "f1 < 1 for eps > 0 only; f2 cancels where delta_1 > delta_2. Slips of the pen: the "
        "theorems stand",
    )


ROWS = (
    Row("001", "Theorem 1, eq. 1, 2", "n blanks multiply the odds by e^(n eps)", HOW, theorem_1),
    Row(
        "001",
        "Lemma 1, eq. 3",
        "given X_i, M_i says nothing of X_j",
        f"`odds` of either, {DRAWS} drawn laws",
        lemma_1,
    ),
    Row(
        "001",
        "Theorem 2, eq. 4-11",
        "a blank of i moves the odds of j by f1; limits 1 at eps = 0 or independence, "
        "delta_1 / delta_2",
        HOW,
        theorem_2,
    ),
    Row("001", "Corollary 1, eq. 12", "n blanks of i move them by f1(n eps)", HOW, corollary_1),
    Row("001", "Theorem 3, eq. 13-16", "a release of i moves them by f2, whatever eps", HOW,
        theorem_3),
    Row("001", "Theorem 4, eq. 17-20", "with a blank of j: f1 e^eps_j and f2 e^eps_j", HOW,
        theorem_4),
    Row(
        "001",
        "V.B, cancellation",
        "f1 e^eps_j can be about 1: two pieces of information cancel",
        "`odds`, `leakage` where f1 e^eps_j = 1 is solved for eps_i",
        cancelling,
    ),
    Row(
        "001",
        "V.B, reinforcement",
        "where delta_1 > delta_2 two blanks reinforce each other",
        f"`odds` on those of {DRAWS} drawn laws",
        reinforcing,
    ),
    Row(
        "001",
        "V.B, delta_1 < delta_2",
        "f1 < 1 for all eps >= 0, and the same of f2",
        "`odds` at eps = 0 and of a release, delta_1 < delta_2",
        slips,
    ),
)  # fmt: skip
