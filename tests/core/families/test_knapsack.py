"""What a filling says of each total, beside the masses it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from unspoken.core.families.knapsack import Knapsack, share


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sign", [1, -1])
def test_a_filling_is_what_its_masses_are(seed: int, sign: int) -> None:
    """With cells that cannot be, or have no room, and answers that some never give."""
    rng = np.random.default_rng(seed)
    knapsack, kernel = _knapsack(rng), rng.choice([0.0, 0.3, 0.3, 1.0, rng.random()], 9)
    filling = knapsack.filling(kernel, sign)
    total = np.concatenate([filling.breaks, np.linspace(0, 2, 41)])  # some of which they cannot be
    masses = knapsack.weighing(kernel, sign, total)
    weigh, worth = filling.sums(total)
    assert weigh == pytest.approx(masses.sum(1), rel=1e-14)
    assert worth == pytest.approx(masses @ kernel, rel=1e-14)
    assert filling.mean(total) == pytest.approx(knapsack.mean(masses, kernel, sign), rel=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_no_way_to_share_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    above, below, kernels = _knapsack(rng), _knapsack(rng), (rng.random(9), rng.random(9))
    low, up = (sum(float(end.sum()) for end in ends) for ends in _ends(above, below))
    total = rng.uniform(low, up)
    most, least = share(above, below, kernels, total)
    assert most.sum() + least.sum() == pytest.approx(total, rel=1e-12)
    found = above.mean(most[None], kernels[0], 1) / below.mean(least[None], kernels[1], -1)
    room = max(float(above.low.sum()), total - float(below.up.sum()))
    t = np.linspace(room, min(float(above.up.sum()), total - float(below.low.sum())), 4001)
    tried = above.filling(kernels[0], 1).mean(t) / below.filling(kernels[1], -1).mean(total - t)
    assert found[0] >= tried.max() * (1 - 1e-12)


def _knapsack(rng: np.random.Generator) -> Knapsack:
    low = rng.random(9) * 0.1
    up = low + rng.random(9) * 0.2 * (rng.random(9) < 0.7)
    gone = rng.random(9) < 0.2
    low, up = np.where(gone, 0.0, low), np.where(gone, 0.0, up)
    return Knapsack(low, up, float(low.sum()), float(up.sum()))


def _ends(*knapsacks: Knapsack) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [each.low for each in knapsacks], [each.up for each in knapsacks]
