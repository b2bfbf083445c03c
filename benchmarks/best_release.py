"""What goes out under a cap, of every cell that is read: the floor, cell coins, record coins.

python -m benchmarks.best_release FOLDER             a table, for docs/records.md
python -m benchmarks.best_release FOLDER --events default

FOLDER: where the tables of benchmarks/tables.py are. ``cell``: the best plan found with one coin a
cell, with values closed or without. ``counts``: one coin a record, for the shares of the rows
alone; ``box``: for every belief that the rows leave possible, at 95 %; then with noise on the
counts, of this epsilon. Shares are of the rows as they are, and of the floor where that is more.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyarrow as pa

import unspoken
from benchmarks.tables import Wanted, counted, found
from unspoken.planning import closure

NOISE = (1.0, 0.5, 0.3, 0.1)


def shares(wanted: Wanted, events: str) -> list[str]:
    """The floor, cell coins, record coins of counts, of boxes without noise and with."""
    belief = counted(wanted.columns, wanted.names)
    plain = record(wanted, belief, events)
    floor = 0.0 if plain.floor is None else plain.floor.share
    found = [f"{floor:.3f}", f"{by_cell(wanted, belief):.3f}", said(wanted, plain, belief)]
    for noise in (None, *NOISE):
        plan = record(wanted, learned(wanted, noise), events)
        found.append(said(wanted, plan, belief))
    return found


def record(wanted: Wanted, belief: Any, events: str) -> Any:
    return unspoken.plan(
        belief, by="record", sensitive=wanted.secrets, reads=wanted.reads, odds_cap=wanted.cap,
        events=events,
    )  # fmt: skip


def said(wanted: Wanted, plan: Any, rows: unspoken.Joint) -> str:
    """What it shows of the rows; or the floor, where that shows more by what was learned."""
    if plan.floor is not None and plan.gain < 0:
        plan = plan.floor
    told = plan.mechanism.describe()
    places = {name: rows.domain.axis(name) for name in told["names"]}
    law, shown = rows.marginal(told["names"]), 0.0
    for codes, masks, weights in zip(told["codes"], told["masks"], told["weights"], strict=True):
        labels = [told["values"][name][code] for name, code in zip(places, codes, strict=True)]
        at = tuple(rows.domain.code(*pair) for pair in zip(places, labels, strict=True))
        shown += law[at] * sum(
            m.bit_count() * w / 2**62 for m, w in zip(masks, weights, strict=True)
        )
    return f"{shown / len(wanted.reads):.3f}"


def by_cell(wanted: Wanted, belief: unspoken.Joint) -> float:
    closed = closure(belief, wanted.secrets, wanted.cap, wanted.reads).sensitive
    plans = [
        unspoken.plan(
            belief, limit_bits=None, odds_cap=wanted.cap, coalitions=[wanted.reads],
            sensitive=withheld, secrets=wanted.secrets,
        )
        for withheld in (wanted.secrets, closed)
    ]  # fmt: skip
    return max(plan.objective for plan in plans) / len(wanted.reads)


def learned(wanted: Wanted, noise: float | None) -> Any:
    columns = {name: list(wanted.columns[name]) for name in wanted.names}
    values = {name: sorted({*column}) for name, column in columns.items()}
    return unspoken.learn(
        pa.table(columns), values=values, secrets=wanted.secrets, noise=noise, confidence=0.95
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--events", choices=["attribute", "default"], default="default")
    asked = parser.parse_args()
    head = ["table", "rows", "floor", "cell", "counts", "box", *(f"box, {e:g}" for e in NOISE)]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for wanted in found(asked.folder):
        row = [wanted.name, f"{wanted.rows:,}", *shares(wanted, asked.events)]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
