"""The papers' account: what the bits M_i (released or not) say, sum_i I_i <= T (eq. 21).

I_i = I(X_i; M_i) + sum_j I(X_j; M_i). The sum over i of the self terms alone bounds what any
coalition learns from the bits about anything in the same unit (theory: T-C), so the constraint is
sound for full collusion; the cross terms are extra caution. Per-target limits are held by that
bound too, block by block of dependent variables: sum_i I(X_j; M_i) bounds nothing
(X_3 = X_1 xor X_2: every term is 0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from unsaid.beliefs import Belief
from unsaid.numerics.arrays import Array, Codes
from unsaid.planning.curves import Curves
from unsaid.planning.problem import Problem

__all__ = ["Bits", "blocks", "sides"]


@dataclass(frozen=True)
class Bits:
    """The laws of the bits X_i = [value may be released], singly and in pairs."""

    free: Array  # (n,)  P(X_i = 1)
    hidden: Array  # (n,)  P(X_i = 0)
    first: Codes  # (k,)  the pairs that may depend: first[t], second[t] ...
    second: Codes
    tables: Array  # (k, 2, 2)  ... and P(X_first, X_second)

    @classmethod
    def of(cls, problem: Problem) -> Bits:
        belief = problem.belief
        merged = {name: sides(problem, name) for name in problem.names}
        singles = [merged[name] @ belief.marginal([name]) for name in problem.names]
        pairs = belief.pairs()
        tables = [merged[a] @ belief.marginal([a, b]) @ merged[b].T for a, b in pairs]
        axes = np.array(
            [[belief.domain.axis(name) for name in pair] for pair in pairs], dtype=np.intp
        )
        first, second = axes.reshape(-1, 2).T
        hidden, free = np.array(singles).T
        return cls(free, hidden, first, second, np.array(tables).reshape(-1, 2, 2))

    def both_ways(self) -> Directed:
        """Every dependent pair from both ends: what bit i says about target j."""
        i = np.concatenate([self.first, self.second])
        j = np.concatenate([self.second, self.first])
        tables = np.concatenate([self.tables, self.tables.transpose(0, 2, 1)])
        target = tables.sum(1)  # P(X_j = v)
        matters = ((target > 0).all(1)) & (self.free[i] > 0) & (self.hidden[i] > 0)
        return Directed(i[matters], j[matters], tables[matters], target[matters])

    def curves(self, cross: bool = True) -> Curves:
        """I_i of eq. 21; without ``cross`` the self terms I(X_i; M_i) alone."""
        n = len(self.free)
        everyone = np.arange(n)
        # The self terms: a = P(X_i=1 | X_i=v) is 0 and 1, and gap = a - q.
        owner, weight = [everyone, everyone], [self.hidden, self.free]
        a, b = [np.zeros(n), np.ones(n)], [np.ones(n), np.zeros(n)]
        gap = [-self.free, self.hidden]
        if cross:
            pairs = self.both_ways()
            for v, sign in ((0, -1.0), (1, 1.0)):
                owner.append(pairs.i)
                weight.append(pairs.target[:, v])
                a.append(pairs.tables[:, 1, v] / pairs.target[:, v])
                b.append(pairs.tables[:, 0, v] / pairs.target[:, v])
                gap.append(sign * pairs.determinant / pairs.target[:, v])
        return _flat(self.free, owner, weight, a, b, gap)

    def odds_alone(self, epsilon: Array) -> float:
        """The most any one bit, seen alone, multiplies the odds of anything: e^eps, f1 and f2."""
        both = (self.free > 0) & (self.hidden > 0)
        p = -np.expm1(-epsilon)
        pairs = self.both_ways()
        kept = np.exp(-epsilon)[pairs.i, None]
        withheld = (pairs.tables[:, 0] + kept * pairs.tables[:, 1]) / pairs.target
        released = pairs.tables[:, 1] / pairs.target
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            own = np.exp(epsilon[both])
            f_1 = withheld[:, 0] / withheld[:, 1]
            f_2 = np.where(p[pairs.i] > 0, released[:, 0] / released[:, 1], 1.0)
        return float(np.nanmax(np.concatenate([[1.0], own, f_1, f_2])))

    def caps(self, odds_cap: float) -> Array:
        """The largest eps at which bit i alone raises nobody's odds beyond K (theory 3.1).

        Withheld: e^eps <= K about itself, and (1 - a_0 p) / (1 - a_1 p) <= K about j, so
        p <= (K - 1) / (K a_1 - a_0). Released: a_0 / a_1 <= K whatever p is, or else p = 0.
        """
        if math.isinf(odds_cap):
            return np.full(len(self.free), math.inf)
        both = (self.free > 0) & (self.hidden > 0)
        caps = np.where(both, math.log(odds_cap), math.inf)
        pairs = self.both_ways()
        a_0, a_1 = (pairs.tables[:, 1, v] / pairs.target[:, v] for v in (0, 1))
        room = odds_cap * a_1 - a_0
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(room > odds_cap - 1, (odds_cap - 1) / room, 1.0)
            p = np.where(a_0 <= odds_cap * a_1 * (1 + 1e-15), p, 0.0)
            np.minimum.at(caps, pairs.i, -np.log1p(-p) * (1 - 1e-15))
        return caps


@dataclass(frozen=True)
class Directed:
    """Bit i seen by somebody after target j: ``tables[t, x_i, x_j]``, ``target[t, x_j]``."""

    i: Codes
    j: Codes
    tables: Array
    target: Array

    @property
    def determinant(self) -> Array:
        """P(1,1) P(0,0) - P(1,0) P(0,1) = (a_1 - q) P(X_j=1): no digits lost to a - q."""
        t = self.tables
        return t[:, 1, 1] * t[:, 0, 0] - t[:, 1, 0] * t[:, 0, 1]


def sides(problem: Problem, name: str) -> Array:
    """The 2 x d matrix that merges values to the bit: row 0 sensitive, row 1 not."""
    values = problem.belief.domain.values_of(name)
    hidden = np.array([value in problem.sensitive[name] for value in values], dtype=np.float64)
    return np.stack([hidden, 1.0 - hidden])


def _flat(
    q: Array,
    owner: list[Codes],
    weight: list[Array],
    a: list[Array],
    b: list[Array],
    gap: list[Array],
) -> Curves:
    """Terms sorted by their attribute."""
    owners = np.concatenate(owner)
    order = np.argsort(owners, kind="stable")
    start = np.searchsorted(owners[order], np.arange(len(q)))
    parts = (np.concatenate(part)[order] for part in (weight, a, b, gap))
    return Curves(q, start, *parts)


def blocks(belief: Belief) -> list[list[int]]:
    """The variables in groups that the belief states to be independent of one another."""
    root = list(range(len(belief.domain.names)))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for first, second in belief.pairs():
        root[find(belief.domain.axis(first))] = find(belief.domain.axis(second))
    groups: dict[int, list[int]] = {}
    for i in range(len(root)):
        groups.setdefault(find(i), []).append(i)
    return list(groups.values())
