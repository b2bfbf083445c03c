"""How long the largest privacy parameters within a limit take, and how well they are certified.

python -m benchmarks.plan_epsilon           a table
python -m benchmarks.plan_epsilon --json    one record per line of it
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.instances import curves_of, latent_classes
from unspoken.planning.bits.maximise import maximise

SIZES = ((3, 3), (8, 28), (50, 400), (200, 4_000), (1_000, 10_000), (1_000, 499_500))
LARGE = ((10_000, 100_000),)
# The limit as a share of what everything at its cap would leak.
SHARES = (0.02, 0.3, 0.8)
# Weights and caps: all different (the usual case), or all equal (the hard one).
KINDS = ("different", "equal")
REPEATS = 3


def records(most_pairs: int = 10**9, seed: int = 1) -> Iterator[dict[str, Any]]:
    """One record per size, kind and limit."""
    for n, pairs in SIZES + LARGE:
        if pairs > most_pairs:
            continue
        curves = curves_of(latent_classes(n, pairs, seed))
        rng = np.random.default_rng(seed)
        drawn = rng.uniform(0.5, 2.0, n), rng.uniform(0.5, 4.0, n)
        for kind in KINDS:
            weights, caps = drawn if kind == "different" else (np.ones(n), np.full(n, 2.0))
            most = float(curves.leakage(caps).sum())
            for share in SHARES:
                seconds = []
                for _ in range(REPEATS):
                    fresh = curves.take(np.arange(n))  # without what an earlier run left behind
                    begin = time.perf_counter()
                    solution = maximise("epsilon", fresh, weights, caps, share * most)
                    seconds.append(time.perf_counter() - begin)
                middle = statistics.median(seconds)
                sizes = {"n": n, "pairs": pairs, "kind": kind, "share": share}
                yield {**sizes, "seconds": middle, "gap": solution.gap}


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if not chosen.json:
        print(f"{'n':>7} {'pairs':>8} {'kind':>10} {'limit':>6} {'seconds':>9} {'gap':>9}")
    for record in records():
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            n, pairs, kind, share, seconds, gap = record.values()
            print(
                f"{n:7d} {pairs:8d} {kind:>10} {share:6.2g} {seconds:9.4f} {gap:9.1e}", flush=True
            )


if __name__ == "__main__":
    main()
