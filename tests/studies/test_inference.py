"""What section IV's study stands on: distances, clusters, intervals, and the posterior by hand."""

from itertools import product

import numpy as np
import pytest

from studies.p002.affinity import Affinity
from studies.p002.attack import Attack, by_law, cells
from studies.p002.attack_by_hand import posterior_by_hand
from studies.p002.clusters import k_means
from studies.p002.gowalla import Gowalla, apart, earth, hops
from studies.p002.intervals import mean_of
from studies.p002.products import group
from unspoken.noise.calibration import private_epsilon


def users() -> Gowalla:
    rng = np.random.default_rng(3)
    vectors = np.tile([40.71, -74.0], (40, 6)) + rng.normal(scale=0.05, size=(40, 12))
    ends = rng.integers(0, 40, (60, 2))
    return Gowalla(vectors, np.zeros(40, np.intp), ends[ends[:, 0] != ends[:, 1]], 400, 40)


def test_the_earth_is_round() -> None:
    assert float(earth([0.0, 0.0], [0.0, 180.0])) == pytest.approx(np.pi * 6371)
    assert float(earth([40.7128, -74.006], [34.0522, -118.2437])) == pytest.approx(3936, abs=3)
    assert float(apart(np.zeros(4), np.array([0.0, 0, 0, 180]))) == pytest.approx(np.pi * 6371 / 2)


def test_steps_between_users() -> None:
    line = np.eye(5, k=1, dtype=bool) | np.eye(5, k=-1, dtype=bool)
    assert hops(line, np.arange(5), 3)[0].tolist() == [0, 1, 2, 3, 0]


def test_clusters_that_are_far_apart() -> None:
    rng = np.random.default_rng(1)
    points = np.repeat(np.eye(4) * 9, 25, axis=0) + rng.normal(scale=0.1, size=(100, 4))
    found = k_means(points, 4, rng)
    assert sorted(found.sizes.tolist()) == [25.0] * 4
    assert len({*found.labels.reshape(4, 25)[:, 0]}) == 4
    assert found.centroids[found.labels[0]] == pytest.approx(points[:25].mean(0))


def test_posterior_by_hand() -> None:
    """Eq. 6 with centroids counted again for every cell."""
    on = Attack.on(users(), np.random.default_rng(0))
    scale, i = 0.05, int(np.flatnonzero(on.friends.any(1))[0])
    released = on.release(scale, 1, np.random.default_rng(1))
    told = on.told([i], released, scale, weight=by_law)
    held = posterior_by_hand(on, i, released[0], scale)
    after = np.array([*held.values()])
    assert told.entropy[0, 0, 3] == pytest.approx(-(after * np.log2(after)).sum(), rel=1e-9)
    if int(on.cell[i]) in held:
        assert told.truth[0, 0, 3] == pytest.approx(np.log2(held[int(on.cell[i])]), rel=1e-9)


def test_cells_are_of_the_own_city() -> None:
    found = cells(users())
    assert found.min() >= 0
    assert found.max() < 400


def test_intervals_hold_the_mean() -> None:
    table = np.random.default_rng(2).normal(1.0, 1.0, (400, 8))
    table[0] = np.nan
    found = mean_of(table)
    assert found.low < 1.0 < found.high
    assert found.high - found.low == pytest.approx(4 / np.sqrt(400 * 8), rel=1.0)
    assert f"{found}" == f"{found.value:.2f} ± {(found.high - found.low) / 2:.2f}"


@pytest.mark.parametrize("norm", [1, 2])
def test_affinity_pair_by_pair(norm: int) -> None:
    """Edges counted one by one, and components by merging the ends of each."""
    rng = np.random.default_rng(4)
    rows = np.repeat(rng.integers(0, 2, (40, 6)), 2, axis=0).astype(np.float64)
    rows = rows[rows.any(1)]
    length = np.linalg.norm(rows, norm, axis=1)
    labels, edges = np.arange(len(rows)), 0
    for i, j in zip(*np.triu_indices(len(rows), 1), strict=True):
        if rows[i] @ rows[j] / (length[i] * length[j]) > 0.8:
            edges += 1
            labels[labels == labels[j]] = labels[i]
    found = Affinity.of(rows, norm)
    assert found.mean == pytest.approx(2 * edges / len(rows))
    assert found.largest == np.bincount(labels).max()
    assert edges > 0


def test_a_group_of_ten_case_by_case() -> None:
    """All 1,024 cases, by the common bit; and what a sum far out tells of one, knowing nothing."""
    cases = np.array(list(product((0, 1), repeat=10)))
    law = sum(0.5 * np.where(cases == hub, 0.8, 0.2).prod(1) for hub in (0, 1))
    counted = np.bincount(cases.sum(1), weights=law)
    assert group().counts == pytest.approx(counted)
    epsilon = private_epsilon(group(), limit=0.9)
    told = [
        law[cases[:, 0] == own] @ np.exp(epsilon * cases[cases[:, 0] == own].sum(1))
        for own in (0, 1)
    ]
    assert np.log(told[1] / told[0]) == pytest.approx(0.9, rel=1e-8)
