"""The worst adversary of everybody: quick searches against one view for each adversary.

python -m benchmarks.worst           all of it
python -m benchmarks.worst --quick   without the slow lines

Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import unspoken
from unspoken.core.beliefs import Belief
from unspoken.core.measures import MeasureName
from unspoken.core.searching.search import Worst, worst
from unspoken.noise.calibration import Calibrated

LAPLACE = unspoken.Laplace(2.0)


def one_by_one(belief: Belief, measure: MeasureName = "max-log-ratio") -> float:
    """A view for each of the n 2^(n-1)."""
    names, found = belief.domain.names, 0.0
    for target in names:
        others = [name for name in names if name != target]
        for size in range(len(names)):
            for known in itertools.combinations(others, size):
                adversary = unspoken.Adversary(target, knows=known)
                found = max(found, unspoken.leakage(belief, LAPLACE, adversary, measure).value)
    return found


def seconds(run: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def line(what: str, run: Callable[[], Worst]) -> float:
    took, found = seconds(run)
    assert isinstance(found, Worst)
    value, who = found.bound, found.adversary
    hidden = "" if who is None else f"after {who.target}, knowing {len(who.known)}"
    print(f"{what:44} {took:9.3f} s   {value.low:.6g} .. {value.high:.6g} {hidden}", flush=True)
    return took


def against(what: str, belief: Belief, measure: MeasureName = "max-log-ratio") -> None:
    slow, naive = seconds(lambda: one_by_one(belief, measure))
    quick, found = seconds(lambda: worst(belief, LAPLACE, measure))
    assert isinstance(found, Worst)
    assert math.isclose(found.bound.value, float(str(naive)), rel_tol=1e-9)
    print(f"{what:44} {quick:9.3f} s   one by one {slow:8.3f} s   {slow / quick:6.0f} times")


def chain(length: int, values: int = 2, seed: int | None = None) -> unspoken.Chain:
    """The same step throughout, or steps of their own."""
    if seed is None:
        step = np.full((values, values), 0.3 / (values - 1)) + np.eye(values) * (
            0.7 - 0.3 / (values - 1)
        )
        return unspoken.Chain(np.full(values, 1 / values), step, length)
    rng = np.random.default_rng(seed)
    steps = [rng.dirichlet(np.full(values, 0.5), values) for _ in range(length - 1)]
    return unspoken.Chain(np.full(values, 1 / values), steps)


def tree(variables: int) -> unspoken.Tree:
    """Every variable has two below it, alike in nine of ten cases."""
    parents = [-1, *((v - 1) // 2 for v in range(1, variables))]
    return unspoken.Tree(parents, [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])


def calibrated(variables: int, knows: str) -> None:
    took, found = seconds(lambda: unspoken.calibrate(tree(variables), limit=1.0, knows=knows))
    assert isinstance(found, Calibrated)
    what = f"scale for a tree, n = {variables}, knows {knows}"
    print(f"{what:44} {took:9.3f} s   {found.bound.low:.6g} .. {found.bound.high:.6g}", flush=True)


def beta_binomial(n: int, a: float, b: float) -> unspoken.Exchangeable:
    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    ways = [math.lgamma(n + 1) - math.lgamma(c + 1) - math.lgamma(n - c + 1) for c in range(n + 1)]
    logs = [w + log_beta(c + a, n - c + b) - log_beta(a, b) for c, w in enumerate(ways)]
    law = np.exp(logs)
    return unspoken.Exchangeable(law / law.sum(), n)


def joint(variables: int) -> unspoken.Joint:
    rng = np.random.default_rng(0)
    return unspoken.Joint(rng.dirichlet(np.ones(2**variables)).reshape((2,) * variables))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    against("chain, n = 8", chain(8))
    against("exchangeable, n = 8", beta_binomial(8, 2, 3))
    against("joint, n = 8", joint(8))
    against("joint, n = 6, relative entropy", joint(6), "relative-entropy")
    for length in (50, 100):
        line(f"chain, n = {length}", partial(worst, chain(length), LAPLACE))
    line("chain, n = 100, steps of their own", lambda: worst(chain(100, 2, seed=1), LAPLACE))
    line("joint, n = 10", lambda: worst(joint(10), LAPLACE))
    eight = unspoken.Laplace(8.0)
    line("chain, n = 1000", lambda: worst(chain(1000), eight))
    five = unspoken.Laplace(5.0)
    for variables in (300, 2000):
        large = tree(variables)
        line(f"tree, n = {variables}", partial(worst, large, unspoken.Laplace(float(variables))))
        calibrated(variables, "anything")
    calibrated(300, "nothing")
    line("exchangeable, n = 300", lambda: worst(beta_binomial(300, 2, 3), five))
    if quick:
        return
    line("chain, n = 100, d = 3, steps of their own", lambda: worst(chain(100, 3, seed=1), LAPLACE))
    line("chain, n = 300", lambda: worst(chain(300), LAPLACE))
    line("joint, n = 10, relative entropy", lambda: worst(joint(10), LAPLACE, "relative-entropy"))
    calibrated(1000, "nothing")
    line("exchangeable, n = 1000", lambda: worst(beta_binomial(1000, 2, 3), five))


if __name__ == "__main__":
    main()
