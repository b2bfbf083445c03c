"""`Network`: all pair tables, and many rows of evidence, beside pyAgrum in the same run.

The published networks are not in this repository; point --folder at BIF files of theirs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.core.beliefs.networks.network import Network

try:
    import pyagrum as gum
except ImportError:  # then our own times stand alone
    gum = None  # type: ignore[assignment]

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "bayes_nets"
ROWS = 1_000


def best(call: Callable[[], object], times: int) -> float:
    """The fastest of several runs, in seconds: the one least disturbed by others."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def rebuilt(belief: Network) -> Any:
    """The same network there, from our tables: its own BIF reader keeps single precision only."""
    domain, net = belief.domain, gum.BayesNet()
    for name, size in zip(domain.names, domain.sizes, strict=True):
        net.add(gum.LabelizedVariable(name, name, size))
    parents = belief.model.dag.parents
    for v, own in enumerate(parents):
        for parent in own:
            net.addArc(domain.names[parent], domain.names[v])
    for v, law in enumerate(belief.model.laws):
        axes = [domain.names[u] for u in (*parents[v], v)]
        table = net.cpt(domain.names[v])  # its axes run the other way round
        table[:] = np.ascontiguousarray(law.transpose([axes.index(n) for n in table.names[::-1]]))
    return net


def all_pairs_there(net: Any, belief: Network) -> None:
    """Clamp every variable to each of its values; read the laws of those after it."""
    names, engine = belief.domain.names, gum.LazyPropagation(net)
    for i, name in enumerate(names):
        for value in range(belief.domain.sizes[i]):
            engine.setEvidence({name: value})
            engine.makeInference()
            for other in names[i + 1 :]:
                engine.posterior(other)


def rows_there(net: Any, belief: Network, seen: list[str], cells: np.ndarray) -> None:
    engine = gum.LazyPropagation(net)
    for row in cells:
        engine.setEvidence({name: int(row[belief.domain.axis(name)]) for name in seen})
        engine.makeInference()
        for name in belief.domain.names:
            engine.posterior(name)


def records(folder: Path) -> Iterator[dict[str, Any]]:
    for name, times in (("alarm", 20), ("win95pts", 5), ("water", 1)):
        belief = Network.read(folder / f"{name}.bif")
        n = len(belief.domain.names)
        record: dict[str, object] = {"task": f"{name}: {n * (n - 1) // 2} pair tables"}
        record["own"] = best(belief.pair_tables, times)
        if gum and name != "water":  # minutes there
            record["pyagrum"] = best(partial(all_pairs_there, rebuilt(belief), belief), 2)
        yield record
    belief = Network.read(folder / "alarm.bif")
    rng = np.random.default_rng(1)
    cells = belief.sample(rng, ROWS)
    for count in (5, 30):
        seen = rng.choice(belief.domain.names, count, replace=False).tolist()
        axes = {name: belief.domain.axis(name) for name in seen}
        told = {name: np.eye(belief.domain.sizes[i])[cells[:, i]] for name, i in axes.items()}
        record = {"task": f"alarm: {ROWS:,} rows of {count} values, all laws"}
        record["own"] = best(partial(belief.posteriors, told), 20)
        if gum:
            record["pyagrum"] = best(partial(rows_there, rebuilt(belief), belief, seen, cells), 1)
        yield record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the BIF files are")
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if not chosen.folder.is_dir():
        print(f"networks: no folder {chosen.folder}; --folder says where the BIF files are")
        return
    for record in records(chosen.folder):
        if chosen.json:
            print(json.dumps(record), flush=True)
            continue
        line = f"{record['task']:<44} own {record['own'] * 1e3:9.1f} ms"
        if "pyagrum" in record:
            there = record["pyagrum"]
            line += f"  pyagrum {there * 1e3:9.1f} ms  ratio {there / record['own']:6.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
