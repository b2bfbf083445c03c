"""How long calibration takes, and how much less noise the exact one needs than the rules.

python -m benchmarks.calibration           two tables
python -m benchmarks.calibration --quick   without the slow lines

Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from unspoken.core.beliefs import Belief, Chain, Joint, Tree
from unspoken.noise.calibration import METHODS, calibrate
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.dpm import dpm
from unspoken.noise.calibration.rules.methods import scales_by_rule
from unspoken.noise.comparing import compare


def timed(run: Callable[[], float]) -> tuple[float, float]:
    """What it found, and how long it took."""
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def sticky(flip: float, length: int) -> Chain:
    """Two states, equally likely."""
    return Chain([0.5, 0.5], [[1 - flip, flip], [flip, 1 - flip]], length)


def exact(belief: Belief, limit: float, knows: str) -> float:
    return calibrate(belief, limit=limit, knows=knows).scale


def cubic_quilts(step: np.ndarray, law: np.ndarray, length: int, limit: float) -> float:
    """The search as published: every variable, every two distances, one after the other."""
    powers = [np.eye(len(step))]
    for _ in range(length):
        powers.append(powers[-1] @ step)
    logs = [np.log(power) for power in powers[1:]]
    ahead = [(log[:, None] - log[None]).max(-1) for log in logs]
    prior = np.log(law)[None, :] - np.log(law)[:, None]
    behind = [(log.T[:, None] - log.T[None]).max(-1) + prior for log in logs]
    worst = 0.0
    for i in range(length):
        best = length / limit
        for a in range(i + 1):
            for b in range(length - i):
                said = (behind[a - 1] if a else 0.0) + (ahead[b - 1] if b else 0.0)
                room = limit - float(np.max(said))
                between = (a or i + 1) + (b or length - i) - 1
                best = min(best, between / room) if room > 0 else best
        worst = max(worst, best)
    return worst


def speed(quick: bool) -> None:
    rng = np.random.default_rng(0)
    joint = Joint(rng.dirichlet(np.ones(2**10)).reshape((2,) * 10))
    star = Tree([-1] + [0] * 50, [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    parents = [-1, *((v - 1) // 2 for v in range(1, 1000))]
    tree = Tree(parents, [0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    rows: list[tuple[str, Belief, str]] = [
        ("joint of 10 bits", joint, "anything"),
        ("joint of 10 bits", joint, "nothing"),
        ("star of 50 leaves", star, "nothing"),
        ("binary tree of 1,000", tree, "nothing"),
        ("binary tree of 1,000", tree, "anything"),
        ("chain of 100", sticky(0.1, 100), "anything"),
        ("chain of 1,000", sticky(0.1, 1000), "nothing"),
        ("chain of 1,000", sticky(0.1, 1000), "anything"),
    ]
    if not quick:
        rows += [("chain of 5,000", sticky(0.1, 5000), own) for own in ("nothing", "anything")]
    for what, belief, knows in rows:
        scale, seconds = timed(partial(exact, belief, 1.0, knows))
        print(f"{what:20} knows {knows:9} {seconds:8.2f} s   scale {scale:.6g}")
    turns = sticky(0.95, 220)
    scale, seconds = timed(lambda: calibrate(turns, limit=0.4, floor=False).scale)
    print(f"{'chain of 220 that alternates':36} {seconds:8.2f} s   scale {scale:.6g}")
    rules, seconds = timed(lambda: float(len(compare(sticky(0.1, 1000), limit=1.0).rows)))
    print(f"{'all rules on a chain of 1,000':36} {seconds:8.2f} s   {rules:.0f} rules")
    for name in ("mean", "dpm"):
        found, seconds = timed(partial(METHODS[name], NoiseProblem(sticky(0.1, 1000), None, 1.0)))
        print(f"{name + ' of a chain of 1,000':36} {seconds:8.2f} s   scale {found:.6g}")
    step, law = np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([0.4, 0.6])
    for length in (60, 1000):
        chain = Chain(law, step, length)
        own, fast = timed(partial(METHODS["quilt"], NoiseProblem(chain, None, 1.0)))
        print(f"{'quilts of ' + format(length, ','):36} {fast:8.4f} s   scale {own:.6g}")
        if length == 60:
            found, slow = timed(partial(cubic_quilts, step, law, length, 1.0))
            print(f"{'  by the cubic search':36} {slow:8.4f} s   {slow / fast:.0f} times")
            assert math.isclose(own, found, rel_tol=1e-9)
            cubic = slow * (1000 / length) ** 3
    print(f"{'  by the cubic search, extrapolated':36} {cubic:8.0f} s   {cubic / fast:,.0f} times")


def chains(length: int) -> None:
    """Scales side by side, for a limit of 1."""
    print(f"\nchain of {length}, limit 1: {'exact':>9}", *(f"{name:>11}" for name in METHODS))
    for flip in (0.4, 0.2, 0.1, 0.03):
        chain = sticky(flip, length)
        least = exact(chain, 1.0, "nothing")
        others = scales_by_rule(NoiseProblem(chain, None, 1.0))
        cells = (f"{others[name]:11.4g}" if name in others else f"{'-':>11}" for name in METHODS)
        print(f"  flip {flip:<17g} {least:9.4g}", *cells)


def families(count: int) -> None:
    """Median exact scale over that of reading B of DPM, for the sum of random bits."""
    print(f"\nmedian exact / dpm over {count} beliefs (floored: at least 1 / limit)")
    rng = np.random.default_rng(1)
    for name, n in itertools.product(FAMILIES, (2, 3, 4)):
        found: dict[str, list[float]] = {"free": [], "floored": [], "anything": []}
        for _ in range(count):
            belief = Joint(FAMILIES[name](rng, n))
            limit = float(np.exp(rng.uniform(math.log(0.1), math.log(4.0))))
            rule = dpm(NoiseProblem(belief, None, limit))
            free = calibrate(belief, limit=limit, knows="nothing", floor=False).scale
            found["free"].append(free / rule)
            found["floored"].append(max(free, 1 / limit) / rule)
            found["anything"].append(calibrate(belief, limit=limit).scale / rule)
        told = "   ".join(f"{key} {np.median(own):.2f}" for key, own in found.items())
        print(f"  {name:10} n = {n}   {told}")


def _any(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.dirichlet(np.ones(2**n)).reshape((2,) * n)


def _sparse(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.dirichlet(np.full(2**n, 0.3)).reshape((2,) * n)


def _chain(rng: np.random.Generator, n: int) -> np.ndarray:
    table = rng.dirichlet(np.ones(2))
    for _ in range(n - 1):
        step = rng.dirichlet(np.ones(2), size=2)
        table = (table.reshape(-1, 2)[:, :, None] * step).ravel()
    return table.reshape((2,) * n)


def _mixed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Of two kinds, in each of which all are independent."""
    parts = []
    for share in rng.dirichlet(np.ones(2)):
        own = np.array(share)
        for _ in range(n):
            own = np.multiply.outer(own, rng.dirichlet(np.ones(2)))
        parts.append(own)
    return np.sum(parts, axis=0)


def _alike(rng: np.random.Generator, n: int) -> np.ndarray:
    """All that agree with their neighbours are e^beta times as likely, for each."""
    beta = rng.uniform(0.0, 1.0)
    spins = np.indices((2,) * n) * 2 - 1
    field = sum(spins[i] * spins[j] for i, j in itertools.combinations(range(n), 2))
    table = np.exp(beta * field)
    return table / table.sum()


FAMILIES = {"any": _any, "sparse": _sparse, "chain": _chain, "mixture": _mixed, "ising": _alike}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    speed(quick)
    chains(100 if quick else 400)
    families(15 if quick else 40)


if __name__ == "__main__":
    main()
