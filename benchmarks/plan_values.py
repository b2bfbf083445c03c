"""How long plans on the account "value" take to find, and how well they are certified.

python -m benchmarks.plan_values           a table
python -m benchmarks.plan_values --json    one record per line of it
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator

import numpy as np

import unspoken
from unspoken.core.beliefs import Belief, Independent, Joint

# Variables and values of each; a joint table drawn without structure is the hard case.
SIZES = ((2, 2), (3, 3), (4, 3), (6, 2), (6, 3), (8, 2), (8, 3), (10, 2))
# Bits per target, odds cap, exempt probability.
LIMITS = ((0.1, math.inf, 0.0), (0.4, 4.0, 0.0), (math.inf, 4.0, 0.0), (0.4, 4.0, 0.05))


def records(most: int = 10, seed: int = 1) -> Iterator[dict[str, float]]:
    """One record per size and limit, the first value of every variable being sensitive."""
    rng = np.random.default_rng(seed)
    for n, d in SIZES:
        if n <= most:
            yield from _timed(Joint(rng.dirichlet(np.ones(d**n)).reshape((d,) * n)), n, d)
    yield from _timed(Independent(rng.dirichlet(np.ones(3), 20 * most)), 20 * most, 3)


def _timed(belief: Belief, n: int, d: int) -> Iterator[dict[str, float]]:
    sensitive = dict.fromkeys(belief.domain.names, (0,))
    for limit, cap, exceed in LIMITS:
        begin = time.perf_counter()
        found = unspoken.plan(
            belief, limit_bits=limit, sensitive=sensitive, odds_cap=cap, exceed=exceed
        )
        yield {
            "n": n,
            "values": d,
            "limit": limit,
            "cap": cap,
            "exceed": exceed,
            "seconds": time.perf_counter() - begin,
            "gap": found.gap,
        }


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--most", type=int, default=10, help="variables that depend on one another")
    chosen = parser.parse_args()
    if not chosen.json:
        print(f"{'n':>4} {'values':>6} {'limit':>6} {'cap':>5} {'exceed':>6} {'seconds':>8} gap")
    for record in records(chosen.most):
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            n, d, limit, cap, exceed, seconds, gap = record.values()
            row = f"{n:4d} {d:6d} {limit:6.2g} {cap:5.2g} {exceed:6.2g} {seconds:8.3f} {gap:.1e}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
