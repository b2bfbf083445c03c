"""Every adversary of a Gaussian belief, n 2^(n-1) of them, by eliminating who is unknown.

Eliminating k from (Q | w), for every row i that is not eliminated,

    Q_ij -= Q_ik Q_kj / Q_kk,    w_i -= Q_ik w_k / Q_kk,

leaves w_i = c_iK, K being who is neither i nor eliminated: a product and a difference for each
adversary, no division. The first variables are decided one by one, by recursion; the last
``BLOCK`` all at once, in arrays that double with each: entry U of such an array is what is left
when the set U is eliminated. A row that is itself eliminated is 0. Blocks share the processors.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.gaussian.certificates import certificates
from unspoken.core.searching.gaussian.problem import KEYBOARD, GaussianProblem, WorstCoefficient

__all__ = ["LISTED", "exhaustive"]

BLOCK = 13  # variables whose subsets are done at once: an array of them stays in the cache
SPLIT = 6  # variables decided before the work is handed out
LISTED = 32  # variables beyond which listing is refused


@dataclass(frozen=True)
class Branch:
    """Some variables decided. ``table``: rows (Q | w) of the open ones, then of known targets.

    The columns are the open variables and the weight; ``names`` says whose row it is.
    """

    table: Array
    names: tuple[int, ...]
    known: tuple[int, ...]

    @property
    def open(self) -> int:
        return int(self.table.shape[1]) - 1

    def decided(self, leaks: Sequence[bool]) -> tuple[Branch, Branch]:
        """The first open variable unknown, and known (its row stays if it is a target)."""
        first, rest = self.table[0], self.table[1:, 1:]
        unknown = rest - self.table[1:, :1] * (first[1:] / first[0])
        known = (*self.known, self.names[0])
        if not leaks[self.names[0]]:
            names = self.names[1:]
            return Branch(unknown, names, self.known), Branch(rest, names, known)
        stays = np.concatenate([rest, first[None, 1:]])
        names = (*self.names[1:], self.names[0])
        return Branch(unknown, self.names[1:], self.known), Branch(stays, names, known)

    def down_to(self, count: int, leaks: Sequence[bool]) -> Iterator[Branch]:
        """Every way to decide all but so many open variables."""
        if self.open <= max(count, BLOCK):
            yield self
            return
        for branch in self.decided(leaks):
            yield from branch.down_to(count, leaks)


class Maxima:
    """The largest |c| of each target that one thread has met, and the largest R |c| of all."""

    def __init__(self, ranges: Array, nobody: int) -> None:
        block = min(len(ranges), BLOCK)
        self.ranges, self.largest = ranges, np.zeros(len(ranges))
        self.room = np.empty((block + 1, len(ranges), 2**block))
        self.best: tuple[float, int, tuple[int, ...]] = (0.0, nobody, ())

    def add(self, branch: Branch) -> None:
        """All subsets of the open variables of this branch."""
        idle = int((self.ranges[list(branch.names[: branch.open])] == 0).sum())
        made = _doubled(branch, self.room, idle)
        sizes = np.maximum(made.max(axis=1), -made.min(axis=1))
        names = np.array(branch.names[idle:])
        self.largest[names] = np.maximum(self.largest[names], sizes)
        leaks = sizes * self.ranges[names]
        at = int(leaks.argmax())
        if leaks[at] > self.best[0]:
            subset = int(np.abs(made[at]).argmax())
            open_ = branch.names[: branch.open]
            left = [name for k, name in enumerate(open_) if not subset >> k & 1]
            known = tuple(k for k in (*branch.known, *left) if k != names[at])
            self.best = (float(leaks[at]), int(names[at]), known)


def _doubled(branch: Branch, room: Array, idle: int) -> Array:
    """w of the targets' rows for all subsets of the open variables that may be eliminated.

    The first ``idle`` rows are no targets: they are needed only until they are decided. So is
    every column, and ``room`` fills as it doubles.
    """
    count, done = branch.open, 1
    room = room[: count + 1, : len(branch.names), : 2**count]
    room[:, :, 0] = branch.table.T
    for k in range(count):
        pivot = room[k:, k, :done]
        share, start = pivot[1:] / pivot[0], min(k + 1, idle)
        old, new = room[k + 1 :, start:, :done], room[k + 1 :, start:, done : 2 * done]
        np.multiply(room[k, start:, :done], share[:, None], out=new)
        np.subtract(old, new, out=new)
        if k >= idle:
            new[:, k - idle] = 0.0
        done *= 2
    made: Array = room[count, idle:]
    return made


def exhaustive(problem: GaussianProblem, seconds: float | None = None) -> WorstCoefficient:
    """The worst of all adversaries.

    A stop from the keyboard ends the listing early, as the time does: what nobody exceeds is then
    what the certificates say.
    """
    if problem.n > LISTED:
        raise TooLarge(
            f"exhaustive: {problem.n} variables have {problem.n} x 2^{problem.n - 1} adversaries; "
            f"at most {LISTED} are listed, branch and bound may do with more"
        )
    threads = Threads(problem)
    stopped = threads.run(seconds)
    _, target, known = max(maxima.best for maxima in threads.all_maxima)
    sizes = np.max([maxima.largest for maxima in threads.all_maxima], axis=0) + problem.slack
    if stopped:
        sizes = certificates(problem)
    low, high = problem.reached_by(target, known), problem.largest(sizes)
    why = f"listing all adversaries of {problem.n} variables, {stopped or 'to the end'}"
    return WorstCoefficient(low, max(low, high), target, known, why, stopped)


class Threads:
    """The work, handed out to threads; NumPy computes outside Python's lock."""

    def __init__(self, problem: GaussianProblem) -> None:
        self.leaks = np.isin(np.arange(problem.n), problem.targets).tolist()
        self.waiting = deque(_undecided(problem, self.leaks).down_to(problem.n - SPLIT, self.leaks))
        ranges = np.where(self.leaks, problem.ranges, 0.0)
        count, nobody = min(os.cpu_count() or 1, len(self.waiting)), int(problem.targets[0])
        self.all_maxima = [Maxima(ranges, nobody) for _ in range(count)]
        self.ended = threading.Event()

    def run(self, seconds: float | None) -> str:
        """What ended it before all were listed, if anything."""
        stopped, jobs = f"stopped after {seconds or 0:.2g} s", list[Future[bool]]()
        with ThreadPoolExecutor(len(self.all_maxima)) as pool:
            try:
                jobs += [pool.submit(self._work, maxima) for maxima in self.all_maxima]
                wait(jobs, seconds)
            except KeyboardInterrupt:
                stopped = KEYBOARD
            finally:
                self.ended.set()
        finished = [job.result() for job in jobs]
        return "" if len(finished) == len(self.all_maxima) and all(finished) else stopped

    def _work(self, maxima: Maxima) -> bool:
        """Take branches until there are none, or it is to end; whether all it took are done."""
        while True:
            try:
                branch = self.waiting.popleft()
            except IndexError:
                return True
            for leaf in branch.down_to(BLOCK, self.leaks):
                if self.ended.is_set():
                    return False
                maxima.add(leaf)


def _undecided(problem: GaussianProblem, leaks: Sequence[bool]) -> Branch:
    """Nothing decided. Who is no target comes first: once decided, they are gone."""
    order = np.argsort(leaks, kind="stable")
    table = np.column_stack([problem.precision[np.ix_(order, order)], problem.weights[order]])
    if len(problem.targets) == 1:  # nobody needs what is left when it is eliminated
        table = np.delete(table, problem.n - 1, axis=1)
    return Branch(table, tuple(order.tolist()), ())
