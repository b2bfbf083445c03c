"""Plans judged on rows that they were not made from: half of a table plans, the other half judges.

python -m benchmarks.out_of_sample FOLDER [--draws 10]

The share that is shown, the worst odds under the shares of the other half's rows of an answer that
at least three of its rows get, in how many draws these are above the cap, and how many rows get any
answer above it: the other half is a sample too, so what less than a row gets has any odds there. A
plan for the counts alone breaks its cap, one for every belief in a box of 95 % may in one draw out
of twenty.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import unspoken
from benchmarks.tables import Columns, found
from unspoken.planning.protection import Protection
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.planned import Planned
from unspoken.planning.records.planner import plan_records
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.tables.learning.intervals import confidence

FEW = 3  # rows of an answer; of fewer the odds are chance


def study(said: str, columns: Columns, reads: Sequence[str], cap: float,
          secrets: Mapping[str, Sequence[str]], draws: int) -> None:  # fmt: skip
    names = list(dict.fromkeys([*reads, *secrets]))
    values = {name: sorted({*columns[name]}) for name in names}
    sizes = [len(values[name]) for name in names]
    codes = tuple(np.searchsorted(values[name], columns[name]) for name in names)
    rows = np.ravel_multi_index(codes, sizes)
    for kind in ("counts alone", "box 95 %"):
        shares, worst, above = [], [], []
        for draw in range(draws):
            order = np.random.default_rng(draw).permutation(len(rows))
            seen, kept = (
                np.bincount(half, minlength=int(np.prod(sizes))).reshape(sizes)
                for half in np.array_split(rows[order], 2)
            )
            held: unspoken.Joint | unspoken.Intervals = unspoken.Joint(seen, names, values)
            if kind != "counts alone":
                held = confidence.box(seen, held, secrets, rows=int(seen.sum()))
            asked = RecordOptions(reads=reads, events="attribute")
            protection = Protection(sensitive=secrets, odds_cap=cap)
            plan = plan_records(RecordProblem.of(held, protection, asked))
            odds, rows_above = judged(plan, kept, cap)
            shares.append(plan.objective / plan.most)
            worst.append(odds)
            above.append(rows_above)
        draws_above = float(np.mean(np.array(worst) > cap))
        print(f"{said:<36}{kind:<14}{np.mean(shares):8.3f}{np.max(worst):9.3g}{draws_above:8.0%}"
              f"{np.max(above):10.2f}", flush=True)  # fmt: skip


def judged(plan: Planned, kept: np.ndarray, cap: float) -> tuple[float, float]:
    """The worst odds of an answer, and how many rows get one above the cap."""
    table, worst, above = plan.table, 0.0, 0.0
    cells, pairs = table.cells, table.pairs
    answers = Answers.of(cells, pairs, cells.reads)
    rows = kept[tuple(cells.codes.T)].astype(float)
    for event in plan.problem.about(cells):
        masses = [
            np.bincount(answers.of_pair, (rows * side)[pairs.cell] * table.shares, len(answers))
            for side in (event.inside, event.outside)
        ]
        shares = [mass / max(mass.sum(), 1.0) for mass in masses]
        over = shares[0] > cap * shares[1] * (1 + 1e-9)
        above = max(above, float((masses[0] + masses[1])[over].sum()))
        often = (masses[0] + masses[1] >= FEW) & (masses[0] > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            worst = max(worst, float((shares[0] / shares[1])[often].max(initial=0.0)))
    return worst, above


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="where the tables of benchmarks/tables.py are")
    parser.add_argument("--draws", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'':<50}{'share':>8}{'worst':>9}{'draws':>8}{'rows':>10}")
    for wanted in found(asked.folder):
        study(wanted.name, wanted.columns, wanted.reads, wanted.cap, wanted.secrets, asked.draws)


if __name__ == "__main__":
    main()
