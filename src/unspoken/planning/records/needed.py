"""What answers need of cells without the secret and a solver takes for nothing: given to them.

A solver's tolerance is absolute. Where a row asks that cells without the secret give an answer with
probability 1e-11, since those with it have so little mass, it may as well solve that by 0. To mend
this by hiding the answer costs all that it shows, and in another context its cells may be many. So
the likeliest of the others gives it as often as is needed: (1 - d) W(. | x) + d on that answer.
"""

from __future__ import annotations

import numpy as np

from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.conditions import Condition
from unspoken.planning.records.program import Layout

__all__ = ["needed"]

LAPS = 20  # what is given for one row may have to be for another
MOST = 1e-5  # of a cell: what lacks more was not taken for nothing
ROOM, LEAST = 1e-6, 16 / WHOLE  # what is given beyond what is needed, for rounding


def needed(layout: Layout, shares: Array) -> Array:
    """How often each pair is shown, with what the rows of single beliefs need."""
    first = layout.pairs.first
    found: Array = np.maximum(shares, 0.0)
    found = found / np.add.reduceat(found, first)[layout.pairs.cell]
    ends = np.append(first, len(found))
    for _ in range(LAPS):
        gave = False
        for rule, seen in layout.stated:
            for pair, more in zip(*_lacking(layout, rule, seen, found), strict=True):
                cell = layout.pairs.cell[pair]
                found[ends[cell] : ends[cell + 1]] *= 1 - more
                found[pair] += more
                gave = True
        if not gave:
            break
    return found


def _lacking(layout: Layout, rule: Condition, seen: Answers, shares: Array) -> tuple[Codes, Array]:
    """For each answer whose row is broken the pair that is to give it, and how much more often."""
    cell, answer = layout.pairs.cell, seen.of_pair
    secret, other = (np.bincount(answer, side[cell] * shares, len(seen)) for side in rule.rates)
    lack = secret / float(rule.cap) - other
    if not (lack > 0).any():
        return np.zeros(0, dtype=np.intp), np.zeros(0)
    numbers = rule.rates[1][cell]
    by_number = np.argsort(numbers, kind="stable")
    likeliest = np.zeros(len(seen), dtype=np.intp)
    likeliest[answer[by_number]] = by_number  # the last of each answer stays
    at = np.flatnonzero((lack > 0) & (numbers[likeliest] > 0))
    more = lack[at] / numbers[likeliest[at]] * (1 + ROOM) + LEAST
    return likeliest[at][more <= MOST], more[more <= MOST]
