"""What a row costs in the kernel of a release: microseconds of one processor, in one thread.

python -m benchmarks.kernel           a million rows, four kinds of them
python -m benchmarks.kernel --json    one record per line of it
python -m benchmarks.kernel --quick   a thousand rows, to see that it runs

The rows are sorted and lie in memory, so that nothing is read or written. Labels (and which cells
may be shown at all), the keys as coins and fingerprints take them, and the coins are timed by
themselves; what is left of the kernel is fingerprints, counts by label, and what is shown.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.release import CASES, KEYS, write
from unspoken.storage.coins import Coins, encode_keys
from unspoken.storage.custody.custody import Custody
from unspoken.tables.engines.protocol import BATCH, Scan
from unspoken.workflows.release import release
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.open_project import OpenProject

QUICK, USUAL = 10**3, 10**6
PASSES = 3


def records(rows: int) -> Iterator[dict[str, Any]]:
    """One record per kind of table."""
    for attributes, keys in CASES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), rows, attributes, keys)
            release(folder)
            costs = {name: 1e6 * x / rows for name, x in measured(Path(folder), keys).items()}
            yield {"rows": rows, "attributes": attributes, "keys": keys, **costs}


def measured(folder: Path, keys: str) -> dict[str, float]:
    """The least seconds of a processor that each part took."""
    read = OpenProject.of(folder)
    kept = Custody.made(read.project)
    asked = Asked.of(read, 1.0, None, False, kept, None)
    reading, kernel = asked.reading, asked.kernel(kept.master, asked.released)
    rules = reading.rules
    batches = list(reading.table.batches(Scan(rules.needs, True, BATCH, rules.places)))
    parts = list(rules.parts(batches))
    named = [encode_keys([batch.column(name) for name in KEYS[keys]]) for batch in batches]

    def coins() -> None:
        for part, rows in zip(parts, named, strict=True):
            tossed = Coins(kept.master, next(iter(part.epochs)), rows, kernel.draw)
            asked.released.let_out(kernel.domain, part.codes, tossed)

    costs = {  # of which coins take keys that are encoded
        "labels": _least(lambda: list(rules.parts(batches))),
        "encoding": _least(lambda: [encode_keys(part.keys) for part in parts]),
        "coins": _least(coins),
    }
    whole = _least(lambda: list(kernel(iter(batches))))
    return {**costs, "the rest": whole - sum(costs.values()), "kernel": whole}


def _least(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(PASSES):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    parser.add_argument("--rows", type=int, default=USUAL, help="of the table")
    parser.add_argument("--quick", action="store_true", help="a thousand rows")
    chosen = parser.parse_args()
    for record in records(QUICK if chosen.quick else chosen.rows):
        if chosen.json:
            print(json.dumps(record), flush=True)
            continue
        costs = ((name, cost) for name, cost in record.items() if isinstance(cost, float))
        parts = ", ".join(f"{name} {cost:.3f}" for name, cost in costs)
        print(f"{record['attributes']} attributes, {record['keys']} keys: {parts} us a row")


if __name__ == "__main__":
    main()
