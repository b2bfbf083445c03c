"""Runs of a Markov chain to either side of a variable, and what the values beyond them say.

The law of a run, given the value beyond it and the target's, takes the steps inside it and no
others: where steps repeat, runs of one length have one law, which is worked out once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.ring import OutOfRange
from unspoken.core.searching.blurring import blurred

__all__ = ["RARE", "AllRuns", "TargetRuns", "Edges", "Direction", "log_ratios", "with_edge"]

# Rarer transitions leave too few digits of what follows them.
RARE = 1e-30


@dataclass
class Direction:
    """Runs that go on from each variable t to t + 1, t + 2, ... (the chain itself, or turned).

    ``links[t][v, a]``: how x_t = a and x_t+1 = v go together, up to what does not depend on a;
    ``terms[t, v]``: what x_t = v adds, in steps of the lattice; ``ends``: the weights of the last
    variable's values; ``possible``: which values each can have. Of run number k, ``laws[k][v, a,
    s]`` is the law of its sum given the value v beyond it and the target's a, zeros where these do
    not go together; ``ratios[k][v, a, b]`` its largest log-ratio after noise. ``known[g][t]`` is
    the number of the run of g variables after t, ``ended[t]`` of that to the end; -1 where there is
    none (as yet).
    """

    links: Array
    terms: Codes
    ends: Array
    possible: Mask
    rate: float
    laws: list[Array] = field(default_factory=list)
    ratios: list[Array] = field(default_factory=list)
    known: list[Codes] = field(default_factory=list)
    kept: int = 0

    def __post_init__(self) -> None:
        last = self.possible[-1:].astype(float)[:, None, :, None]  # nothing follows the last one
        n, d = self.terms.shape
        self.ended = np.full(n, -1)
        self.ended[-1:] = self._keep(np.pad(last, [(0, 0), (0, d - 1), (0, 0), (0, 0)]))
        kinds: dict[bytes, int] = {}
        each = zip(self.links, self.terms, strict=False)
        keys = (link.tobytes() + term.tobytes() for link, term in each)
        self.kinds = np.array([kinds.setdefault(key, len(kinds)) for key in keys], dtype=np.intp)
        first, group = np.unique(self.kinds, return_index=True, return_inverse=True)[1:]
        self._now(self.links[first][..., None], group)

    @property
    def gap(self) -> int:
        """The longest runs so far."""
        return len(self.known) - 1

    def grow(self) -> None:
        """Runs of one variable more."""
        last, edge = len(self.terms) - 1, np.arange(len(self.group)) + self.gap + 1
        for t in np.flatnonzero(edge == last).tolist():
            moved = _moved(self.level[self.group[t]][None], self.terms[-1:])
            law = np.zeros((1, self.ends.size, *moved.shape[2:]))  # as if the first were beyond it
            law[:, 0] = np.einsum("v,gvas->gas", self.ends, moved)
            self.ended[t] = self._keep(law)[0]
        group, edge = self.group[edge < last], edge[edge < last]
        keys = group * (1 + self.kinds.max(initial=0)) + self.kinds[edge]
        first, now = np.unique(keys, return_index=True, return_inverse=True)[1:]
        moved = _moved(self.level[group[first]], self.terms[edge[first]])
        self._now(np.einsum("gwv,gvas->gwas", self.links[edge[first]], moved), now)

    def _now(self, level: Array, group: Codes) -> None:
        self.level, self.group = level, group
        known = np.full(len(self.terms), -1)
        known[: len(group)] = self._keep(level)[group]
        self.known.append(known)

    def _keep(self, laws: Array) -> Codes:
        mass = laws.sum(-1, keepdims=True)
        if mass.min(where=mass > 0, initial=1.0) < RARE:
            raise OutOfRange
        given = laws / np.where(mass > 0, mass, 1.0)
        numbers = np.arange(len(self.laws), len(self.laws) + len(given))
        self.laws.extend(given)
        self.ratios.extend(log_ratios(given, self.rate))
        self.kept += given.size
        return numbers


@dataclass(frozen=True)
class TargetRuns:
    """The runs to one side of one target: their numbers and lengths; ``longer``: whether such a run
    stands for all longer ones. ``most[k, a, b]``: what it says of the target at most.
    """

    numbers: Codes
    lengths: Codes
    longer: Mask
    most: Array

    @property
    def key(self) -> bytes:
        return self.numbers.tobytes() + self.longer.tobytes()


@dataclass(frozen=True)
class AllRuns:
    """Of one side, as long as they are by now; ``edge[v, a, b]``: what the value beyond the longest
    says of a target by itself.
    """

    direction: Direction
    edge: Array

    def beside(self, t: int) -> TargetRuns:
        direction, after = self.direction, len(self.direction.terms) - 1 - t
        lengths = np.flatnonzero(self.known[:, t] >= 0)
        numbers, longer = self.known[lengths, t], after > direction.gap
        extra, length = (numbers[-1], direction.gap) if longer else (direction.ended[t], after)
        most = [self.most[numbers], (self.most_beside_edge if longer else self.most)[extra][None]]
        return TargetRuns(
            np.append(numbers, extra),
            np.append(lengths, length),
            np.arange(len(numbers) + 1) == (len(numbers) if longer else -1),
            np.concatenate(most),
        )

    @cached_property
    def known(self) -> Codes:
        return np.stack(self.direction.known)

    @cached_property
    def most(self) -> Array:
        return np.stack([ratios.max(0) for ratios in self.direction.ratios])

    @cached_property
    def most_beside_edge(self) -> Array:
        return np.stack([with_edge(ratios, self.edge).max(0) for ratios in self.direction.ratios])


@dataclass
class Edges:
    """``over[t]`` = P(x_t+g+1 | x_t) for runs of g variables; ``singles``: the law of each."""

    moves: Array
    singles: Array
    targets: Sequence[int]
    over: Array

    def grow(self) -> None:
        gap = len(self.moves) - len(self.over) + 1
        self.over = self.over[:-1] @ self.moves[gap:]

    def say(self) -> tuple[Array, Array]:
        """What edges before and after add at most, as [v, a, b]."""
        d, gap = self.singles.shape[1], len(self.moves) - len(self.over) + 1
        before, after = np.full((2, d, d, d), -np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs, singles = np.log(self.over), np.log(self.singles)
            for i in self.targets:
                here = self.singles[i] > 0
                both = here[:, None] & here
                if i >= gap:
                    log_lift = logs[i - gap] - singles[i]
                    log_lift[self.singles[i - gap] == 0] = -np.inf
                    np.maximum(before, _apart(log_lift, both), out=before)
                if i < len(self.over):
                    np.maximum(after, _apart(logs[i].T, both), out=after)
        return _and_beyond(before), _and_beyond(after)


def _and_beyond(edge: Array) -> Array:
    """The most that what is known further off may add: it says no more than the edge can."""
    with np.errstate(invalid="ignore"):
        return np.where(edge == -np.inf, -np.inf, edge + np.maximum(edge.max(0).T, 0.0))


def _apart(log_lift: Array, both: Mask) -> Array:
    """told[v, a] - told[v, b]; nothing where a cannot show v, or where one of them cannot be."""
    apart = log_lift[:, :, None] - log_lift[:, None, :]
    return np.where(both & (log_lift > -np.inf)[:, :, None], apart, -np.inf)


def with_edge(ratios: Array, edge: Array) -> Array:
    """What the value beyond a run says by itself added; that rules b out where it cannot be."""
    with np.errstate(invalid="ignore"):
        total = ratios + edge
    return np.where(edge == np.inf, np.inf, total)


def log_ratios(laws: Array, rate: float) -> Array:
    """The largest log-ratios of laws [..., a, s] after noise, [..., a, b]; -inf where one is 0."""
    fits = np.asarray(laws.any(axis=-1))
    with np.errstate(divide="ignore"):
        logs = np.log(blurred(laws, rate))
    d = laws.shape[-2]
    ratios = np.full((*fits.shape, d), -np.inf)
    for a, b in itertools.combinations(range(d), 2):
        both = fits[..., a] & fits[..., b]
        gap = logs[both][:, a] - logs[both][:, b]
        ratios[both, a, b], ratios[both, b, a] = gap.max(-1), -gap.min(-1)
    return ratios


def _moved(laws: Array, terms: Codes) -> Array:
    """laws[g, v, a, s] with s moved by terms[g, v]."""
    moved = np.zeros((*laws.shape[:-1], laws.shape[-1] + int(terms.max(initial=0))))
    for v in range(terms.shape[1]):
        for units in np.unique(terms[:, v]).tolist():
            rows = terms[:, v] == units
            moved[rows, v, :, units : units + laws.shape[-1]] = laws[rows, v]
    return moved
