"""Means of noisy sums: everybody's mutual information, the worst adversary's, and noise for it.

python -m benchmarks.means           a table
python -m benchmarks.means --quick   without the slow lines

Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import unspoken
from unspoken import Bound

ONE = unspoken.Laplace(1.0)


def line(what: str, run: Callable[[], Bound]) -> None:
    start = time.process_time()
    bound = run()
    took = time.process_time() - start
    print(f"{what:48} {took:8.2f} s   {bound.low:.12g} .. {bound.high:.12g}", flush=True)


def joint(variables: int) -> unspoken.Joint:
    rng = np.random.default_rng(0)
    return unspoken.Joint(rng.dirichlet(np.ones(2**variables)).reshape((2,) * variables))


def sticky(length: int) -> unspoken.Chain:
    return unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], length)


def everybody(length: int) -> Bound:
    bounds = unspoken.leakages(sticky(length), ONE, "mutual-information").values()
    return max(bounds, key=lambda bound: bound.high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    for n in (6, 7) if quick else (6, 7, 8):
        line(
            f"worst, mutual information, joint of 2^{n}",
            lambda n=n: unspoken.worst(joint(n), ONE, "mutual-information").bound,  # type: ignore[misc]
        )
    line("leakages, mutual information, chain of 50", lambda: everybody(50))
    alike = unspoken.Exchangeable(np.full(201, 1 / 201), 200)
    line(
        "calibrate, mutual information, 200 alike",
        lambda: unspoken.calibrate(alike, limit=0.01, measure="mutual-information").bound,
    )
    line(
        "calibrate, delta, chain of 20",
        lambda: unspoken.calibrate(sticky(20), limit=0.01, measure="delta").bound,
    )


if __name__ == "__main__":
    main()
