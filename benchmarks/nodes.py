"""All adversaries of a noisy sum: one pass over the unknown sets against one view each."""

from __future__ import annotations

import itertools
import time

import numpy as np

import unspoken
from unspoken.core.searching import pdp_nodes


def joint(variables: int, values: int) -> unspoken.Joint:
    rng = np.random.default_rng(0)
    shape = (values,) * variables
    return unspoken.Joint(rng.dirichlet(np.ones(values**variables)).reshape(shape))


def one_by_one(belief: unspoken.Joint) -> float:
    """A view for every adversary."""
    laplace, names, worst = unspoken.Laplace(2.0), belief.domain.names, 0.0
    for target in names:
        others = [name for name in names if name != target]
        for size in range(len(names)):
            for known in itertools.combinations(others, size):
                adversary = unspoken.Adversary(target, knows=known)
                worst = max(worst, unspoken.leakage(belief, laplace, adversary).value)
    return worst


def main() -> None:
    small = joint(7, 2)
    start = time.perf_counter()
    naive = one_by_one(small)
    between = time.perf_counter()
    worst = pdp_nodes(small, [1.0] * 7, 2.0).worst()[0]
    end = time.perf_counter()
    print(f"n=7, d=2: {between - start:.3f} s one by one, {end - between:.3f} s at once, ", end="")
    print(f"{(between - start) / (end - between):.0f}x; worst {naive:.6f} = {worst:.6f}")
    for variables, values in ((12, 2), (8, 3)):
        belief = joint(variables, values)
        start = time.perf_counter()
        pdp_nodes(belief, [1.0] * variables, 2.0)
        count = variables * 2 ** (variables - 1)
        print(f"n={variables}, d={values}: {count} nodes in {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
