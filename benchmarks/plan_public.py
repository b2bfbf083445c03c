"""`unspoken.plan` on a Pairwise belief: building the belief, planning, the gap reached."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any, Literal

import unspoken
from benchmarks.instances import latent_classes

# (attributes, dependent pairs, objective)
RUNS: tuple[tuple[int, int, Literal["released", "epsilon"]], ...] = (
    (1_000, 10_000, "released"),
    (1_000, 10_000, "epsilon"),
    (10_000, 100_000, "released"),
)
# The limit, in bits for each attribute.
PER_ATTRIBUTE = 0.01


def records(seed: int = 1) -> Iterator[dict[str, Any]]:
    for n, pairs, objective in RUNS:
        instance = latent_classes(n, pairs, seed)
        names = [f"a{i}" for i in range(n)]
        ends = zip(instance.first.tolist(), instance.second.tolist(), strict=True)
        tables = {(names[i], names[j]): t for (i, j), t in zip(ends, instance.tables, strict=True)}
        # Caps of their own for every attribute: equal ones are the easier case.
        caps = {name: 0.5 + 3.0 * (i % 97) / 97 for i, name in enumerate(names)}
        begin = time.perf_counter()
        belief = unspoken.Pairwise([[1 - q, q] for q in instance.q.tolist()], tables, names)
        built = time.perf_counter()
        plan = unspoken.plan(
            belief, limit_bits=PER_ATTRIBUTE * n, objective=objective, caps=caps, account="bit"
        )
        planned = time.perf_counter()
        times = {"build": built - begin, "plan": planned - built}
        yield {"n": n, "pairs": pairs, "objective": objective, **times, "gap": plan.gap}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    for record in records():
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            print(
                "{n:7d} {pairs:8d} {objective:>9} build {build:6.2f} s  plan {plan:6.2f} s  "
                "gap {gap:.1e}".format(**record),
                flush=True,
            )


if __name__ == "__main__":
    main()
