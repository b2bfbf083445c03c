"""Paper 002's dependence coefficients, eq. 18 to 24, and the noise that DPM makes of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

import unspoken
from studies.by_hand import laws, same
from studies.row import Outcome, compared
from unspoken import Adversary, Chain, Joint, Laplace
from unspoken.noise.calibration import accuracy, calibrate, coefficient
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.models.friends import Neighbour
from unspoken.noise.published import dpm, dpm_neighbours

__all__ = ["coefficients", "knowing_more", "lemmas", "theorems_8_9", "worst", "xor"]

DRAWS, SEED = 40, 2016


def xor() -> Joint:
    table = np.zeros((2, 2, 2))
    for i, j in itertools.product((0, 1), repeat=2):
        table[i, j, i ^ j] = 1
    return Joint(table, names=["D1", "D2", "D3"])


def worst(belief: Joint | Chain, scale: float, weights: Sequence[float] | None = None) -> float:
    noisy = Laplace(scale, weights)
    return max(bound.value for bound in unspoken.leakages(belief, noisy).values())


def coefficients(small: bool) -> Outcome:
    """A copy, an independent tuple, and drawn laws both ways; eq. 18 summed in NumPy, too."""
    copy, free = Neighbour.of(np.eye(2), [0, 1]), Neighbour.of(np.full((2, 2), 0.5), [0, 1])
    copies, frees = ([law.coefficient(2.0, r) for r in ("B", "14")] for law in (copy, free))
    ways, off = [], 0.0
    for law in laws(DRAWS, (2, 2), SEED):
        asked = NoiseProblem(Joint(law), [1.0, 1.0], 1.0)
        pairs = (("x0", "x1"), ("x1", "x0"))
        ways.append([coefficient(asked, *pair, 2.0, "B") for pair in pairs])
        off = max(off, *np.abs(np.subtract(ways[-1], [equation_18_of(law), equation_18_of(law.T)])))
    least, most = np.min(ways), np.max(ways)
    gap = np.abs(np.diff(ways)).max()
    ends = max(abs(copies[1] - 1), abs(copies[0] - 1), abs(frees[1]))
    return compared(
        least >= 0 and most <= 1 and ends < 1e-9 and off < 1e-9,
        f"eq. 14: copy {copies[1]:.4f}, independent {frees[1]:.4f}; eq. 18: {copies[0]:.4f}, "
        f"{frees[0]:.4f}; of {DRAWS} drawn laws {least:.4f} to {most:.4f}, rho_ij and rho_ji up to "
        f"{gap:.4f} apart; eq. 18 summed: {same(off)}",
        "asymmetric, as is said there",
    )


def equation_18_of(law: np.ndarray) -> float:
    """rho of two bits at sigma = 2, the farther end of the range."""
    given = law / law.sum(1, keepdims=True)
    far = np.exp(np.abs(np.subtract.outer([0, 1], [0, 1])) / 2.0)  # end, value
    return float(2.0 * np.log((given @ far.T).max()))


def theorems_8_9(small: bool) -> Outcome:
    """Against who knows nothing else; and the sum over neighbours only."""
    over_all = dict[str, float]()
    drawn = [Joint(law) for law in laws(30, (2, 2, 2), SEED)]
    over_all["drawn"] = max(worst(law, dpm_scale(law)) for law in drawn)
    copies = np.zeros((2, 2, 2))
    copies[0, 0, 0] = copies[1, 1, 1] = 0.5
    over_all["copies"] = worst(Joint(copies), dpm_scale(Joint(copies)))
    chain = Chain([0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], length=8)
    everybody = dpm_scale(chain)
    over_all["chain"] = worst(chain, everybody)
    graph = {a: [b] for a, b in itertools.pairwise(chain.domain.names)}
    near = dpm_neighbours(chain, graph, limit=1.0).value
    return compared(
        max(over_all.values()) <= 1 + 1e-9 and abs(over_all["copies"] - 1) < 1e-6,
        f"summed over all others: 30 drawn laws of three bits leak {over_all['drawn']:.3f} of 1 at "
        f"most, three copies {over_all['copies']:.4f}; 8 bits that keep with 95 %, scale "
        f"{everybody:.3f}, {over_all['chain']:.3f}; over neighbours only, scale {near:.3f}, they "
        f"leak {worst(chain, near):.3f}",
        "of a chain each depends on each, so summed as is said it holds, against who knows nothing "
        "else; friends of friends count, which the friends of VI-D2 leave out",
    )


def dpm_scale(belief: Joint | Chain) -> float:
    return calibrate(belief, limit=1.0, knows="nothing", method="dpm").scale


def knowing_more(small: bool) -> Outcome:
    """A sum of the first two of xor's bits: knowing none, one and both of the others."""
    noisy = Laplace(dpm(xor(), [1, 1, 0], limit=1.0).value, [1, 1, 0])
    found = [
        unspoken.leakage(xor(), noisy, Adversary("D1", knows=knows)).value
        for knows in ([], ["D3"], ["D2", "D3"])
    ]
    return compared(
        max(found) <= 1,
        f"two coins and their xor, DPM: who knows none of the others {found[0]:.3f}, the xor "
        f"{found[1]:.3f}, both {found[2]:.3f} of 1",
        "its coefficients integrate out what such an adversary knows. Who knows all others, as "
        "in Section III, is held to epsilon by the query's own sensitivity; who knows some is not",
    )


def _against_baseline(law: np.ndarray) -> tuple[float, float]:
    """DPM's scale at 1 nat, and its epsilon at the baseline's scale, as shares of the baseline's.

    The scale is its fixed point; the epsilon is max_i (1 + sum_j rho_ij) / scale, with no search.
    """
    belief, tuples = Joint(law), law.ndim
    names = belief.domain.names
    scale = calibrate(belief, limit=1.0, knows="nothing", method="dpm").scale
    asked = NoiseProblem(belief, [1.0] * tuples, 1.0)
    sums = [
        1 + sum(coefficient(asked, i, j, float(tuples), "B") for j in names if j != i)
        for i in names
    ]
    return scale / tuples, max(sums) / tuples


def lemmas(small: bool) -> Outcome:
    found = np.array([_against_baseline(law) for law in laws(30, (2, 2, 2), SEED)])
    copies = np.zeros((2, 2, 2))
    copies[0, 0, 0] = copies[1, 1, 1] = 0.5
    same_scale, same_epsilon = _against_baseline(copies)
    near = [accuracy(scale, 6.0) for scale in (3 * found[:, 0].min(), 3.0)]
    low, high = found.min(0), found.max(0)
    return compared(
        max(*high, same_scale, same_epsilon) <= 1 + 1e-9
        and low[0] >= 4 / 6
        and abs(same_scale - 1) < 1e-6,
        f"30 drawn laws of three bits, L = 3: at one epsilon DPM's scale is {low[0]:.3f} to "
        f"{high[0]:.3f} of the baseline's, at one accuracy its epsilon {low[1]:.3f} to "
        f"{high[1]:.3f}; three copies {same_scale:.4f} and {same_epsilon:.4f}; an error of 6 has "
        f"chance {near[0]:.4f}, by the baseline {near[1]:.4f}",
        "with <= for the printed <, and L the whole block; beta is a success there, and Lemma 2 "
        "has lost DeltaQ. No scale is below (L + 1) / (2 L) of the baseline's: less than half is "
        "saved",
    )
