"""Paper 003's definition and examples; most of its numbers are lost in the text we have."""

from __future__ import annotations

import numpy as np

import unspoken
from studies.by_hand import leak, same
from studies.p003.by_hand import correlation, drawn
from studies.row import Outcome, Row, compared
from unspoken import Adversary, Laplace
from unspoken.core.searching import pdp_nodes
from unspoken.core.searching.upper import pdp_upper
from unspoken.noise.published import graph

DRAWS, SEED = 12, 1906
POSITIVE = np.array([[0.4, 0.1], [0.1, 0.4]])
NEGATIVE = POSITIVE[::-1].copy()
LOST = "its tables and numbers are lost in the text: ours"


def found(law: np.ndarray, knows: list[str], scale: float = 1.0, values: object = None) -> float:
    own = unspoken.Joint(law) if values is None else unspoken.Joint(law, values=values)  # type: ignore[arg-type]
    return unspoken.leakage(own, Laplace(scale), Adversary("x0", knows=knows)).value


def example_1(small: bool) -> Outcome:
    cases = {
        "positive": np.diag([0.5, 0.5]),
        "negative": np.diag([0.5, 0.5])[::-1],
        "none": np.full((2, 2), 0.25),
    }
    told = {name: found(law, []) for name, law in cases.items()}
    known = found(cases["none"], ["x1"])
    return compared(
        told["positive"] > told["none"] > told["negative"] and abs(known - told["none"]) < 1e-9,
        f"the sum of two equal bits, knowing nothing: {told['positive']:.4f} nat; of opposite ones "
        f"{told['negative']:.4f}; of independent ones {told['none']:.4f}, knowing the other "
        f"{known:.4f}",
        LOST + "; opposite bits: the sum says nothing, as Case 2 has it",
    )


def adversaries(small: bool) -> Outcome:
    counts = [
        len(graph(unspoken.Joint(np.full((2,) * n, 0.5**n)), [1] * n, 1.0).nodes())
        for n in (2, 3, 4)
    ]
    return compared(
        counts == [n * 2 ** (n - 1) for n in (2, 3, 4)],
        f"for 2, 3, 4 tuples {', '.join(map(str, counts))} adversaries",
        "n 2^(n-1) of them, layer by layer from the strongest to the weakest",
    )


def coefficient(small: bool) -> Outcome:
    """The sign of drawn laws of two bits; and one that is uncorrelated, and dependent."""
    signs = [(correlation(law, [0, 1]), law[0, 0] * law[1, 1] - law[0, 1] * law[1, 0])
             for law in drawn(DRAWS, (2, 2), SEED)]  # fmt: skip
    told = sum(rho * product > 0 for rho, product in signs)
    half = np.array([[0, 1], [2, 0], [0, 1]]) / 4
    rho = abs(correlation(half, [0, 1]))
    learned, alone = (
        found(law, [], values=[[0, 0.5, 1], [0, 1]])
        for law in (half, np.outer(half.sum(1), half.sum(0)))
    )
    return compared(
        told == DRAWS and rho < 1e-12 and learned > alone + 0.1,
        f"positive and negative told apart in {told} of {DRAWS} drawn laws of two bits; x_1 says "
        f"whether x_0 is in the middle: correlation {rho:.4f}, and the sum tells {learned:.3f} of "
        f"x_0, {alone:.3f} if x_1 were independent",
        "linear dependence only, as is said there: a correlation of 0 is not independence",
    )


def linear(small: bool) -> Outcome:
    worst = 0.0
    for law in drawn(DRAWS, (2, 3, 2), SEED):
        for weights in ([1.0, 1.0, 1.0], [1 / 3] * 3, [2.0, -1.0, 0.5]):
            own = unspoken.leakage(unspoken.Joint(law), Laplace(1.0, weights), Adversary("x0"))
            worst = max(worst, abs(own.value - leak(law, weights, 1.0, 0)))
    return compared(worst < 1e-9, f"sum, mean and other weights, {DRAWS} drawn laws: {same(worst)}")


def counts(small: bool) -> Outcome:
    """How many are 2: indicators are variables of their own."""
    worst = 0.0
    for law in drawn(DRAWS, (3, 3), SEED):
        bits = np.stack([law[:, :2].sum(1), law[:, 2]], axis=1)
        bits = np.stack([bits[:2].sum(0), bits[2]])
        own = unspoken.leakage(unspoken.Joint(bits), Laplace(1.0), Adversary("x0")).value
        worst = max(worst, abs(own - leak(bits, [1.0, 1.0], 1.0, 0)))
    return compared(
        worst < 1e-9,
        f"a count of values 2, about whether x_0 is: {same(worst)}",
        "one bin of a histogram",
    )


def histogram(small: bool) -> Outcome:
    """All three bins at once, noise on each: the worst answer has a possible count in each bin."""
    bins = {value: [int(k == value) for k in range(3)] for value in range(3)}
    noisy, worst, most = Laplace(1.0, terms={"x0": bins, "x1": bins}), 0.0, 0.0
    cells = np.array(list(np.ndindex(3, 3)))
    sums = np.eye(3)[cells].sum(1)
    answers = np.array(list(np.ndindex(3, 3, 3)))
    for law in drawn(DRAWS, (3, 3), SEED):
        each = law.reshape(-1) * np.exp(-abs(answers[:, None] - sums).sum(-1))
        told = np.stack([each[:, cells[:, 0] == a].sum(1) for a in range(3)]) / law.sum(1)[:, None]
        by_hand = float(np.log(told.max(0) / told.min(0)).max())
        own = unspoken.leakage(unspoken.Joint(law), noisy, Adversary("x0")).value
        worst, most = max(worst, abs(own - by_hand)), max(most, own)
    return compared(
        worst < 1e-9 and most <= 4 + 1e-9,
        f"three bins, two tuples, knowing nothing: at most {most:.4f} nat, {same(worst)}",
        "replacing a tuple moves two bins: 2 nat by differential privacy, 4 of a group of two",
    )


def definition_1(small: bool) -> Outcome:
    """Whoever knows all others: D_i / lambda."""
    worst = 0.0
    for law in drawn(DRAWS, (3, 2), SEED):
        own = found(law, ["x1"], 4.0)
        worst = max(worst, abs(own - 2 / 4.0))
    return compared(worst < 1e-9, f"scale 4, range 2, all others known: 0.5 nat, {same(worst)}")


def definition_2(small: bool) -> Outcome:
    worst, count = 0.0, 0
    for law in drawn(DRAWS, (2, 3, 2), SEED):
        exact = pdp_nodes(unspoken.Joint(law), [1, 2, 1], scale=1.5)
        for target in range(3):
            rest = [j for j in range(3) if j != target]
            for known in ([], rest[:1], rest[1:], rest):
                own = exact.leak(f"x{target}", [f"x{k}" for k in known])
                worst = max(worst, abs(own - leak(law, [1, 2, 1], 1.5, target, known)))
                count += 1
    return compared(
        worst < 1e-9,
        f"{count} adversaries: {same(worst)}",
        "formulas rebuilt from the theorems; eq. 3 is its form with posteriors",
    )


def family(small: bool) -> Outcome:
    """The largest over a finite set, and over a box."""
    members = [unspoken.Joint(law) for law in (POSITIVE, NEGATIVE, np.full((2, 2), 0.25))]
    each = [unspoken.leakage(one, Laplace(1.0), Adversary("x0")).value for one in members]
    together = unspoken.leakage(unspoken.Beliefs(members), Laplace(1.0), Adversary("x0")).value
    return compared(
        abs(together - max(each)) < 1e-9,
        f"over three distributions {together:.4f}, the largest of "
        + ", ".join(f"{value:.4f}" for value in each),
    )


def theorem_1(small: bool) -> Outcome:
    rng, worst = np.random.default_rng(SEED), 0.0
    for _ in range(DRAWS):
        one, two, three = rng.dirichlet(np.ones(2), 3)
        law = np.multiply.outer(np.multiply.outer(one, two), three)
        exact = pdp_nodes(unspoken.Joint(law), [1, 1, 1], scale=2.0)
        for target in range(3):
            for known in ([], [f"x{(target + 1) % 3}"]):
                worst = max(worst, abs(exact.leak(f"x{target}", known) - 0.5))
    return compared(worst < 1e-9, f"independent tuples, any knowledge: D / lambda, {same(worst)}")


def remark_1(small: bool) -> Outcome:
    """Eq. 4: group privacy of the tuple and all that is unknown."""
    above = 0.0
    for law in drawn(DRAWS, (2, 2, 2), SEED):
        exact = pdp_nodes(unspoken.Joint(law), [1, 1, 1], scale=1.0)
        for known, unknown in (([], 3), (["x1"], 2), (["x1", "x2"], 1)):
            above = max(above, exact.leak("x0", known) - unknown)
    tighter = pdp_upper(unspoken.Joint(POSITIVE), [1.0, 1.0])
    told = found(POSITIVE, [])
    return compared(
        above < 1e-9,
        f"never above (unknown + 1) eps in {3 * DRAWS}; for the sum of two, 2 at most: "
        f"{told:.4f}, by a sound chain rule {tighter.leak('x0', []):.4f}",
        "formula rebuilt",
    )


def example_2(small: bool) -> Outcome:
    told = {
        (name, tuple(knows)): found(law, knows)
        for name, law in (("positive", POSITIVE), ("negative", NEGATIVE))
        for knows in ([], ["x1"])
    }
    up, down = (told[name, ()] - told[name, ("x1",)] for name in ("positive", "negative"))
    return compared(
        up > 0 > down,
        f"who knows nothing learns {up:+.4f} nat more than who knows the other where they go "
        f"together (0.4, 0.1, 0.1, 0.4), {down:+.4f} where they are opposite",
        LOST,
    )


def example_3(small: bool) -> Outcome:
    strong = np.array([[0.45, 0.05], [0.05, 0.45]])
    told = [found(law, []) for law in (POSITIVE, strong, NEGATIVE, strong[::-1])]
    return compared(
        told[1] > told[0] and told[3] < told[2],
        f"positive {told[0]:.4f}, stronger {told[1]:.4f}; negative {told[2]:.4f}, stronger "
        f"{told[3]:.4f}",
        LOST,
    )


def example_4(small: bool) -> Outcome:
    told = [found(NEGATIVE, [], values=[[0, 1], [0, width]]) for width in (1, 5)]
    return compared(
        told[1] > told[0],
        f"opposite bits, the other's range 1: {told[0]:.4f}, 5: {told[1]:.4f}",
        LOST,
    )


def ordered(small: bool) -> Outcome:
    """Nobody else's knowledge is compared but by layers."""
    law = np.einsum("a,ab,ac->abc", [0.5, 0.5], *[np.array([[0.05, 0.95], [0.95, 0.05]])] * 2)
    exact = pdp_nodes(unspoken.Joint(law), [1, 2, 2], scale=1.0)
    told = [exact.leak("x0", known) for known in (["x1", "x2"], ["x1"], [])]
    return compared(
        told[0] > told[1] < told[2],
        "about x_0, forgetting one by one: " + ", ".join(f"{value:.3f}" for value in told),
        "less knowledge may leak less or more, so neither end of the graph is enough",
    )


ROWS = (
    Row("003", "Example 1, Fig. 1, 2", "how much is inferred depends on knowledge and correlation",
        "`leakage` of two bits, Lap(1)", example_1),
    Row("003", "Table I, adversaries", "an adversary is a target and the tuples known",
        "`published.graph`", adversaries),
    Row("003", "III.A2, Pearson", "Pearson's coefficient identifies linear correlations, and tells "
        "positive from negative ones", f"NumPy, {DRAWS} drawn laws; `leakage`", coefficient),
    Row("003", "III.A3, sum and mean", "linear queries", "`leakage` and sums in NumPy", linear),
    Row("003", "III.A3, count", "and counts", f"`leakage` and sums in NumPy, {DRAWS} drawn laws",
        counts),
    Row("003", "III.A3, histogram", "and histograms",
        f"`leakage` of a vector of counts and sums in NumPy, {DRAWS} drawn laws", histogram),
    Row("003", "Definition 1, eq. 1", "the Laplace mechanism of scale lambda is D / lambda private",
        f"`leakage`, {DRAWS} drawn laws", definition_1),
    Row("003", "Definition 2, eq. 2, 3", "prior differential privacy",
        f"`pdp_nodes` and sums in NumPy, {DRAWS} drawn laws", definition_2),
    Row("003", "IV, set of distributions", "the leakage over a set Theta is the largest",
        "`leakage` over `Beliefs`", family),
    Row("003", "Theorem 1", "knowledge has no impact where tuples are independent",
        f"`pdp_nodes`, {DRAWS} drawn laws", theorem_1),
    Row("003", "Remark 1, eq. 4", "DP of groups is an upper bound",
        f"`pdp_nodes`, `pdp_upper`, {DRAWS} drawn laws", remark_1),
    Row("003", "Example 2, Table II, eq. 5, 6", "less knowledge leaks more or less, by the sign",
        "`leakage` of two bits, Lap(1)", example_2),
    Row("003", "Example 3, Table III, eq. 7, 8", "stronger correlation: more leaked if "
        "positive, less if negative", "`leakage` of two bits, Lap(1)", example_3),
    Row("003", "Example 4", "a larger range of the other leaks more",
        "`leakage` of two bits, Lap(1)", example_4),
    Row("003", "V.B, three tuples", "hybrid correlation: the whole graph has to be searched",
        "`pdp_nodes`, weights 1, 2, 2", ordered),
)  # fmt: skip
