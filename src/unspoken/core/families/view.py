"""What is told under any table of a set: over every answer, by knapsacks.

An answer y has the likelihood P(y | A, x_K) = sum_x P(x) W(y | x) / sum_x P(x), over the cells x of
a class A that agree with what is known: linear in the cells' masses over linear. A set of tables
says for two classes how far these can come apart, and of a table that takes them there. What that
table really leaks is the lower end. Of noisy sums the noise-free answers are looked at: under any
table the largest ratio is at one of them (types/noise.py), and both maxima can be swapped.

Means. With q any law of answers and L_A(y) = P(y | A), mutual information is

    I = min_q sum_A P(A) sum_y L_A(y) log (L_A(y) / q(y)),

convex in L_A: each term is at most its chord between the least and the largest L_A(y), a knapsack
with sum_y L_A(y) = 1; then one more over P(A). Differences of two classes' laws (delta) likewise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappush, heappushpop
from typing import NoReturn

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Joint
from unspoken.core.beliefs.asking import Observed, Shows
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, TooLarge
from unspoken.core.families.capacity import best_weight, most_of_two
from unspoken.core.families.chords import chords, radius, shares
from unspoken.core.families.kernels import Kernels
from unspoken.core.families.knapsack import fill
from unspoken.core.families.searched import Furthest, Pair, Tables
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.ring import RANGE
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Functional, Posteriors, Reads, secret_events
from unspoken.core.types.sums import answers_off, term
from unspoken.core.views import RatioView, View
from unspoken.core.views.view import Convex

__all__ = ["TablesView"]

# How many pairs of classes, contexts and answers are looked at one by one.
QUESTIONS = 50_000
# How many of the tables that come furthest are looked at for the lower end.
WITNESSES = 4
# From how many of them a large mean is looked for.
TRIED = 32
# Laws of answers that are tried between those of two classes.
BETWEEN = np.linspace(0.0, 1.0, 33)


@dataclass(frozen=True, repr=False, eq=False)
class TablesView(Shown):
    """The view of a set of tables."""

    family: Tables
    mechanism: Shows
    adversary: Adversary
    outcome: Mapping[str, Output] | None
    seen: Observed
    prior_known = True  # by each belief of the set; what needs it is refused by name

    @property
    def events(self) -> list[tuple[Value, ...]]:
        labels = self.seen.secret.labels
        return [
            tuple(itertools.compress(labels, event))
            for event in secret_events(self.seen.secret.hidden)
        ]

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """The largest over answers and tables of an f that compares likelihoods."""
        reading = Functional.of(f)
        if reading.reads not in ("pairs", "events", "secret"):
            self._refuse(reading.name)
        if reading.reads == "secret" and self.seen.secret.hidden.all():
            f(Posteriors.of_two(0.0))  # which says why there are no such odds
        quick = self._quickly(reading)
        if quick is not None:
            return quick
        allowed = self.family.allowed()
        if not any(self.kernels.possible(context & allowed) for context in self.contexts):
            return Bound.impossible("nat", self.family.premise, "no such outcome is possible")
        ranked, count = self._ranked(reading)
        views = self._views([furthest.table for *_, furthest in ranked])
        reached = [bound.low for bound in (view.sup(f) for view in views) if bound.status == "ok"]
        least = 0.0 if self.outcome is None else -math.inf  # of all answers some tell nothing
        high = ranked[0][0] if ranked else 0.0
        bound = self._bound(max(reached, default=least), high, count)
        if not reading.outer:
            return bound
        ends = (view._ranked(reading)[0] for view in self._beside)
        return self._outer(bound, *(most[0][0] if most else 0.0 for most in ends))

    def _ranked(self, reading: Functional) -> tuple[list[tuple[float, int, Furthest]], int]:
        """The largest values, each with a table that has it, and of how many."""
        ranked: list[tuple[float, int, Furthest]] = []
        count = 0
        for pair, secret, y in self._questions(reading.reads):
            furthest = self.family.furthest(pair, self.kernels.column(y))
            if furthest is not None:
                between = Posteriors.of_two(furthest.log_ratio, secret)
                value, count = float(np.max(np.asarray(reading(between)))), count + 1
                keep = heappushpop if len(ranked) == WITNESSES else heappush
                keep(ranked, (value, -count, furthest))
        return sorted(ranked, reverse=True), count

    def _quickly(self, reading: Functional) -> Bound | None:
        """Of one noisy sum and nothing else, what compares any two values of one target."""
        queries, who = list(self.seen.queries.values()), self.adversary
        alone = len(queries) == 1 and not self.seen.beside_queries and self.outcome is None
        alone = alone and not queries[0].noise.one_sided
        if reading.reads != "pairs" or not alone or len(who.targets) > 1 or who.secret is not None:
            return None
        apart = self.family.apart(queries[0], who)
        return None if apart is None else RatioView(self.family.kind, (), apart).sup(reading)

    def mean(self, f: Convex, unit: str = "nat") -> Bound:
        """Mutual information, or what compares the laws of two classes; looked for in some tables,
        and bounded over all of them.
        """
        reading = Functional.of(f)
        if self.seen.queries:
            self._refuse(f"{reading.name} of noisy sums")
        if reading.reads not in ("divergence", "pairs"):
            self._refuse(reading.name)
        if self._corners is not None:
            means = [view.mean(f) for view in self._views(self._corners)]
            low, high = (max(ends) for ends in zip(*((m.low, m.high) for m in means), strict=True))
            bound = self._bound(low, high, len(means))
            wide = max(mean.outward().high for mean in means) + self._beside[1]._adding
        else:
            means = [view.mean(f) for view in self._views(self._tables())]
            high = self._at_most(reading)
            bound = self._bound(max([0.0, *(m.low for m in means)]), high, len(means))
            wide = self._beside[1]._at_most(reading) if reading.outer else high
        narrow = max([0.0, *(mean.outward().low for mean in means)])
        return self._outer(bound, narrow, wide) if reading.outer else bound

    def _at_most(self, reading: Functional) -> float:
        """A mean that no table exceeds."""
        if reading.reads == "divergence":
            return max(map(self._information, self.contexts))
        pairs = [pair for pair, _, y in self._questions("pairs") if y == 0]
        return max((self._apart(reading, pair) for pair in pairs), default=0.0)

    def _tables(self) -> list[Array]:
        """Some under which much may be told."""
        tables = []
        for pair, _, y in itertools.islice(self._questions("pairs"), TRIED):
            furthest = self.family.furthest(pair, self.kernels.column(y))
            if furthest is not None:
                tables += [furthest.table, self._weighed(furthest.table, pair)]
        return tables

    def worst(self, f: Convex) -> None:
        """Each table has its own."""

    def outcomes(self) -> NoReturn:
        """Refused: each table has its own."""
        self._refuse("outcomes")

    def facts(self) -> list[tuple[str, str]]:
        joint = self.kernels.joint
        names = [*self.seen.channels, *(joint.outcomes.names if joint else ())]
        shown = f"{', '.join(names) or 'nothing'}; {len(self.kernels)} outcomes"
        return [("of", self.family.kind), ("seen", shown), ("premise", str(self.family.premise))]

    @cached_property
    def _corners(self) -> list[Array] | None:
        """The set's, where its answers are linear: each class is as likely under all of them."""
        corners = self.family.corners()
        if corners is None:
            return None
        cells = [self._cells(label) for label in np.eye(len(self.seen.secret.labels), dtype=bool)]
        ends = [self.family.weight(event, context) for event in cells for context in self.contexts]
        off = 64 * UNIT * self.kernels.cells
        return list(corners) if all(most - least <= off for least, most in ends) else None

    @cached_property
    def contexts(self) -> list[Mask]:
        """Which cells agree with what is known, for each value it can have: masks [cell]."""
        domain, fixed = self.family.domain, self.adversary.known_values
        known = self.adversary.known
        codes = [
            [domain.code(name, fixed[name])] if name in fixed else range(domain.sizes[axis])
            for name, axis in ((name, domain.axis(name)) for name in known)
        ]
        known_codes = [self._codes[domain.axis(name)] for name in known]
        every = np.ones(self._codes.shape[1], dtype=bool)
        return [
            np.logical_and.reduce([every, *(a == b for a, b in zip(known_codes, row, strict=True))])
            for row in itertools.product(*codes)
        ]

    @cached_property
    def kernels(self) -> Kernels:
        """W(y | x) of all that is seen together; of sums at noise-free answers."""
        domain = self.family.domain
        each = [c.law[self._codes[domain.axis(name)]] for name, c in self.seen.channels.items()]
        laws = [*each, *map(self._noise, self.seen.queries)]
        codes = {name: self._codes[domain.axis(name)] for name in domain.names}
        joint = self.seen.joint(codes)
        return Kernels.of(laws, joint, self._codes.shape[1], self.family.kind)

    def _noise(self, name: str) -> Array:
        """e^(-|r - S(x)| / scale) of one noisy sum: [cell, answer]."""
        query, domain = self.seen.queries[name], self.family.domain
        terms = [
            term(domain, weight, variable)[self._codes[domain.axis(variable)]]
            for variable, weight in query.weights.items()
            if weight
        ]
        sums = np.sum([np.zeros(self._codes.shape[1]), *terms], axis=0)
        at = np.unique(sums)
        if self.outcome is not None:
            at = np.array([number(self.outcome[name])])
            if not np.isfinite(at).all():
                raise InputError(f"outcome: {name} is a noisy answer, so give the number seen")
        away = at - sums[:, None]
        if query.noise.rate * np.abs(away).max() > RANGE:
            raise InputError(
                f"{self.family.kind}: sums range over more than {RANGE:g} noise scales; give more"
            )
        return query.noise.kernel(away)

    @cached_property
    def _codes(self) -> Codes:
        """The values' positions in each cell: [axis, cell]."""
        sizes = self.family.domain.sizes
        return np.indices(sizes).reshape(len(sizes), -1)

    def _cells(self, classes: Mask) -> Mask:
        """The cells [cell] of some classes of the target's values."""
        domain, targets = self.family.domain, self.adversary.targets
        values: Mask = np.logical_or.reduce(self.seen.secret.classes[classes])
        axes = [domain.axis(name) for name in targets]
        code = np.ravel_multi_index(
            tuple(self._codes[axis] for axis in axes), tuple(domain.sizes[axis] for axis in axes)
        )
        cells: Mask = values[code]
        return cells

    def _questions(self, reads: Reads) -> Iterator[tuple[Pair, tuple[bool, bool], int]]:
        """Pairs of classes, or of a secret event and the rest, whether they are secret, and y."""
        hidden = self.seen.secret.hidden
        if reads in ("events", "secret"):
            events = [hidden] if reads == "secret" else secret_events(hidden)
            sides = [(event, ~event, (True, False)) for event in events if not event.all()]
        else:
            each = np.eye(len(hidden), dtype=bool)
            order = itertools.permutations(range(len(hidden)), 2)
            sides = [(each[a], each[b], (bool(hidden[a]), bool(hidden[b]))) for a, b in order]
        asked = len(sides) * len(self.contexts) * len(self.kernels)
        if asked > QUESTIONS:
            raise TooLarge(f"{self.family.kind}: {asked:,} answers to compare; know or see less")
        for above, below, secret in sides:
            cells = self._cells(above), self._cells(below)
            for context in self.contexts:
                for y in range(len(self.kernels)):
                    yield Pair(*cells, context), secret, y

    def _views(self, tables: Sequence[Array]) -> Iterator[View]:
        """The views under those of these tables that are in the set, and under some that are."""
        domain, known = self.family.domain, np.logical_or.reduce(self.contexts)
        held = [table for table in tables if self.family.holds(table)]
        for table in [*held, *self.family.examples()]:
            if table[known].any():
                made = table.reshape(domain.sizes) / table.sum()
                belief = Joint(made, domain.names, domain.values, self.family.premise)
                yield self.mechanism.cloud(belief, self.adversary, self.outcome)

    def _bound(self, low: float, high: float, looked_at: int) -> Bound:
        """Rounded outward; exact where a table reaches it but for rounding."""
        off = UNIT * (8 * self.kernels.cells + 64) * max(1.0, abs(high))
        reached = low >= high - 2 * off
        high = high + off if high and math.isfinite(high) else high
        words = "one of them reaches it" if reached else "the best that was found, and none more"
        why = f"every table of the {self.family.kind}, at {looked_at} answers; {words}"
        low = high if reached else low
        outer = low - 4 * off if math.isfinite(low) else low, high
        return Bound.rounded((low, high), outer, self.family.premise, why)

    @property
    def _adding(self) -> float:
        """The most that masses which are off add to a mean: each what its class is worth."""
        cells = [self._cells(label) for label in np.eye(len(self.seen.secret.labels), dtype=bool)]
        ends = [
            self.family.weight(event, context)[1] for event in cells for context in self.contexts
        ]
        rarest = min((end for end in ends if end > 0), default=1.0)
        return self.family.loose * self.kernels.cells * (1.0 - math.log(rarest))

    @property
    def _beside(self) -> tuple[TablesView, TablesView]:
        """The views of a smaller set and of a larger one: by more than masses are rounded."""
        by = 2 * self.family.rounded
        smaller, larger = (replace(self, family=self.family.loosened(o)) for o in (-by, by))
        return smaller, larger

    def _outer(self, bound: Bound, narrow: float, wide: float) -> Bound:
        """With the rounding behind its ends, from what was computed for sets beside this one.

        Both differ from what they stand for by rounded means alone: of n cells, two sums each,
        quotients, logarithms, and a kernel of e^-x (3 x u), channels and answers (types/sums.py).
        """
        domain = self.family.domain
        kernel = sum(c.rounding.parts + c.rounding.whole for c in self.seen.channels.values())
        for query in self.seen.queries.values():
            kernel += query.noise.rate * answers_off(domain, query.weights, 0.0) / UNIT
        seen = self.kernels.laws
        reach = -math.log(seen[seen > 0].min(initial=1.0))
        operations = 8 * self.kernels.cells + 64 + 4 * kernel + 8 * reach
        off = UNIT * operations * max(1.0, bound.high if math.isfinite(bound.high) else 1.0)
        low, high = min(bound.low, narrow), max(bound.high, wide)
        ends = low - off if math.isfinite(low) else low, high + off
        return Bound.rounded((bound.low, bound.high), ends, bound.premise, bound.why)

    def _information(self, context: Mask) -> float:
        """No table tells more than this in one context, in nats."""
        laws, weights = [], []
        for label in np.eye(len(self.seen.secret.labels), dtype=bool):
            law = self._law(self._cells(label), context)
            if law is not None:
                laws.append(law)
                weights.append(self.family.weight(self._cells(label), context))
        if len(laws) < 2:
            return 0.0
        if len(laws) == laws[0].shape[1] == 2:
            first, second = ((float(law[0, 0]), float(law[1, 0])) for law in laws)
            return most_of_two(first, second, weights[0])
        middles = [fill(law[:1], law[1:], np.ones(law.shape[1]), 1, 1.0)[0] for law in laws]
        middle = np.mean(middles, axis=0)
        tried = [t * middles[0] + (1 - t) * np.mean(middles[1:], axis=0) for t in BETWEEN]
        most = min(radius(laws, weights, q) for q in (middle, *tried))
        return min(most, math.log(len(laws)))  # no more than there is to know

    def _law(self, cells: Mask, context: Mask) -> Array | None:
        """The least and the largest likelihood of every answer: [2, y]."""
        ranges = [self.family.likely(cells, context, kernel) for kernel in self.kernels.columns()]
        possible = [ends for ends in ranges if ends is not None]
        return np.array(possible).T if possible else None

    def _apart(self, f: Convex, pair: Pair) -> float:
        """The mean of f over answers, for two classes each as likely as the other, at most."""
        above, below = (self._law(cells, pair.context) for cells in (pair.above, pair.below))
        if above is None or below is None:
            return 0.0
        best = math.inf
        for first, second, turned in ((above, below, False), (below, above, True)):
            ends = [
                np.max([shares(f, first[i], second[j], turned) for j in (0, 1)], axis=0)
                for i in (0, 1)
            ]
            each = zip(ends[0].T, ends[1].T, strict=True)
            best = min(best, max(chords(first, *pair) for pair in each))
        return best

    def _weighed(self, table: Array, pair: Pair) -> Array:
        """The same laws of both classes, weighed so that the first answer tells the most."""
        sides = [cells & pair.context for cells in (pair.above, pair.below)]
        masses = [float(table[side].sum()) for side in sides]
        if not all(masses):
            return table
        kernel = self.kernels.column(0)
        likely = [float(table[side] @ kernel[side]) for side in sides]
        weights = self.family.weight(pair.above, pair.context)
        shares = [min(1.0, weight / mass) for weight, mass in zip(likely, masses, strict=True)]
        weight = best_weight(shares[0], shares[1], weights)  # quotients round to more than 1
        made, total = table.copy(), sum(masses)
        made[sides[0]] *= weight * total / masses[0]
        made[sides[1]] *= (1.0 - weight) * total / masses[1]
        return made

    def _refuse(self, asked: str) -> NoReturn:
        raise NotKnown(
            f"{self.family.kind}: answers max-log-ratio, exclusion, odds and, without noisy sums, "
            f"delta and mutual-information, not {asked}; give Beliefs([...]), finitely many"
        )
