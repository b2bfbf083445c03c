"""What a table of what is shown tells: the worst odds of any answer, and bits about each secret."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from unspoken.numerics.arrays import Codes
from unspoken.planning.records.bits import ROUNDING, BitLimit, nats
from unspoken.planning.records.conditions import Rule
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable, sums
from unspoken.types.bound import Bound, log_or_inf
from unspoken.types.premise import Premise

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
    worst, why = 0.0, "nothing sensitive can occur"
    for watched in Layout.over(table.cells, table.pairs, coalitions, rows).watched:
        secret, other = sums(table, watched)
        at = np.flatnonzero(secret != 0)
        factors = [s / o if o else math.inf for s, o in zip(secret[at], other[at], strict=True)]
        if factors and max(factors) > worst:
            worst = max(factors)
            answer = int(at[int(np.argmax(factors))])
            seen = watched.answers.named(table.cells, table.pairs, answer)
            said = ", ".join(f"{name} {value}" for name, value in seen.items()) or "nothing"
            why = f"about {watched.condition.name}, when {said} is shown"
    high = math.nextafter(worst, math.inf) if 0 < worst < math.inf else worst
    if not reached:
        return Bound.of_odds(0.0, max(log_or_inf(high), 0.0), premise, why)
    return Bound.of_odds(log_or_inf(worst), log_or_inf(high), premise, why)


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
