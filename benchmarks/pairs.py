"""How long it takes to count all pairs of many attributes, beside one product of matrices.

python -m benchmarks.pairs            200 attributes of two values, a million rows
python -m benchmarks.pairs --quick    a tenth of the rows

The product is of 32-bit floats, rows x attributes with rows x attributes, and not of a matrix with
itself, which BLAS does in half the time. The aim: no more than three of them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from unspoken.tables.learning.counts.pairs import PairCounts

ATTRIBUTES, ROWS, BATCH = 200, 1_000_000, 245_760


def _seconds(step: Callable[[], object]) -> float:
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def main() -> None:
    """Print both times and their quotient."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    rows = ROWS // 10 if parser.parse_args().quick else ROWS
    rng = np.random.default_rng(0)
    codes = [(rng.random(rows) < 0.3).astype(np.intp) for _ in range(ATTRIBUTES)]
    pairs = PairCounts.none([f"x{k}" for k in range(ATTRIBUTES)], [2] * ATTRIBUTES)

    def count() -> None:
        for first in range(0, rows, BATCH):
            pairs.add([column[first : first + BATCH] for column in codes])

    left = np.stack(codes, 1, dtype=np.float32)
    right = left.copy()
    product, counted = _seconds(lambda: left.T @ right), _seconds(count)
    print(
        f"{rows:,} rows: product {product:.2f} s, pairs {counted:.2f} s, x {counted / product:.2g}"
    )


if __name__ == "__main__":
    main()
