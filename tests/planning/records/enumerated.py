"""Plans with one coin a record, looked at by plain loops over records, patterns and answers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

WHOLE = 2**62


def shown(plan):
    """{record (by positions of labels): {names shown: Fraction}}, records that show nothing left
    out.
    """
    told = plan.mechanism.describe()
    names, found = told["names"], {}
    for codes, masks, weights in zip(told["codes"], told["masks"], told["weights"], strict=True):
        record = tuple(told["values"][n][c] for n, c in zip(names, codes, strict=True))
        own = {
            frozenset(n for k, n in enumerate(names) if m >> k & 1): Fraction(w, WHOLE)
            for m, w in zip(masks, weights, strict=True)
        }
        own[frozenset()] = own.get(frozenset(), 0) + 1 - sum(own.values())
        found[dict_key(names, record)] = own
    return found


def dict_key(names, labels):
    return frozenset(zip(names, labels, strict=True))


def records(domain):
    """Every record, as {name: label}."""
    return [dict(zip(domain.names, labels, strict=True)) for labels in product(*domain.values)]


def patterns(plan, record, table):
    """What is shown of a record, silence where it is not listed."""
    names = plan.mechanism.names
    return table.get(dict_key(names, [record[n] for n in names]), {frozenset(): Fraction(1)})


def answers(plan, record, table, sees):
    """P(y_C | x): {labels seen: Fraction}."""
    found = {}
    for pattern, weight in patterns(plan, record, table).items():
        seen = frozenset((name, record[name]) for name in pattern if name in sees)
        found[seen] = found.get(seen, 0) + weight
    return found


def worst_odds(plan, belief, sees, inside, outside):
    """max_y P(y | inside) / P(y | outside), 0 where one of them cannot be; of counts exactly."""
    counts = belief.row_counts(belief.domain.names)
    law = belief.marginal(belief.domain.names) if counts is None else counts
    law = law.ravel().tolist()
    table, sums, totals = shown(plan), ({}, {}), [Fraction(0), Fraction(0)]
    for record, mass in zip(records(belief.domain), law, strict=True):
        side = 0 if inside(record) else 1 if outside(record) else None
        if side is None or not mass:
            continue
        totals[side] += Fraction(mass)
        for y, weight in answers(plan, record, table, sees).items():
            sums[side][y] = sums[side].get(y, 0) + Fraction(mass) * weight
    if not all(totals):
        return Fraction(0)
    worst = Fraction(0)
    for y, mass in sums[0].items():
        if mass and not sums[1].get(y):
            return math.inf
        if mass:
            worst = max(worst, mass / totals[0] / (sums[1][y] / totals[1]))
    return worst


def objective(plan, belief):
    """Expected number of labels shown."""
    law, table = belief.marginal(belief.domain.names).ravel().tolist(), shown(plan)
    return sum(
        Fraction(mass) * sum(len(s) * w for s, w in patterns(plan, record, table).items())
        for record, mass in zip(records(belief.domain), law, strict=True)
    )
