"""Rows of paper 002, IV.A and IV.B: the data, its friends, and the centroids that are released."""

from __future__ import annotations

from functools import partial

import numpy as np

from studies import data
from studies.charts import Point, curves
from studies.p002.attack import K
from studies.p002.clusters import k_means
from studies.p002.gowalla import DATA, TOP, apart, gowalla, hops
from studies.p002.section_iv import SEED, attack
from studies.row import Outcome, Row, Verdict, compared
from unspoken.noise.models.sensitivities import kmeans_rounds

__all__ = ["ROWS"]

PAIRS, FEW = 200_000, 20_000  # drawn, to compare distances
NAMES = {1: "friends", 2: "friends of friends", 3: "three steps away", 0: "farther"}


# Table I: users, check-ins and locations of its eight parts of cities.
PARTS = (
    (997, 507, 811, 1228, 862, 656, 1083, 825),
    (11277, 7116, 9344, 16347, 12647, 13114, 19848, 9109),
    (1641, 1680, 2392, 2066, 2319, 1803, 4383, 1486),
)


def statistics(small: bool) -> Outcome:
    users = gowalla()
    visits, edges = data.columns(DATA, "visits.csv.gz"), data.columns(DATA, "friends.csv.gz")
    everybody, every = len({*visits["user"]}), sum(map(int, visits["checkins"]))
    parts = ", ".join(f"{sum(part):,}" for part in PARTS)
    return Outcome(
        f"{len(users.vectors):,} users, {users.check_ins:,} check-ins, {users.locations:,} "
        f"locations, {len(users.friends):,} friendships, of {everybody:,}, {every:,} and "
        f"{len(edges['user_a']):,} anywhere; Table I's eight parts add up to {parts}",
        Verdict.CANNOT,
        "the subset of Gowalla at hand has whoever visited 15 places or more, not everybody",
    )


def distances(small: bool) -> Outcome:
    users, rng = gowalla(), np.random.default_rng(SEED)
    count = len(users.vectors)
    steps = hops(users.adjacent(), np.arange(count), 3)
    first, second = np.triu_indices(count, 1)
    drawn = rng.choice(len(first), FEW if small else PAIRS, replace=False)
    first, second = first[drawn], second[drawn]
    km, step = apart(users.vectors[first], users.vectors[second]), steps[first, second]
    ends = users.friends.T
    of = {name: km[step == k] for k, name in NAMES.items()}
    of["friends"] = apart(users.vectors[ends[0]], users.vectors[ends[1]])
    medians = {name: float(np.median(found)) for name, found in of.items()}
    shares = np.arange(0.02, 1, 0.02)
    lines = {
        name: [Point(max(0.1, float(np.quantile(d, s))), float(s)) for s in shares]
        for name, d in of.items()
    }
    chart = curves(lines, "How far users are apart", ("km", "share"), log=(True, False))
    order = list(medians.values())
    return compared(
        order[0] < order[1] < min(order[2:]),
        "median " + ", ".join(f"{name} {d:.0f} km" for name, d in medians.items()),
        "",
        {"p002-fig3": chart},
    )


def coloured(small: bool) -> Outcome:
    users, labels = gowalla(), attack().clusters.labels
    inside = float((labels[users.friends[:, 0]] == labels[users.friends[:, 1]]).mean())
    sizes = np.bincount(labels, minlength=K)
    chance = float((sizes * (sizes - 1)).sum() / (len(labels) * (len(labels) - 1)))
    return compared(
        inside > 1.2 * chance,
        f"{100 * inside:.0f} % of friendships in one cluster, of all pairs {100 * chance:.0f} %",
        f"clusters of {', '.join(map(str, sorted(sizes.tolist())))} users",
    )


def centroids(small: bool) -> Outcome:
    """One user goes to a corner of the range, and K-means runs again from the same start."""
    points, clusters = gowalla().unit, attack().clusters
    rng = np.random.default_rng(SEED)
    moved = []
    for i in rng.choice(len(points), 5 if small else 60, replace=False):
        other = points.copy()
        other[i] = rng.integers(0, 2, points.shape[1])
        again = k_means(other, K, np.random.default_rng(SEED)).centroids
        apart_by = np.abs(clusters.centroids[:, None] - again[None]).sum(2)
        moved.append(float(apart_by.min(1).sum()))
    small_cluster = float(clusters.sizes.min())
    fixed = 2 * TOP * (1 / small_cluster + 1 / float(np.sort(clusters.sizes)[1]))
    return Outcome(
        f"a user put into a corner moves the centroids by {np.median(moved):.2f} (median), "
        f"{max(moved):.2f} (most); with clusters held fixed {fixed:.2f} at most; sure is "
        f"{2 * TOP * K}. DPLloyd, 5 rounds of noisy sums and counts: "
        f"{kmeans_rounds(2 * TOP, 5).value:g}",
        Verdict.CANNOT,
        "no sensitivity is given; eq. 6 has exp(-|..| eps), so takes it for 1",
    )


ROW = partial(Row, "002", needs=DATA)
ROWS = (
    ROW(
        "IV.A, Table I",
        "6,969 users with at least 10 check-ins within 25 km, 98,802 check-ins, 17,770 "
        "locations, 47,502 friendships; of 196,591 users, 6,442,890 check-ins and 950,327 "
        "friendships anywhere",
        "counted in the Gowalla subset; sums of Table I",
        statistics,
    ),
    ROW(
        "eq. 4, 5, Fig. 3",
        "location vectors of closer friends are nearer",
        "vectors of the top 6 places, distance eq. 5, by steps between users",
        distances,
        sized=True,
    ),
    ROW(
        "Fig. 2",
        "communities of friends are clusters of places",
        "friendships inside a cluster of K-means, K = 8, against all pairs",
        coloured,
    ),
    ROW(
        "IV.B, private K-means",
        "centroids with Laplace noise protect each location vector",
        "K-means with one vector replaced; `kmeans_rounds`",
        centroids,
        sized=True,
    ),
)
