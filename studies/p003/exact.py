"""Theorem 3 (3) and Corollary 1 of paper 003, of the leakages themselves: nothing is rebuilt here.

That edges have the sign of the correlations is the paper's Theorem 3; what follows for adversaries
is its Corollary 1 and the sentences of V.B. Both ends are enumerated, as fractions.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from studies.p003.fractions_by_hand import (
    Law,
    conditional_signs,
    covariance,
    exchangeable_bits,
    odds_factor,
    rows_in_parts,
    two_rows,
)
from studies.row import Outcome, Row, compared

# x_1 is 0 to 3 where x_0 = 0, and where x_0 = 3: a little more on average, and learned less of.
LESS, LESS_NOISE = ((1, 51, 1, 18), (17, 1, 52, 1)), Fraction(4, 3)
NOISE, PARTS = Fraction(3, 2), 10
ATTRACTING = (1, 1, 6, 48)
WEIGHTS = (1, 2, 6, 12, 48)


def _shown(factor: Fraction) -> str:
    return f"x {factor} ({float(factor):.4f})"


def _contradicts(law: Law, q: Fraction) -> bool:
    """Whether forgetting x_1 changes what is learned of x_0 against the sign of the correlation."""
    sign, change = covariance(law, 0, 1, {}), odds_factor(law, q, 0) - odds_factor(law, q, 0, [1])
    return sign * change < 0


def theorem_3_3(small: bool) -> Outcome:
    """D_1 = D_0, so that what is added is never more than what it is added to."""
    less = two_rows(*LESS, apart=3)
    rows = [*rows_in_parts(3, PARTS)]
    laws = [two_rows(one, two, apart=2) for one, two in itertools.product(rows, rows)]
    correlated = [law for law in laws if covariance(law, 0, 1, {}) != 0]
    wrong = [law for law in correlated if _contradicts(law, NOISE)]
    shown = [odds_factor(wrong[0], NOISE, 0, known) for known in ([1], [])] if wrong else []
    told = [odds_factor(less, LESS_NOISE, 0, known) for known in ([1], [])]
    return compared(
        not wrong and not _contradicts(less, LESS_NOISE),
        f"x_1 is 0 to 3, 3 log(4/3) = D_1 / lambda: correlation positive, who knows x_1 learns "
        f"{_shown(told[0])}, who does not {_shown(told[1])}, less; x_1 is 0 to 2, 2 log(3/2), all "
        f"pairs of laws in tenths: {len(wrong)} of {len(correlated):,} against the sign, the first "
        f"{' and '.join(map(_shown, shown))}, more although the correlation is negative",
        "leakages themselves, as fractions; D_1 = D_0. Rarely false, and by little: averages of "
        "e^x are not ordered as averages of x are",
    )


def _weakest_is_worst(law: Law, q: Fraction) -> bool:
    """Of bits that count alike: who knows nothing learns no less than who knows some others."""
    most = len(next(iter(law))) - 1
    known = [odds_factor(law, q, 0, range(1, count + 1)) for count in range(1, most + 1)]
    return max(known) <= odds_factor(law, q, 0)


def corollary_1_2(small: bool) -> Outcome:
    tables = [exchangeable_bits(weights) for weights in itertools.product(WEIGHTS, repeat=4)]
    positive = [law for law in tables if conditional_signs(law) == {1}]
    against = [law for law in positive if not _weakest_is_worst(law, Fraction(2))]
    law = exchangeable_bits(ATTRACTING)
    told = [odds_factor(law, Fraction(2), 0, known) for known in ([], [1], [1, 2])]
    return compared(
        not against and max(told) == told[0],
        f"three bits, weights 1, 1, 6, 48 of each case of no 1 to three, signs of all correlations "
        f"{conditional_signs(law)}: at lambda = 1 / log 2 who knows nothing learns "
        f"{_shown(told[0])}, one other {_shown(told[1])}, both {_shown(told[2])}; of "
        f"{len(positive)} such tables of all weights {', '.join(map(str, WEIGHTS))} {len(against)} "
        f"are against it",
        "leakages themselves, as fractions; that all edges are positive where all correlations are "
        "is Theorem 3 (2). Were an edge the difference of two leakages, there would be nothing to "
        "show: positive numbers add up",
    )


def repelling() -> Law:
    """x_0 says that not all of four others are 1, nearly; all pairs repel one another, weakly."""
    others = 4
    both = [100 + k * (others - k) for k in range(others + 1)]
    none = [
        both[-1] * Fraction(99, 100) / 100 ** (others - k) * Fraction(99, 100) ** (others - k) ** 2
        for k in range(others + 1)
    ]
    return {
        cell: none[sum(cell[1:])] if cell[0] == 0 else both[sum(cell[1:])] - none[sum(cell[1:])]
        for cell in itertools.product((0, 1), repeat=others + 1)
    }


def corollary_1_3(small: bool) -> Outcome:
    law, q = repelling(), Fraction(2)
    strongest, weakest = (odds_factor(law, q, 0, known) for known in ([1, 2, 3, 4], []))
    return compared(
        weakest <= strongest,
        f"five bits, x_0 = 1 nearly always but where all others are 1, signs of all correlations "
        f"{conditional_signs(law)}: at lambda = 1 / log 2 who knows all others learns "
        f"x {float(strongest):.4f}, who knows nothing x {float(weakest):.4f}",
        "leakages themselves, as fractions; that all edges are negative where all correlations are "
        "is Theorem 3 (2)",
    )


HOW = "every case listed, as fractions"
ROWS = (
    Row("003", "Theorem 3 (3), exactly", "more values of x_j, D_j / lambda <= 1: forgetting x_j "
        "adds to what is learned where the correlation is positive, and takes away where it is "
        "negative", HOW, theorem_3_3),
    Row("003", "Corollary 1 (2), exactly", "two values each, all correlations positive, so that "
        "all IR > 0: the weakest adversary learns most", HOW, corollary_1_2),
    Row("003", "Corollary 1 (3), exactly", "two values each, all correlations negative, so that "
        "all IR < 0: the strongest learns most", HOW, corollary_1_3),
)  # fmt: skip
