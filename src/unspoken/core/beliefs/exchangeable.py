"""A belief in which only how many are 1 matters, not which: costs the number of variables squared.

A given assignment of n variables with c ones has probability P(c) / C(n, c). So of any sets of
n_1, ..., n_g variables, m in all, the numbers t_1, ..., t_g of ones have the law

    q(m, t_1 + ... + t_g) C(n_1, t_1) ... C(n_g, t_g),
    q(m, j) = sum_c P(c) C(n - m, c - j) / C(n, c)

(q: given j of given m variables are 1, the others of them 0). Every question comes down to such a
table: a variable that is looked at is a set of one, all variables with the same weight in a query
are one set, and so are those somebody knows, of whose values only the number of ones matters.
All terms are positive, and binomials are held as `Wide`, so neither digits nor range are lost.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import Belief, different, draws, evidence, impossible, is_event
from unspoken.core.errors import InputError, TooLarge, quoted
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.numerics.tables import as_law
from unspoken.core.numerics.wide import Wide
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import Sums, Weights

__all__ = ["Exchangeable"]

# What is seen of a variable of which nothing is seen.
SILENT = Channel((), np.zeros(1), np.zeros((2, 1)))


class Exchangeable(Belief):
    """``counts[c]``: how likely, or how often, exactly c of ``n`` binary variables are 1."""

    def __init__(
        self,
        counts: npt.ArrayLike,
        n: int,
        names: Iterable[str] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        law, n = as_law(counts, "exchangeable.counts"), _count_of(n)
        if law.shape != (n + 1,):
            raise InputError(
                f"exchangeable.counts: shape {law.shape} for n = {quoted(n)}; {quoted(n + 1)} "
                f"numbers are expected, how likely 0, 1, ..., {quoted(n)} ones are"
            )
        domain = Domain.of([2] * n, names)
        self._hold(
            domain, {name: (name,) for name in domain.names}, Wide.of(law), Premise.of(premise)
        )

    def _hold(
        self, domain: Domain, members: Mapping[str, tuple[str, ...]], law: Wide, premise: Premise
    ) -> None:
        """``members``: the variables that a name stands for, its value being their ones."""
        self.domain, self.members, self.law, self.premise = domain, members, law, premise
        self.sizes = {name: len(variables) for name, variables in members.items()}

    def operations(self, names: Sequence[str]) -> float:
        """At most n terms are added up, twice where some are known; binomials are rounded twice
        each, and of an event every variable takes ten operations.
        """
        return 32.0 + 12.0 * self._count

    def rounding(self, names: Sequence[str]) -> Rounding:
        """All on numbers, of which logarithms are taken last: four operations."""
        return Rounding.of_numbers(self.operations(names)) + Rounding(4.0)

    @property
    def counts(self) -> Array:
        """How likely 0, 1, 2, ... ones are."""
        return self.law.plain()

    @property
    def ones(self) -> Wide | None:
        return self.law if self._known is None else None

    def alike(self) -> list[tuple[str, ...]]:
        groups: dict[int, list[str]] = {}
        for name, size in self.sizes.items():
            groups.setdefault(size, []).append(name)
        return [tuple(names) for names in groups.values()]

    def marginal(self, names: Sequence[str]) -> Array:
        return self._table(names).plain()

    def _joint(self, names: Sequence[str]) -> tuple[Array, bool]:
        table = self._table(names)
        return (table.plain(), False) if table.fits else (table.logs(), True)

    def given(self, known: Mapping[str, Value]) -> Exchangeable:
        """P(j more ones) ~ P(j + b) C(n - k, j) / C(n, j + b), once k are known and b of them 1."""
        ones = sum(
            self.domain.code(name, value, "given") for name, value in evidence(known).items()
        )
        rest = self._count - sum(self.sizes[name] for name in known)
        kept = slice(ones, ones + rest + 1)
        law = self.law[kept] * _binomials(rest) / _binomials(self._count)[kept]
        total = law.sum(0)
        if not total.positive:
            raise impossible(known)
        members = {name: variables for name, variables in self.members.items() if name not in known}
        return self._like(self.domain.without(known), members, law / total)

    def knowing(self, names: Sequence[str]) -> tuple[Exchangeable, tuple[str, ...]]:
        """Of the known values only the number of ones matters: one variable that counts them.

        It is known, so how likely its values are is of no account; they are made equally likely,
        which keeps rare ones in the range of floats.
        """
        if len(names) < 2:
            return self, tuple(names)
        few = ", ".join(names[:3]) + (f", ... ({len(names)})" if len(names) > 3 else "")
        label, rest = f"ones among {few}", self.domain.without(names)
        values = tuple(range(len(names) + 1))
        domain = Domain((label, *rest.names), (values, *rest.values))
        members = {label: tuple(names), **{name: (name,) for name in rest.names}}
        return self._like(domain, members, self.law), (label,)

    def effort(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> float:
        """One event takes the number of ones only; several outputs need the joint table."""
        if not is_event(channels):
            return super().effort(keep, channels)
        return self.cells(keep) * (1.0 + len(self._summed(keep, channels)))

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        """One event takes no joint table, however many are seen."""
        if not is_event(channels):
            return super().outputs(keep, channels)
        summed = self._summed(keep, channels)
        mean, common = _mean_excess([channels[name] for name in summed])
        table = self._table(keep, [len(summed)])
        prior, excess = table.sum(-1), (table * mean).sum(-1)
        for axis, name in enumerate(keep):
            own_excess, silent = _mean_excess(
                [channels.get(member, SILENT) for member in self.members[name]]
            )
            own_excess = own_excess.reshape(-1, *[1] * (len(keep) - axis - 1))
            excess = excess * (own_excess + silent) + prior * common * own_excess
            common = common * silent
        log_common = sum((channel.log_common for channel in channels.values()), np.zeros(1))
        in_logs = not excess.fits or -math.inf < log_common[0] < -RANGE
        numbers = excess.logs() if in_logs else excess.plain()
        return Likelihood(self._plain(keep), log_common, numbers[..., None], in_logs)

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """Variables of the same terms in every query are one set: its number of ones is enough."""
        groups: dict[tuple[tuple[float, float], ...], int] = {}
        for name in dict.fromkeys(name for weights in queries for name in weights):
            terms_of_name = [self._term(weights, name).tolist() for weights in queries]
            key = tuple((term[0], term[1]) for term in terms_of_name)
            if name not in keep and any(map(any, key)):
                groups[key] = groups.get(key, 0) + self.sizes[name]
        cells = self.cells(keep) * math.prod(size + 1 for size in groups.values())
        if cells > CELLS:
            raise TooLarge(
                f"sum over {sum(groups.values())} exchangeable variables with {len(groups)} "
                f"different weights: {cells:,} cells, more than {CELLS:,}; use fewer weights"
            )
        steps = [np.arange(size + 1.0) for size in groups.values()]
        terms = [
            [
                *(self._term(weights, name) for name in keep),
                *(
                    key[c][0] * ones[::-1] + key[c][1] * ones
                    for key, ones in zip(groups, steps, strict=True)
                ),
            ]
            for c, weights in enumerate(queries)
        ]
        table = self._table(keep, list(groups.values()))
        if table.fits:
            return Sums.of(table.plain(), len(keep), terms)
        return Sums.of(table.logs(), len(keep), terms, in_logs=True)

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        if self._known is not None:
            return super().sample(rng, rows)
        count = draws(rng, rows)
        ones = rng.choice(self._count + 1, size=count, p=self.counts / self.counts.sum())
        order = rng.permuted(np.tile(np.arange(self._count), (count, 1)), axis=1)
        codes: Codes = (order < ones[:, None]).astype(np.intp)
        return codes

    @property
    def _count(self) -> int:
        return self.law.shape[0] - 1

    @cached_property
    def _known(self) -> str | None:
        """The variable that counts the ones among several known ones."""
        return next((name for name, size in self.sizes.items() if size > 1), None)

    def _summed(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> list[str]:
        """Those whose outputs are seen, but whose values are neither kept nor counted there."""
        kept = {member for name in keep for member in self.members[name]}
        summed = [name for name in channels if name not in kept]
        return [self.domain.names[self.domain.axis(name)] for name in summed]

    def _like(
        self, domain: Domain, members: Mapping[str, tuple[str, ...]], law: Wide
    ) -> Exchangeable:
        other = Exchangeable.__new__(Exchangeable)
        other._hold(domain, members, law, self.premise)
        return other

    def _table(self, names: Sequence[str], groups: Sequence[int] = ()) -> Wide:
        """The joint law of these variables and of the ones in other sets of these sizes."""
        sizes = [self.cells([name]) - 1 for name in different(names)]
        if self._known is not None and self._known not in names:
            return self._table([self._known, *names], groups).sum(0)
        table = self._ones([*sizes, *groups])
        if self._known is None:
            return table
        axis = list(names).index(self._known)
        context = table.sum(tuple(i for i in range(len(table.shape)) if i != axis), keepdims=True)
        possible = context.positive
        shares = Wide.of(np.where(possible, context.mantissa, 1.0), context.exponent)
        return table / (shares * Wide.of(float(possible.sum())))

    def _ones(self, sizes: Sequence[int]) -> Wide:
        """P(t_1, ..., t_g) for disjoint sets of these sizes."""
        ways = [
            _binomials(size).reshape(-1, *[1] * (len(sizes) - axis - 1))
            for axis, size in enumerate(sizes)
        ]
        totals = sum(np.ix_(*(np.arange(size + 1) for size in sizes)), np.zeros((), dtype=np.intp))
        return reduce(operator.mul, ways, self._given_ones(sum(sizes))[totals])

    def _given_ones(self, m: int) -> Wide:
        """q(m, j) for j = 0, ..., m."""
        each = self.law / _binomials(self._count)
        if m == self._count:
            return each
        rest = _binomials(self._count - m)
        sums = [(each[j : j + len(rest.mantissa)] * rest).sum(0) for j in range(m + 1)]
        return Wide(np.array([s.mantissa for s in sums]), np.array([s.exponent for s in sums]))


@lru_cache(maxsize=64)
def _binomials(n: int) -> Wide:
    """C(n, 0), ..., C(n, n)."""
    return Wide.of_whole(
        accumulate(range(n), lambda before, j: before * (n - j) // (j + 1), initial=1)
    )


def _mean_excess(channels: Sequence[Channel]) -> tuple[Wide, Wide]:
    """For each number of ones among these variables, the mean over which ones they are of
    prod_i W_i(x_i) - prod_i c_i, and that last product, the same for all. One variable more:

        m' E'(j) = (m' - j) [E(j) W(0) + c e(0)] + j [E(j - 1) W(1) + c e(1)],    m' = m + 1.
    """
    mean, common = Wide.of(np.zeros(1)), Wide.of(np.ones(1))
    for m, channel in enumerate(channels, start=1):
        silent = Wide.of_logs(channel.log_common)
        excess = Wide.of(channel.excess)  # rows: this one is 0, is 1
        after = mean * (silent + excess) + common * excess
        ones = np.arange(m + 1) / m
        mean = _padded(after[0], 0, 1) * Wide.of(1 - ones) + _padded(after[1], 1, 0) * Wide.of(ones)
        common = common * silent
    return mean, common


def _padded(numbers: Wide, before: int, after: int) -> Wide:
    return Wide.of(
        np.pad(numbers.mantissa, (before, after)), np.pad(numbers.exponent, (before, after))
    )


def _count_of(n: int) -> int:
    try:
        count = operator.index(n)
    except TypeError:
        count = 0
    if count < 1:
        raise InputError(f"exchangeable.n: {quoted(n)} is no number of variables; give 1, 2, ...")
    return count
