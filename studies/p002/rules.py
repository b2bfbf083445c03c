"""Paper 002's definitions, theorems and scales of noise, each beside the leakage at that scale."""

from __future__ import annotations

import math

import numpy as np

import unspoken
from studies.by_hand import laws, same
from studies.by_hand import leak as by_hand
from studies.p002.dpm_by_coefficients import (
    coefficients,
    knowing_more,
    lemmas,
    theorems_8_9,
    worst,
    xor,
)
from studies.row import Outcome, Row, Verdict, compared
from unspoken import Adversary, Chain, Finite, Joint, Laplace, Together
from unspoken.core.conversion import (
    relative_entropy_from_inferential,
    relative_entropy_from_information,
)
from unspoken.noise.calibration import accuracy, calibrate
from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.noise.published import (  # fmt: skip
    accuracy_of_vectors,
    baseline,
    dpm,
    dpm_any_query,
    dpm_one_endpoint,
    dpm_pairwise,
    entropy_drop,
    pairs,
    parallel,
    pearson,
    sequential,
)

DRAWS, SEED, DRAWN = 40, 2016, 100_000


def laplace(small: bool) -> Outcome:
    belief = Joint(np.full((2, 2), 0.25))
    told = [worst(belief, 1 / eps) / eps for eps in (0.1, 1.0, 3.0)]
    shown = ", ".join(f"{ratio:.4f}" for ratio in told)
    return compared(
        max(told) <= 1 + 1e-9, f"independent bits, Lap(1/eps), eps = 0.1, 1, 3: {shown} eps"
    )


def theorem_2_mean(small: bool) -> Outcome:
    """Drawn eps-private channels about drawn values."""
    rng, above = np.random.default_rng(SEED), 0.0
    closest = {relative_entropy_from_information: 0.0, relative_entropy_from_inferential: 0.0}
    for _ in range(DRAWS):
        table = rng.dirichlet(np.ones(3), size=3) * 0.6 + 0.4 / 3
        eps = float(np.log(table.max(0) / table.min(0)).max())
        belief = Joint(rng.dirichlet(np.ones(3)), names=["D"])
        told = unspoken.leakage(
            belief, Finite("D", table), Adversary("D"), "mutual-information"
        ).value
        for bound, most in closest.items():
            share = told / bound(eps).value
            above, closest[bound] = max(above, share), max(most, share)
    information, inferential = closest.values()
    return compared(
        above <= 1 + 1e-12,
        f"eps tanh(eps / 2) never exceeded in {DRAWS} channels, closest {information:.3f} of it; "
        f"u - 1 - log u, u = eps / (1 - e^-eps), neither, closest {inferential:.3f}",
        "true as a mean, and both are below eps: ours, as bounds in `unspoken.core.conversion`",
    )


def theorem_2_answer(small: bool) -> Outcome:
    prior = np.append(0.5, np.full(2**20, 0.5 / 2**20))
    told = np.append(math.e, np.ones(2**20))
    after = prior * told / (prior @ told)
    before, then = (-float(p @ np.log2(p)) for p in (prior, after))
    claimed = entropy_drop(1.0).value / math.log(2)
    return compared(
        before - then <= claimed,
        f"one answer of a 1-private mechanism takes {before - then:.2f} bit of entropy, promised "
        f"{claimed:.2f}",
        "eq. 11 is open to both readings; answer by answer it fails",
    )


def definition_4(small: bool) -> Outcome:
    off = 0.0
    for law in laws(10, (2, 3, 2), SEED):
        found = unspoken.leakage(Joint(law), Laplace(1.5), Adversary("x0")).value
        off = max(off, abs(found - by_hand(law, [1, 1, 1], 1.5, 0)))
    return compared(off < 1e-9, f"10 drawn laws: {same(off)}")


def theorem_3(small: bool) -> Outcome:
    scale = calibrate(xor(), limit=0.5, knows="nothing", floor=False).scale
    one = Laplace(scale)
    both = max(
        unspoken.leakage(xor(), Together([one, one]), Adversary(name)).value
        for name in ("D1", "D2", "D3")
    )
    claimed = sequential([0.5, 0.5]).value
    return compared(
        both <= claimed,
        f"two coins and their xor, two sums at scale {scale:.4f}, each 0.5: together {both:.4f}, "
        f"promised {claimed:g}",
        "of one tuple's values, all others by their law (eq. 11, 12), as DPM needs it. For scales "
        "by Theorem 7 or DPM epsilons add up, and so they do of two given data, which Appendix C "
        "compares; of these Theorem 9 would need L times the noise",
    )


def theorem_4(small: bool) -> Outcome:
    each = [Laplace(1.0, {name: 1}) for name in ("x0", "x1")]
    both = unspoken.leakage(Joint(np.eye(2)), Together(each), Adversary("x0")).value
    return compared(
        both <= parallel([1.0, 1.0]).value,
        f"D2 = D1, each in an answer of 1 nat: {both:.4f} together",
        "disjoint parts have to be independent of one another",
    )


def axioms(small: bool) -> Outcome:
    """Merged answers, and one of two mechanisms by a coin."""
    rng, grown = np.random.default_rng(SEED), 0.0
    for law in laws(DRAWS, (3,), SEED):
        one, two = rng.dirichlet(np.ones(4), size=(2, 3)) * 0.8 + 0.05
        most = [told(law, table) for table in (one, two)]
        merged = one @ rng.dirichlet(np.ones(2), size=4)
        mixed = np.hstack([0.3 * one, 0.7 * two])
        grown = max(grown, told(law, merged) - most[0], told(law, mixed) - max(most))
    return compared(grown < 1e-9, f"{DRAWS} draws: {same(max(grown, 0))} above")


def told(law: np.ndarray, table: np.ndarray) -> float:
    return unspoken.leakage(Joint(law, names=["D"]), Finite("D", table), Adversary("D")).value


def two_tuples(small: bool) -> Outcome:
    above = 0.0
    for law in laws(10, (2, 3), SEED):
        belief = Joint(law, names=["D1", "D2"])
        both = Laplace(dpm_pairwise(belief, limit=1.0).value, {"D1": [1, 0], "D2": [0, 1]})
        found = max(bound.value for bound in unspoken.leakages(belief, both).values())
        above = max(above, found - 1)
    return compared(above <= 1e-9, f"both released, 10 drawn laws: {same(max(above, 0))} above 1")


def theorem_7(small: bool) -> Outcome:
    counted = baseline(xor(), limit=1.0).value
    group = calibrate(xor(), limit=1.0, method="group").scale
    return compared(
        worst(xor(), counted) <= 1 + 1e-9,
        f"two coins and their xor: L counted by pairs, scale {counted:.3f} leaks "
        f"{worst(xor(), counted):.3f} of 1; the block as a whole, scale {group:.3f}, leaks "
        f"{worst(xor(), group):.3f}",
        "true where L is the size of blocks that are jointly independent of all others",
    )


def equation_14(small: bool) -> Outcome:
    scale = dpm_pairwise(xor(), limit=1.0).value
    return compared(
        worst(xor(), scale) <= 1 + 1e-9,
        f"two coins and their xor: scale {scale:.3f} leaks {worst(xor(), scale):.3f} of 1",
        "summed over pairs it sees no dependence; of two tuples alone it is right",
    )


def equation_18(small: bool) -> Outcome:
    """Two tuples, the first counted 2.16 times: by the query's weight, or by its own values."""
    counts, weights = [[0.6366, 0.2612, 0.0007], [0.0002, 0.1010, 0.0003]], [2.16, 1.0]
    of_query = Joint(counts, names=["D1", "D2"], values=[[0, 1], [0, 0.0585, 1]])
    of_values = Joint(counts, names=["D1", "D2"], values=[[0, 2.16], [0, 0.0585, 1]])
    found = []
    for belief, by, rule in (
        (of_query, weights, dpm_one_endpoint),
        (of_query, weights, dpm),
        (of_values, [1.0, 1.0], dpm_one_endpoint),
    ):
        found.append(worst(belief, rule(belief, by, limit=5.6).value, by) / 5.6)
    return compared(
        found[0] <= 1,
        f"2.16 D1 + D2, one end of the range: {found[0]:.4f} of the promise; both ends "
        f"{found[1]:.4f}; one end, 2.16 in D1's own values: {found[2]:.4f}",
        "eq. 18 reads either way; one end fails where eq. 22 has it times the query's sensitivity",
    )


def independent(small: bool) -> Outcome:
    """By eq. 14 an independent tuple adds nothing."""
    belief = Joint(np.full((2, 2), 0.25))
    by_14, by_18 = (rule(belief, limit=1.0).value for rule in (dpm_pairwise, dpm))
    return compared(
        by_18 <= 1 + 1e-9,
        f"two independent bits: scale {by_14:.4f} by eq. 14, {by_18:.4f} by eq. 18; differential "
        "privacy takes 1",
        "rho = 0 is of eq. 14. Eq. 18, by which it is computed, has half and more for whoever is "
        "counted as dependent, so who is has to be known beforehand",
    )


def equation_22(small: bool) -> Outcome:
    table = np.zeros((2, 4))
    table[0, :2], table[1, 2:] = (0.005, 0.495), (0.495, 0.005)
    belief = Joint(table, names=["D1", "D2"], values=[[0.4, 0.6], [0, 0.4, 0.6, 1]])
    own = pairs(belief, ranges={"D1": (0, 1), "D2": (0, 1)})
    scale = dpm_any_query({"D1": 1, "D2": 1}, own, limit=1.0).value
    found = worst(Joint(np.eye(2)), scale)
    return compared(
        found <= 1,
        f"how many of two are above 1/2: scale {scale:.4f} leaks {found:.4f} of 1",
        "coefficients of tuples say nothing of a query's terms; those of the terms do",
    )


def theorem_10(small: bool) -> Outcome:
    one, draws = accuracy(10.0, 20.0), np.random.default_rng(SEED).laplace(0, 10.0, 200_000)
    counted = float((abs(draws) > 20).mean())
    vector, printed = accuracy(10.0, 1000.0, dimension=96), accuracy_of_vectors(10.0, 1000.0).value
    return compared(
        abs(one - math.exp(-2)) < 1e-9 and vector <= printed,
        f"one number, scale 10, error 20: {one:.4f}, in 200,000 draws {counted:.3f}; 96 numbers, "
        f"error 1000: {vector:.2f}, printed {printed:.0e}",
        "the formula is that of one number; errors of many add up",
    )


def drawn(small: bool) -> Outcome:
    """Dvoretzky, Kiefer and Wolfowitz: further than this once in 10^9 runs."""
    chain = Chain([0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], length=8)
    scale = calibrate(chain, limit=1.0, knows="nothing", method="dpm").scale
    noise = np.sort(two_sided_noise(np.zeros(DRAWN, np.int64), scale))
    each, counts = np.unique(noise, return_counts=True)
    ratio = math.exp(-1 / scale)
    below = np.where(
        each < 0, ratio ** -each.clip(max=0), 1 + ratio - ratio ** (each.clip(min=0) + 1)
    ) / (1 + ratio)
    off = float(abs(np.cumsum(counts) / DRAWN - below).max())
    most = math.sqrt(math.log(2e9) / (2 * DRAWN))
    return compared(
        off <= most,
        f"how many of 8 bits are 1, with {DRAWN:,} draws of scale {scale:.3f}: their distribution "
        f"is nowhere further than {most:.4f} from the law's",
        "whole numbers, drawn by OpenDP without a seed: the discrete Laplace law of the same scale",
    )


def figure_8b(small: bool) -> Outcome:
    half = Joint([[0, 1], [2, 0], [0, 1]], names=["D1", "D2"], values=[[0, 0.5, 1], [0, 1]])
    scale = pearson(half, limit=1.0).value
    return Outcome(
        f"uncorrelated, dependent tuples: scale {scale:.3f} leaks {worst(half, scale):.3f} of 1",
        Verdict.CANNOT,
        "the figure's numbers are not in the text; under dependence this rule keeps no promise",
    )


ROWS = (
    Row("002", "Def. 1, 2, Thm 1, eq. 1-3", "Laplace noise of Delta / eps is eps-private",
        "`leakages`", laplace),
    Row("002", "Theorem 2, mean", "the leaked information is at most eps",
        f'"mutual-information" of {DRAWS} drawn channels', theorem_2_mean),
    Row("002", "Theorem 2, one answer", "the same of an answer (eq. 11)",
        "`entropy_drop`, 2^20 + 1 values in NumPy", theorem_2_answer),
    Row("002", "Def. 3, 4, eq. 12", "dependent differential privacy",
        "`leakage` and sums in NumPy", definition_4),
    Row("002", "Theorem 3", "epsilons of answers add up", "`published.sequential`, `Together`",
        theorem_3),
    Row("002", "Theorem 4", "of disjoint parts the largest counts",
        "`published.parallel`, `Together`", theorem_4),
    Row("002", "Theorems 5, 6", "post-processing and mixing", "`leakage` of drawn channels",
        axioms),
    Row("002", "eq. 11-17, two tuples", "identity query of two tuples: 1 + rho",
        "`published.dpm_pairwise`", two_tuples),
    Row("002", "Theorem 7", "L times the noise is enough", "`published.baseline`, `calibrate`",
        theorem_7),
    Row("002", "eq. 14", "pairs' coefficients, summed", "`published.dpm_pairwise`", equation_14),
    Row("002", "eq. 18", "rho, at the value d_j* that is farthest from d_j1",
        "`published.dpm_one_endpoint`, `dpm`", equation_18),
    Row("002", "eq. 19-21", "0 <= rho <= 1: self and dependent indistinguishability",
        "`Neighbour.coefficient`, `calibration.coefficient`", coefficients),
    Row("002", "VI-B, rho = 0", "of independent tuples rho is 0, and DPM is what differential "
        "privacy takes", "`published.dpm_pairwise`, `dpm`", independent),
    Row("002", "eq. 22", "any query: rho times its own sensitivity", "`published.dpm_any_query`",
        equation_22),
    Row("002", "Theorems 8, 9, eq. 23-25", "DPM over the tuples that depend on i",
        "`calibrate`, `published.dpm_neighbours`", theorems_8_9),
    Row("002", "Theorem 9, knowing some others", "adversaries with partial information (IV.D, "
        "VII-C) are resisted, too", "`published.dpm`", knowing_more),
    Row("002", "Def. 5, Theorem 10", "(alpha, beta)-accuracy, vectors by one formula",
        "`accuracy`, `accuracy_of_vectors`, draws", theorem_10),
    Row("002", "Lemmas 1, 2", "DPM is more accurate at one epsilon than the baseline, and more "
        "private at one accuracy", "`calibrate`, `calibration.coefficient`", lemmas),
    Row("002", "eq. 25, drawn", "A(D) = Q(D) + Lap(DS / eps) is what is answered",
        "draws as `unspoken` answers", drawn),
    Row("002", "Fig. 8 (b)", "at the same accuracy DPM keeps more privacy than the baseline and "
        "than Zhu et al.", "`published.pearson`", figure_8b),
)  # fmt: skip
