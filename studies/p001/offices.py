"""Paper 001's building, by motion sensors of real rooms: what its two applications get.

Sensitive: a first arrival at 10 h or later, a mean occupancy below 0.2. The law is the table's own.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

import unspoken
from studies.by_hand import apart, same
from studies.p001.law import belief, listed, odds
from studies.p001.release import POLICY
from studies.p001.rooms import DATA, RoomDays, rooms
from studies.row import Outcome, Row, compared
from unspoken import RELEASED, WITHHELD, Adversary, OneSided
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.noise.models.sensitivities import mean

__all__ = ["ROWS", "law"]

SEED, EPSILON, OFTEN = 11, 1.0, 400
LATE, LOW, DEFAULT = 10.0, 0.2, 8.0
DAYS = 5  # of a room


def law(found: RoomDays) -> Array:
    """Rows: late or on time; columns: low occupancy or normal."""
    late, low = found.first_arrival >= LATE, found.mean_occupancy < LOW
    table = np.zeros((2, 2))
    np.add.at(table, (np.where(late, 0, 1), np.where(low, 0, 1)), 1.0)
    return table / table.sum()


def _released(values: Array, hidden: Mask) -> Array:
    """The mean of what is shown, each time that coins are tossed anew."""
    tossed = np.random.default_rng(SEED).random((OFTEN, len(values)))
    shown = ~hidden & (tossed < 1 - math.exp(-EPSILON))
    return np.asarray((shown * values).sum(1) / shown.sum(1))


def _biased(values: Array, hidden: Mask, unit: str) -> tuple[bool, str]:
    """Whether the mean of all is among those of the released; and how it is of as many others."""
    others = np.random.default_rng(SEED + 1).permuted(np.tile(hidden, (OFTEN, 1)), axis=1)
    means, true = _released(values, hidden), float(values.mean())
    low, high = np.quantile(means, (0.025, 0.975))
    told = f"mean of the released {means.mean():.2f}{unit} ({low:.2f} to {high:.2f}), of all "
    whatever = f"{_released(values, others).mean():.2f}{unit} if as many are sensitive at random"
    return bool(low <= true <= high), f"{told}{true:.2f}{unit}, {whatever}"


def figure_1(small: bool) -> Outcome:
    found = rooms()
    means = {name: each.mean() for name, each in vars(found).items()}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in means.items())
    correlation = float(np.corrcoef(found.first_arrival, found.mean_occupancy)[0, 1])
    return compared(
        correlation < -0.2,
        f"{len(found.exits)} working days of rooms, means: {shown}; who comes late is there less: "
        f"correlation {correlation:.2f}",
        "other rooms than the paper's; one function takes all four from the minutes of a day",
    )


def lighting(small: bool) -> Outcome:
    found = rooms()
    late = found.first_arrival >= LATE
    holds, said = _biased(found.first_arrival, late, " h")
    dark = np.maximum(found.first_arrival - DEFAULT, 0.0)
    return compared(
        holds,
        f"10 h and later sensitive ({late.mean():.0%}), eps = 1: {said}; lights that go on at 8 h "
        f"burn {dark.mean():.2f} h a day for nobody, of the released days {_dark(dark, late):.2f}",
        f"{POLICY}. Where late is, it is never shown: what could be saved is seen least",
    )


def _dark(dark: Array, late: Mask) -> float:
    return float(_released(dark, late).mean())


def space(small: bool) -> Outcome:
    found = rooms()
    low = found.mean_occupancy < LOW
    holds, said = _biased(found.mean_occupancy, low, "")
    return compared(
        holds,
        f"below 0.2 sensitive ({low.mean():.0%}), eps = 1: {said}",
        f"{POLICY}. Where hardly used rooms are, they are not shown, and space planning looks for "
        "them",
    )


def estimated(small: bool) -> Outcome:
    """Laplace noise on the mean of declared hours, 6 to 22."""
    count = len(rooms().exits)
    asked, true = mean(6, 22, count), float(rooms().first_arrival.mean())
    alone, together = (asked.scale(EPSILON, together=k) for k in (1, DAYS))
    off = abs(float(_released(rooms().first_arrival, rooms().first_arrival >= LATE).mean()) - true)
    return compared(
        together < off,
        f"a mean start with noise, eps = 1: off by {alone:.2f} h on average if days are "
        f"independent, by {together:.2f} h if the {DAYS} of a room may depend in any way; the mean "
        f"of released cells by {off:.2f} h",
        "ours: an average is answered with noise (`unspoken query`), not made of released cells",
    )


def collusion(small: bool) -> Outcome:
    own, both, worst = law(rooms()), OneSided({"i": 1.0, "j": 1.0}), 0.0
    cases = listed(own, 1.0, 1.0)
    for i, j in itertools.product((0, 1), repeat=2):
        seen = {"i": RELEASED if i else WITHHELD, "j": RELEASED if j else WITHHELD}
        for about in (0, 1):
            if (i, j)[about] == 0:
                found = unspoken.odds(belief(own), both, Adversary("ij"[about]), seen).value
                worst = max(worst, apart(found, odds(cases, own, about, (i, j))))
    told = {
        sees: unspoken.leakage(
            belief(own), both, Adversary("j", sees=[*sees]), "mutual-information"
        ).bits
        for sees in ("i", "j", "ij")
    }
    return compared(
        worst < 1e-9 and max(told["i"], told["j"]) < told["ij"] < told["i"] + told["j"],
        f"of low occupancy, eps = 1: lighting learns {told['i']:.4f} bit, space planning "
        f"{told['j']:.4f}, both {told['ij']:.4f}; pooled answers: {same(worst)}",
        "pooled they learn more, and less than the sum",
    )


def trade(small: bool) -> Outcome:
    limits = (0.01, 0.05, 0.1, 0.2)
    plans = [
        unspoken.plan(belief(law(rooms())), limit_bits=T, account="bit", odds_cap=None)
        for T in limits
    ]
    gained = [plan.objective / 2 for plan in plans]
    return compared(
        all(a < b for a, b in itertools.pairwise(gained)),
        "of all cells are released at T = 0.01, 0.05, 0.1, 0.2 bit: "
        + ", ".join(f"{share:.1%}" for share in gained),
        "the best plan for that many bits of eq. 21",
    )


ROWS = (
    Row("001", "Fig. 1, real rooms", "occupancy shows start, leaving, exits, mean occupancy",
        "`attributes` of the minutes of a day", figure_1, needs=DATA),
    Row("001", "IV, lighting, real rooms", "a potential solution, as above; lights go on at a "
        "default hour", f"coins in NumPy, {OFTEN} times", lighting, needs=DATA),
    Row("001", "IV, space planning, real rooms", "a potential solution for average occupancy, too",
        f"coins in NumPy, {OFTEN} times", space, needs=DATA),
    Row("001", "IV, averages, real rooms", "applications need averages", "`sensitivities.mean`",
        estimated, needs=DATA),
    Row("001", "Fig. 2, collusion, real rooms", "colluding applications pool their responses",
        "`leakage`, `odds` and all cases listed", collusion, needs=DATA),
    Row("001", "V.C, trade-off, real rooms", "higher eps, more utility and more leakage",
        "`plan` for four T", trade, needs=DATA),
)  # fmt: skip
