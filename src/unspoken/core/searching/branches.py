"""What no adversary exceeds on a tree, whatever they know: branches, one after the other.

Replacing x_j from v to v' alone moves no likelihood by more than a factor e^(eps_j(v, v')); for
S + Laplace(lambda) that is sum |w_j (v - v')| / lambda over the sums asked for. Somebody is after
x_i and knows any of the others. Given x_i and what they know, the branches at x_i are independent:
replace the value of x_i in the likelihood, then the law of one branch after the other,

    leak_i <= max over a, b of  eps_i(a, b) + sum over neighbours c of x_i of E_ic(a, b),

E_ic(a, b) being the most that the law of the branch behind c costs, over all that may be known in
it. Nothing if x_c is known. Else let h(v) be the likelihood given x_c = v, which moves by

    log h(v) / h(v') <= H_c(v, v') = eps_c(v, v') + sum over the other neighbours d of E_cd(v, v'),

and tau(v) how likely x_c = v makes what is known behind it. The cost is at most the largest of

    [sum P(v | a) tau(v) h(v) / sum P(v | a) tau(v)] / [the same with b]        over all tau >= 0,

linear-fractional in tau once both sums with b are fixed: two values v, v' are enough. On these the
best tau leaves (Birkhoff's contraction, 1957; sharp)

    tanh(E / 4) = tanh(r / 4) tanh(H_c(v, v') / 4),     r = |log P(v|a) P(v'|b) / (P(v'|a) P(v|b))|.

r is the same from either end of an edge. If one of the products is 0, then E = H; if both are, no
tau leaves a and b these two values. A leaf has nothing behind it, so tau = 1 and h says yes or no:

    E_ic(a, b) <= max over sets A of values  log (1 + P(A | a) g) / (1 + P(A | b) g),  g = e^H - 1,

with H the largest H_c(v, v'); A has the values with the largest P(v | a) / P(v | b). Starting from
all that a branch can move (group privacy), every application of these formulas to all edges at once
holds, and leads down to their solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.numerics.arrays import CELLS, Array, Codes, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.searching.certificate import log_ratio
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.sums import Weight, Weights, term

__all__ = ["BranchBounds"]

# Once no edge falls by a larger share, or after so many rounds, what there is is the bound.
STILL, ROUNDS = 1e-13, 2000
# Rounded operations behind an epsilon and behind an edge, counted generously.
OPERATIONS = 32
# Stands for 1 / 0: what says nothing.
NOTHING = 1e300


@dataclass(frozen=True)
class Arrows:
    """Arrows between variables of equal sizes. Every pair of values a < b has a place of its own:

    ``above[edge]`` are those of the parent's pairs, ``below[edge]`` those of the child's. For each
    law (``kind`` says which one an arrow has) ``down[child's pair, law, parent's pair]`` is
    1 / expm1(r / 2), ``up`` the same the other way round; ``joined`` and ``joins``: whether two
    values of the parent, or of the child, fit one and the same value of the other. ``leaves``: the
    edges whose child has none; P(A | a) - P(A | b) and P(A | b) are [law, direction, pair, A].
    """

    parents: Codes
    children: Codes
    above: Codes
    below: Codes
    kind: Codes
    down: Array
    up: Array
    joined: Mask
    joins: Mask
    leaves: Codes
    gain: Array
    base: Array

    def over(self, table: Array, beyond: Array) -> Array:
        """E[edge, pair] of one end from H = ``beyond`` of the other. All terms are positive:

        expm1(E / 2) = 1 / (s + t + 2 s t),  s = 1 / expm1(r / 2),  t = 1 / expm1(H / 2).
        """
        least = np.full((len(self.kind), table.shape[2]), np.inf)
        with np.errstate(divide="ignore", over="ignore"):
            shares = 1.0 / np.expm1(beyond / 2)
            for laws, share in zip(table, shares.T, strict=True):
                share_of_r = laws[self.kind]
                np.minimum(least, share_of_r + (1.0 + 2.0 * share_of_r) * share[:, None], out=least)
            e = 2.0 * np.log1p(1.0 / least)
        most = beyond.max(axis=1, keepdims=True)
        bound: Array = np.minimum(e, most) * (1.0 + UNIT * OPERATIONS)
        return bound

    def ends(self, moved: Array) -> Array:
        """E[leaf, parent's pair] from the largest epsilon of each leaf."""
        kind = self.kind[self.leaves]
        with np.errstate(divide="ignore", over="ignore"):
            rest = 1.0 / np.expm1(moved)
            share = 1.0 / (rest[:, None, None, None] + self.base[kind])
            e = np.log1p(self.gain[kind] * share).max(axis=(1, 3))
        bound: Array = np.minimum(e, moved[:, None]) * (1.0 + UNIT * OPERATIONS)
        return bound


@dataclass(frozen=True)
class BranchBounds:
    """The bound about every variable of a forest, for any mechanism with finite epsilons."""

    forest: Forest
    domain: Domain

    def epsilons(self, parts: Parts) -> Array:
        """By how much replacing one value by another moves a likelihood, for every pair, up."""
        epsilon = np.zeros(len(self.owner))
        for query in parts.queries:
            steps = self._steps(query.weights)
            epsilon += np.where(steps > 0, query.noise.moves * steps, 0.0)
        for name, channel in parts.by_name().items():
            v = self.domain.axis(name)
            epsilon[self.places[v] : self.places[v + 1]] += log_ratio(
                channel, *channel.excess[_pairs(len(channel.excess))]
            )
        return epsilon * (1.0 + UNIT * (OPERATIONS + len(parts.queries)))

    def leaks(self, epsilons: Array) -> Array:
        """What nobody exceeds about each variable."""
        return self._largest(np.where(self.possible, self._totals(epsilons), 0.0))

    def knowing_all(self, epsilons: Array) -> Array:
        """What somebody learns who knows all others: of two values that both fit these."""
        fits = self.possible.copy()
        for edges in self.edges:
            np.logical_and.at(fits, edges.above, edges.joined[edges.kind])
            np.logical_and.at(fits, edges.below, edges.joins[edges.kind])
        return self._largest(np.where(fits, epsilons, 0.0))

    @cached_property
    def places(self) -> Codes:
        """Where the pairs of each variable begin, and where the last ones end."""
        pairs = [size * (size - 1) // 2 for size in self.forest.sizes]
        return np.concatenate([[0], np.cumsum(pairs)]).astype(np.intp)

    @cached_property
    def owner(self) -> Codes:
        """Whose each pair is."""
        return np.repeat(np.arange(len(self.forest.sizes)), np.diff(self.places))

    @cached_property
    def possible(self) -> Mask:
        """Whether both values of a pair can be."""
        both: list[Mask] = [
            np.asarray(support[_pairs(len(support))].all(axis=0)) for support in self._supports
        ]
        return np.concatenate(both)

    @cached_property
    def edges(self) -> list[Arrows]:
        """The arrows by the sizes of their ends."""
        alike: dict[tuple[int, int], list[int]] = {}
        for v, parent in enumerate(self.forest.parents):
            if parent >= 0:
                sizes = self.forest.sizes[parent], self.forest.sizes[v]
                alike.setdefault(sizes, []).append(v)
        return [self._edges(children) for children in alike.values()]

    @cached_property
    def _supports(self) -> list[Mask]:
        """Which values can be; their probabilities could be too small for floats to say so."""
        supports: list[Mask] = [np.empty(0, dtype=bool)] * len(self.forest.laws)
        for v in self.forest.order:
            fits, parent = self.forest.laws[v] > 0, self.forest.parents[v]
            rows = fits if parent < 0 else fits[supports[parent]]
            supports[v] = np.asarray(rows.any(axis=0))
        return supports

    def _edges(self, children: Sequence[int]) -> Arrows:
        """Each law is looked at once, without the rows that cannot be."""
        kinds: dict[tuple[int, bytes], int] = {}
        laws, kind = list[Array](), list[int]()
        parents = [self.forest.parents[v] for v in children]
        for v, parent in zip(children, parents, strict=True):
            law, fits = self.forest.laws[v], self._supports[parent]
            key = id(law), fits.tobytes()
            if key not in kinds:
                laws.append(np.where(fits[:, None], law, 0.0))
            kind.append(kinds.setdefault(key, len(kinds)))
        above, below = (
            np.stack([np.arange(self.places[v], self.places[v + 1]) for v in ends])
            for ends in (parents, children)
        )
        if len(laws) * above.shape[1] * below.shape[1] > CELLS:
            rows, columns = laws[0].shape
            raise TooLarge(
                f"branches: {len(laws):,} tables of {rows} by {columns} values, each with all "
                f"pairs of its rows and columns: more than {CELLS:,} cells; use coarser values"
            )
        table = np.stack(laws)
        shares, possible = _cross_ratios(table), table > 0
        return Arrows(
            np.array(parents),
            np.array(children),
            above,
            below,
            np.array(kind),
            np.ascontiguousarray(shares.transpose(2, 0, 1)),
            np.ascontiguousarray(shares.transpose(1, 0, 2)),
            _meet(possible),
            _meet(possible.transpose(0, 2, 1)),
            np.flatnonzero([not self.forest.children[v] for v in children]),
            *_sets(table),
        )

    def _totals(self, epsilons: Array) -> Array:
        """eps_i + sum over all neighbours of E: the branches below, those above, and so on."""
        downs, ups = self._start(epsilons)
        rounded = 1.0 + UNIT * (8 + max(map(len, self.forest.children)))
        for _ in range(ROUNDS):
            inner = epsilons.copy()
            for edges, down in zip(self.edges, downs, strict=True):
                inner += np.bincount(edges.above.ravel(), down.ravel(), minlength=len(inner))
            totals = inner.copy()
            for edges, up in zip(self.edges, ups, strict=True):
                totals[edges.below] += up
            inner, totals = inner * rounded, totals * rounded
            falls = False
            for k, edges in enumerate(self.edges):
                others = totals[edges.above] * (1.0 + 4 * UNIT) - downs[k]
                down = np.minimum(downs[k], edges.over(edges.down, inner[edges.below]))
                up = np.minimum(ups[k], edges.over(edges.up, others))
                falls = falls or _falls(downs[k], down) or _falls(ups[k], up)
                downs[k], ups[k] = down, up
            if not falls:
                break
        return totals

    def _start(self, epsilons: Array) -> tuple[list[Array], list[Array]]:
        """All that the variables of each branch can move: the sums of their largest epsilons."""
        parents, moved = self.forest.parents, self._largest(epsilons)
        inside = moved.tolist()
        for v in reversed(self.forest.order):
            if parents[v] >= 0:
                inside[parents[v]] += inside[v]
        whole = list(inside)
        for v in self.forest.order:
            if parents[v] >= 0:
                whole[v] = whole[parents[v]]
        rounded = 1.0 + 2 * UNIT * len(parents)
        below, everything = np.array(inside) * rounded, np.array(whole) * rounded
        above = everything * (1.0 + 4 * UNIT) - np.array(inside)
        downs = [np.repeat(below[e.children, None], e.above.shape[1], axis=1) for e in self.edges]
        ups = [np.repeat(above[e.children, None], e.below.shape[1], axis=1) for e in self.edges]
        for edges, down in zip(self.edges, downs, strict=True):
            ends = edges.ends(moved[edges.children[edges.leaves]])
            down[edges.leaves] = np.minimum(down[edges.leaves], ends)
        return downs, ups

    def _steps(self, weights: Weights) -> Array:
        """|f(v) - f(v')| of every pair of each variable's values."""
        steps, read = np.zeros(len(self.owner)), dict[tuple[Weight, tuple[Value, ...]], Array]()
        for name, weight in weights.items():
            if weight:
                v = self.domain.axis(name)
                kind = weight, self.domain.values[v]
                if kind not in read:
                    first, second = term(self.domain, weight, name)[_pairs(len(kind[1]))]
                    read[kind] = np.abs(first - second)
                steps[self.places[v] : self.places[v + 1]] = read[kind]
        return steps

    def _largest(self, values: Array) -> Array:
        """Of each variable's pairs; 0 where it has one value."""
        largest = np.zeros(len(self.forest.sizes))
        np.maximum.at(largest, self.owner, values)
        return largest


def _pairs(size: int) -> Codes:
    """All a < b, as two rows."""
    return np.stack(np.triu_indices(size, 1))


def _cross_ratios(table: Array) -> Array:
    """1 / expm1(r / 2) for each law, pair of rows and pair of columns, rounded down."""
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    rows, columns = _pairs(table.shape[1]), _pairs(table.shape[2])
    corners = logs[:, rows][..., columns]  # [law, a or b, pair, v or v', pair]
    straight = corners[:, 0, :, 0] + corners[:, 1, :, 1]
    crossed = corners[:, 0, :, 1] + corners[:, 1, :, 0]
    certain = np.isneginf(straight) != np.isneginf(crossed)
    neither = np.isneginf(straight) & np.isneginf(crossed)
    straight = np.where(certain | neither, 0.0, straight)
    crossed = np.where(certain | neither, 0.0, crossed)
    r = np.abs(straight - crossed) + 4 * UNIT * (np.abs(straight) + np.abs(crossed) + 1)
    with np.errstate(over="ignore"):
        share = np.where(certain, 0.0, 1.0 / np.expm1(r / 2))
    return np.minimum(np.where(neither, NOTHING, share), NOTHING)


def _sets(table: Array) -> tuple[Array, Array]:
    """P(A | a) - P(A | b), rounded up, and P(A | b) for the sets that tell a from b, and b from a.

    Rows sum to 1 but for rounding. What is in no such set says nothing: 0 beside 1.
    """
    first, second = _pairs(table.shape[1])
    law_a = np.stack([table[:, first], table[:, second]], axis=1)  # [law, direction, pair, v]
    law_b = law_a[:, ::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(np.where(law_a > 0, -law_a / law_b, 0.0), axis=-1, kind="stable")
    law_a, law_b = np.take_along_axis(law_a, order, -1), np.take_along_axis(law_b, order, -1)
    more = np.maximum(law_a - law_b, 0.0)
    error = 4 * UNIT * (table.shape[2] + 2)
    telling = more > 0
    gain = np.where(telling, np.cumsum(more, axis=-1) + error, 0.0)
    return gain, np.where(telling, np.cumsum(law_b, axis=-1) * (1.0 - error), 1.0)


def _meet(possible: Mask) -> Mask:
    """For each law and pair of its rows, whether one column is possible in both."""
    first, second = _pairs(possible.shape[1])
    return np.asarray((possible[:, first] & possible[:, second]).any(axis=-1))


def _falls(before: Array, after: Array) -> bool:
    return bool((after < before * (1.0 - STILL)).any())
