"""Paper 004's definitions and Propositions 1 to 4; its displays are lost in the text we have."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import unspoken
from studies.by_hand import entropy, informed, leak, same
from studies.p004.tables import (
    divergence,
    drawn,
    embedded,
    inferential,
    max_information,
    mutual,
    ones,
    pairs_together,
    towards_ones,
)  # fmt: skip
from studies.row import Outcome, Row, compared
from unspoken import Adversary
from unspoken.core.conversion import mechanism_distances
from unspoken.core.measures import MeasureName
from unspoken.core.numerics.arrays import Array

DRAWS, SEED = 40, 2017
HOW = f"`leakage` and sums in NumPy, {DRAWS} drawn beliefs and mechanisms"
REBUILT = "formula rebuilt"


def measured(name: MeasureName, by_hand: Callable[[Array, Array, int], float]) -> float:
    """The largest difference between the library's measure and the sum."""
    worst = 0.0
    for law, mechanism in drawn(DRAWS, SEED):
        own, how = embedded(law, mechanism)
        found = unspoken.leakage(own, how, Adversary("x0"), name).value
        worst = max(worst, abs(found - by_hand(law, mechanism, 0)))
    return worst


def assumption_1(small: bool) -> Outcome:
    """Almost uniform, and one rare value settles everything."""
    law = np.zeros((4,) * 4)
    law[2:] = 0.96 / 128
    law[0, 0, 0, 0] = law[1, 1, 1, 1] = 0.02
    differs = (np.indices((4,) * 4) != 0).sum(axis=0)
    yes = 0.2 * np.exp(-0.5 * differs)
    table = np.stack([yes, 1 - yes], axis=-1)
    alone = max_information(np.full((4,) * 4, 4.0**-4), table, 0)
    told, most = max_information(law, table, 0), 4 * 0.5
    return compared(
        told <= 0.5 + 1e-9,
        f"an entropy of {entropy(law) / math.log(4**4):.0%} of the largest, a mechanism of eps = "
        f"0.5: I_inf = {told:.3f} nat, where independent values leak {alone:.3f}; two values of "
        f"x_0 are told apart by {inferential(law, table, 0):.3f}, as if all depended {most:.3f}; "
        f"on average I = {mutual(law, table, 0):.4f}",
        "the sentence is printed: of the worst case, by which I_inf is defined, it fails; averages "
        "entropy does limit",
    )


def corollary_1(small: bool) -> Outcome:
    """All alike, rarely 1."""
    law = np.zeros((2,) * 6)
    law[(1,) * 6], law[(0,) * 6] = 1e-5, 1 - 1e-5
    told = max_information(law, towards_ones(6, 0.5), 0)
    return compared(2.99 < told <= 3, f"n = 6, eps = 0.5: I_inf = {told:.5f} of n eps = 3", REBUILT)


def neighbours(small: bool) -> Outcome:
    told = np.array([0.2 * math.exp(0.5), 0.2, 0.2 * math.exp(1.0)])  # no record, "A", "B"
    table = np.stack([told, 1 - told], axis=-1)
    add = max(float(mechanism_distances(table[[0, i]])[1]) for i in (1, 2))
    replaced = float(mechanism_distances(table)[1])
    present = max_information(np.array([0.999, 0.001]), table[1:], 0)
    return compared(
        abs(add - 0.5) < 1e-9 and abs(replaced - 2 * add) < 1e-9 and add < present <= replaced,
        f"add or remove {add:.3f}; replace {replaced:.3f}; I_inf of one who is surely there, with "
        f"either of two values {present:.3f}",
        "histograms one row apart: replacing a row is two steps, so its eps is half of ours. All "
        "that follows from eps there, Corollary 2 first, takes the eps of replacing",
    )


def universe(small: bool) -> Outcome:
    """The Netflix Prize: so many ratings, of one to five stars."""
    ratings, stars = 100_480_507, 5
    most = ratings * math.log2(stars)
    return compared(
        most > ratings,
        f"{ratings:,} ratings of {stars} values: {most:,.0f} bits if all are likely alike",
        "arithmetic: a bit a rating is less than that. What an adversary is left with is not said",
    )


def lemmas(small: bool) -> Outcome:
    groups = mechanism_distances(towards_ones(3, 0.3))
    worst = 0.0
    for (_, one), (_, two) in zip(drawn(DRAWS, SEED), drawn(DRAWS, SEED + 1), strict=True):
        both = (one[..., :, None] * two[..., None, :]).reshape(2, 2, -1)
        each = [float(mechanism_distances(table)[1]) for table in (one, two)]
        worst = max(worst, float(mechanism_distances(both)[1]) - sum(each))
    shown = ", ".join(f"{nats:.1f}" for nats in groups[1:])
    return compared(
        abs(groups[3] - 0.9) < 1e-9 and worst < 1e-9,
        f"groups of 1, 2, 3 at eps = 0.3: {shown}; composed above the sum: {same(max(worst, 0))}",
        REBUILT,
    )


def definition_3(small: bool) -> Outcome:
    off = measured("max-information", lambda law, table, i: max_information(law, table, i))
    below = all(
        mutual(law, table, 0) <= max_information(law, table, 0) + 1e-12
        for law, table in drawn(DRAWS, SEED)
    )
    return compared(off < 1e-9 and below, f"I_inf: {same(off)}; I <= I_inf in all", REBUILT)


def definition_4(small: bool) -> Outcome:
    """The measure that limits growth, and the one that limits both."""
    law, table = np.full((2, 2), 0.25), np.array([[[0.5, 0.5]] * 2, [[1.0, 0.0]] * 2])
    own, how = embedded(law, table)
    names: tuple[MeasureName, MeasureName] = ("max-information", "max-information-two-sided")
    one, two = (unspoken.leakage(own, how, Adversary("x0"), name).value for name in names)
    return compared(
        abs(one - math.log(2)) < 1e-9 and math.isinf(two),
        f"a value ruled out: {one:.4f} nat by growth, {two:g} by growth and fall",
        f"{REBUILT} from (8)-(10): one-sided, so ruling a value out costs nothing; both are here",
    )


def chain_of(small: bool) -> Outcome:
    names: dict[MeasureName, Callable[[Array, Array, int], float]] = {
        "max-log-ratio": lambda law, table, i: inferential(law, table, i),
        "max-information": lambda law, table, i: max_information(law, table, i),
        "relative-entropy": divergence,
        "mutual-information": mutual,
    }
    off = max(measured(name, by_hand) for name, by_hand in names.items())
    ordered = 0
    for law, table in drawn(DRAWS, SEED):
        values = [by_hand(law, table, 0) for by_hand in names.values()]
        ordered += values == sorted(values, reverse=True)
    return compared(
        ordered == DRAWS and off < 1e-9,
        f"inferential >= I_inf >= relative entropy >= mutual in {ordered} of {DRAWS}; {same(off)}",
        REBUILT,
    )


def on_average(small: bool) -> Outcome:
    off = [measured("relative-entropy", divergence), measured("mutual-information", mutual)]
    return compared(max(off) < 1e-9, same(max(off)), "printed")


def processing(small: bool) -> Outcome:
    """Outputs merged at random, I_inf before and after."""
    rng, grown = np.random.default_rng(SEED), 0.0
    for law, table in drawn(DRAWS, SEED):
        merged = table @ rng.dirichlet(np.ones(2), size=3)
        for measure in (max_information, inferential):
            grown = max(grown, measure(law, merged, 0) - measure(law, table, 0))
        grown = max(grown, mutual(law, merged, 0) - mutual(law, table, 0))
    return compared(
        grown < 1e-9,
        f"I_inf, I and the inferential one after merging: {same(max(grown, 0))} above before",
        "printed for I; footnote 9 leaves I_inf open. It holds: P(z | a) / P(z) is a mean of "
        "P(r | a) / P(r)",
    )


def personalised(small: bool) -> Outcome:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], length=3)
    found = unspoken.leakages(chain, unspoken.Laplace(5.0))
    shown = ", ".join(f"{name} {bound.value:.6f}" for name, bound in found.items())
    keeps = np.array([[0.9, 0.1], [0.1, 0.9]])
    law, values = np.einsum("ab,bc->abc", keeps / 2, keeps), [b.value for b in found.values()]
    off = max(abs(own - leak(law, [1, 1, 1], 5.0, i)) for i, own in enumerate(values))
    return compared(
        values[1] > values[0] and off < 1e-9,
        f"a noisy sum of three days: {shown} nat; {same(off)}",
        REBUILT,
    )


def tracing(small: bool) -> Outcome:
    """Randomised response of one person: absent, no or yes."""
    belief = unspoken.Joint([5, 3, 2], names=["X"], values=[["absent", "no", "yes"]])
    keeps = math.e / (math.e + 1)
    own = np.array([[1, 0, 0], [0, keeps, 1 - keeps], [0, 1 - keeps, keeps]])
    shared = math.e / (math.e + 2), 1 / (math.e + 2)
    hidden = np.full((3, 3), shared[1]) + (shared[0] - shared[1]) * np.eye(3)
    told = [
        unspoken.leakage(belief, unspoken.Finite("X", table), Adversary("X")).value
        for table in (own, hidden)
    ]
    return compared(
        math.isinf(told[0]) and abs(told[1] - 1) < 1e-9,
        f"one record by randomised response, eps = 1: of own values, nothing where absent, "
        f"{told[0]:g} nat; of all values there are, absence among them, {told[1]:.4f}",
        "the sentence is printed, the example ours: no size, query or number is given there",
    )


def utility(small: bool) -> Outcome:
    """E d(f(X), Y) of a noisy count, from its law; and I(X; Y)."""
    law, epsilon = np.full((2,) * 3, 1 / 8), 1.0
    total, r = ones(3)[..., None], np.arange(4)
    a = math.exp(-epsilon)
    noise = a ** abs(r - total) / (1 + a)
    table = np.where((r == 0) | (r == 3), noise, (1 - a) * noise)
    error = float((law[..., None] * table * abs(r - total)).sum())
    own, how = embedded(law, table)
    told = unspoken.leakage(own, how, Adversary("all"), "mutual-information").value
    counted = informed((law[..., None] * table).reshape(8, 4))
    return compared(
        abs(told - counted) < 1e-9,
        f"a count of three coins, eps = 1: mean error {error:.4f}, I(X; Y) = {told:.4f} nat, "
        f"{same(abs(told - counted))}",
        f"{REBUILT}; the distance d is open",
    )


def proposition_4(small: bool) -> Outcome:
    """Against all beliefs: the ratio of any two record sequences."""
    far = mechanism_distances(towards_ones(3, 0.3))[3]
    law = np.zeros((2,) * 3)
    law[0, 0, 0], law[1, 1, 1] = 1 - 1e-9, 1e-9
    told = max_information(law, towards_ones(3, 0.3), 0)
    return compared(
        abs(told - far) < 1e-6,
        f"n = 3, eps = 0.3: I_inf over point-like beliefs {told:.6f}, any two data {far:.6f}",
        f"{REBUILT}: for every belief at once all data must look alike, so utility is poor",
    )


def distances(small: bool) -> Outcome:
    """Theorem 1: k that depend leak at most D_k, and as much."""
    rng, above, most = np.random.default_rng(SEED), 0.0, 0.0
    for _, table in drawn(DRAWS, SEED, n=3):
        far = mechanism_distances(table)
        law = np.multiply.outer(rng.dirichlet(np.full(4, 0.2)).reshape(2, 2), [0.4, 0.6])
        told = max(inferential(law, table, i) for i in range(2))
        above, most = max(above, told - far[2]), max(most, told / far[2])
    law, table = np.multiply.outer(pairs_together(1), [1.0, 0.0]), towards_ones(3, 0.5)
    told, far = max_information(law, table, 0), mechanism_distances(table)
    return compared(
        above < 1e-9 and abs(told - far[2]) < 1e-6,
        f"two of three bits dependent: never above D_2 in {DRAWS} draws, closest {most:.3f} of it; "
        f"two that are equal, at eps = 0.5: {told:.4f} of {far[2]:.4f}",
        REBUILT,
    )


def corollary_2(small: bool) -> Outcome:
    above = 0.0
    for _, table in drawn(DRAWS, SEED):
        law = np.outer([0.3, 0.7], [0.6, 0.4])
        above = max(above, inferential(law, table, 0) - mechanism_distances(table)[1])
    law, table = np.outer([0.5, 0.5], [0.0, 1.0]), towards_ones(2, 0.5)
    reached = inferential(law, table, 0)
    return compared(
        above < 1e-9 and abs(reached - 0.5) < 1e-9,
        f"independent variables: never above eps in {DRAWS} draws; reached: {reached:.4f} of 0.5",
        REBUILT,
    )


ROWS = (
    Row("004", "Definition 1, Assumption 1", "an adversary with H(X) >= b can obtain little "
        "information of each individual", "a belief of four variables, every case listed",
        assumption_1),
    Row("004", "I, 100,480,507 bits", "the largest entropy of the Netflix Prize's data is more "
        "than that", "the logarithm of how many such data there are", universe),
    Row("004", "Corollary 1", "eps-DP allows I_inf near n eps",
        "six equal bits, every case listed", corollary_1),
    Row("004", "Definition 2", "neighbours are histograms that differ by one row",
        "`mechanism_distances`", neighbours),
    Row("004", "Lemmas 1, 2", "DP of groups, and composed, adds up", "`mechanism_distances`",
        lemmas),
    Row("004", "Definition 3", "max-mutual information; I <= I_inf", HOW, definition_3),
    Row("004", "Definition 4", "eps-information privacy with respect to Delta",
        '`leakage`, "max-information" and two-sided', definition_4),
    Row("004", "Propositions 1, 2", "inferential implies information implies relative entropy "
        "implies mutual", HOW, chain_of),
    Row("004", "III, averages", "relative-entropy and mutual-information privacy", HOW, on_average),
    Row("004", "Proposition 3", "post-processing keeps mutual-information privacy", HOW,
        processing),
    Row("004", "Definition 5", "a bound for each individual", "`leakages`", personalised),
    Row("004", "III.2, universe", "D must hide who is in the data (tracing attacks)",
        "`leakage` of a record that may be absent", tracing),
    Row("004", "III.3, utility", "expected distance of f(X) and Y, or I(X; Y)",
        "`leakage` and a law in NumPy", utility),
    Row("004", "Proposition 4, Cor. 3", "privacy against all beliefs means poor utility",
        "`mechanism_distances`, every case listed", proposition_4),
    Row("004", "Theorem 1", "privacy for P_k: what differs in k records",
        "`mechanism_distances`, every case listed", distances),
    Row("004", "Corollary 2", "for independent individuals it is DP", "the same, independent",
        corollary_2),
)  # fmt: skip
