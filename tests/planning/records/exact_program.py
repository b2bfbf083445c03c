"""The best release of a small table with whole counts, as exact fractions, by definition.

Independent of the library: the program is written from its definition (all patterns of every record
of the domain, a row for every answer, equations for what must not depend on the rest) and solved by
a simplex method in fractions. Showing nothing is a vertex, so one phase is enough.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, permutations, product

import numpy as np


def best(counts, sensitive, cap, *, coalitions, groups=(), reads=None):
    """The most labels that are shown of a record; ``sensitive``: labels per axis, each compared
    with each other one of its axis and with none; ``groups``: axes of which what is shown depends
    on their own labels only. All as positions.
    """
    program = ExactProgram(np.asarray(counts), sensitive, reads)
    program.add_caps(cap, coalitions)
    program.add_equations(groups)
    return _largest(program.worth, program.lines, program.ends) / int(program.counts.sum())


class ExactProgram:
    """max worth . x with x >= 0 and lines . x <= ends; an unknown for each record and what is
    shown of it, nothing being what is left.
    """

    def __init__(self, counts, sensitive, reads):
        self.counts, self.sensitive = counts, sensitive
        self.reads = tuple(range(counts.ndim)) if reads is None else tuple(reads)
        self.records = [*product(*map(range, counts.shape))]
        self.at = {}
        for x in self.records:
            for shown in _subsets([i for i in self.reads if x[i] not in sensitive[i]]):
                if shown:
                    self.at[x, shown] = len(self.at)
        self.worth = [Fraction(int(counts[x]) * len(shown)) for x, shown in self.at]
        self.lines, self.ends = [], []
        for x in self.records:
            self.add({j: Fraction(1) for (y, _), j in self.at.items() if y == x}, 1)

    def add(self, numbers, most):
        line = [Fraction(0)] * len(self.at)
        for j, number in numbers.items():
            line[j] += number
        self.lines.append(line)
        self.ends.append(Fraction(most))

    def add_caps(self, cap, coalitions):
        """P(y | event) <= cap P(y | other), for each event, coalition and answer."""
        for event, other in _events(self.records, self.sensitive):
            p, q = (sum(int(self.counts[x]) for x in side) for side in (event, other))
            if not p or not q:
                continue
            rate = {x: Fraction(int(self.counts[x]), p) for x in event}
            for x in other:
                rate[x] = rate.get(x, 0) - cap * Fraction(int(self.counts[x]), q)
            for sees in coalitions:
                self.add_answers(rate, sees, cap)

    def add_answers(self, rate, sees, cap):
        sums, silence = {}, {}
        for (x, shown), j in self.at.items():
            seen = frozenset((i, x[i]) for i in shown if i in sees)
            if x in rate and seen:
                line = sums.setdefault(seen, {})
                line[j] = line.get(j, Fraction(0)) + rate[x]
                silence[j] = silence.get(j, Fraction(0)) - rate[x]
        for line in sums.values():
            self.add(line, 0)
        self.add(silence, cap - 1)  # who shows nothing that is seen does so with what is left

    def add_equations(self, groups):
        """What is shown of a group is as likely for the first record that agrees on it."""
        for group, x in product(groups, self.records):
            first = next(y for y in self.records if all(y[i] == x[i] for i in group))
            for part in filter(None, _subsets(group)) if x != first else ():
                line = {}
                for (y, shown), j in self.at.items():
                    if y in (x, first) and {*shown} & {*group} == {*part}:
                        line[j] = Fraction(1 if y == x else -1)
                self.add(line, 0)
                self.add({j: -number for j, number in line.items()}, 0)


def _subsets(of):
    return [*map(tuple, chain.from_iterable(combinations(of, k) for k in range(len(of) + 1)))]


def _events(records, sensitive):
    for axis, labels in enumerate(sensitive):
        none = [x for x in records if x[axis] not in labels]
        for label in labels:
            yield [x for x in records if x[axis] == label], none
        for a, b in permutations(labels, 2):
            yield [x for x in records if x[axis] == a], [x for x in records if x[axis] == b]


def _largest(worth, lines, ends):
    """max worth . x with x >= 0, lines . x <= ends, ends >= 0: Bland's rule, so that it ends."""
    table = np.array(
        [[*line, *(Fraction(int(k == i)) for k in range(len(lines))), end]
         for i, (line, end) in enumerate(zip(lines, ends, strict=True))], dtype=object,
    )  # fmt: skip
    cost = np.array([*(-w for w in worth), *[Fraction(0)] * (len(lines) + 1)], dtype=object)
    basis = [len(worth) + i for i in range(len(lines))]
    while True:
        entering = next((j for j in range(len(cost) - 1) if cost[j] < 0), None)
        if entering is None:
            return cost[-1]
        ratios = [
            (table[i, -1] / table[i, entering], basis[i], i)
            for i in range(len(lines))
            if table[i, entering] > 0
        ]
        leaving = min(ratios)[2]
        table[leaving] = table[leaving] / table[leaving, entering]
        for i in range(len(lines)):
            if i != leaving and table[i, entering]:
                table[i] = table[i] - table[i, entering] * table[leaving]
        cost = cost - cost[entering] * table[leaving]
        basis[leaving] = entering
