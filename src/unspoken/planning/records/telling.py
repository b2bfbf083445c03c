"""What a table of what is shown tells: the worst odds of any answer, and bits about each secret."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from unspoken.numerics.arrays import Array, Codes
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import Table, sums
from unspoken.types.bound import Bound
from unspoken.types.premise import Premise

__all__ = ["information", "most_odds", "nats", "secret_of"]

# What sums and logarithms of doubles may be off by, relatively and in nats.
ROUNDING = 1e-12


def most_odds(
    table: Table, coalitions: Sequence[int], rows: Sequence[Condition], premise: Premise
) -> Bound:
    """The largest factor by which an answer multiplies the odds of an event, from whole numbers."""
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
    return Bound.of_odds(_log(worst), _log(high), premise, why)


def _log(factor: float) -> float:
    return math.log(factor) if factor > 0 else -math.inf


def secret_of(cells: Cells, axis: int, labels: Codes) -> Codes:
    """Which secret a cell has [cell]: 0 for none, else one more than the place of its label."""
    place = np.zeros(cells.domain.sizes[axis], dtype=np.intp)
    place[labels] = np.arange(1, len(labels) + 1)
    return place[cells.codes[:, axis]]


def nats(cells: Cells, pairs: Pairs, shares: Array, secret: Codes, answers: Answers) -> float:
    """I(S; Y) = sum P(s, y) ln P(s, y) / (P(s) P(y)), but for rounding."""
    kinds = int(secret.max(initial=0)) + 1
    at = answers.of_pair * kinds + secret[pairs.cell]
    mass = cells.probability[pairs.cell] * shares
    joint = np.bincount(at, mass, len(answers) * kinds).reshape(-1, kinds)
    prior = np.bincount(secret, cells.probability, kinds)
    both = np.outer(joint.sum(1), prior)
    there = (joint > 0) & (both > 0)
    terms = joint[there] * np.log(joint[there] / both[there])
    return max(0.0, math.fsum(terms.tolist()))


def information(
    table: Table,
    coalitions: Sequence[int],
    secrets: Mapping[int, Codes],
    premise: Premise,
) -> dict[str, Bound]:
    """Of every secret what the coalition that learns most learns of it."""
    found = {}
    for axis, labels in secrets.items():
        secret = secret_of(table.cells, axis, labels)
        told = max(
            nats(table.cells, table.pairs, table.shares, secret,
                 Answers.of(table.cells, table.pairs, sees))
            for sees in coalitions
        )  # fmt: skip
        high = told * (1 + ROUNDING) + ROUNDING
        why = "of what is shown of a record, and that the rest is not"
        name = table.cells.domain.names[axis]
        found[name] = Bound(max(0.0, told * (1 - ROUNDING) - ROUNDING), high, "nat", premise, why)
    return found
