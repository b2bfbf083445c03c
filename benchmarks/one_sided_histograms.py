"""One-sided noise on histograms of non-sensitive records against Laplace noise on all: L1 errors.

UNSPOKEN_DPBENCH=folder python -m benchmarks.one_sided_histograms [--two]

The folder holds DPBench's histograms as histograms.npz. Of each a share of the records, drawn one
by one, is not sensitive. One-sided noise hides by a factor e^epsilon that a record is sensitive;
Laplace noise (discrete, of scale 2 / epsilon, negative counts being 0) hides any record from any
other. The error is that against the histogram of all records, over their number: of what is left
out alone, of one-sided counts, with the median put back, and of these over the share, where whether
a record is sensitive does not depend on its bin. ``--two``: two-dimensional histograms too.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.mechanisms import OneSidedNoise
from unspoken.noise.discrete_laplace import one_sided_noise, two_sided_noise

Counts = npt.NDArray[np.int64]
SHARES = (0.99, 0.9, 0.75, 0.5, 0.25, 0.1, 0.01)
EPSILONS = (1.0, 0.1)
KINDS = ("left out", "one-sided", "corrected", "scaled")


def histograms(two: bool) -> Iterator[Counts]:
    folder = os.environ.get("UNSPOKEN_DPBENCH")
    if folder is None:
        return
    with np.load(Path(folder) / "histograms.npz") as held:
        for name in sorted(held.files):
            if two or held[name].ndim == 1:
                yield held[name].ravel().astype(np.int64)


def error(estimate: npt.NDArray[Any], truth: Counts) -> float:
    return float(np.abs(estimate - truth).sum() / truth.sum())


def errors(truth: Counts, epsilon: float, rng: np.random.Generator) -> dict[object, float]:
    """Of Laplace noise, and for each share of: counting no more than that, noise, correction."""
    mechanism = OneSidedNoise(math.exp(-epsilon), {"bin": {1: 1}}, {})
    found: dict[object, float] = {
        "laplace": error(np.maximum(two_sided_noise(truth, 2 / epsilon), 0), truth)
    }
    for share in SHARES:
        free = rng.binomial(truth, share)
        noisy = one_sided_noise(free, 1 / epsilon)
        corrected = mechanism.corrected(noisy)
        estimates = free, np.maximum(noisy, 0), corrected, corrected / share
        for kind, estimate in zip(KINDS, estimates, strict=True):
            found[share, kind] = error(estimate, truth)
    return found


def main(arguments: list[str]) -> int:
    tables = list(histograms("--two" in arguments))
    if not tables:
        print("skipped: UNSPOKEN_DPBENCH names no folder with histograms.npz")
        return 0
    rng = np.random.default_rng(1712)
    for epsilon in EPSILONS:
        each = [errors(truth, epsilon, rng) for truth in tables]
        laplace = np.array([found["laplace"] for found in each])
        print(
            f"\nepsilon {epsilon:g}, {len(tables)} histograms; mean and median L1 error / records"
        )
        print(f"Laplace              {laplace.mean():8.4f} {np.median(laplace):8.4f}")
        for share in SHARES:
            for kind in KINDS:
                own = np.array([found[share, kind] for found in each])
                better = int((own < laplace).sum())
                print(
                    f"{share:4.2f} {kind:12}    {own.mean():8.4f} {np.median(own):8.4f}"
                    f"   better in {better} of {len(tables)}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
