"""Paper 003's graph, chain rule, shortcuts and Gaussian case. Its edge, eq. 9, is rebuilt.

e = log sum P(x_j | a) e^(w x_j / lambda) / sum P(x_j | b) e^(w x_j / lambda), from its theorems.
"""

from __future__ import annotations

import numpy as np

import unspoken
from studies.by_hand import leak, same
from studies.p003.by_hand import correlation, drawn, edges, regression
from studies.row import Outcome, Row, Verdict, compared
from unspoken import Adversary, Laplace
from unspoken.core.numerics.arrays import Array
from unspoken.noise.published import graph

DRAWS, SEED = 200, 2606
KEPT = (3, 8)  # of a layer, in the fast search
REBUILT = "eq. 9 rebuilt"
OPPOSITE = np.array([[0.05, 0.95], [0.95, 0.05]])


def household() -> unspoken.Joint:
    """B and C are opposite to A in 19 of 20 cases."""
    return unspoken.Joint(0.5 * np.einsum("ab,ac->abc", OPPOSITE, OPPOSITE), names="ABC")


def figure_3(small: bool) -> Outcome:
    rows = graph(household(), [1, 2, 2], 1.0).as_rows()
    layers = [sum(row["layer"] == k for row in rows) for k in (1, 2, 3)]
    return compared(len(rows) == 12, f"{len(rows)} nodes, by layer {', '.join(map(str, layers))}")


def theorem_2(small: bool) -> Outcome:
    """One step: an answer in the middle tells more than the edge."""
    law = np.array([[1, 1], [2, 0]]) / 4
    node = graph(unspoken.Joint(law), [1, 2], scale=1.0).node("x0")
    counted = leak(law, [1, 2], 1.0, 0)
    return compared(
        node.published.value >= counted - 1e-9,
        f"x_1 = 0 where x_0 = 1, else 0 or 1, weights 1, 2: {node.published.value:.3f}, exactly "
        f"{node.exact.value:.3f}, summed in NumPy {counted:.3f}",
        f"{REBUILT}: the edge looks at very large and very small answers only. Whatever eq. 9 is, "
        'forgetting a tuple that goes with x_0 can take away: row "Corollary 1 (2), exactly"',
    )


def increments(small: bool) -> Outcome:
    """A copy of one value or the other has a ratio of 1, and of -1."""
    most = 0.0
    for law in drawn(DRAWS, (2, 3), SEED):
        most = max(most, float(abs(edges(law, [0, 1, 2], 0.7)).max() / (2 / 0.7)))
    ends = [edges(law, [0, 1], 0.7) * 0.7 for law in (np.eye(2) / 2, np.eye(2)[::-1] / 2)]
    reached = max(abs(ends[0] - 1).max(), abs(ends[1] + 1).max())
    return compared(
        most <= 1 + 1e-12 and reached < 1e-9,
        f"{DRAWS} drawn laws, 2 by 3: |IR| at most {most:.4f}; a copy, and its opposite, "
        f"{ends[0].max():.4f} and {ends[1].min():.4f}",
        REBUILT,
    )


def signs(small: bool) -> Outcome:
    right = 0
    for law in drawn(DRAWS, (2, 2), SEED):
        sign = np.sign(correlation(law, [0, 1]))
        right += int((np.sign(edges(law, [0, 1], 1.0)) == sign).all())
    return compared(
        right == DRAWS,
        f"{right} of {DRAWS} drawn laws of two bits",
        f"{REBUILT}; of who learns more it says so where nothing else is unknown",
    )


def signs_wide(small: bool) -> Outcome:
    """x_1 is 0 or 2 where x_0 = 1, always 1.01 where x_0 = 0."""
    law, values = np.array([[0, 0.5, 0], [0.25, 0, 0.25]]), [0, 1.01, 2]
    found = {scale: sorted(edges(law, values, scale)) for scale in (2.0, 10.0, 40.0)}
    shown = ", ".join(f"{least:+.6f} and {most:+.6f}" for least, most in found.values())
    return compared(
        all(most < 0 for _, most in found.values()),
        f"x_1 is 0 or 2 where x_0 = 1, and 1.01 where x_0 = 0: correlation "
        f"{correlation(law, values):.4f}; edges at lambda = 2, 10, 40: {shown}",
        f"{REBUILT}: one value's spread against another's mean; without it: row "
        '"Theorem 3 (3), exactly"',
    )


def bullets(small: bool) -> Outcome:
    """Both have three values."""
    held, count = 0, 0
    for law in drawn(DRAWS, (3, 3), SEED):
        rho, own = correlation(law, [0, 1, 2]), edges(law, [0, 1, 2], 2.0)
        held += bool((own > 0).any() if rho > 0 else (own < 0).any())
        count += 1
    apart = edges(np.outer([0.2, 0.3, 0.5], [0.6, 0.3, 0.1]), [0, 1, 2], 2.0)
    zero = float(abs(apart).max())
    return compared(
        held == count and zero < 1e-9,
        f"the sign of the correlation occurs in {held} of {count} drawn laws, 3 by 3; independent, "
        f"edges are 0: {same(zero)}",
        REBUILT,
    )


def weaker(small: bool) -> Outcome:
    """Of drawn laws with three values of x_0; and one where the two furthest apart pull back."""
    pulled = [law for law in drawn(DRAWS, (3, 2), SEED) if correlation(law, [0, 1]) > 0]
    more = sum(leak(law, [1, 1], 1.0, 0) > leak(law, [1, 1], 1.0, 0, [1]) for law in pulled)
    back = np.array([[0.40, 0.05], [0, 0.45], [0.10, 0]])
    belief = unspoken.Joint(back, values=[[0, 1, 2], [0, 0.5]])
    knowing, nothing = (
        unspoken.leakage(belief, Laplace(1.0), Adversary("x0", knows=knows)).value
        for knows in (["x1"], [])
    )
    return compared(
        more > len(pulled) / 2,
        f"three values of x_0, positive correlation: who does not know x_1 learns more in {more} "
        f"of {len(pulled)} drawn laws; in one with correlation {correlation(back, [0, 0.5]):+.4f} "
        f"not: who knows x_1 learns {knowing:.4f}, who does not {nothing:.4f}",
        "can, it says; and in most laws it does",
    )


def first_layer(small: bool) -> Outcome:
    worst = 0.0
    for law in drawn(40, (2, 3), SEED):
        node = graph(unspoken.Joint(law), [1, 1], 0.8).node("x1", ["x0"])
        worst = max(worst, abs(node.published.value - 2 / 0.8), abs(node.exact.value - 2 / 0.8))
    return compared(worst < 1e-9, f"D / lambda = 2.5 in 40 drawn laws: {same(worst)}")


def theorem_5(small: bool) -> Outcome:
    found = graph(household(), [1, 2, 2], scale=1.0)
    node = found.node("A")
    short = sum(node.falls_short for node in found.nodes())
    return compared(
        short == 0,
        f"opposite bits, weights 1, 2, 2, about A, nothing known: {node.published.value:.3f}, "
        f"exactly {node.exact.value:.3f}; too little for {short} of 12 adversaries",
        f"{REBUILT}: absolute values forget the sign on the way",
    )


def forgotten(small: bool) -> Outcome:
    """B = C, equal to A in 8 of 10."""
    law = np.array([[[4, 0], [0, 1]], [[1, 0], [0, 4]]]) / 10
    node = graph(unspoken.Joint(law), [1, 1, 1], scale=1.0).node("x0")
    return compared(
        node.published.value >= node.exact.value - 1e-9,
        f"two equal neighbours: {node.published.value:.3f}, exactly {node.exact.value:.3f}, summed "
        f"in NumPy {leak(law, [1, 1, 1], 1.0, 0):.3f}",
        f"{REBUILT}: what is forgotten and what is unknown speak of one another",
    )


def corollary(case: int) -> Outcome:
    if case == 1:
        found = graph(unspoken.Joint([[1, 0], [0, 1]]), [1, 3], 2.0)
    elif case == 2:
        counts = [[[4096, 16], [16, 1]], [[16, 1], [1, 1]]]
        found = graph(unspoken.Joint(counts), [1, 1, 1], 2.0)
    else:
        law = np.zeros((2,) * 5)
        law[1], law[0, 1, 1, 1, 1], law[1, 1, 1, 1, 1] = 1, 1, 0
        found = graph(unspoken.Joint(law), [1] * 5, 1.0)
    (claim,) = (claim for claim in found.corollary() if claim.case == case)
    return compared(
        abs(claim.says.value - claim.exact.value) < 1e-9,
        f"says {claim.says.value:.4f}, the worst is {claim.exact.value:.4f}",
        REBUILT if case == 1 else f'{REBUILT}; without it: row "Corollary 1 ({case}), exactly"',
    )


def full_search(small: bool) -> Outcome:
    layers = [graph(uniform(n), [1.0] * n, 1.0).nodes() for n in (2, 3, 5, 7)]
    sizes = ", ".join(str(len(nodes)) for nodes in layers)
    edges = ", ".join(str(sum(len(node.knows) for node in nodes)) for nodes in layers)
    return Outcome(
        f"{sizes} nodes and {edges} edges for 2, 3, 5, 7 tuples",
        Verdict.CANNOT,
        "eq. 18 is lost in the text; nodes, n 2^(n-1), and edges, (n - 1) / 2 a node, are counted "
        "in its place. No fewer edges than nodes, as is said there, from three tuples on",
    )


def uniform(n: int) -> unspoken.Joint:
    return unspoken.Joint(np.full((2,) * n, 0.5**n))


def fast_search(small: bool) -> Outcome:
    """How far it ends from the full search, and how many adversaries it looks at."""
    off, looked = dict.fromkeys(KEPT, np.zeros(0)), dict.fromkeys(KEPT, 0)
    for law in drawn(60, (2, 2, 2, 2), SEED):
        found = graph(unspoken.Joint(law), [1, 1, 1, 1], 1.0)
        for k in KEPT:
            off[k] = np.append(off[k], found.fast(k).value / found.worst.value - 1)
            looked[k] = int(np.isfinite(found.edges.search(k)).sum())
    mean = {k: float(abs(each).mean()) for k, each in off.items()}
    shown = "; ".join(
        f"keeping {k} it looks at {looked[k]} of 32 and ends {mean[k]:.1%} off on average, "
        f"{abs(off[k]).max():.0%} at most, above {(off[k] > 1e-9).sum()} times and below "
        f"{(off[k] < -1e-9).sum()}"
        for k in KEPT
    )
    return compared(
        max(mean.values()) < 0.05 and mean[KEPT[0]] > mean[KEPT[1]] and looked[KEPT[0]] < 32,
        f"60 drawn laws of four bits: {shown}",
        f"{REBUILT}; little on average, without a bound, and on either side, as it drops nodes and "
        "paths. The proposition is of its cost, and that formula is lost",
    )


SPREADS = {
    "positive": np.array([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]]),
    "negative": np.array([[1, -0.3, -0.3], [-0.3, 1, -0.3], [-0.3, -0.3, 1]]),
    "hybrid": np.array([[1, 0.5, -0.3], [0.5, 1, -0.3], [-0.3, -0.3, 1]]),
}


def gaussian(covariance: Array, known: list[int]) -> float:
    own = unspoken.Gaussian(covariance, ranges=[1.0] * len(covariance))
    names = [own.domain.names[k] for k in known]
    adversary = Adversary(own.domain.names[0], knows=names)
    return unspoken.leakage(own, Laplace(1.0), adversary).value


def theorem_6(small: bool) -> Outcome:
    worst = 0.0
    for covariance in SPREADS.values():
        for known in ([], [1], [2], [1, 2]):
            by_hand = abs(regression(covariance, 0, known))
            worst = max(worst, abs(gaussian(covariance, known) - by_hand))
    return compared(
        worst < 1e-9,
        f"12 adversaries against regression, |w_i + sum beta_j| D / lambda: {same(worst)}",
        "the theorem is cut off in the text: the closed form is ours",
    )


def ranges(small: bool) -> Outcome:
    """Twice the range, twice the leakage."""
    pair = [unspoken.Gaussian(SPREADS["positive"], ranges=[reach] * 3) for reach in (1.0, 2.0)]
    told = [unspoken.leakage(own, Laplace(1.0), Adversary("x0")).value for own in pair]
    by_hand = abs(regression(SPREADS["positive"], 0, []))
    return compared(
        abs(told[0] - by_hand) < 1e-9 and abs(told[1] - 2 * by_hand) < 1e-9,
        f"ranges 1 and 2: {told[0]:.4f} and {told[1]:.4f} nat",
        "the range bounds what is compared; the law itself is not truncated",
    )


def curves(small: bool) -> Outcome:
    shown = []
    for name, covariance in SPREADS.items():
        told = [gaussian(covariance, known) for known in ([1, 2], [1], [2], [])]
        shown.append(f"{name} " + ", ".join(f"{value:.3f}" for value in told))
    return Outcome(
        "of three, knowing both others, x1, x2, none: " + "; ".join(shown),
        Verdict.CANNOT,
        "Section VII is cut off in the text; covariances ours. Positive: more with less knowledge",
    )


ROWS = (
    Row("003", "V.A, Fig. 3", "12 nodes for three tuples", "`published.graph`", figure_3),
    Row("003", "Theorem 2, eq. 9-13", "forgetting x_j adds the edge's value",
        "`published.graph`, sums in NumPy", theorem_2),
    Row("003", "Theorem 3 (1)", "|IR| <= 1", f"eq. 9 in NumPy, {DRAWS} drawn laws", increments),
    Row("003", "Theorem 3 (2)", "two values each: IR has the sign of the correlation",
        f"eq. 9 in NumPy, {DRAWS} drawn laws", signs),
    Row("003", "Theorem 3 (3)", "more values of x_j, D_j / lambda <= 1: the same",
        "eq. 9 in NumPy", signs_wide),
    Row("003", "V.B, three bullets", "larger domains: at least one IR has the sign; independent, "
        "all are 0", f"eq. 9 in NumPy, {DRAWS} drawn laws", bullets),
    Row("003", "V.B, weaker adversaries", "larger domains: a weaker adversary can learn more where "
        "the correlation is positive", f"sums in NumPy, those of {DRAWS} drawn laws; `leakage`",
        weaker),
    Row("003", "Theorem 4", "nodes of the first layer are D_i / lambda", "`published.graph`",
        first_layer),
    Row("003", "Theorem 5, eq. 14, 15", "a node is the least over paths of summed edges",
        "`published.graph` of the opposite bits", theorem_5),
    Row("003", "Theorem 5, equal others", "the same of tuples that depend on one another",
        "`published.graph`, sums in NumPy", forgotten),
    Row("003", "Corollary 1 (1), eq. 16, 17", "all IR = 1: group privacy",
        "`Graph.corollary`, two equal bits", lambda small: corollary(1)),
    Row("003", "Corollary 1 (2)", "all IR > 0: the weakest adversary learns most",
        "`Graph.corollary`, three bits that attract", lambda small: corollary(2)),
    Row("003", "Corollary 1 (3)", "all IR < 0: the strongest learns most",
        "`Graph.corollary`, a bit that says not all four", lambda small: corollary(3)),
    Row("003", "Proposition 1, eq. 18, full search", "its work, eq. 18",
        "`published.graph`", full_search),
    Row("003", "Proposition 2, fast search", "a heuristic, that keeps the k largest of a layer: "
        "less work, and a little sacrifice of the accuracy", "`Graph.fast`", fast_search),
    Row("003", "VI.A, eq. 19", "ranges bound the leakage of continuous data", "`Gaussian`", ranges),
    Row("003", "Theorem 6", "a closed form for Gaussian data", "`leakage` of `Gaussian`",
        theorem_6),
    Row("003", "VII, curves", "positive, negative and hybrid correlation", "`leakage` of "
        "`Gaussian`", curves),
)  # fmt: skip
