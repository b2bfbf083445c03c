"""The weighted hierarchical graph of paper 003: what it says, beside what is true.

A node is an adversary (i, K), an edge one more thing forgotten. The paper finds every node from the
strongest adversaries by its chain rule (eq. 11 and 14), and the worst of them by searching all or a
part of the graph. The rule is no guarantee: an edge looks at the tails only, and at each variable
as if the others unknown said nothing about it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Joint
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, unknown
from unspoken.core.numerics.numbers import number, whole
from unspoken.core.numerics.same import same
from unspoken.core.searching.nodes import Nodes, pdp_nodes
from unspoken.core.searching.upper import pdp_upper, reaches
from unspoken.core.types.bound import Bound, Estimate
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.premise import Premise
from unspoken.noise.published.edges import Forgetting
from unspoken.noise.published.tails import pdp_tails

__all__ = ["Claim", "Edge", "Graph", "Node", "graph"]

CHAIN = "the chain rule of paper 003; the truth may be more, or less"
# Two numbers further apart than this differ by more than rounding.
DIFFERENT = 1e-9


@dataclass(frozen=True, repr=False)
class Node(Shown):
    """One adversary. ``published`` is the chain rule's value, ``exact`` the leakage.

    ``bound`` has two ends that need no sums: the tails' leakage, and what no private mechanism of
    the same reach exceeds.
    """

    target: str
    knows: tuple[str, ...]
    layer: int
    published: Estimate
    exact: Bound
    bound: Bound

    @property
    def falls_short(self) -> bool:
        """Whether the published value is below the truth."""
        return self.published.value < self.exact.low * (1 - DIFFERENT)

    def facts(self) -> list[tuple[str, str]]:
        said = f"{self.published.value:.6g} nat, no guarantee"
        ends = f"{self.bound.low:.6g} to {self.bound.high:.6g} nat, without adding up"
        return [
            ("about", self.target),
            ("knows", ", ".join(self.knows) or "nothing else"),
            ("published", f"{said}{': too little' if self.falls_short else ''}"),
            ("exactly", f"{self.exact.high:.6g} nat"),
            ("bound", ends),
        ]


@dataclass(frozen=True, repr=False)
class Edge(Shown):
    """Forgetting one thing: the ``gain`` e of eq. 11, and the increment ratio of eq. 13."""

    gain: Estimate
    ratio: Estimate

    def facts(self) -> list[tuple[str, str]]:
        return [("gain", f"{self.gain.value:+.6g} nat"), ("ratio", f"{self.ratio.value:+.6g}")]


@dataclass(frozen=True, repr=False)
class Claim(Shown):
    """A case of Corollary 1 that applies: what it ``says`` the worst leakage is, and what it is."""

    case: int
    says: Estimate
    exact: Bound

    def facts(self) -> list[tuple[str, str]]:
        true = f"{self.exact.high:.6g} nat"
        return [("case", f"({self.case})"), ("says", f"{self.says.value:.6g} nat"), ("is", true)]


@dataclass(frozen=True, repr=False, eq=False)
class Graph(Shown):
    """All adversaries (i, K) of one noisy sum. ``values`` are the chain rule's, layer by layer.

    ``tails`` (from below) and ``upper`` (from above) hold the ``exact`` leakages between them.
    """

    edges: Forgetting
    values: Nodes
    exact: Nodes
    tails: Nodes
    upper: Nodes
    premise: Premise

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same numbers."""
        return same(self, other)

    @property
    def names(self) -> tuple[str, ...]:
        return self.values.names

    @property
    def worst(self) -> Estimate:
        """The paper's leakage: the largest node (full-space search)."""
        return Estimate(self.values.worst()[0], "nat", f"full search by {CHAIN}")

    def fast(self, k: int) -> Estimate:
        """The largest node where only the k largest of each layer make the next (fast search)."""
        k = whole("fast search", k, "nodes of a layer")
        largest = float(np.nanmax(self.edges.search(k)))
        return Estimate(largest, "nat", f"fast search, {k} a layer, by {CHAIN}; no direction")

    def node(self, target: str, knows: Sequence[str] = ()) -> Node:
        """One adversary."""
        i, mask = self._place(target, knows)
        known = tuple(name for j, name in enumerate(self.names) if mask >> j & 1)
        exact = float(self.exact.leaks[i, mask])
        low, high = float(self.tails.leaks[i, mask]), float(self.upper.leaks[i, mask])
        return Node(
            target,
            known,
            len(self.names) - len(known),
            Estimate(float(self.values.leaks[i, mask]), "nat", CHAIN),
            Bound(exact, exact, "nat", self.premise, "the largest at a possible sum"),
            Bound(min(low, high), high, "nat", self.premise, "between the tails and a sound chain"),
        )

    def nodes(self) -> list[Node]:
        """All of them, the strongest adversaries (layer 1) first."""
        sizes = range(len(self.names) - 1, -1, -1)
        return [
            self.node(target, known)
            for size, target in itertools.product(sizes, self.names)
            for known in itertools.combinations([n for n in self.names if n != target], size)
        ]

    def edge(self, target: str, knows: Sequence[str], forgets: str) -> Edge:
        """From who knows ``knows``, and among it ``forgets``, to who has forgotten that."""
        knows = items(knows, "graph.knows")
        i, mask = self._place(target, knows)
        expect(forgets, str, "edge.forgets", "give the name of a variable")
        if forgets not in knows:
            raise unknown("edge.forgets", forgets, knows)
        j = self.names.index(forgets)
        gain = self.edges.gain(float(self.values.leaks[i, mask]), i, j, mask ^ 1 << j)
        reach = float(self.edges.reach[j])
        return Edge(
            Estimate(gain, "nat", "eq. 11: what a variable says when no other unknown one does"),
            Estimate(gain / reach if reach else 0.0, "ratio", "eq. 13, in [-1, 1]"),
        )

    def chain(self, target: str, forgets: Sequence[str]) -> Estimate:
        """Theorem 5 (eq. 14) along one path: the strongest adversary forgets these, in this order.

        The paper takes the least over all paths to a node; layer by layer that is ``values``.
        """
        self._place(target, [])
        i, mask = self._place(target, [name for name in self.names if name != target])
        value = float(self.edges.reach[i])
        for name in items(forgets, "chain.forgets"):
            expect(name, str, "chain.forgets", "give names of variables")
            if name not in self.names or not mask >> self.names.index(name) & 1:
                known = [other for j, other in enumerate(self.names) if mask >> j & 1]
                raise unknown("chain.forgets: not known any more, or not at all", name, known)
            j = self.names.index(name)
            mask ^= 1 << j
            value = self.edges.weaker(value, i, j, mask)
        return Estimate(value, "nat", CHAIN)

    def corollary(self) -> list[Claim]:
        """Corollary 1: the cases whose condition on the increment ratios holds.

        (1) all are 1: group privacy. (2) all are 0 or more: the weakest adversary is the worst.
        (3) all are 0 or less: the strongest is.
        """
        reach = np.where(self.edges.reach > 0, self.edges.reach, 1.0)[None, :, None]
        least, largest = self.edges.least / reach, self.edges.largest / reach
        worst = self.exact.worst()[0]
        exact = Bound(worst, worst, "nat", self.premise, "the largest of all adversaries")
        n = len(self.names)
        strongest = [self.exact.leaks[i, 2**n - 1 ^ 1 << i] for i in range(n)]
        cases = [
            (np.nanmin(least, initial=1.0) >= 1 - DIFFERENT, float(self.edges.reach.sum())),
            (np.nanmin(least, initial=1.0) >= -DIFFERENT, float(self.exact.leaks[:, 0].max())),
            (np.nanmax(largest, initial=-1.0) <= DIFFERENT, float(max(strongest))),
        ]
        why = "Corollary 1 of paper 003; what it says need not be the worst"
        return [
            Claim(case, Estimate(says, "nat", why), exact)
            for case, (holds, says) in enumerate(cases, start=1)
            if holds
        ]

    def as_rows(self) -> list[dict[str, object]]:
        """A row a node, for a table."""
        return [
            {
                "layer": node.layer,
                "target": node.target,
                "knows": ", ".join(node.knows),
                "published": node.published.value,
                "exact": node.exact.value,
                "tail": node.bound.low,
                "upper": node.bound.high,
                "falls short": node.falls_short,
            }
            for node in self.nodes()
        ]

    def facts(self) -> list[tuple[str, str]]:
        leak, target, known = self.exact.worst()
        who = f"about {target} knowing {', '.join(known) or 'nothing else'}"
        short = self.values.leaks < self.exact.leaks * (1 - DIFFERENT)
        every = int(np.isfinite(self.exact.leaks).sum())
        return [
            ("adversaries", f"{every} about {len(self.names)} variables"),
            ("published", f"worst {self.worst.value:.6g} nat, no guarantee"),
            ("exactly", f"worst {leak:.6g} nat, {who}"),
            ("bound", f"{self.tails.worst()[0]:.6g} to {self.upper.worst()[0]:.6g} nat"),
            ("too little", f"published for {int(short.sum())} of {every}"),
            ("premise", str(self.premise)),
        ]

    def _place(self, target: str, knows: Sequence[str]) -> tuple[int, int]:
        knows = items(knows, "graph.knows")
        for name in (target, *knows):
            expect(name, str, "graph", "give names of variables")
            if name not in self.names:
                raise unknown("graph", name, self.names)
        if target in knows:
            raise InputError(f'graph: who knows the target "{target}" has nothing left to learn')
        return self.names.index(target), sum(1 << self.names.index(name) for name in set(knows))


def graph(belief: Joint, weights: Sequence[float], scale: float) -> Graph:
    """The graph of S + Laplace(scale), S = sum_i w_i x_i, with the truth beside it."""
    if not isinstance(belief, Joint):
        raise NotKnown(f"graph: needs a Joint, not a {type(belief).__name__}; list its table")
    listed = () if isinstance(weights, Mapping) else items(weights, "graph.weights")
    listed, scale = tuple(map(number, listed)), number(scale)
    if not listed or not all(map(math.isfinite, (*listed, scale))):
        raise InputError("graph: give a list of finite weights, one for each variable, and a scale")
    exact = pdp_nodes(belief, listed, scale)
    edges = Forgetting.of(belief, listed, scale)
    return Graph(
        edges,
        Nodes(belief.domain.names, edges.search()),
        exact,
        pdp_tails(belief, listed, scale),
        pdp_upper(belief, reaches(belief, listed, scale)),
        belief.premise,
    )
