"""Equal weights and caps: the closed form, and the search by the rank of the largest eps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.instances import curves_of, latent_classes
from tests.planning.joints import INF, curves, one_cause
from unspoken.planning.bits import alike, branching
from unspoken.planning.bits.curves import Curves
from unspoken.planning.bits.epsilon import maximise_epsilon
from unspoken.planning.bits.items import Certified, Items

GAP = 1e-9


def equal(field: Curves, cap: float, share: float) -> Items:
    """Weights 1, one cap, and a share of what can leak; without a cap, of the least I_i(inf)."""
    caps = np.full(field.n, cap)
    most = field.leakage(caps)
    limit = share * float(most.min() if cap == INF else most.sum())
    return Items.of(field, np.ones(field.n), caps, limit)


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.2, 0.6, 0.95])
@pytest.mark.parametrize("cap", [0.01, 1.0, 6.0, INF])
@pytest.mark.parametrize("seed", range(3))
def test_the_closed_form_is_the_optimum(seed: int, cap: float, share: float) -> None:
    items = equal(curves_of(latent_classes(9, 5, seed)), cap, share)
    assert items.alike
    assert len(items.smooth.index) == 0
    known, found = alike.closed_form(items), branching.search(items, GAP, 4000)
    assert items.curves.total(known.epsilon) <= items.limit
    assert items.gain(known.epsilon) <= known.upper <= items.gain(known.epsilon) * (1.0 + 1e-10)
    assert items.gain(found.epsilon) <= known.upper
    assert items.gain(known.epsilon) <= found.upper
    assert items.gain(found.epsilon) == pytest.approx(known.upper, rel=3e-9)


@pytest.mark.parametrize("share", [0.01, 0.2, 0.6, 0.9])
@pytest.mark.parametrize("cap", [0.3, 2.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_ranking_and_branching_agree(seed: int, cap: float, share: float) -> None:
    """From nothing each of the two searches finds a point that the other's bound allows."""
    items = equal(curves(one_cause(7, seed)), cap, share)
    nothing = Certified(np.zeros(7), items.gain(items.ends) * 1.01, 1.0)
    ranked = alike.ranked(items, nothing, GAP, 40)
    found = branching.search(items, GAP, 1000)
    assert items.curves.total(ranked.epsilon) <= items.limit
    assert items.gain(ranked.epsilon) <= found.upper
    assert items.gain(found.epsilon) <= ranked.upper
    # Several items strictly inside may still share what ranking cannot tell apart.
    assert items.gain(ranked.epsilon) >= ranked.upper * (1.0 - 0.02)
    both = alike.ranked(items, found, GAP, 40)
    assert both.upper <= min(ranked.upper, found.upper) * (1.0 + 1e-12)


@given(
    st.integers(0, 10**6),
    st.integers(2, 7),
    st.floats(0.1, 20.0),
    st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
    st.floats(-5.0, 5.0),
    st.integers(0, 6),
)
def test_a_band_bounds_its_points(
    seed: int, n: int, cap: float, ends: tuple[float, float], log_price: float, count: int
) -> None:
    """At any price, and for any K: no feasible point whose (K+1)-th largest eps is in the band."""
    rng = np.random.default_rng(seed)
    items = equal(curves(one_cause(n, seed)), cap, float(rng.uniform(0.05, 0.9)))
    count, (low, high) = min(count, n - 1), (x * cap for x in sorted(ends))
    band = alike.Band(items, count, low, high)
    if band.reaches.sum() > count:
        most = band.step(math.exp(log_price)).value
        for _ in range(10):
            point = np.concatenate(
                [
                    rng.choice([low, cap, rng.uniform(low, cap)], count),
                    rng.choice([low, high, rng.uniform(low, high)], 1),
                    rng.choice([0.0, high, rng.uniform(0.0, high)], n - count - 1),
                ]
            )
            point = np.sort(point)[::-1][rng.permutation(n)]
            if items.curves.total(point) <= items.limit:
                assert items.gain(point) <= most


@pytest.mark.parametrize(("n", "pairs", "cap"), [(50, 400, 40.0), (200, 2000, 10.0)])
def test_many_near_equal_items(n: int, pairs: int, cap: float) -> None:
    """Where branching item by item is stuck, ranking is not."""
    field = curves_of(latent_classes(n, pairs, 1))
    items = equal(field, cap, 0.3)
    assert len(items.smooth.index) > 0
    stuck = branching.search(items, GAP, 200)
    assert stuck.upper > items.gain(stuck.epsilon) * (1.0 + 1e-5)
    solution = maximise_epsilon(field, np.ones(n), items.caps, items.limit)
    assert solution.gap <= GAP
