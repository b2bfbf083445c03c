"""Rows of paper 002, Fig. 9: what the noise that dependence asks for leaves of three products.

Each answer has the sensitivity that is right for it, times how many records are declared to depend
on one another: none (differential privacy's own noise), or all, as friends of friends do here.
"""

from __future__ import annotations

import numpy as np

from studies import data
from studies.p002.attack import K
from studies.p002.clusters import Clusters, nearest
from studies.p002.gowalla import DATA, TOP, gowalla
from studies.p002.support import WEIGHT, incomes
from studies.row import Outcome, Row, Verdict
from unspoken.models.edges import Blocks
from unspoken.models.sensitivities import degree_histogram, kmeans_rounds
from unspoken.numerics.arrays import Array

__all__ = ["ROWS"]

SEED, ROUNDS, EPSILON = 9, 5, 0.9
AGAIN = 40  # trials of K-means


def _rounds(points: Array, start: Array, scale: float, rng: np.random.Generator) -> Array:
    """DPLloyd: sums and sizes of clusters, with noise each round; centres stay within the cube."""
    centres = start
    for _ in range(ROUNDS):
        found = Clusters.of(points, nearest(points, centres), len(start))
        sums = found.sums + rng.laplace(scale=scale, size=found.sums.shape) if scale else found.sums
        sizes = found.sizes + (rng.laplace(scale=scale, size=len(start)) if scale else 0.0)
        centres = np.clip(sums / np.maximum(sizes, 1.0)[:, None], 0.0, 1.0)
    return centres


def _same_cluster(scale: float, times: int) -> float:
    """The share of a held-out fifth whose centre is the one without noise, on average."""
    points, rng = gowalla().unit, np.random.default_rng(SEED)
    shares = []
    for _ in range(times):
        order = rng.permutation(len(points))
        test, train = points[order[: len(points) // 5]], points[order[len(points) // 5 :]]
        start = train[rng.choice(len(train), K, replace=False)]
        clean, noisy = (_rounds(train, start, own, rng) for own in (0.0, scale))
        shares.append(float((nearest(test, clean) == nearest(test, noisy)).mean()))
    return float(np.mean(shares))


def clustering(small: bool) -> Outcome:
    asked, times = kmeans_rounds(2 * TOP, ROUNDS), 5 if small else AGAIN
    friends = gowalla().friends
    together = int(Blocks.of(friends[:, 0], friends[:, 1]).largest)
    scales = [asked.scale(EPSILON, together=k) for k in (1, together)]
    alone, block = (_same_cluster(scale, times) for scale in scales)
    tried = {scale: _same_cluster(scale, times) for scale in (0.1, 0.3, 1.0)}
    shown = ", ".join(f"{100 * share:.0f} % at {scale:g}" for scale, share in tried.items())
    return Outcome(
        f"held-out users in their own cluster: {100 * alone:.0f} % with noise for independent "
        f"users (scale {scales[0]:.0f}), {100 * block:.0f} % for a block of {together:,} friends "
        f"of friends (scale {scales[1]:,.0f}); {shown}",
        Verdict.CANNOT,
        "a subset of its users, and no sensitivity is given. By DPLloyd's 80 % takes a scale of "
        "about 0.2, hundreds of times below what independent users need",
    )


def support_vectors(small: bool) -> Outcome:
    rng, times = np.random.default_rng(SEED), 1 if small else 3
    train, test = incomes().parted(rng)
    clean, most = test.right(train.fitted()), float((test.signs < 0).mean())
    found = []
    for together in (1, 10):
        own = EPSILON / together
        output = [test.right(train.with_output_noise(own, rng)) for _ in range(times)]
        tilted = [test.right(train.with_objective_noise(own, rng)) for _ in range(times)]
        found.append(f"{100 * np.mean(output):.0f} and {100 * np.mean(tilted):.0f} %")
    return Outcome(
        f"on a held-out fifth, Lambda {WEIGHT:g}: {100 * clean:.1f} % without noise, "
        f"{100 * most:.1f} % by always saying the commoner; with noise on the output and on the "
        f"objective {found[0]} for independent rows, {found[1]} in groups of ten",
        Verdict.CANNOT,
        "the coefficients of its affinity graph are not given. The others, at less than half of "
        "85 %, would be worse than always saying the commoner",
    )


def degrees(small: bool) -> Outcome:
    """Counts of nodes by degree, 0 to the largest there is."""
    table = data.columns("ego_facebook", "edges.csv.gz")
    ends = np.array([table["node_a"], table["node_b"]], dtype=np.intp)
    counts = np.bincount(np.bincount(ends.ravel())).astype(np.float64)
    edge, rng = degree_histogram("edge"), np.random.default_rng(SEED)
    scales = [edge.scale(limit=1.0, together=k) for k in (1, 10)]
    errors = [
        abs(rng.laplace(scale=scale, size=(AGAIN, len(counts)))).sum(1).mean() for scale in scales
    ]
    return Outcome(
        f"4,039 nodes of ego-Facebook, {len(counts):,} degrees, eps = 1: L1 error {errors[0]:,.0f} "
        f"for independent edges (scale {scales[0]:.1f} a bin), {errors[1]:,.0f} in groups of ten "
        f"(scale {scales[1]:.1f})",
        Verdict.CANNOT,
        "its graph is not at hand. Errors are as the scales, so 10 times is how many are taken to "
        "depend on one another, and nothing else",
    )


ROWS = (
    Row("002", "Fig. 9 (a)", "K-means with DPM: nearly 80 % at eps = 0.9, more than twice the "
        "others", "DPLloyd on Gowalla, `kmeans_rounds`", clustering, needs=DATA, sized=True),
    Row("002", "Fig. 9 (b)", "SVM with DPM: 85 % at eps = 0.9, more than twice the others",
        "Adult, `svm_output`, `svm_objective`", support_vectors, needs="adult", sized=True),
    Row("002", "Fig. 9 (c)", "degree distribution: almost 10 times better than the others",
        "ego-Facebook, `degree_histogram`", degrees, needs="ego_facebook"),
)  # fmt: skip
