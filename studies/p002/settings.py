"""Sections VI-D to IX of paper 002: where dependence comes from, and its experiments' noise."""

from __future__ import annotations

import math

import numpy as np

import unspoken
from studies.by_hand import same
from studies.p002.section_iv import dpm_scale
from studies.row import Outcome, Row, Verdict, compared
from unspoken import Chain, Laplace
from unspoken.core.numerics.binomial import upper_end
from unspoken.noise.calibration import accuracy, calibrate
from unspoken.noise.models.friends import Neighbour, grid, kernel
from unspoken.noise.models.friendships import Friendships
from unspoken.noise.published.dependent_friends import dpm_friends

SEED, KEEPS, PAIRS, TIMES = 27, 0.7, 500, 2000


def leaks(chain: Chain, scale: float) -> float:
    return max(bound.value for bound in unspoken.leakages(chain, Laplace(scale)).values())


def model(small: bool) -> Outcome:
    chain = Chain([0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], length=100)
    scales = {
        method: calibrate(chain, limit=1.0, knows="nothing", method=method).scale
        for method in ("exact", "dpm", "group")
    }
    shown = ", ".join(f"{method} {scale:.2f}" for method, scale in scales.items())
    told = {method: leaks(chain, scale) for method, scale in scales.items()}
    return compared(
        max(told.values()) <= 1 + 1e-9 and abs(told["exact"] - 1) < 1e-6,
        f"100 bits that keep with 95 %, 1 nat: {shown}; they leak "
        + ", ".join(f"{nats:.4f}" for nats in told.values()),
        "the whole law is known; the exact scale is the least that keeps the limit",
    )


def friends(small: bool) -> Outcome:
    printed = 0.0019 * kernel(grid(20), grid(20)).sum(1)
    two = Neighbour.by_distance([0, 1])
    line = Friendships.of(np.arange(11), np.arange(1, 12))
    scale = dpm_friends(line, two, limit=1.0, reach=1.0).value
    found = leaks(Chain([0.5, 0.5], two.law.tolist(), length=12), scale)
    return compared(
        found <= 1,
        f"rows of the law sum to {printed.min():.3f} ... {printed.max():.3f}; divided by that, 12 "
        f"friends in a line, two places: scale {scale:.3f} leaks {found:.3f} of 1",
        "it says nothing of friends' friends",
    )


def underestimated(small: bool) -> Outcome:
    chain = Chain([0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], length=12)
    whole = calibrate(chain, limit=1.0, knows="nothing", method="dpm").scale
    found = {kappa: leaks(chain, 1 + kappa * (whole - 1)) for kappa in (1.0, 0.9, 0.8)}
    shown = ", ".join(f"{kappa:g} rho {nats:.3f}" for kappa, nats in found.items())
    return compared(
        all(found[1.0] <= nats <= found[1.0] / kappa for kappa, nats in found.items()),
        f"12 bits that keep with 70 %, promise 1: {shown}; at most 1 / kappa times the first",
        "so at most eps / kappa where DPM is sound; rho is that of the whole scale",
    )


def figure_8a(small: bool) -> Outcome:
    scale = dpm_scale(1.0)
    near, here, theirs = (1 - accuracy(s, 1000.0) for s in (scale, 1594.0, 6969.0))
    vector = 1 - accuracy(scale, 1000.0, dimension=96)
    return Outcome(
        f"DPM's scale {scale:.1f}: {near:.3f}; times 1,594 users {here:.3f}, times 6,969 "
        f"{theirs:.3f}; DPM, 96 numbers together {vector:.3f}",
        Verdict.CANNOT,
        "a subset of its users. For one number DPM is nearly 1, for the 96 released not",
    )


def over_time(small: bool) -> Outcome:
    chain = Chain(None, [[0.8, 0.2], [0.2, 0.8]], 30)
    found = unspoken.temporal(chain, 0.1).worst.value
    by_hand = max(0.1 + passed_on(day) + passed_on(29 - day) for day in range(30))
    return compared(
        abs(found - by_hand) < 1e-9,
        f"30 days at eps = 0.1, a bit that keeps with 80 %: the worst day {found:.4f}; step by "
        f"step by hand: {same(abs(found - by_hand))}",
        "future work there",
    )


def passed_on(days: int) -> float:
    """What so many other days in a row tell of the day beside them."""
    told = 0.0
    for _ in range(days):
        factor = math.exp(0.1 + told)
        told = math.log((0.8 * factor + 0.2) / (0.2 * factor + 0.8))
    return told


def smooth(small: bool) -> Outcome:
    return Outcome(
        "nothing computed", Verdict.CANNOT, "future work there, without a formula; not here either"
    )


def from_data(small: bool) -> Outcome:
    """Pairs of bits seen; noise by the share that kept, and by the upper end of its interval."""
    rng, own = np.random.default_rng(SEED), keeping(KEEPS)
    kept = rng.binomial(PAIRS, KEEPS, size=TIMES)
    counts, often = np.unique(kept, return_counts=True)
    above = dict.fromkeys(("share", "end"), 0)
    worst = dict.fromkeys(above, 0.0)
    ends = upper_end(counts, PAIRS, 0.025)
    for share, end, times in zip(counts / PAIRS, ends, often.tolist(), strict=True):
        for name, keeps in (("share", share), ("end", end)):
            scale = calibrate(keeping(float(keeps)), limit=1.0, knows="nothing").scale
            found = leaks(own, scale)
            above[name] += times * (found > 1 + 1e-9)
            worst[name] = max(worst[name], found)
    return compared(
        above["end"] <= 0.05 * TIMES < above["share"],
        f"12 bits that keep with {KEEPS:.0%}, {PAIRS} pairs seen, {TIMES:,} times: noise by the "
        f"share that kept breaks the limit {above['share']:,} times, and leaks "
        f"{worst['share']:.3f} of 1 at most; by the upper end of its 95 % interval "
        f"{above['end']:,} times, {worst['end']:.3f} at most",
        "future work there: an estimate is too low half of the time, so calibrate by the end of an "
        "interval. The pairs are public; a coefficient from private data is itself a release",
    )


def keeping(share: float) -> Chain:
    return Chain([0.5, 0.5], [[share, 1 - share], [1 - share, share]], length=12)


ROWS = (
    Row("002", "VI-D1, graphical model", "a known law gives the coefficients", "`calibrate`",
        model),
    Row("002", "VI-D2, eq. 26", "DPM over friends, whose places have the law a (distance + b)^-c",
        "`dpm_friends`", friends),
    Row("002", "VI-D3, underestimated rho", "privacy degrades little", "`leakages`, DPM with "
        "kappa rho", underestimated),
    Row("002", "Fig. 8 (a)", "alpha = 1000, eps = 1: within alpha with probability nearly 1 by "
        "DPM, about 0 by the others", "`accuracy`", figure_8a, needs="gowalla_capri"),
    Row("002", "IX, time", "temporal correlation", "`temporal`", over_time),
    Row("002", "IX, local sensitivity", "smooth sensitivity could be combined", "", smooth),
    Row("002", "IX, rho from data", "how to compute rho accurately, and to deal with "
        "underestimates", "`calibrate` of estimated chains, `leakages`", from_data),
)  # fmt: skip
