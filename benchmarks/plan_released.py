"""How long the most released records within a limit take to find, and how well they are certified.

python -m benchmarks.plan_released           a table
python -m benchmarks.plan_released --json    one record per line of it
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.instances import curves_of, latent_classes
from unspoken.planning.bits.maximise import maximise

SIZES = ((2, 1), (20, 190), (200, 4_000), (1_000, 499_500), (2_000, 22_000), (10_000, 100_000))
# The limit as a share of what everything released would leak.
SHARES = (1e-6, 0.01, 0.5, 0.99)
REPEATS = 3


def records(most_pairs: int = 10**9, seed: int = 1) -> Iterator[dict[str, float]]:
    """One record per size and limit; no cap on eps, the harder case."""
    for n, pairs in SIZES:
        if pairs > most_pairs:
            continue
        curves = curves_of(latent_classes(n, pairs, seed))
        caps = np.full(n, np.inf)
        most = float(curves.leakage(caps).sum())
        for share in SHARES:
            seconds = []
            for _ in range(REPEATS):
                fresh = curves.take(np.arange(n))  # without what an earlier run left in its caches
                begin = time.perf_counter()
                solution = maximise("released", fresh, curves.q, caps, share * most)
                seconds.append(time.perf_counter() - begin)
            middle = statistics.median(seconds)
            yield {"n": n, "pairs": pairs, "share": share, "seconds": middle, "gap": solution.gap}


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if not chosen.json:
        print(f"{'n':>7} {'pairs':>8} {'limit':>8} {'seconds':>9} {'gap':>9}")
    for record in records():
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            n, pairs, share, seconds, gap = record.values()
            print(f"{n:7d} {pairs:8d} {share:8.2g} {seconds:9.4f} {gap:9.1e}", flush=True)


if __name__ == "__main__":
    main()
