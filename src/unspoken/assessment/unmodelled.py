"""What a tree of pairs misses: what two attributes tell together of a secret, and of whole rows.

Where a secret is the xor of two coins, no pair of the three tells anything, so a tree of pairs lets
both coins out, and they give the secret away. Rows are looked at once more, as many as memory
allows (those whose keys come first in a keyed order that everybody knows: the same in any order of
the rows), and exactly: for the holder alone.

    I(S; X_j, X_k) in the rows, and in the tree        of the j, k that tell most beyond one of them
    bits to write down a row that was not learned from        half learns, half is written down
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import Belief
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.storage.coins import MasterKey, attribute_keys, draw, encode_keys
from unspoken.storage.prf import KEY_BYTES
from unspoken.tables.engines.arrow import plain
from unspoken.tables.engines.protocol import Scan, Table
from unspoken.tables.learning.counts.pairs import PairCounts
from unspoken.tables.learning.learned import Learned
from unspoken.tables.learning.marks.labels import Labeller
from unspoken.tables.learning.trees.chow_liu import information, parents_of, spanning

__all__ = ["HeldOut", "Interaction", "Unmodelled"]

LOG2 = math.log(2.0)
MOST = 2**17  # rows that are looked at
TRIED = 16  # of the pairs that tell most of a secret beyond either, which the tree is asked for
CHANCE = 0.05  # of naming a pair that tells no more than the tree says
ROWS = 30  # that an answer needs for its odds to be told
WORDS = 2**62  # combinations up to which a row has a number

Sampled = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Interaction:
    """What ``names`` tell, together, of what is sensitive of ``target``: in the rows, in the tree.

    Bits, and the largest factor on the odds of one of its labels.
    """

    target: str
    names: tuple[str, str]
    rows: float
    tree: float
    rows_odds: float
    tree_odds: float

    def __str__(self) -> str:
        sure = math.isinf(self.rows_odds)
        odds = "can make it certain" if sure else f"multiply its odds by {self.rows_odds:.3g}"
        return (
            f"{' and '.join(self.names)} together tell {self.rows:.2g} bit of what is sensitive of "
            f"{self.target} and {odds} (in the tree: {self.tree:.2g} bit, x {self.tree_odds:.3g})"
        )


@dataclass(frozen=True)
class HeldOut:
    """Bits a row that was not learned from: by the tree, by each attribute alone, and by counts of
    whole rows, as far as these occur (else by the tree).
    """

    tree: float
    alone: float
    whole: float


@dataclass(frozen=True)
class Unmodelled:
    """``together``: of each secret what is missed most; none where it may be chance."""

    together: tuple[Interaction, ...]
    held_out: HeldOut

    def said(self) -> list[str]:
        """In words."""
        bits = self.held_out
        none = ["no two attributes tell noticeably more of a secret together than the tree says"]
        return [
            *(map(str, self.together) if self.together else none),
            f"a row that was not learned from takes {bits.tree:.3g} bit by a tree, "
            f"{bits.alone:.3g} by each attribute alone, {bits.whole:.3g} by counts of whole rows",
        ]

    @classmethod
    def of(cls, learned: Learned, table: Table, places: Mapping[str, str]) -> Unmodelled:
        """``places``: {attribute: place} begin messages."""
        codes, halves = _sample(learned, table, places)
        found = (_missed(learned, codes, target) for target in learned.sensitive)
        named = tuple(entry for entry in found if entry is not None)
        return cls(named, _held_out(learned, codes, halves))


# ---------------------------------------------------------------- rows to look at


def _sample(learned: Learned, table: Table, places: Mapping[str, str]) -> tuple[list[Codes], Mask]:
    """[attribute][row] -> label of the rows that are first by their keys, and in which half."""
    labeller = Labeller(list(learned.labelling.values()), table.columns, places, table.timezone)
    key = attribute_keys(MasterKey(bytes(KEY_BYTES)), "rows to look at", "")
    held: Sampled = np.empty((0, len(learned.labelling)), np.int16)
    order = np.empty(0, np.uint64)
    reads = dict.fromkeys([*table.keys, *labeller.reads])
    for batch in table.batches(Scan(list(reads), ordered=False, places=places)):
        keys = encode_keys([plain(batch.column(name)) for name in table.keys])
        codes = np.stack(list(labeller.codes(batch).values()), 1).astype(np.int16)
        held, order = np.concatenate([held, codes]), np.concatenate([order, draw(key, keys)])
        if len(held) > MOST:
            first = np.argpartition(order, MOST)[:MOST]
            held, order = held[first], order[first]
    labelled = (held >= 0).all(1)
    held, order = held[labelled], order[labelled]
    return list(held.T.astype(np.intp)), (order & np.uint64(1)).astype(bool)


def _pairs(learned: Learned, codes: Sequence[Codes]) -> PairCounts:
    pairs = PairCounts.none(
        list(learned.labels), [len(labels) for labels in learned.labels.values()]
    )
    pairs.add(codes)
    return pairs


# ---------------------------------------------------------------- two and a secret


def _missed(learned: Learned, codes: Sequence[Codes], target: str) -> Interaction | None:
    """The two attributes of which the tree misses most, of what they tell together."""
    names, rows = list(learned.labels), len(codes[0])
    classes = _classes(learned, target)
    place = names.index(target)
    beside = [i for i in range(len(names)) if i != place]
    if len(classes) < 2 or len(beside) < 2 or not rows:
        return None
    of_class = classes.argmax(0)[codes[place]]
    tables = [
        _pairs(learned, [column[of_class == code] for column in codes])
        for code in range(len(classes))
    ]
    single = {i: information(np.stack([t.single[i] for t in tables]) / rows) for i in beside}

    def seen(j: int, k: int) -> Array:
        return np.stack([t.pair[j, k].ravel() for t in tables]) / rows

    beyond = {
        (j, k): information(seen(j, k)) - max(single[j], single[k])
        for j, k in combinations(beside, 2)
    }
    found = []
    for j, k in sorted(beyond, key=lambda pair: (-round(beyond[pair], 12), pair))[:TRIED]:
        law, claimed = seen(j, k), _claimed(learned.belief, classes, target, names[j], names[k])
        lost = information(law) - information(claimed)
        if lost > _by_chance(law, len(beyond)) / (2 * rows):
            enough = law.sum(0) * rows >= ROWS
            found.append((lost, (names[j], names[k]), law, claimed, enough))
    if not found:
        return None
    _, both, law, claimed, enough = max(found, key=lambda missed: missed[0])
    bits = [information(table) / LOG2 for table in (law, claimed)]
    odds = [_odds(table, enough) for table in (law, claimed)]
    return Interaction(target, both, bits[0], bits[1], odds[0], odds[1])


def _classes(learned: Learned, target: str) -> Array:
    """[class, label]: each sensitive label by itself, and all others."""
    hidden = np.array([label in learned.sensitive[target] for label in learned.labels[target]])
    classes = np.vstack([np.eye(len(hidden))[hidden], ~hidden])
    kept: Array = classes[classes.any(1)]
    return kept


def _claimed(belief: Belief, classes: Array, target: str, j: str, k: str) -> Array:
    """P(class, (x_j, x_k)) of the tree."""
    joint = belief.marginal([target, j, k])
    law: Array = classes @ joint.reshape(len(joint), -1)
    return law


def _by_chance(law: Array, tried: int) -> float:
    """What 2 n I comes to by chance, at most, in any of so many (Laurent and Massart, 2000)."""
    free = (len(law) - 1) * (int(np.count_nonzero(law.sum(0))) - 1)
    level = math.log(tried / CHANCE)
    return free + 2 * math.sqrt(free * level) + 2 * level


def _odds(law: Array, answers: Mask) -> float:
    """The largest factor on the odds of a secret class, over these answers."""
    worst = 1.0
    for secret in law[:-1]:
        others = law.sum() - secret.sum()
        if not (secret.sum() > 0 and others > 0):  # then there is nothing to learn of it
            continue
        prior = secret.sum() / others
        with np.errstate(divide="ignore", invalid="ignore"):
            after = np.where(secret > 0, secret / (law.sum(0) - secret), 0.0)[answers]
        worst = max(worst, float(after.max(initial=0.0)) / float(prior))
    return worst


# ---------------------------------------------------------------- whole rows


def _held_out(learned: Learned, codes: Sequence[Codes], halves: Mask) -> HeldOut:
    """Half of the rows learns, by counts and 1/2 more of each; the other is written down."""
    kept, judged = ([column[half] for column in codes] for half in (~halves, halves))
    sizes = [len(labels) for labels in learned.labels.values()]
    if not len(kept[0]) or not len(judged[0]):
        return HeldOut(math.nan, math.nan, math.nan)
    pairs = _pairs(learned, kept)
    shared = {pair: information(table / pairs.rows) for pair, table in pairs.pair.items()}
    parents = parents_of(len(sizes), spanning(list(learned.labels), shared))
    alone = -math.fsum(
        _mean(np.log2(_conditional(pairs, i, -1))[0, column]) for i, column in enumerate(judged)
    )
    tree = np.zeros(len(judged[0]))
    for child, parent in enumerate(parents):
        above = judged[parent] if parent >= 0 else np.zeros_like(judged[child])
        tree -= np.log2(_conditional(pairs, child, parent)[above, judged[child]])
    return HeldOut(_mean(tree), alone, _whole(kept, judged, sizes, tree))


def _conditional(pairs: PairCounts, child: int, parent: int) -> Array:
    """P(child | parent), a row for each value of the parent; one row for the root."""
    if parent < 0:
        table = pairs.single[child][None] + 0.5
    elif parent < child:
        table = pairs.pair[parent, child] + 0.5
    else:
        table = pairs.pair[child, parent].T + 0.5
    law: Array = table / table.sum(1, keepdims=True)
    return law


def _whole(
    kept: Sequence[Codes], judged: Sequence[Codes], sizes: Sequence[int], tree: Array
) -> float:
    """Bits a row by (count(x) + sqrt(n) P_tree(x)) / (n + sqrt(n))."""
    if math.prod(sizes) > WORDS:
        return _mean(tree)
    numbers, rows = np.unique(np.ravel_multi_index(tuple(kept), sizes), return_counts=True)
    wanted = np.ravel_multi_index(tuple(judged), sizes)
    places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    counts = np.where(numbers[places] == wanted, rows[places], 0)
    more = math.sqrt(len(kept[0]))
    likely = (counts + more * np.exp2(-tree)) / (len(kept[0]) + more)
    return -_mean(np.log2(likely))


def _mean(numbers: Array) -> float:
    """The same in whatever order the rows come."""
    return math.fsum(numbers.tolist()) / len(numbers)
