"""Chains and trees: how long the exact answers take, beside the plain loops they replace.

python -m benchmarks.chains           a table
python -m benchmarks.chains --quick   without the slow lines

Seconds are of processor time, the least of a few runs.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from unspoken.core.beliefs.chain import Chain
from unspoken.core.beliefs.tree import Tree
from unspoken.core.mechanisms import OneSided
from unspoken.core.numerics.arrays import CELLS
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import WITHHELD
from unspoken.core.types.sums import Sums

RATE = 0.1


def worst_of_each(sums: Sums, rate: float) -> float:
    """The largest log-ratio of any two values of any target, after noise e^-rate|r - s|.

    Running sums from either end, for all targets at once:  L_k = L_k-1 e^-rate step + P_k.
    """
    law = np.ascontiguousarray(np.moveaxis(sums.table, -1, 0))  # (m, targets, values)
    law /= law.sum(0)
    fades = np.exp(-rate * np.diff(sums.points[0]))
    left, right = law.copy(), law.copy()
    for k, fade in enumerate(fades, start=1):
        left[k] += fade * left[k - 1]
    for k, fade in enumerate(fades[::-1], start=2):
        right[-k] += fade * right[1 - k]
    right -= law
    left += right
    return float(np.log(left.max(2) / left.min(2)).max())


def plain(chain: Chain, rate: float) -> float:
    """The same by loops over targets, states and sums in lists, as one would write it down."""
    n, worst = len(chain.steps) + 1, 0.0
    for target in range(n):
        law = {(x, x if target == 0 else -1, x): float(p) for x, p in enumerate(chain.start)}
        for t in range(1, n):
            later: dict[tuple[int, int, int], float] = {}
            for (x, kept, total), p in law.items():
                for y in range(chain.steps[t - 1].shape[1]):
                    key = (y, y if t == target else kept, total + y)
                    later[key] = later.get(key, 0.0) + p * float(chain.steps[t - 1][x, y])
            law = later
        sums: dict[int, dict[int, float]] = {}
        for (_, kept, total), p in law.items():
            own = sums.setdefault(kept, {})
            own[total] = own.get(total, 0.0) + p
        totals = sorted({total for own in sums.values() for total in own})
        for r in totals:
            seen = [
                sum(p * np.exp(-rate * abs(r - s)) for s, p in own.items()) / sum(own.values())
                for own in sums.values()
            ]
            worst = max(worst, float(np.log(max(seen) / min(seen))))
    return worst


def sticky(size: int) -> np.ndarray:
    """Far from independent: it stays what it is three times out of four."""
    return np.full((size, size), 0.25 / (size - 1)) + np.eye(size) * (0.75 - 0.25 / (size - 1))


def seconds(run: Callable[[], object], times: int = 3) -> float:
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def all_targets(size: int, length: int) -> Callable[[], float]:
    """As many targets at once as fit the budget."""
    chain = Chain(np.full(size, 1 / size), sticky(size), length)
    names = chain.domain.names
    query = dict.fromkeys(names, 1.0)
    groups = -(-length * size * ((size - 1) * length + 1) // CELLS)
    wide = -(-length // groups)

    def run() -> float:
        worst = 0.0
        for first in range(0, length, wide):
            sums = chain.sums_of_each(names[first : first + wide], [query])
            assert sums is not None
            assert not sums.in_logs
            worst = max(worst, worst_of_each(sums, RATE))
        return worst

    return run


def against_loops() -> None:
    for size, length in itertools.product((2, 3), (20, 40)):
        chain = Chain(np.full(size, 1 / size), sticky(size), length)
        run = all_targets(size, length)
        assert abs(run() - plain(chain, RATE)) < 1e-9
        fast, slow = seconds(run), seconds(partial(plain, chain, RATE), 1)
        what = f"n = {length}, d = {size}, all targets"
        print(f"{what:42} {fast:9.4f} s   loops {slow:9.3f} s   {slow / fast:7.0f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    against_loops()
    for size in (2,) if quick else (2, 3, 5):
        print(
            f"{f'n = 1000, d = {size}, all targets':42} {seconds(all_targets(size, 1000)):9.3f} s"
        )
    rare = Chain([0.999, 0.001], [[0.999, 0.001], [0.9, 0.1]], 1000)
    one = dict.fromkeys(rare.domain.names, 1.0)
    line(
        "n = 1000, d = 2, all targets in logarithms",
        lambda: rare.sums_of_each(rare.domain.names, [one]),
    )
    line("  and one target", lambda: rare.sums(["x500"], [one]))
    events(10_000 if quick else 100_000)
    trees()


def events(length: int) -> None:
    line(f"n = {length:,}, construction", lambda: Chain([0.6, 0.4], sticky(2), length))
    chain = Chain([0.6, 0.4], sticky(2), length)
    line("  laws of all variables", lambda: Chain([0.6, 0.4], sticky(2), length).marginals, 1)
    middle = chain.domain.names[length // 2]
    for epsilon in (1.0, 1e-12):
        channel = OneSided({"x0": epsilon}, {"x0": [0]}).channel(chain.domain, "x0")
        seen = dict.fromkeys(chain.domain.names, channel.event("withheld", [WITHHELD]))
        line(
            f"  odds after {length:,} events, eps = {epsilon:g}",
            partial(odds_after, chain, middle, seen),
            1,
        )
    line("  given two values", lambda: chain.given({"x5": 1, chain.domain.names[-5]: 0}), 1)


def odds_after(chain: Chain, target: str, seen: dict[str, Channel]) -> float:
    """The logarithm of how far the event moves the odds of the target's first value."""
    lifts = chain.outputs([target], seen).lifts(np.eye(2, dtype=bool))
    return float(lifts.log_lift[0, 0, 0] - lifts.log_lift[0, 0, 1])


def trees(nodes: int = 2000) -> None:
    rng = np.random.default_rng(0)
    wide = [-1, *(int(rng.integers(v)) for v in range(1, nodes))]
    star = [-1, *[0] * (nodes - 1)]
    for kind, parents in (("random", wide), ("star", star)):
        tree = Tree(parents, [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]])
        names = tree.domain.names
        query = dict.fromkeys(names, 1.0)
        line(f"{kind} tree of {nodes:,}, a sum", partial(tree.sums, ["x0"], [query]))


def line(what: str, run: Callable[[], object], times: int = 3) -> None:
    print(f"{what:42} {seconds(run, times):9.3f} s")


if __name__ == "__main__":
    main()
