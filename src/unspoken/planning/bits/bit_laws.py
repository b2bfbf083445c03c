"""The papers' account: what the bits M_i (released or not) say, sum_i I_i <= T (eq. 21).

I_i = I(X_i; M_i) + sum_j I(X_j; M_i). The sum over i of the self terms alone bounds what any
coalition learns from the bits about anything in the same unit (theory: T-C), so the constraint is
sound for full collusion; the cross terms are extra caution. Per-target limits are held by that
bound too, block by block of dependent variables: sum_i I(X_j; M_i) bounds nothing
(X_3 = X_1 xor X_2: every term is 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.types.secret import Secret
from unspoken.planning.bits.curves import Curves
from unspoken.planning.bits.odds import BitOdds, overheard
from unspoken.planning.problem import ReleaseProblem

__all__ = ["BitLaws"]


@dataclass(frozen=True)
class BitLaws:
    """The laws of the bits X_i = [value may be released], singly and in pairs."""

    free: Array  # (n,)  P(X_i = 1)
    hidden: Array  # (n,)  P(X_i = 0)
    first: Codes  # (k,)  the pairs that may depend: first[t], second[t] ...
    second: Codes
    tables: Array  # (k, 2, 2)  ... and P(X_first, X_second)
    odds: BitOdds

    @classmethod
    def of(cls, problem: ReleaseProblem) -> BitLaws:
        belief = problem.belief
        sides = {name: _sides(problem, name) for name in problem.names}
        values = {name: _values(problem, name) for name in problem.names}
        singles = [sides[name] @ belief.marginal([name]) for name in problem.names]
        hidden, free = np.array(singles).T
        axes, laws, single = [], [], []
        for a, b in belief.pairs():
            i, j, table = belief.domain.axis(a), belief.domain.axis(b), belief.marginal([a, b])
            axes.append((i, j))
            laws.append(sides[a] @ table @ sides[b].T)
            if len(values[b]):
                single.append(overheard(i, sides[a] @ table, values[b]))
            if len(values[a]):
                single.append(overheard(j, sides[b] @ table.T, values[a]))
        first, second = np.array(axes, dtype=np.intp).reshape(-1, 2).T
        tables = np.array(laws).reshape(-1, 2, 2)
        any_ = [(first, tables[:, :, 0], tables[:, :, 1]), (second, tables[:, 0], tables[:, 1])]
        odds = BitOdds.of((free > 0) & (hidden > 0), [*any_, *single])
        return cls(free, hidden, first, second, tables, odds)

    def both_ways(self) -> Directed:
        """Every dependent pair from both ends: what bit i says about target j."""
        i = np.concatenate([self.first, self.second])
        tables = np.concatenate([self.tables, self.tables.transpose(0, 2, 1)])
        target = tables.sum(1)  # P(X_j = v)
        matters = ((target > 0).all(1)) & (self.free[i] > 0) & (self.hidden[i] > 0)
        return Directed(i[matters], tables[matters], target[matters])

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


@dataclass(frozen=True)
class Directed:
    """Bit i seen by somebody after a target j: ``tables[t, x_i, x_j]``, ``target[t, x_j]``."""

    i: Codes
    tables: Array
    target: Array

    @property
    def determinant(self) -> Array:
        """P(1,1) P(0,0) - P(1,0) P(0,1) = (a_1 - q) P(X_j=1): no digits lost to a - q."""
        t = self.tables
        return t[:, 1, 1] * t[:, 0, 0] - t[:, 1, 0] * t[:, 0, 1]


def _sides(problem: ReleaseProblem, name: str) -> Array:
    """The 2 x d matrix that merges values to the bit: row 0 sensitive, row 1 not."""
    values = problem.belief.domain.values_of(name)
    hidden = np.array([value in problem.sensitive[name] for value in values], dtype=np.float64)
    return np.stack([hidden, 1.0 - hidden])


def _values(problem: ReleaseProblem, name: str) -> Array:
    """The sensitive values as rows over all values; of a single one there is only the bit."""
    secret = Secret.of(problem.belief.domain, name, problem.sensitive[name])
    each = secret.classes[secret.hidden].astype(np.float64)
    return each if len(each) > 1 else each[:0]


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
