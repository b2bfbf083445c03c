"""What cells of a side may weigh by what is known of the combinations that they have in common."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unspoken.core.families.sides import Marginal, Side

pytestmark = pytest.mark.slow

SIZES = (2, 3, 2)
CODES = np.indices(SIZES).reshape(3, -1)


@pytest.mark.parametrize("seed", range(30))
def test_cells_weigh_what_each_marginal_that_they_share_leaves(seed: int) -> None:
    """Some variables are no marginal by themselves, and one is the table's own."""
    rng = np.random.default_rng(seed)
    marginals = [_marginal(axes, rng) for axes in range(8) if rng.random() < 0.6]
    low = rng.random(12) * 0.05
    side = Side(low, low + rng.random(12) * 0.2, marginals=tuple(marginals))
    sets = itertools.chain.from_iterable(itertools.combinations(range(12), n) for n in (0, 1, 2, 4))
    for cells in sets:
        at = np.array(cells, dtype=np.intp)
        assert side.mass(at) == pytest.approx(_one_by_one(side, at), abs=1e-15)


def _marginal(axes: int, rng: np.random.Generator) -> Marginal:
    kept = [axis for axis in range(3) if axes >> axis & 1]
    sizes = tuple(SIZES[axis] for axis in kept)
    place = np.asarray(np.ravel_multi_index(CODES[kept], sizes) if kept else np.zeros(12, int))
    least = rng.random(int(np.prod(sizes))) * 0.3
    return Marginal(axes, place, least, least + rng.random(least.size))


def _one_by_one(side: Side, at: np.ndarray) -> tuple[float, float]:
    """All has mass 1, and so have the cells of a combination what its marginal allows."""
    inside = np.isin(np.arange(12), at)
    everywhere = Marginal(0, np.zeros(12, dtype=np.intp), np.ones(1), np.ones(1))
    shared = [h for h in side.marginals if len(at) and (h.place[at] == h.place[at[0]]).all()]
    ends = []
    for held in (everywhere, *shared):
        of = held.place[at[0]] if len(at) else 0
        beside = (held.place == of) & ~inside
        ends.append(
            (held.least[of] - side.up[beside].sum(), held.most[of] - side.low[beside].sum())
        )
    least, most = zip(*ends, strict=True)
    return float(max(least)), float(min(most))
