"""What a table of what is shown tells: the worst odds of any answer, and bits about each secret."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from unspoken.core.numerics.arrays import Codes
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import Premise
from unspoken.planning.records.bits import ROUNDING, BitLimit, nats
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable, sums

__all__ = ["information", "most_odds"]


def most_odds(
    table: IntegerTable,
    coalitions: Sequence[int],
    rows: Sequence[Rule],
    premise: Premise,
    reached: bool = True,
) -> Bound:
    """The largest factor by which an answer multiplies the odds of an event, from whole numbers.

    ``reached``: under a belief of the rows. Under all of them some answer has 1 at least.
    """
    low, high, why = 0.0, 0.0, "nothing sensitive can occur"
    for watched in Layout.over(table.cells, table.pairs, coalitions, rows).watched:
        secret, other = sums(table, watched)
        possible = np.flatnonzero(secret != 0).tolist()
        quotients = [_ends(secret[answer], other[answer]) for answer in possible]
        if not quotients or max(quotients) <= (low, high):
            continue
        low, high = max(quotients)
        answer = possible[quotients.index((low, high))]
        seen = watched.answers.named(table.cells, table.pairs, answer)
        said = ", ".join(f"{name} {value}" for name, value in seen.items()) or "nothing"
        why = f"about {watched.condition.name}, when {said} is shown"
    if not reached:
        low, high = 1.0, max(high, 1.0)
    return Bound(low, high, "odds", premise, why)


def _ends(secret: int, other: int) -> tuple[float, float]:
    """The largest float that is no more than the quotient, and the smallest that is no less."""
    if not other:
        return math.inf, math.inf
    exact = Fraction(secret, other)
    if exact > sys.float_info.max:
        return sys.float_info.max, math.inf
    nearest = float(exact)
    if nearest == exact:
        return nearest, nearest
    if nearest < exact:
        return nearest, math.nextafter(nearest, math.inf)
    return math.nextafter(nearest, 0.0), nearest


def information(
    table: IntegerTable, coalitions: Sequence[int], secrets: Mapping[int, Codes], premise: Premise
) -> dict[str, Bound]:
    """Of every secret what the coalition that learns most learns of it."""
    cells, found = table.cells, {}
    for axis, labels in secrets.items():
        secret = cells.secret(axis, labels)
        most = max(
            nats(cells, table.pairs, table.shares,
                 BitLimit(cells.probability, secret, sees, math.inf))
            for sees in coalitions
        )  # fmt: skip
        why = "of what is shown of a record, and that the rest is not"
        low = max(0.0, most - 3 * ROUNDING * (1 + most))
        found[cells.domain.names[axis]] = Bound(low, most, "nat", premise, why)
    return found
