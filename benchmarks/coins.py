"""How many coins a second, on one core: keys in, mask of released records out.

python -m benchmarks.coins           a table
python -m benchmarks.coins --json    one record per line of it
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.core.numerics.coin_thresholds import released, threshold
from unspoken.storage.coins import BATCH, MasterKey, attribute_keys, draw, encode_keys, fresh_draws
from unspoken.storage.fingerprint import RowFingerprint

SECONDS = 1.0  # to spend on each line
WHOLE = 10_000_000
MASTER = MasterKey(bytes(range(32)))
KEYS = [attribute_keys(MASTER, f"attribute {i}", "2026") for i in range(4)]
BELOW = threshold(1.0)


def tasks(
    batch: int = BATCH, whole: int = WHOLE
) -> Iterator[tuple[str, int, Callable[[], object]]]:
    """What is timed: its name, how many coins (or rows) one run of it is, and the run."""
    number = np.arange(batch)
    fixed = pa.array([f"building-{i % 97:02d}/office-{i:08d}"[: 22 + i % 7] for i in number])
    mixed = pa.array(["x" * (i % 40) + str(i) for i in number])
    office = pa.array([f"B{i % 7}-{i % 1000:04d}" for i in number])
    day = pa.array([f"2026-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in number])
    sensitive = pa.array((number % 3 == 0).tolist())
    rows = pa.record_batch(
        {"office": office, "day": day, "value": pa.array(number / 7), "sensitive": sensitive}
    )

    def toss(*columns: np.ndarray | pa.Array, attributes: int = 1) -> None:
        keys = encode_keys(columns)
        for attribute in KEYS[:attributes]:
            released(draw(attribute, keys), BELOW)

    def fingerprint() -> str:
        found = RowFingerprint(MASTER, "benchmark", rows.schema.names)
        found.add(rows)
        return found.hexdigest()

    column = np.arange(whole)
    yield "integer", batch, lambda: toss(number)
    yield f"integer, {whole:,} at once", whole, lambda: toss(column)
    yield "two integers", batch, lambda: toss(number, number)
    yield "text of 22 to 28 bytes", batch, lambda: toss(fixed)
    yield "the same for 4 attributes", 4 * batch, lambda: toss(fixed, attributes=4)
    yield "text of 1 to 45 bytes", batch, lambda: toss(mixed)
    yield "two texts (office, day)", batch, lambda: toss(office, day)
    yield "fresh coins", batch, lambda: released(fresh_draws(batch), BELOW)
    yield "row fingerprint, 4 columns", batch, fingerprint
    yield "threshold", 1, lambda: threshold(1.0)


def records(seconds: float = SECONDS, **sizes: int) -> Iterator[dict[str, Any]]:
    """Millions a second of each task: of processor time, at best and in the median run."""
    for name, count, run in tasks(**sizes):
        run()
        spent: list[float] = []
        end = time.perf_counter() + seconds
        while len(spent) < 3 or time.perf_counter() < end:
            begin = time.process_time()
            run()
            spent.append(max(time.process_time() - begin, 1e-9))
        best, middle = (count / 1e6 / t for t in (min(spent), statistics.median(spent)))
        yield {"task": name, "count": count, "best": best, "median": middle}


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if not chosen.json:
        print(f"{'million a second':30} {'best':>8} {'median':>8}")
    for record in records():
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            print("{task:30} {best:8.3g} {median:8.3g}".format(**record), flush=True)


if __name__ == "__main__":
    main()
