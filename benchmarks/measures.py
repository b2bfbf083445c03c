"""Measures of plain channels beside libqif's, on the same channels in the same run.

python -m benchmarks.measures           a table
python -m benchmarks.measures --json    one record per line of it

"ours" is the call of the measure on a view that is there; "all" makes the view as well, and
"asked" is `unspoken.leakage` of the plain tables, belief and mechanism made in the call, with what
rounding did behind its ends. A ratio below 1 means that libqif takes longer.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import qif

from unspoken import Adversary, Finite, Independent, leakage
from unspoken.core.measures import MEASURES, Measure, capacity
from unspoken.core.mechanisms.local import local_view
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Channel
from unspoken.core.types.secret import Secret
from unspoken.core.views import View

SIZES = (16, 64, 200)
SECONDS = 0.5  # to spend on each time
GAP = 1e-9  # of the capacity, in bits


def best(run: Callable[[], object], seconds: float = SECONDS) -> float:
    """The shortest of several runs, in seconds; of one run if there is no time."""
    spent: list[float] = []
    end = time.perf_counter() + seconds
    while not spent or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        spent.append(time.perf_counter() - begin)
    return min(spent)


def view_of(prior: np.ndarray, matrix: np.ndarray) -> View:
    """The cloud of an input with this prior after one output of the channel."""
    belief = Independent([prior])
    channel = Channel.of(range(matrix.shape[1]), matrix)
    secret = Secret.of(belief.domain, "x0", None)
    return local_view(belief, {"x0": channel}, Adversary("x0"), secret)


def theirs(prior: np.ndarray, matrix: np.ndarray) -> dict[str, Callable[[], Any]]:
    """libqif's functions by the names of ours."""
    measure = qif.measure
    discrete = qif.metric.discrete(qif.uint)
    return {
        "mutual-information": lambda: measure.shannon.add_leakage(prior, matrix),
        "bayes-leakage": lambda: measure.bayes_vuln.min_entropy_leakage(prior, matrix),
        "maximal-leakage": lambda: measure.bayes_vuln.mult_capacity(matrix),
        "guessing": lambda: measure.guessing.add_leakage(prior, matrix),
        "max-log-ratio": lambda: measure.d_privacy.smallest_epsilon(matrix, discrete),
    }


def records(largest: int = 200) -> Iterator[dict[str, Any]]:
    """One record per size and measure; times in microseconds."""
    rng = np.random.default_rng(1)
    for size in (n for n in SIZES if n <= largest):
        yield from timed(rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(size), size))


def timed(prior: np.ndarray, matrix: np.ndarray) -> Iterator[dict[str, Any]]:
    """Every measure of one channel."""
    cloud: Any = view_of(prior, matrix)

    def made(measure: Measure) -> Bound:
        fresh: Any = view_of(prior, matrix)
        return measure.of(fresh)

    def asked(name: Any) -> Bound:
        return leakage(Independent([prior]), Finite("x0", matrix), Adversary("x0"), name)

    for name, their in theirs(prior, matrix).items():
        calls = (
            partial(MEASURES[name].of, cloud),
            partial(made, MEASURES[name]),
            partial(asked, name),
        )
        call, whole, public = map(best, calls)
        yield record(name, len(prior), (call, whole, public), best(their))
    ours = best(partial(capacity, matrix, GAP * math.log(2)))
    one_run = best(partial(qif.measure.shannon.add_capacity, matrix, GAP), 0.0)
    yield record("capacity", len(prior), (ours, ours, ours), one_run)


def record(name: str, size: int, ours: tuple[float, float, float], their: float) -> dict[str, Any]:
    call, whole, asked = ours
    times = {"ours": call * 1e6, "all": whole * 1e6, "asked": asked * 1e6, "qif": their * 1e6}
    ratios = {"ratio": call / their, "all/qif": whole / their, "asked/qif": asked / their}
    return {"measure": name, "size": size, **times, **ratios}


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--largest", type=int, default=200, help="inputs and outputs")
    chosen = parser.parse_args()
    heads = ("ours, us", "all, us", "asked, us", "qif, us", "ours/qif", "all/qif", "asked/qif")
    if not chosen.json:
        print(f"{'measure':20} {'size':>5} " + " ".join(f"{head:>12}" for head in heads))
    for found in records(chosen.largest):
        if chosen.json:
            print(json.dumps(found), flush=True)
        else:
            name, size, *numbers = found.values()
            print(f"{name:20} {size:5d} " + " ".join(f"{n:12.4g}" for n in numbers), flush=True)


if __name__ == "__main__":
    main()
