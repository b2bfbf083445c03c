"""The law of a sum beside every variable in turn, for little more than one of them.

From the leaves up, U_v = P(sum of all below and at v | x_v); from the roots down, D_v = P(x_v, sum
of all others). A variable's message goes to a child with that of all siblings but the child's own.
These are not divided out again but joined two by two, the shortest ones first, and handed down the
same way: what is known beside a pair goes to either with what the other one says. Different trees
are the children of a root with one value.

    P(x_v = a, S = s) = sum_k D_v(a, s - k) U_v(a, k)

Of a long path, whose messages are long on both sides, it is had by halves (halves.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.beliefs.forests.convolution import convolved
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.beliefs.forests.halves import whole
from unspoken.core.beliefs.forests.messages import mixed
from unspoken.core.beliefs.forests.sums import shifted
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.numerics.ring import Ring

__all__ = ["sums_of_each"]


def sums_of_each(
    forest: Forest,
    wanted: Sequence[int],
    steps: Mapping[int, Codes],
    size: int,
    ring: Ring,
    halved: bool = False,
) -> Array:
    """table[row, x, k]: how likely x_v, for the row's v, is beside k steps; unused cells are 0.

    ``halved``: of a path, by halves.
    """
    table = np.full((len(wanted), max(forest.sizes), size), ring.zero)
    rows: dict[int, list[int]] = {}
    for row, v in enumerate(wanted):
        rows.setdefault(v, []).append(row)
    for v, law in (
        whole(forest, steps, ring).each(rows) if halved else _each(forest, rows, steps, ring)
    ):
        table[rows[v], : len(law), : law.shape[1]] = law
    return table


def _each(
    forest: Forest, wanted: Collection[int], steps: Mapping[int, Codes], ring: Ring
) -> Iterator[tuple[int, Array]]:
    passes = Passes(forest, steps, ring)
    for v, beyond in passes.down(passes.needed(wanted)):
        if v in wanted:
            yield v, convolved(beyond, passes.up[v], ring)


@dataclass(frozen=True)
class Siblings:
    """What some children say together, and the two parts it was joined from, or the one child."""

    law: Array
    parts: tuple[Siblings, Siblings] | None
    child: int


@dataclass(frozen=True)
class Passes:
    """Both passes; ``steps``: how many units each value of a variable adds, if any."""

    forest: Forest
    steps: Mapping[int, Codes]
    ring: Ring

    @cached_property
    def up(self) -> dict[int, Array]:
        """U_v, a row for each value."""
        up: dict[int, Array] = {}
        for v in reversed(self.forest.order):
            messages = [self._message(child, up[child]) for child in self.forest.children[v]]
            law = self._together(messages).law if messages else self._nothing(self.forest.sizes[v])
            up[v] = self._moved(v, law)
        return up

    def down(self, needed: set[int]) -> Iterator[tuple[int, Array]]:
        """D_v for these, every one after its parent, which is among them."""
        tops = [v for v, parent in enumerate(self.forest.parents) if parent < 0]
        waiting = [
            (v, self._entered(v, beside))
            for v, beside in self._shared(self._nothing(1), tops, needed)
        ]
        while waiting:
            v, beyond = waiting.pop()
            yield v, beyond
            whole = self._moved(v, beyond)
            for child, beside in self._shared(whole, self.forest.children[v], needed):
                waiting.append((child, self._entered(child, beside)))

    def needed(self, wanted: Collection[int]) -> set[int]:
        return self.forest.ancestors(wanted)

    def _shared(
        self, beyond: Array, children: Sequence[int], needed: set[int]
    ) -> Iterator[tuple[int, Array]]:
        """For each child that is needed: ``beyond``, and what all of its siblings say."""
        if not needed.intersection(children):
            return
        whole = self._together([self._message(child, self.up[child]) for child in children])
        waiting = [(whole, beyond)]
        while waiting:
            joined, beside = waiting.pop()
            if joined.parts is None:
                if joined.child in needed:
                    yield joined.child, beside
                continue
            first, second = joined.parts
            waiting.append((first, convolved(beside, second.law, self.ring)))
            waiting.append((second, convolved(beside, first.law, self.ring)))

    def _message(self, child: int, law: Array) -> Siblings:
        """What a child says of its parent; a root, to nobody in particular."""
        return Siblings(mixed(self._law(child), law, self.ring), None, child)

    def _entered(self, child: int, beside: Array) -> Array:
        return mixed(self._law(child).T, beside, self.ring)

    def _law(self, v: int) -> Array:
        return self.forest.laws[v] if self.forest.parents[v] >= 0 else self.forest.singles[v][None]

    def _together(self, messages: Sequence[Siblings]) -> Siblings:
        """Two by two, the shortest first."""
        heap = [(joined.law.shape[1], k, joined) for k, joined in enumerate(messages)]
        heapq.heapify(heap)
        count = len(heap)
        while len(heap) > 1:
            (_, _, first), (_, _, second) = heapq.heappop(heap), heapq.heappop(heap)
            law = convolved(first.law, second.law, self.ring)
            heapq.heappush(heap, (law.shape[1], count, Siblings(law, (first, second), -1)))
            count += 1
        return heap[0][2]

    def _moved(self, v: int, law: Array) -> Array:
        return shifted(law, self.steps[v], self.ring)[0] if v in self.steps else law

    def _nothing(self, rows: int) -> Array:
        return self.ring.of(np.ones((rows, 1)))
