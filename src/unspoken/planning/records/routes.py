"""Which patterns are in the program: all of them while they are few, else those that matter most.

A program over boxes grows by an unknown for each pair and event, so its limit comes far earlier.
Above it: patterns in one order, what tells most of the secrets being hidden first, and those that
hide one attribute; then the one order alone; then all of a record or nothing; last the floor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unspoken.core.numerics.arrays import Array, Counts
from unspoken.planning.records.cells import Cells, Pairs
from unspoken.planning.records.conditions import Condition, Rule

__all__ = [
    "QUICKER",
    "by_one_order",
    "everything",
    "of_one_event",
    "room_for_all",
    "routes",
    "with_common_thresholds",
]

# Pairs of a program: of single beliefs, and of sets, with two events.
STATED, OF_SETS = 300_000, 40_000
# Rows and columns of one of sets with a common threshold, about so many for each pair and more for
# each event; it is tried first where there are more pairs times events than this.
COMMON, OF_PAIR, OF_EVENT = 200_000, 4, 0.25
LARGE = 20_000
QUICKER = 20_000  # pairs above which looking at some is quicker, where one event is all there is


def routes(cells: Cells, rules: Sequence[Rule]) -> Iterator[Counts | None]:
    """Masks to try, one list after the other; None: all subsets of what is free."""
    if room_for_all(cells, rules):
        yield None
    most = _room(rules)
    order = by_one_order(cells, rules)
    less_one = np.union1d(order, [cells.reads ^ 1 << axis for axis in _bits(cells.reads)])
    for masks in (less_one, order, np.array([cells.reads])):
        if len(cells) * (1 + len(masks)) <= 2 * most:
            yield masks


def room_for_all(cells: Cells, rules: Sequence[Rule]) -> bool:
    """Whether a program has room for all patterns."""
    return Pairs.count(cells) <= _room(rules)


def _room(rules: Sequence[Rule]) -> int:
    stated = all(isinstance(rule, Condition) for rule in rules)
    return STATED if stated else 2 * OF_SETS // (1 + max(1, len(rules)))


def with_common_thresholds(cells: Cells, rules: Sequence[Rule]) -> bool:
    """Whether a program of sets is large with a threshold for each side, and not with a common one
    for those without the secret.
    """
    pairs, events = Pairs.count(cells), len(rules)
    return pairs * events > LARGE and pairs * (OF_PAIR + OF_EVENT * events) <= COMMON


def by_one_order(cells: Cells, rules: Sequence[Rule]) -> Counts:
    """All that is read, less what tells most, less what tells most of the rest, and so on."""
    order = sorted(_bits(cells.reads), key=lambda axis: -_telling(cells, rules, axis))
    masks, left = [], cells.reads
    for axis in order:
        masks.append(left)
        left ^= 1 << axis
    return np.unique(np.array(masks, dtype=np.int64))


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _telling(cells: Cells, rules: Sequence[Rule], axis: int) -> float:
    """How far a label's laws with and without a secret are apart, over all events."""
    labels, free = cells.codes[:, axis], ~cells.hidden[:, axis]
    size, apart = cells.domain.sizes[axis], 0.0
    for rule in rules:
        laws = []
        for side in (rule.holders & free, rule.others & free):
            law = np.bincount(labels[side], cells.probability[side], size).astype(np.float64)
            laws.append(law / law.sum() if law.any() else law)
        apart += float(np.abs(laws[0] - laws[1]).sum())
    return apart


def everything(cells: Cells, worth: Array) -> float:
    """What all that is free is worth: no release shows more."""
    free = (cells.free[:, None] >> np.arange(worth.shape[1]) & 1).astype(bool)
    return float(cells.probability @ np.where(free, worth, 0.0).sum(1)) * (1 + 1e-12)


def of_one_event(
    cells: Cells, rules: Sequence[Rule], sees: Sequence[int], others: bool
) -> Condition | None:
    """The only row there is, where it is about all that is read and there are no ``others``."""
    alone = len(rules) == 1 and not others and [*sees] == [cells.reads]
    rule = rules[0] if rules else None
    if not (alone and isinstance(rule, Condition)) or rule.knowing:
        return None
    return rule if rule.sees in (None, cells.reads) else None
