"""The worst adversary of a Gaussian tree, exactly, in polynomial time (T8).

Where Q is supported on a tree, only unknown variables joined to the target by unknown ones
matter. Eliminating l towards its parent p, with some of what is behind it unknown, leaves

    Q~ = Q_ll - sum_c Q_lc^2 / Q~_c,    w~ = w_l - sum_c Q_lc w~_c / Q~_c    (unknown children c),
    c_iK = w_i - sum_l Q_il v_l,        (u, v) = (1 / Q~, w~ / Q~)           (unknown neighbours l).

(Q~, w~) runs over the sum of the sets {0} and {(-Q_lc^2 u_c, -Q_lc v_c)}, and (D, N) -> (1/D, N/D)
is projective: what is extreme behind a variable comes from what is extreme behind its neighbours.
So a message along an edge is a convex polygon, the hull of all its (u, v), with no more corners
than twice the variables behind it; and every target hears all of its neighbours.

Q of a Gaussian tree is made of its edges, with nothing inverted; which tree it is, is the one of
strongest correlations; and that it is one, is measured: eta of the lemma is the norm of Q Sigma - 1
for this Q. What corners are lost to rounding moves Q_ll and w_l as any rounding there does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.searching.gaussian.problem import GaussianProblem, WorstCoefficient

__all__ = ["GaussianTree", "spanning_tree", "trees"]

# A covariance is a tree's when the tree's Q inverts it but for this.
NEARLY = 1e-9


@dataclass(frozen=True)
class GaussianTree:
    """``diagonal[l]`` = Q_ll, ``edges[l][c]`` = Q_lc; ``order``: parents before children."""

    diagonal: Array
    edges: Sequence[dict[int, float]]
    order: Sequence[int]
    parent: Sequence[int]
    eta: float


def spanning_tree(problem: GaussianProblem) -> GaussianTree:
    """The tree of strongest correlations (Prim), its Q, and how far that is from inverting."""
    cov, n = problem.covariance, problem.n
    variances = np.diag(cov)
    strength = np.abs(cov) / np.sqrt(np.outer(variances, variances))
    parent, order = [-1] * n, [0]
    near, via, outside = strength[0].copy(), np.zeros(n, dtype=np.intp), np.ones(n, dtype=bool)
    outside[0] = False
    for _ in range(n - 1):
        k = int(np.where(outside, near, -1.0).argmax())
        order.append(k)
        parent[k], outside[k] = int(via[k]), False
        closer = strength[k] > near
        near, via = np.where(closer, strength[k], near), np.where(closer, k, via)
    return _of_edges(cov, order, parent)


def _of_edges(cov: Array, order: Sequence[int], parent: Sequence[int]) -> GaussianTree:
    """Q_lp = -s_lp / (s_ll s_pp - s_lp^2);  Q_ll = (1 - sum_p Q_lp s_lp) / s_ll."""
    variances = np.diag(cov)
    diagonal, edges = 1 / variances, [dict[int, float]() for _ in order]
    for k in order[1:]:
        p, s = parent[k], cov[k, parent[k]]
        entry = -s / max(variances[k] * variances[p] - s * s, np.finfo(float).tiny)
        if entry:
            edges[k][p] = edges[p][k] = float(entry)
            diagonal[k] -= entry * s / variances[k]
            diagonal[p] -= entry * s / variances[p]
    return GaussianTree(diagonal, edges, order, parent, _off(cov, diagonal, edges))


def _off(cov: Array, diagonal: Array, edges: Sequence[dict[int, float]]) -> float:
    """The norm of Q Sigma - 1, and of what is rounded in measuring it."""
    size, worst = np.abs(cov), 0.0
    for k, beside in enumerate(edges):
        row, made = diagonal[k] * cov[k], diagonal[k] * size[k]
        for c, entry in beside.items():
            row, made = row + entry * cov[c], made + abs(entry) * size[c]
        row[k] -= 1.0
        rounded = 2 * (len(beside) + 3) * UNIT * made
        worst = max(worst, float((np.abs(row) + rounded).sum()))
    return worst


def trees(problem: GaussianProblem, tree: GaussianTree) -> WorstCoefficient:
    """The worst adversary, by what every target hears from its neighbours."""
    if tree.eta > NEARLY:
        a, b = _cycle(problem, tree)
        raise InputError(
            f"trees: not a tree, variables {problem.indices[a]} and {problem.indices[b]} close a "
            "cycle; search with branch and bound"
        )
    messages = _Messages(problem, tree)
    sizes = messages.sizes()
    slack = _slack(problem, tree, messages.corners)
    best = int(problem.targets[int((problem.ranges * sizes)[problem.targets].argmax())])
    low = float(problem.ranges[best] * max(sizes[best] - slack[best], 0.0)) * (1 - 4 * UNIT)
    why = "the dependence is a tree: worst over all that can be unknown behind each edge"
    return WorstCoefficient(low, problem.largest(sizes + slack), best, messages.known(best), why)


def _cycle(problem: GaussianProblem, tree: GaussianTree) -> tuple[int, int]:
    """The two variables that are no neighbours in the tree and yet most dependent given all."""
    d = np.sqrt(np.diag(problem.precision))
    partial = np.abs(problem.precision) / np.outer(d, d)
    np.fill_diagonal(partial, 0.0)
    for k, beside in enumerate(tree.edges):
        partial[k, list(beside)] = 0.0
    a, b = np.unravel_index(int(partial.argmax()), partial.shape)
    return int(min(a, b)), int(max(a, b))


def _slack(problem: GaussianProblem, tree: GaussianTree, corners: int) -> Array:
    """By the lemma: rounding moves Q_ll, Q_lc and w_l by eps d_l d_c, and eps d_l sqrt(Var S)."""
    eps, d = 2 * (corners + 8) * UNIT, np.sqrt(tree.diagonal)
    moved = np.diag(d * d)
    for k, beside in enumerate(tree.edges):
        moved[k, list(beside)] = d[k] * d[list(beside)]
    size = np.abs(problem.covariance)
    eta = tree.eta + eps * float((size @ moved).sum(axis=1).max())
    eta += eps * float(np.sqrt(d @ size @ d))
    slack: Array = 2 * eta * np.sqrt(problem.variance) * d
    return slack


@dataclass(frozen=True)
class Polygon:
    """Counterclockwise from the lowest corner (the left one of two): its sides by their angles."""

    corners: Array
    sides: Array
    angles: Array

    @classmethod
    def of(cls, corners: Array) -> Polygon:
        first = int(np.lexsort((corners[:, 0], corners[:, 1]))[0])
        ordered = np.roll(corners, -first, axis=0)
        sides = np.roll(ordered, -1, axis=0) - ordered
        return cls(ordered, sides, np.arctan2(sides[:, 1], sides[:, 0]) % (2 * np.pi))


def _added(polygons: Sequence[Polygon], start: Array) -> Array:
    """The corners of the sum of polygons and a point: all their sides, ordered by their angles."""
    if not polygons:
        return start[None]
    start = start + np.sum([polygon.corners[0] for polygon in polygons], axis=0)
    angles = np.concatenate([polygon.angles for polygon in polygons])
    sides = np.concatenate([polygon.sides for polygon in polygons])
    order = np.argsort(angles, kind="stable")
    new = np.flatnonzero(np.diff(angles[order], prepend=-1.0))
    corners: Array = start + np.cumsum(np.add.reduceat(sides[order], new), axis=0)
    return corners


def _polygon(corners: Array, entry: float) -> Polygon:
    """{0} and (-Q_lc^2 u, -Q_lc v), of the corners (Q~, w~) of the neighbour c that is heard.

    0 lies to the right of all; it sees the side between the two lines that touch from there.
    """
    u, v = 1 / corners[:, 0], corners[:, 1] / corners[:, 0]
    points = np.column_stack([-(entry**2) * u, -entry * v])
    if entry > 0:  # the map turns the polygon over
        points = points[::-1]
    slope = points[:, 1] / points[:, 0]
    top, bottom = int(slope.argmin()), int(slope.argmax())
    if slope[top] == slope[bottom]:
        top = bottom = int(points[:, 0].argmin())
    count = (bottom - top) % len(points) + 1
    far = np.roll(points, -top, axis=0)[:count]
    return Polygon.of(np.concatenate([far, np.zeros((1, 2))]))


class _Messages:
    """``polygons[l][c]``: what l hears from its neighbour c."""

    def __init__(self, problem: GaussianProblem, tree: GaussianTree) -> None:
        self.problem, self.tree, self.corners = problem, tree, 0
        self.polygons: list[dict[int, Polygon]] = [{} for _ in tree.order]
        for k in reversed(tree.order[1:]):
            self._tell(k, tree.parent[k])
        for k in tree.order[1:]:
            self._tell(tree.parent[k], k)

    def _tell(self, teller: int, hearer: int) -> None:
        entry = self.tree.edges[teller].get(hearer)
        if entry is None:  # they are independent
            return
        heard = [polygon for c, polygon in self.polygons[teller].items() if c != hearer]
        start = np.array([self.tree.diagonal[teller], self.problem.weights[teller]])
        corners = _added(heard, start)
        self.corners = max(self.corners, len(corners))
        self.polygons[hearer][teller] = _polygon(corners, entry)

    def sizes(self) -> Array:
        """The largest |c| of each target."""
        ends = [
            (
                sum((p.corners[:, 1].min() for p in heard.values()), start=w),
                sum((p.corners[:, 1].max() for p in heard.values()), start=w),
            )
            for heard, w in zip(self.polygons, self.problem.weights.tolist(), strict=True)
        ]
        sizes: Array = np.abs(np.array(ends)).max(axis=1)
        return sizes

    def known(self, target: int) -> tuple[int, ...]:
        """Who the worst adversary of this target knows.

        Somebody who hears c wants the most of alpha x + beta y; with (x, y) from (D, N) that is
        (b N - a D') / D, largest, at t, where b N - t D is: what c wants from its own neighbours.
        """
        heard, w = self.polygons[target].values(), self.problem.weights[target]
        high = w + sum(p.corners[:, 1].max() for p in heard)
        low = w + sum(p.corners[:, 1].min() for p in heard)
        todo = [(target, -1, 0.0, 1.0 if high >= -low else -1.0)]
        unknown = {target}
        while todo:
            hearer, behind, alpha, beta = todo.pop()
            for c, polygon in self.polygons[hearer].items():
                most = float((polygon.corners @ np.array([alpha, beta])).max())
                if c != behind and most > 0:
                    unknown.add(c)
                    beyond = -beta * self.tree.edges[hearer][c]
                    size = max(most, abs(beyond))  # only their ratio matters
                    todo.append((c, hearer, -most / size, beyond / size))
        return tuple(k for k in range(self.problem.n) if k not in unknown)
