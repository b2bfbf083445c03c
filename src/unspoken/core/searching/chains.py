"""The worst adversary of a noisy sum over a Markov chain, of all n 2^(n-1), by intervals (T9).

Somebody is after x_i and does not know x_U. Let C be the stretch of U + {i} that i lies in, from l
to r. Given x_K, the variables of U outside C are independent of those in C (a known one lies in
between), so with x_W their values

    f(y | a, x_K) = sum_{x_W} P(x_W | x_K) f(y | a, x_K, x_W):

the same weights for every a, hence a ratio for a and b that is at most the largest one at some x_W.
Who knows x_W too therefore learns as much at least (and P(x_i | x_K, x_W) = P(x_i | x_K)). So the
worst adversary knows all but an interval. Of what is known only the neighbours l - 1 and r + 1 say
anything about the interval; the rest shifts the answer. That leaves about n^3 / 6 intervals, and
their neighbours' values u and v. Given x_i = a, the sums to the left and to the right of i are
independent: S = x_i's own term + L + R, with laws L_a (given u too) and R_a (given v too). Writing
E(L; a, b) for the largest log-ratio of L_a and L_b after noise,

    log f(y | a, u, v) / f(y | b, u, v) <= |w_i (a - b)| / lambda + E(L; a, b) + E(R; a, b),

since f(. | a) = L_a * R_a * noise, shifted by w_i a: replace L_a by e^E(L; a, b) L_b, R_a likewise;
the shift costs e^(|w_i (a - b)| / lambda). Runs have n^2 / 2 such E to each side; intervals are
looked at in the order of these bounds until the next one is no larger than what was found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unspoken.core.beliefs.belief import Belief
from unspoken.core.beliefs.lattice import Lattice
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.arrays import CELLS, Array, Codes, Mask
from unspoken.core.numerics.ring import OutOfRange
from unspoken.core.searching.blurring import blurred
from unspoken.core.searching.certificate import Certificate, epsilons, group
from unspoken.core.searching.runs import RARE, Direction, Edges
from unspoken.core.searching.stretches import TIE, Stretches, count
from unspoken.core.types.domain import Domain
from unspoken.core.types.sums import term

__all__ = ["worst_of_chain"]

# Numbers to go through, over all runs: about a minute of one core.
WORK = 2.0**32
# So many intervals are looked at together.
AT_ONCE = 64


def worst_of_chain(
    belief: Belief, query: Query, targets: Sequence[str]
) -> Iterator[Certificate] | None:
    """Certificates of the max-log-ratio; None of other than chains, and where sums are on no
    lattice small enough."""
    runs = Runs.of(belief, query)
    if runs is None:
        return None
    n, d = runs.terms.shape
    work = 2.0 * n * n * d**2 * runs.lengths[-1] / 3
    if work > WORK:
        raise TooLarge(
            f"worst: {count(range(n), n):,} intervals of a chain of {n} variables, with "
            f"{work:.2g} numbers to go through, more than {WORK:.2g}; ask about a part of the chain"
            ", or use coarser values"
        )
    singles = np.zeros((n, d))
    for row, single in zip(singles, belief.forest.singles if belief.forest else (), strict=True):
        row[: len(single)] = single
    places = [belief.domain.axis(name) for name in targets]
    return _steps(IntervalSearch(belief.domain, query, runs, places), singles)


def _steps(search: IntervalSearch, singles: Array) -> Iterator[Certificate]:
    """Near runs, and farther ones as they are needed; of chains that keep too much, all of them."""
    best = search.known
    yield best
    for near in stretches_of(search, singles).steps(best):
        best = near
        yield best
    if best.done < best.total:
        yield from search.steps(best)


def stretches_of(search: IntervalSearch, singles: Array) -> Stretches:
    """The same search by how far runs reach."""
    runs = search.runs
    n, d = runs.terms.shape
    moves = np.array(runs.moves).reshape(n - 1, d, d)
    given = moves * runs.possible[:-1, :, None]
    fits = runs.possible > 0
    return Stretches(
        search.domain.names,
        Direction(given[::-1], runs.terms[::-1], runs.start, fits[::-1], runs.rate),
        Direction(given.swapaxes(1, 2), runs.terms, np.ones(d), fits, runs.rate),
        search.targets,
        Edges(moves, singles, search.targets, moves),
        runs.with_term,
        [runs.gaps(i) for i in range(n)],
    )


@dataclass(frozen=True)
class Runs:
    """Sums over stretches of the chain; all tables are padded to the same number d of values.

    ``moves[t][a, b]`` = P(x_t+1 = b | x_t = a), ``terms[t, a]``: what x_t = a adds, in steps of the
    lattice; ``rate``: of the noise, per step.
    """

    start: Array
    moves: tuple[Array, ...]
    possible: Array
    terms: Codes
    rate: float

    @classmethod
    def of(cls, belief: Belief, query: Query) -> Runs | None:
        forest, steps = belief.forest, belief.steps
        if forest is None or steps is None:
            return None
        sizes, d = belief.domain.sizes, max(belief.domain.sizes)
        adds = {
            belief.domain.axis(name): term(belief.domain, w, name)
            for name, w in query.weights.items()
            if w
        }
        lattice = Lattice.of([adds]) if adds else None
        if lattice is None or not lattice.dense or len(sizes) * d * d * lattice.size > CELLS:
            return None
        terms = np.zeros((len(sizes), d), dtype=np.intp)
        possible = np.zeros((len(sizes), d))
        for t, single in enumerate(forest.singles):
            possible[t, : sizes[t]] = single > 0
            if t in lattice.steps:
                terms[t, : sizes[t]] = lattice.steps[t]
        start = np.zeros(d)
        start[: sizes[0]] = forest.laws[0][0]
        return cls(start, _padded(steps, d), possible, terms, query.noise.rate * lattice.units[0])

    @property
    def d(self) -> int:
        return len(self.start)

    @property
    def lengths(self) -> Codes:
        """Into how many points the sum of the first t variables can fall."""
        lengths: Codes = 1 + np.concatenate([[0], np.cumsum(self.terms.max(1))])
        return lengths

    def lefts(self) -> Iterator[Array]:
        """For i = 0, 1, ...: P(x_i = a, S_l..i-1 = s | x_l-1 = u) as [l, u, a, s], l = 0 .. i.

        Nothing comes before the first variable: there u = 0 stands for it.
        """
        law = np.zeros((1, self.d, self.d, 1))
        law[0, 0, :, 0] = self.start
        yield law
        for t, move in enumerate(self.moves):
            fresh = move * self.possible[t][:, None]
            law = _with_empty_run(move.T @ self.with_term(t, law), fresh)
            yield law

    def rights(self) -> Iterator[Array]:
        """For i = n-1, n-2, ...: P(x_r+1 = v, S_i+1..r = s | x_i = a) as [n-1-r, v, a, s]."""
        law = np.zeros((1, self.d, self.d, 1))
        law[0, 0, :, 0] = self.possible[-1]
        yield law
        for t in reversed(range(len(self.moves))):
            move = self.moves[t] * self.possible[t][:, None]
            law = _with_empty_run(move @ self.with_term(t + 1, law), move.T)
            yield law

    def at(self, i: int) -> tuple[Array, Array]:
        """The laws of all runs that end beside i, given x_i and the neighbour, a row a run."""
        left = next(itertools.islice(self.lefts(), i, None))
        right = next(itertools.islice(self.rights(), len(self.moves) - i, None))
        return _conditional(left), _conditional(right)

    def reach(self, laws: Array) -> Array:
        """E[run, a, b], -inf where the neighbour's value rules out a or b."""
        given = _conditional(laws)
        fits: Mask = np.any(given > 0, axis=-1, keepdims=True)[..., 0]
        with np.errstate(divide="ignore"):
            logs = np.log(blurred(given, self.rate))
        largest = np.full((*fits.shape, fits.shape[1]), -np.inf)
        for a, b in itertools.combinations(range(fits.shape[1]), 2):
            both = fits[:, a] & fits[:, b]
            log_ratio = logs[both, a] - logs[both, b]
            largest[both, a, b], largest[both, b, a] = log_ratio.max(-1), -log_ratio.min(-1)
        return largest

    def gaps(self, i: int) -> Array:
        """|w_i (a - b)| / lambda; -inf for a = b, of which nothing is to be learned."""
        gaps: Array = self.rate * np.abs(self.terms[i][:, None] - self.terms[i]).astype(np.float64)
        np.fill_diagonal(gaps, -np.inf)
        return gaps

    def knowing_all(self, i: int) -> float:
        """What who knows all others learns: how far apart two values are that both can be."""
        before = self.moves[i - 1] * self.possible[i - 1][:, None] if i else self.start[None]
        after = self.moves[i].T if i < len(self.moves) else self.possible[i][None]
        both = [(law[:, :, None] * law[:, None, :] > 0).any(axis=0) for law in (before, after)]
        return float(self.gaps(i).max(where=both[0] & both[1], initial=0.0))

    def leaks(self, i: int, lefts: Array, rights: Array) -> Array:
        """The exact leakages of some intervals and their neighbours' values, a row [a, s] each."""
        if lefts.shape[-1] > rights.shape[-1]:
            lefts, rights = rights, lefts
        width = lefts.shape[-1] + rights.shape[-1] - 1
        law = np.zeros((*lefts.shape[:-1], width))
        for k in range(lefts.shape[-1]):
            law[..., k : k + rights.shape[-1]] += lefts[..., k, None] * rights
        likelihood = blurred(self.with_term(i, law), self.rate)
        fits = likelihood > 0
        logs = np.log(likelihood, out=np.zeros_like(likelihood), where=fits)
        most = logs.max(axis=1, where=fits, initial=-np.inf)
        log_ratio: Array = (most - logs.min(axis=1, where=fits, initial=np.inf)).max(axis=-1)
        return log_ratio

    def with_term(self, t: int, law: Array) -> Array:
        """With the term of x_t added."""
        moved = np.zeros((*law.shape[:-1], law.shape[-1] + int(self.terms[t].max())))
        for x, step in enumerate(self.terms[t].tolist()):
            moved[..., x, step : step + law.shape[-1]] = law[..., x, :]
        return moved


@dataclass(frozen=True)
class IntervalSearch:
    """Intervals around each target, those with the largest bounds first."""

    domain: Domain
    query: Query
    runs: Runs
    targets: Sequence[int]

    @property
    def known(self) -> Certificate:
        """What those learn at least who know all others, and what nobody exceeds."""
        steps = len(self.domain.names) + len(self.targets)
        most = group(epsilons(self.domain, Parts(queries=(self.query,))).values())
        best = Certificate(0.0, most, "", frozenset(), 0, steps, "group bound")
        for i in self.targets:
            if self.runs.knowing_all(i) > best.low:
                best = replace(best, low=self.runs.knowing_all(i), target=self.domain.names[i])
        return best

    def steps(self, best: Certificate) -> Iterator[Certificate]:
        n, wanted = len(self.domain.names), set(self.targets)
        lefts, rights = dict[int, Array](), dict[int, Array]()
        for i, (left, right) in enumerate(zip(self.runs.lefts(), self.runs.rights(), strict=True)):
            if i in wanted:
                lefts[i] = self.runs.reach(left)
            if n - 1 - i in wanted:
                rights[n - 1 - i] = self.runs.reach(right)
            best = replace(best, done=i + 1)
            yield best
        sides = {i: (lefts[i], rights[i]) for i in wanted}
        tops = {i: self.bounds(i, *map(_largest, sides[i])).item() for i in wanted}
        order = sorted(tops, key=lambda i: -tops[i])
        for i, beyond in zip(order, [*(tops[j] for j in order[1:]), 0.0], strict=True):
            if tops[i] <= best.low * (1 + TIE):
                break
            around = self.around(i, self.bounds(i, *sides[i]), beyond, best)
            for best in around:
                yield best
            best = replace(best, done=best.done + 1)
        how = f"the worst of {count(wanted, n):,} intervals that may be unknown"
        yield replace(best, high=best.low, done=best.total, how=how)

    def around(
        self, i: int, bounds: Array, beyond: float, best: Certificate
    ) -> Iterator[Certificate]:
        """The intervals around one target; ``beyond``: what those around others reach at most."""
        left, right = self.runs.at(i)
        above = np.flatnonzero(bounds > best.low * (1 + TIE))
        order, size = above[np.argsort(-bounds.ravel()[above], kind="stable")], 1
        while len(order) and bounds.flat[order[0]] > best.low * (1 + TIE):
            rows, columns = np.divmod(order[:size], bounds.shape[1])
            leaks = self.runs.leaks(i, _trimmed(left[rows]), _trimmed(right[columns]))
            top = int(leaks.argmax())
            if leaks[top] > best.low:
                first, last = rows[top] // self.runs.d, columns[top] // self.runs.d
                unknown = self.domain.names[first : len(self.domain.names) - last]
                target = self.domain.names[i]
                hidden = frozenset(unknown) - {target}
                best = replace(best, low=float(leaks[top]), target=target, unknown=hidden)
            order, size = order[size:], min(2 * size, AT_ONCE)
            rest = float(bounds.flat[order[0]]) if len(order) else 0.0
            best = replace(best, high=max(best.low, rest, beyond))
            yield best

    def bounds(self, i: int, left: Array, right: Array) -> Array:
        """The bound for every run to the left and every one to the right, over all a and b."""
        gaps, bounds = self.runs.gaps(i), np.full((len(left), len(right)), -np.inf)
        for a, b in np.argwhere(gaps > -np.inf).tolist():
            np.maximum(bounds, gaps[a, b] + np.add.outer(left[:, a, b], right[:, a, b]), out=bounds)
        return bounds


def _trimmed(laws: Array) -> Array:
    """Without the sums that none of these reaches."""
    return laws[..., : 1 + int(np.flatnonzero(laws.any(axis=(0, 1)))[-1])]


def _largest(side: Array) -> Array:
    largest: Array = side.max(axis=0, keepdims=True)
    return largest


def _padded(steps: Sequence[Array], d: int) -> tuple[Array, ...]:
    """Each matrix once, however often it is repeated."""
    padded: dict[int, Array] = {}
    for step in steps:
        if id(step) not in padded:
            padded[id(step)] = np.pad(step, [(0, d - size) for size in step.shape])
    return tuple(padded[id(step)] for step in steps)


def _with_empty_run(laws: Array, fresh: Array) -> Array:
    """With one more run, that is empty so far."""
    grown = np.zeros((len(laws) + 1, *laws.shape[1:]))
    grown[:-1] = laws
    grown[-1, :, :, 0] = fresh
    return grown


def _conditional(laws: Array) -> Array:
    """Given x_i = a; a row [a, s] for each run and its neighbour's value."""
    mass = laws.sum(-1, keepdims=True)
    if mass.min(where=mass > 0, initial=1.0) < RARE:
        raise OutOfRange
    given: Array = np.divide(laws, mass, out=np.zeros_like(laws), where=mass > 0)
    return given.reshape(-1, *laws.shape[2:])
