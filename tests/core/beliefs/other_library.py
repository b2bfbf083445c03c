"""pyAgrum's pair tables of a network, in a process of its own: beside libqif's it would crash.

    python -m tests.core.beliefs.other_library < question > answer        (both pickled)

A question is (sizes, parents, laws, pairs): variables are numbers, the axes of a law its parents
and then its own. The answer has a table for each pair.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Question = tuple[
    Sequence[int], Sequence[Sequence[int]], Sequence[np.ndarray], Sequence[tuple[int, int]]
]
ROOT = Path(__file__).resolve().parents[3]


def ask(question: Question) -> list[np.ndarray]:
    """Put the question to another process."""
    command = [sys.executable, "-m", "tests.core.beliefs.other_library"]
    done = subprocess.run(command, input=pickle.dumps(question), capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answer: list[np.ndarray] = pickle.loads(done.stdout)
    return answer


def rebuilt(gum: Any, question: Question) -> Any:
    """The same network there, from our tables: its own BIF reader keeps single precision only."""
    sizes, parents, laws, _ = question
    net = gum.BayesNet()
    for v, size in enumerate(sizes):
        net.add(gum.LabelizedVariable(f"v{v}", f"v{v}", [str(value) for value in range(size)]))
    for v, own in enumerate(parents):
        for u in own:
            net.addArc(f"v{u}", f"v{v}")
    for v, law in enumerate(laws):
        axes = [f"v{u}" for u in (*parents[v], v)]
        table = net.cpt(f"v{v}")  # its axes run the other way round
        table[:] = np.ascontiguousarray(law.transpose([axes.index(n) for n in table.names[::-1]]))
    return net


def laws_of(gum: Any, net: Any, wanted: Sequence[int], evidence: dict[str, int]) -> dict[int, Any]:
    engine = gum.LazyPropagation(net)
    engine.setEvidence(evidence)
    engine.makeInference()
    return {v: engine.posterior(f"v{v}").toarray() for v in wanted}


def answer(gum: Any, question: Question) -> list[np.ndarray]:
    """P(a, b): P(a = k), and the law of b in a run of its own with a = k as evidence."""
    sizes, _, _, pairs = question
    net, tables = rebuilt(gum, question), {}
    single = laws_of(gum, net, range(len(sizes)), {})
    for first in dict.fromkeys(a for a, _ in pairs):
        others = [b for a, b in pairs if a == first]
        rows = [
            laws_of(gum, net, others, {f"v{first}": value}) if mass > 0 else None
            for value, mass in enumerate(single[first])
        ]
        for b in others:
            told = [row[b] if row else np.zeros(sizes[b]) for row in rows]
            tables[first, b] = single[first][:, None] * np.array(told)
    return [tables[pair] for pair in pairs]


if __name__ == "__main__":
    import pyagrum

    sys.stdout.buffer.write(pickle.dumps(answer(pyagrum, pickle.load(sys.stdin.buffer))))
