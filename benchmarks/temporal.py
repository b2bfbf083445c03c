"""How long the temporal leakage of a chain takes, beside the same recursion in plain loops.

python -m benchmarks.temporal           a table
python -m benchmarks.temporal --json    one record per line of it
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from unspoken import Chain, temporal

SIZES = ((2, 1_000), (10, 1_000), (60, 1_000), (200, 1_000))
EPSILON = 0.1
# Loops over all pairs of rows are slow: so many steps are timed, and a step is taken to cost alike.
LOOPED = {2: 200, 10: 50, 60: 3, 200: 0}


def striped(size: int) -> np.ndarray:
    x, y = np.mgrid[:size, :size]
    weights = 1.0 + (7 * x + 3 * y + x * y) % 11
    return weights / weights.sum(1, keepdims=True)


def looped(matrix: list[list[float]], given: float) -> float:
    """max LFP over all ordered pairs of rows, each sorted anew."""
    grown, worst = math.expm1(given), 0.0
    for p, q in itertools.permutations(matrix, 2):
        above = below = 0.0
        for x, y in sorted(zip(p, q, strict=True), key=lambda pair: -pair[0] / pair[1]):
            above, below = above + x, below + y
            worst = max(worst, math.log((1 + above * grown) / (1 + below * grown)))
    return worst


def records() -> Iterator[dict[str, Any]]:
    for size, steps in SIZES:
        matrix = striped(size)
        begin = time.perf_counter()
        result = temporal(Chain(None, matrix, steps), EPSILON)
        seconds = time.perf_counter() - begin
        rows, leak = matrix.tolist(), EPSILON
        begin = time.perf_counter()
        for _ in range(LOOPED[size]):
            leak = looped(rows, leak) + EPSILON
        each = (time.perf_counter() - begin) / LOOPED[size] if LOOPED[size] else None
        apart = abs(leak - float(result.forward[-1 - LOOPED[size]]))
        yield {
            "values": size,
            "steps": steps,
            "seconds": seconds,
            "loops": 2 * steps * each if each else None,  # there and back
            "ratio": 2 * steps * each / seconds if each else None,
            "apart": apart,
        }


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if not chosen.json:
        print(
            f"{'values':>6} {'steps':>6} {'seconds':>9} {'loops, s':>9} {'ratio':>8} {'apart':>8}"
        )
    for record in records():
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            values, steps, seconds, loops, ratio, apart = record.values()
            slow = f"{loops:9.2f} {ratio:8.3g}" if loops else f"{'-':>9} {'-':>8}"
            print(f"{values:6d} {steps:6d} {seconds:9.4f} {slow} {apart:8.1e}", flush=True)


if __name__ == "__main__":
    main()
