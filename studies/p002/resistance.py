"""Fig. 10 (a) of paper 002 without its data: what of eq. 11 noise can take away at all.

    H(P_inde) - H(D_i | release)  =  H(P_inde) - H(P_de)  +  I(D_i; release)             (eq. 11, 9)

The first difference is what friends tell before anything is released; no noise is in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from studies.by_hand import entropy
from studies.row import Outcome, Row, compared
from unspoken.core.numerics.arrays import Array

DRAWS, SEED, CELLS, EPSILON = 300, 1610, 12, 0.1
BIT = float(np.log(2))


class Drawn(NamedTuple):
    """Priors of one user, without friends and with; and how much less private LPM is than DPM."""

    inde: Array
    de: Array
    times: float


def drawn() -> list[Drawn]:
    """Eq. 8 of drawn counts, eq. 9 of drawn weights."""
    rng, found = np.random.default_rng(SEED), list[Drawn]()
    for _ in range(DRAWS):
        inde = rng.dirichlet(np.full(CELLS, 2.0))
        de = inde * rng.exponential(size=CELLS) ** rng.uniform(0, 4)
        found.append(Drawn(inde, de / de.sum(), rng.uniform(2, 200)))
    return found


def private_answers(epsilon: float) -> Array:
    """P(answer | cell): the cell's number with two-sided noise, cut off at both ends.

    The first and the last cell are told apart by ``epsilon``, which is what Laplace noise does.
    """
    a, cells = np.exp(-epsilon / (CELLS - 1)), np.arange(CELLS)
    noise = a ** abs(np.subtract.outer(cells, cells)) * (1 - a) / (1 + a)
    noise[:, [0, -1]] /= 1 - a
    return np.asarray(noise)


def leaked(before: Array, prior: Array, table: Array) -> float:
    """Eq. 11 in bits: H(before) less what is uncertain after an answer, on average."""
    joint = prior[:, None] * table
    return (entropy(before) - (entropy(joint) - entropy(joint.sum(0)))) / BIT


def noise_alone(small: bool) -> Outcome:
    lpm, kept, taken, told, brought = private_answers(EPSILON), [], [], [], 0
    for inde, de, times in drawn():
        prior = (entropy(inde) - entropy(de)) / BIT
        dpm = private_answers(EPSILON / times)
        with_lpm, with_dpm = (leaked(inde, de, table) for table in (lpm, dpm))
        kept.append(with_dpm - prior)
        taken.append(with_lpm - with_dpm)
        if with_lpm > 2 * EPSILON / BIT:
            told.append(prior)
            brought += with_dpm <= EPSILON / BIT
    return compared(
        brought > 0 or min(kept) < -1e-12 or max(taken) > EPSILON / BIT,
        f"{DRAWS} drawn priors and weights, eps = {EPSILON} ({EPSILON / BIT:.2f} bit): with DPM's "
        f"noise never less than with nothing released; LPM's leaks at most {max(taken):.5f} bit "
        f"more than DPM's; of {len(told)} in which LPM's leaks more than twice eps (nothing "
        f"released: {min(told):.2f} to {max(told):.2f} bit) DPM's comes down to eps in {brought}",
        "eq. 11 is H(P_inde) - H(P_de), with no noise in it, and I(D_i; release), of which Theorem "
        "2 has eps at most, for LPM too: noise takes away eps at most. What is leaked without "
        "friends is eps at most, so where LPM leaks more than twice eps, DPM cannot come near it",
    )


ROWS = (
    Row("002", "Fig. 10 (a), eq. 11 alone", "of any data: by DPM's noise as little is leaked as to "
        "who knows no friends", f"eq. 8, 9 and 11 in NumPy, {DRAWS} drawn priors and weights",
        noise_alone),
)  # fmt: skip
