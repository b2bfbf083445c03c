"""Branch and bound for the worst adversary of a Gaussian belief.

A part of the search: a target i, some variables decided to be unknown, some to be known, the rest F
free. Eliminating the unknown ones from (Q | w), and the known ones from Sigma, leaves the same
question about i and F alone, Q and Sigma again inverse to each other: each decision is a
rank-one update of one of them, and strikes a row and a column from the other. With q = Q_Fi,

    A = q' Q_FF^-1 q = -sum_F Q_ij Sigma_ij / Sigma_ii,    C = w_F' Q_FF^-1 w_F = Var(S_F | x_i),
    |c| <= (|w_i + c_0| + sqrt(A C)) / 2,    c_0 = w_i + Sigma_iF w_F / Sigma_ii       (T5),

and w_i, c_0 are c of two adversaries of this part. What A, C, w_i and c_0 would be with one more
variable decided, is known for every variable before anything is updated: the one to decide next is
where both answers are bounded best.

Rounding: the lemma of ``gaussian_problem``. sqrt(A) is the largest of q'y / |y|_Q, so an error
eta of Q moves it by 2 eta sqrt(Q_ii) at most, and sqrt(C) by its eta-fold; together with c_0, w_i
by three times what c may move.
"""

from __future__ import annotations

from heapq import heappop, heappush
from time import monotonic
from typing import NamedTuple

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.searching.gaussian.certificates import certificates
from unspoken.core.searching.gaussian.climbing import climbed
from unspoken.core.searching.gaussian.problem import KEYBOARD, GaussianProblem, WorstCoefficient

__all__ = ["branch_and_bound"]

# A part is not searched for what would exceed the best found by less than this share.
GAP = 1e-10
# Parts bounded at a time (fewer where they are large), and how many numbers open ones may keep.
TOGETHER, LARGE, KEPT = 32, 10**6, 10**8
# Parts after which a search gives up, and the share of its time it may climb for.
PARTS, CLIMBING = 10**7, 0.3
# Variables beyond which branching would get nowhere.
MANY = 300


def branch_and_bound(
    problem: GaussianProblem, bounds: Array | None = None, seconds: float = 10.0, parts: int = PARTS
) -> WorstCoefficient:
    """The worst adversary found, and what nobody exceeds, at any time.

    ``bounds`` is what is known to bound |c| of each target; by default what is certified at once.
    A stop from the keyboard ends it like the end of its time.
    """
    search = BranchAndBound(problem, certificates(problem) if bounds is None else bounds)
    stopped = search.run(seconds, parts)
    target, known = search.best
    members = tuple(np.flatnonzero(known).tolist())
    low, high = problem.reached_by(target, members), search.certified * (1 + 4 * UNIT)
    why = f"branch and bound, {stopped or 'nothing more is to be found'}"
    return WorstCoefficient(low, max(low, high), target, members, why, stopped)


class State(NamedTuple):
    """Parts, one or a stack. Decided rows and columns of Q and Sigma are those of the identity."""

    target: Codes
    precision: Array
    covariance: Array
    weights: Array
    free: Mask
    known: Mask


class OpenPart(NamedTuple):
    """A part that is open: the state it comes from, with ``k`` decided, or nothing (k < 0)."""

    rank: tuple[int, float]
    serial: int
    upper: float
    parent: State
    k: int
    known: bool


class BranchAndBound:
    """``reached`` is what ``best`` leaks, as R |c|; no adversary leaks more than ``certified``.

    ``bounds``: what is known to bound |c| of each target.
    """

    def __init__(self, problem: GaussianProblem, bounds: Array) -> None:
        self.problem, self.bounds = problem, problem.ranges * bounds
        self.rounding = problem.ranges * 3 * problem.slack
        self.reached, self.settled, self.looked = 0.0, 0.0, 0
        nobody = np.zeros(problem.n, dtype=bool)
        self.best: tuple[int, Mask] = (int(problem.targets[0]), nobody)
        self.open: list[OpenPart] = []
        self.certified = float(self.bounds[problem.targets].max())

    def run(self, seconds: float, parts: int) -> str:
        """Until all is settled; or the time, the parts, or the user's patience are used up."""
        began = monotonic()
        try:
            self._climb(began + CLIMBING * seconds)
            if self.problem.n > MANY:
                return f"not begun: more than {MANY} variables"
            self._start()
            while self.open:
                if self.looked >= parts:
                    return f"stopped after {parts:,} parts"
                if monotonic() > began + seconds:
                    return f"stopped after {seconds:.2g} s"
                self._round()
                self._certify()
        except KeyboardInterrupt:
            return KEYBOARD
        return ""

    def _climb(self, ends: float) -> None:
        """The most promising targets first."""
        ranges, targets = self.problem.ranges, self.problem.targets
        for i in targets[np.argsort(-self.bounds[targets], kind="stable")].tolist():
            for all_known in (False, True):
                if self.bounds[i] > self.reached:
                    size, known = climbed(self.problem, i, all_known, ends)
                    self._try(float(ranges[i]) * size, i, known)
                if monotonic() > ends:
                    return

    def _try(self, leak: float, target: int, known: Mask) -> None:
        if leak > self.reached:
            self.reached, self.best = leak, (target, known)

    def _start(self) -> None:
        """A part for every target."""
        problem, n = self.problem, self.problem.n
        none = np.zeros(n, dtype=bool)
        for i in problem.targets.tolist():
            tables = problem.precision, problem.covariance, problem.weights
            root = State(np.array(i), *tables, np.arange(n) != i, none)
            self._put(float(self.bounds[i]), root, -1, False)
        self._certify()

    def _certify(self) -> None:
        """The largest bound of all parts, between two rounds; during one, some are in no list.

        The open part of the largest bound comes first, unless room is short.
        """
        parts = self.open[:1] if self.open and self.open[0].rank[0] else self.open
        reachable = self.reached + float(self.rounding[self.problem.targets].max())
        uppers = (part.upper for part in parts)
        self.certified = min(self.certified, max(reachable, self.settled, *uppers, 0.0))

    def _enough(self, target: Codes) -> Array:
        enough: Array = self.reached * (1 + GAP) + self.rounding[target]
        return enough

    def _put(self, upper: float, parent: State, k: int, known: bool) -> None:
        """The best first; once the room is used up, the last first: then few are ever open."""
        if upper <= self._enough(parent.target):
            self.settled = max(self.settled, upper)
            return
        self.looked += 1
        crowded = len(self.open) * self.problem.n**2 > KEPT
        rank = (0, -float(self.looked)) if crowded else (1, -upper)
        heappush(self.open, OpenPart(rank, self.looked, upper, parent, k, known))

    def _round(self) -> None:
        """Bound some parts, by themselves, and branch where that leaves enough to be found."""
        count = min(len(self.open), TOGETHER, max(1, LARGE // self.problem.n**2))
        parts = [heappop(self.open) for _ in range(count)]
        state = _decided(parts)
        at, ranges = _quantities(state), self.problem.ranges[state.target]
        for c, known in ((at.w, state.known | state.free), (at.c0, state.known)):
            b = int((ranges * np.abs(c)).argmax())
            self._try(float(ranges[b] * abs(c[b])), int(state.target[b]), known[b])
        spread = np.sqrt(np.maximum(at.a, 0) * np.maximum(at.c, 0))
        bound = ranges * (np.abs(at.w + at.c0) + spread) / 2
        uppers = np.minimum(bound + self.rounding[state.target], [part.upper for part in parts])
        left = state.free.any(axis=1) & (uppers > self._enough(state.target))
        self.settled = max(self.settled, float(uppers[~left].max(initial=0.0)))
        self._branch(state, at, uppers, left)

    def _branch(self, state: State, at: Quantities, uppers: Array, left: Mask) -> None:
        """Decide where both answers are bounded best."""
        ranges, rounding = (t[state.target][:, None] for t in (self.problem.ranges, self.rounding))
        foreseen = _foreseen(state, at, self.problem.eta)
        unknown, known = (ranges * c + rounding for c in foreseen)
        choice = np.where(state.free, unknown + known, np.inf).argmin(axis=1)
        for b in np.flatnonzero(left).tolist():
            k, parent = int(choice[b]), State(*(np.array(part[b]) for part in state))
            for side, bounds in ((False, unknown), (True, known)):
                self._put(min(float(bounds[b, k]), float(uppers[b])), parent, k, side)


class Quantities(NamedTuple):
    """Of each part: w_i, c_0, A, C (rounded up), q_i = Q_ii, s = Sigma_ii, their rows on F,
    and Cov(S_F, x_j | x_i) for every free j.
    """

    w: Array
    c0: Array
    a: Array
    c: Array
    q: Array
    s: Array
    to_q: Array
    to_s: Array
    with_sum: Array


def _quantities(state: State) -> Quantities:
    rows, i = np.arange(len(state.target)), state.target
    others = np.where(state.free, state.weights, 0.0)
    to_q, to_s = (
        np.where(state.free, table[rows, i], 0.0) for table in (state.precision, state.covariance)
    )
    q, s = state.precision[rows, i, i], state.covariance[rows, i, i]
    through = (to_s * others).sum(axis=1)
    free_sums = np.where(state.free, np.einsum("bij,bj->bi", state.covariance, others), 0.0)
    with_sum = free_sums - to_s * (through / s)[:, None]
    size = (np.abs(others) * np.sqrt(np.einsum("bii->bi", state.covariance))).sum(axis=1)
    rounded = 4 * (others.shape[1] + 4) * UNIT * size**2
    return Quantities(
        state.weights[rows, i],
        state.weights[rows, i] + through / s,
        -(to_q * to_s).sum(axis=1) / s,
        (with_sum * others).sum(axis=1) + rounded,
        q, s, to_q, to_s, with_sum,
    )  # fmt: skip


def _foreseen(state: State, at: Quantities, eta: float) -> tuple[Array, Array]:
    """The bounds on |c| there would be with each variable unknown, and with it known.

    Here A and C fall by subtraction, so what rounding may have left of them is added.
    """
    diagonal_q, diagonal_s = (np.einsum("bii->bi", t) for t in (state.precision, state.covariance))
    inner, outer = np.maximum(at.a, 0)[:, None], np.maximum(at.c, 0)[:, None]
    left_a = 8 * eta * np.sqrt(at.q[:, None] * inner) + 8 * eta**2 * at.q[:, None]
    left_c = 4 * eta * outer
    w, c0 = at.w[:, None], at.c0[:, None]
    # Unknown: c_0 stays, w_i moves.
    a = np.maximum(inner - at.to_q**2 / diagonal_q, 0) + left_a
    c = np.maximum(outer - state.weights**2 / diagonal_q, 0) + left_c
    unknown = np.abs(w - at.to_q * state.weights / diagonal_q + c0) + np.sqrt(a * c)
    # Known: w_i stays, c_0 moves. rest is Var(x_k | x_i), tiny only for decided variables.
    s = at.s[:, None]
    rest = diagonal_s - at.to_s**2 / s
    through = s * diagonal_s * (s - at.to_s**2 / diagonal_s)
    a = np.maximum(inner - at.to_s**2 / through, 0) + left_a
    c = np.maximum(outer - at.with_sum**2 / rest, 0) + left_c
    moved = c0 - at.to_s * at.with_sum / (s * rest)
    known = np.abs(w + moved) + np.sqrt(a * c)
    return unknown / 2, known / 2


def _decided(parts: list[OpenPart]) -> State:
    """The states of these parts: their parents' with one more variable decided."""
    stack = [np.stack([getattr(part.parent, name) for part in parts]) for name in State._fields]
    state = State(*stack)
    k = np.array([part.k for part in parts])
    for known in (False, True):
        rows = np.flatnonzero((k >= 0) & (np.array([part.known for part in parts]) == known))
        if rows.size:
            _decide(state, rows, k[rows], known)
    return state


def _decide(state: State, rows: Codes, k: Codes, known: bool) -> None:
    """In place, for some parts: the unknown is eliminated from Q, the known from Sigma."""
    eliminated, struck = state.precision, state.covariance
    if known:
        eliminated, struck = struck, eliminated
    row, pivot = eliminated[rows, k], eliminated[rows, k, k]
    if not known:
        state.weights[rows] -= row * (state.weights[rows, k] / pivot)[:, None]
    eliminated[rows] -= row[:, :, None] * (row / pivot[:, None])[:, None, :]
    for table in (eliminated, struck):
        table[rows, k, :] = table[rows, :, k] = 0.0
        table[rows, k, k] = 1.0
    state.weights[rows, k] = 0.0
    state.free[rows, k] = False
    state.known[rows, k] = known
