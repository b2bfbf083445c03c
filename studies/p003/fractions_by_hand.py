"""Leakages of paper 003's adversaries as fractions: no formula of the paper, and no rounding.

Laplace noise of scale 1 / log(q) has at whole numbers densities proportional to q^-|answer - sum|.
Two densities differ most at a sum that is possible, so for a rational q and whole values the
largest factor on the odds is a fraction. A law is {values of all variables: its mass}.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

__all__ = [
    "Law", "conditional_signs", "covariance", "exchangeable_bits", "odds_factor", "rows_in_parts",
    "two_rows",
]  # fmt: skip

Law = Mapping[tuple[int, ...], Fraction]


def odds_factor(law: Law, q: Fraction, target: int, known: Sequence[int] = ()) -> Fraction:
    """By how much an answer multiplies the odds of two values of the target, at most."""
    sums, worst = {sum(cell) for cell in law}, Fraction(1)
    for context in {tuple(cell[k] for k in known) for cell in law}:
        rows = _rows_by_value(law, target, dict(zip(known, context, strict=True)))
        for answer in sums:
            densities = [_density(row, answer, q) for row in rows]
            worst = max(worst, max(densities) / min(densities))
    return worst


def covariance(law: Law, i: int, j: int, given: Mapping[int, int]) -> Fraction:
    """Of x_i and x_j, where some others have the values ``given``; it has the sign of Pearson's."""
    cells = [(cell, mass) for cell, mass in law.items() if _agrees(cell, given)]
    whole = sum((mass for _, mass in cells), Fraction(0))
    both = sum(mass * cell[i] * cell[j] for cell, mass in cells) / whole
    alone = [sum(mass * cell[k] for cell, mass in cells) / whole for k in (i, j)]
    return both - alone[0] * alone[1]


def conditional_signs(law: Law) -> set[int]:
    """The signs of all pairs' correlations, given any values of any of the others."""
    found = set[int]()
    size = len(next(iter(law)))
    for i, j in itertools.combinations(range(size), 2):
        others = [k for k in range(size) if k not in (i, j)]
        for count in range(len(others) + 1):
            for known in itertools.combinations(others, count):
                for context in {tuple(cell[k] for k in known) for cell in law}:
                    given = dict(zip(known, context, strict=True))
                    found.add(_sign(covariance(law, i, j, given)))
    return found


def two_rows(first: Sequence[int], second: Sequence[int], apart: int) -> Law:
    """x_0 is 0 or ``apart``, evenly; x_1 is 0, 1, ... with these weights in each case."""
    return {
        (value, x): Fraction(weight, 2 * sum(row))
        for value, row in ((0, first), (apart, second))
        for x, weight in enumerate(row)
    }


def exchangeable_bits(weights: Sequence[Fraction | int]) -> Law:
    """Bits that count alike: a weight for each case of no 1, of one, and so on."""
    cells = itertools.product((0, 1), repeat=len(weights) - 1)
    return {cell: Fraction(weights[sum(cell)]) for cell in cells}


def rows_in_parts(values: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All weights of so many values, none of them 0, that add up to ``parts``."""
    for weights in itertools.product(range(1, parts), repeat=values - 1):
        if sum(weights) < parts:
            yield *weights, parts - sum(weights)


def _density(row: list[tuple[int, Fraction]], answer: int, q: Fraction) -> Fraction:
    """Of the answer, given a row of sums and their masses; the noise's own factor left out."""
    whole = sum((mass for _, mass in row), Fraction(0))
    return sum((mass * q ** -abs(answer - total) for total, mass in row), Fraction(0)) / whole


def _rows_by_value(
    law: Law, target: int, given: Mapping[int, int]
) -> list[list[tuple[int, Fraction]]]:
    """For each value of the target that is possible there: the sums, and their masses."""
    rows = dict[int, list[tuple[int, Fraction]]]()
    for cell, mass in law.items():
        if _agrees(cell, given):
            rows.setdefault(cell[target], []).append((sum(cell), mass))
    return [*rows.values()]


def _agrees(cell: tuple[int, ...], given: Mapping[int, int]) -> bool:
    return all(cell[k] == value for k, value in given.items())


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
