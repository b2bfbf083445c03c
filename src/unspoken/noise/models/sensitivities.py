"""How far one record moves the answers people ask for, and what dependence makes of that.

A sensitivity is the largest distance of the answers on two neighbouring data sets; which data sets
are neighbours is part of it. Laplace noise of scale L1 sensitivity / epsilon on every number keeps
epsilon; density e^(-epsilon |z|_2 / L2 sensitivity) does for the L2 norm.

Where records depend on one another, group privacy holds for every query. The finer rules of paper
002 hold for queries that add up the records, and beyond that for two kinds of query only (DDP
theory, S2 and S4): `additive` and `bounded`. Its eq. 22, for any query, is no guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, NotKnown, TooLarge, quoted, unknown
from unspoken.core.numerics.arrays import CELLS, Array
from unspoken.core.numerics.numbers import number, positive, whole
from unspoken.core.numerics.rounding import quotient_up, up
from unspoken.core.numerics.tables import finite_table
from unspoken.core.types.kinds import expect

__all__ = [
    "ObjectiveNoise",
    "Sensitivity",
    "additive",
    "bounded",
    "count",
    "degree_histogram",
    "histogram",
    "kmeans_rounds",
    "mean",
    "svm_objective",
    "svm_output",
    "total",
]

REPLACE = "one record is replaced"


@dataclass(frozen=True, repr=False)
class Sensitivity(Shown):
    """``value`` in ``norm`` ("l1" or "l2") between data sets where ``change``; of ``query``.

    ``linear``: whether the answer adds up something of each record, that record's whole tuple.
    """

    query: str
    value: float
    norm: str = "l1"
    change: str = REPLACE
    linear: bool = False

    def __post_init__(self) -> None:
        if not 0 <= number(self.value) < math.inf:
            raise InputError(f"{self.query}: a sensitivity of {self.value}; 0 or more, and finite")

    def scale(self, limit: float, together: int = 1) -> float:
        """sensitivity together / limit: at most so many records depend on one another.

        Any query, any dependence, for everybody, if records are in blocks of ``together`` at most
        that are jointly independent of one another (or that is all records).
        """
        blocks = whole(f"{self.query}: blocks", together, "records")
        reach = _float_up(Fraction(self.value) * blocks)
        return quotient_up(reach, positive("limit", limit))

    def dependent_scale(self, limit: float, coefficients: float) -> float:
        """sensitivity (1 + sum_j rho_j) / limit, the sum over *all* others of a block.

        For linear queries, with coefficients of readings A, B or M; refused for any other.
        """
        if not self.linear:
            raise NotKnown(
                f"{self.query}: adds up no tuples, so dependence coefficients of tuples say "
                "nothing of it; use scale(limit, together), additive(...) or bounded(...)"
            )
        if not 0 <= number(coefficients) < math.inf:
            raise InputError(f"{self.query}: coefficients add up to {coefficients}; 0 or more")
        return quotient_up(up(self.value * (1 + coefficients), 3), positive("limit", limit))

    def facts(self) -> list[tuple[str, str]]:
        return [
            (self.query, f"{self.value:.6g} in {self.norm.upper()}"),
            ("where", self.change),
            ("adds up", "yes" if self.linear else "no"),
        ]


def count() -> Sensitivity:
    """How many records meet a condition: 1."""
    return Sensitivity("count", 1.0)


def total(low: npt.ArrayLike, high: npt.ArrayLike) -> Sensitivity:
    """The sum of numbers, or of vectors of them, in declared bounds: sum of (high - low)."""
    return Sensitivity("sum", _float_up(_width("sum", low, high)), linear=True)


def mean(low: npt.ArrayLike, high: npt.ArrayLike, records: int) -> Sensitivity:
    """The mean over a known number of records: sum of (high - low) / records."""
    value = _width("mean", low, high) / whole("mean.records", records)
    return Sensitivity("mean", _float_up(value), linear=True)


def histogram(bins: int) -> Sensitivity:
    """How many records are in each bin: one leaves a bin and enters another."""
    return Sensitivity("histogram", 2.0 if whole("histogram.bins", bins) > 1 else 0.0)


def degree_histogram(
    change: str, *, nodes: int | None = None, degree: int | None = None
) -> Sensitivity:
    """How many nodes of a graph have each degree, in L1. ``change``, of two neighbouring graphs:

    "edge": an edge comes or goes, 4. "node": a node of at most ``degree`` D comes or goes with its
    edges, 2 D + 1. "rewire": a node changes its edges, having at most D before and after, of
    ``nodes`` n: min(4 D, 2 n). "label": nodes are counted by a label, and one changes its own, 2.
    """
    if change not in DEGREES:
        raise unknown("degree_histogram.change", change, DEGREES)
    words, value = DEGREES[change]
    return Sensitivity("degree histogram", value(nodes, degree), change=words)


def kmeans_rounds(numbers: int, rounds: int, largest: float = 1.0) -> Sensitivity:
    """All answers of T rounds of DPLloyd: of every cluster the sum of its points and their number.

    Records have d numbers of at most ``largest`` (B) in size. One leaves a cluster and enters
    another: T (2 d B + 2). Of the centroids themselves only what holds for any query is known.
    """
    d, t = whole("kmeans.numbers", numbers), whole("kmeans.rounds", rounds)
    value = t * (2 * d * Fraction(positive("kmeans.largest", largest)) + 2)
    return Sensitivity("k-means rounds", _float_up(value))


def svm_output(records: int, regularisation: float) -> Sensitivity:
    """argmin_w 1/n sum_i l(y_i w.x_i) + Lambda/2 |w|^2 for |x_i|_2 <= 1, |l'| <= 1: 2 / (n Lambda).

    In L2 (Chaudhuri, Monteleoni and Sarwate); times the root of its dimension in L1.
    """
    n = whole("svm.records", records)
    value = 2 / (n * Fraction(positive("svm.regularisation", regularisation)))
    return Sensitivity("SVM output", _float_up(value), "l2")


@dataclass(frozen=True)
class ObjectiveNoise:
    """Add b.w / n, b of density prop. to e^(-``rate`` |b|_2), and ``extra`` / 2 |w|^2 as well.

    ``epsilon``: what is left for b once the curvature has had its share.
    """

    epsilon: float
    extra: float
    rate: float


def svm_objective(
    epsilon: float, records: int, regularisation: float, huber: float = 0.5
) -> ObjectiveNoise:
    """Objective perturbation (Chaudhuri, Monteleoni and Sarwate), one record replaced.

    With l'' <= c = 1 / (2 h) (Huber's hinge of half-width h):

        epsilon' = epsilon - 2 log(1 + c / (n Lambda)), extra = 0                       if positive,
        epsilon' = epsilon / 2, extra = c / (n (e^(epsilon / 4) - 1)) - Lambda          otherwise.
    """
    n = whole("svm.records", records)
    weight = positive("svm.regularisation", regularisation)
    epsilon = positive("svm.epsilon", epsilon)
    c = 1.0 / (2.0 * positive("svm.huber", huber))
    left, extra = epsilon - up(2.0 * math.log1p(c / (n * weight)), 8), 0.0
    if left <= 0:
        left = epsilon / 2
        extra = max(0.0, up(c / (n * math.expm1(epsilon / 4)), 8) - weight)
    return ObjectiveNoise(left, extra, left / 2)


def additive(belief: Belief, terms: Mapping[str, npt.ArrayLike], *, limit: float) -> float:
    """The scale for Q = sum_j f_j(x_j): the mean rule for the transformed tuples f_j(x_j).

    ``terms``: {name: f_j of each of its values}; not named is 0. With R_j = max f_j - min f_j

        max_i (R_i + max_a sum_j max_c E[|f_j(x_j) - c| | x_i = a]) / limit,    c: ends of f_j,

    the sum over all others of its block. About x_i itself, not f_i(x_i) only; for those who know
    nothing else.
    """
    expect(belief, Belief, "additive.belief", A_BELIEF)
    expect(terms, Mapping, "additive.terms", "give {name: f_j of each of its values}")
    numbers = {name: _term(belief, name, values) for name, values in terms.items()}
    most = 0.0
    for i, block in ((name, names) for names in belief.blocks() for name in names):
        others = np.zeros(1)
        for j in (j for j in block if j != i and j in numbers):
            law, f_j = _given(belief.marginal([i, j])), numbers[j]
            ends = np.stack([f_j - f_j.min(), f_j.max() - f_j])
            others = others + (law @ ends.T).max(1)
        reach = float(np.ptp(numbers[i])) if i in numbers else 0.0
        most = max(most, reach + float(others.max()))
    return _scale(most, belief, limit)


def bounded(belief: Belief, answers: npt.ArrayLike, *, limit: float) -> float:
    """The scale for any query: ``answers`` for every combination of values, along the axes.

    A further axis for the numbers of a vector. With m_k, M_k the ends of number k,

        max_i,a sum_k max(E[Q_k | x_i = a] - m_k, M_k - E[Q_k | x_i = a]) / limit.

    For those who know nothing else.
    """
    expect(belief, Belief, "bounded.belief", A_BELIEF)
    names = belief.domain.names
    if belief.cells(names) > CELLS:
        raise TooLarge(f"bounded: {belief.cells(names):,} combinations of values to look at")
    masses, sizes = belief.marginal(names), belief.domain.sizes
    asked = finite_table(answers, "bounded.answers")
    if asked.shape[: len(sizes)] != sizes or asked.ndim > len(sizes) + 1 or not asked.size:
        raise InputError(f"bounded.answers: shape {asked.shape} for variables of sizes {sizes}")
    asked = asked.reshape(*sizes, -1)
    ends = asked.reshape(-1, asked.shape[-1])
    distances = np.stack([asked - ends.min(0), ends.max(0) - asked])
    most = 0.0
    for axis in range(len(names)):
        joint = np.moveaxis(masses, axis, 0).reshape(sizes[axis], -1)
        law, kept = _given(joint), joint.sum(1) > 0
        by_value = np.moveaxis(distances, axis + 1, 1).reshape(2, sizes[axis], law.shape[1], -1)
        means = np.einsum("ac,eack->eak", law, by_value[:, kept])
        most = max(most, float(means.max(0).sum(-1).max()))
    return _scale(most, belief, limit)


def _given(joint: Array) -> Array:
    """A row for each value that can be."""
    mass = joint.sum(1, keepdims=True)
    rows: Array = (joint / np.where(mass > 0, mass, 1.0))[mass[:, 0] > 0]
    return rows


def _scale(most: float, belief: Belief, limit: float) -> float:
    """Rounded up for sums of so many terms at most."""
    terms = belief.cells(belief.domain.names) if len(belief.domain.names) < 24 else CELLS
    return quotient_up(up(most, 64 + terms), positive("limit", limit))


def _term(belief: Belief, name: str, values: npt.ArrayLike) -> Array:
    size = belief.cells([name])
    numbers = finite_table(values, f"additive.terms of {name}")
    if numbers.shape != (size,):
        raise InputError(f"additive.terms of {name}: a number for each of its {size} values")
    return numbers


def _edge(nodes: int | None, degree: int | None) -> float:
    return 4.0


def _node(nodes: int | None, degree: int | None) -> float:
    return 2.0 * whole("degree_histogram.degree", degree) + 1


def _rewire(nodes: int | None, degree: int | None) -> float:
    most = whole("degree_histogram.degree", degree)
    return float(min(4 * most, 2 * whole("degree_histogram.nodes", nodes)))


def _label(nodes: int | None, degree: int | None) -> float:
    return 2.0


DEGREES: dict[str, tuple[str, Callable[[int | None, int | None], float]]] = {
    "edge": ("an edge comes or goes", _edge),
    "label": ("a node changes its label", _label),
    "node": ("a node comes or goes with its edges", _node),
    "rewire": ("a node changes its edges", _rewire),
}


def _width(query: str, low: npt.ArrayLike, high: npt.ArrayLike) -> Fraction:
    """sum of (high - low), exactly."""
    ends = [np.atleast_1d(finite_table(end, f"{query}: bounds")) for end in (low, high)]
    try:
        lows, highs = np.broadcast_arrays(*ends)
    except ValueError:
        raise InputError(
            f"{query}: bounds {quoted(low)} to {quoted(high)}; as many low as high"
        ) from None
    if not (lows <= highs).all():
        raise InputError(
            f"{query}: bounds {quoted(low)} to {quoted(high)} must be finite, low first"
        )
    both = zip(lows.ravel().tolist(), highs.ravel().tolist(), strict=True)
    return sum((Fraction(y) - Fraction(x) for x, y in both), Fraction())


def _float_up(exactly: Fraction) -> float:
    """The least float that is not less."""
    try:
        nearest = float(exactly)
    except OverflowError:
        raise InputError("sensitivity: is beyond floats; use another unit") from None
    return nearest if Fraction(nearest) >= exactly else math.nextafter(nearest, math.inf)
