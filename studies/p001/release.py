"""Sections III and IV of paper 001: withholding, Definitions 1 and 2, a building's attributes."""

from __future__ import annotations

import itertools
import math

import numpy as np

import unspoken
from studies.by_hand import apart, laws, same
from studies.p001.law import DAYS, belief, days, listed, odds
from studies.row import Outcome, Row, Verdict, compared
from unspoken import RELEASED, WITHHELD, Adversary, OneSided
from unspoken.tables.simulation import building

SEED = 2019
POLICY = "our policy: the paper does not say what is sensitive"


def policy(small: bool) -> Outcome:
    """What is sensitive is never released, whatever epsilon."""
    belief = unspoken.Joint([[2, 3, 5]], names=["who", "hour"], values=[["a"], [7, 9, 12]])
    shown = OneSided({"hour": math.inf}, {"hour": [12]})
    seen = unspoken.view(belief, shown, Adversary("hour")).outcomes()
    words = sorted(str(point.outcome["hour"]) for point in seen)
    return compared(words == ["7", "9", "withheld"], f"hour 12 sensitive: seen {', '.join(words)}")


def withholding(small: bool) -> Outcome:
    open_handed = OneSided({"i": math.inf})
    found = unspoken.odds(days(), open_handed, Adversary("i"), {"i": WITHHELD}).value
    other = unspoken.odds(days(), open_handed, Adversary("j"), {"i": WITHHELD}).value
    return compared(
        found == math.inf and apart(other, 9.0) < 1e-9,
        f"no coins: a blank multiplies the odds of the cell by {found:g}, of the other attribute "
        f"by {other:.4f}",
    )


def definition_1(small: bool) -> Outcome:
    epsilons = (0.1, 0.7, 2.0)
    found = [
        unspoken.leakage(days(), OneSided({"i": e}), Adversary("i"), "exclusion").value
        for e in epsilons
    ]
    worst = max(apart(own, e) for own, e in zip(found, epsilons, strict=True))
    about_j = OneSided({"i": 0.1})
    law = belief(np.array([[0.01, 0.30], [0.24, 0.45]]))
    other = unspoken.leakage(law, about_j, Adversary("j"), "exclusion").value
    return compared(
        worst < 1e-9,
        f"the measure is eps at eps = 0.1, 0.7, 2: {same(worst)}; of a dependent attribute at "
        f"eps = 0.1 it can be {other:.4f}",
        "for the record itself; under dependence it fails, which is the paper's point",
    )


def definition_2(small: bool) -> Outcome:
    """Library's views against every case listed."""
    worst = 0.0
    for law in laws(20, (2, 2), SEED):
        cases = listed(law, 0.8)
        view = unspoken.view(belief(law), OneSided({"i": 0.8}), Adversary("i", sees=["i"]))
        mass = {point.outcome["i"] is WITHHELD: point.mass for point in view.outcomes()}
        for hidden, own in mass.items():
            worst = max(worst, apart(own, float(cases[:, :, 0 if hidden else 1].sum())))
    never = unspoken.odds(days(), OneSided({"i": 0.8}), Adversary("i"), {"i": RELEASED}).value
    share = OneSided({"i": 0.8}).release_probability("i")
    return compared(
        worst < 1e-9 and never == 0,
        f"1 - e^-0.8 = {share:.6f}; probabilities of blank and release: {same(worst)}; a released "
        f"cell is sensitive with odds x {never:g}",
    )


def simulated(offices: int, count: int) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    table = building(np.random.default_rng(SEED), offices, count)
    names = ("first_arrival", "last_leave", "exits", "mean_occupancy")
    return {name: table[name].to_numpy(zero_copy_only=False).astype(float) for name in names}


def figure_1(small: bool) -> Outcome:
    found = simulated(20, 100)
    means = {name: float(np.nanmean(values)) for name, values in found.items()}
    shown = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    return Outcome(
        f"simulated offices, means: {shown}",
        Verdict.CANNOT,
        "the figure's sensor data is not in the paper; a simulated building in its place",
    )


def lighting(small: bool) -> Outcome:
    """The average of what is released, where late is sensitive; and where others are."""
    arrival = simulated(20, 100)["first_arrival"]
    arrival = arrival[~np.isnan(arrival)]
    rng, late = np.random.default_rng(SEED), arrival >= 10
    policies = {
        "late": late,
        "early": arrival < np.quantile(arrival, late.mean()),
        "any": rng.permutation(late),
    }
    tossed = rng.random(len(arrival)) < 1 - math.exp(-1)
    means = {name: float(arrival[~hidden & tossed].mean()) for name, hidden in policies.items()}
    true = float(arrival.mean())
    return compared(
        abs(means["late"] - true) < 0.1,
        f"simulated arrivals, 10 h and later sensitive ({late.mean():.0%}), eps = 1: mean of the "
        f"released {means['late']:.2f} h, of all {true:.2f} h; if as many early ones are "
        f"sensitive {means['early']:.2f} h, if as many whatever the hour {means['any']:.2f} h",
        f"{POLICY}, nor how an average is made. What is sensitive is never shown, so the mean of "
        "what is shown is off where being sensitive goes with the hour, and else is not",
    )


def per_attribute(small: bool) -> Outcome:
    each = OneSided({"i": 1.0, "j": 0.5})
    worst = 0.0
    for law in laws(20, (2, 2), SEED):
        cases = listed(law, 1.0, 0.5)
        view = unspoken.view(belief(law), each, Adversary("i", sees=["i", "j"]))
        for point in view.outcomes():
            i, j = (0 if point.outcome[name] is WITHHELD else 1 for name in "ij")
            worst = max(worst, apart(point.mass, float(cases[:, :, i, j].sum())))
    return compared(worst < 1e-9, f"every joint answer's probability: {same(worst)}")


def engine(small: bool) -> Outcome:
    """Each application sees its own attribute; what it learns of the other one's."""
    both, cases = OneSided({"i": 1.0, "j": 0.5}), listed(DAYS, 1.0, 0.5)
    found, worst = dict[tuple[str, str], float](), 0.0
    for app, about in itertools.product("ij", repeat=2):
        told = unspoken.leakage(days(), both, Adversary(about, sees=[app]), "odds").value
        answers = [(m, slice(None)) if app == "i" else (slice(None), m) for m in (0, 1)]
        counted = max(odds(cases, DAYS, "ij".index(about), seen) for seen in answers)
        found[app, about], worst = told, max(worst, apart(told, counted))
    shown = ", ".join(f"{app} of {about} x {value:.4f}" for (app, about), value in found.items())
    return compared(
        found["i", "j"] > 1 and found["j", "i"] > 1 and worst < 1e-9,
        f"applications that see i and j learn: {shown}; all cases listed: {same(worst)}",
        "the dependency of Fig. 2 is an arrow of its own; requests, answers and accounts are run "
        "by `unspoken serve`, not here",
    )


def collusion(small: bool) -> Outcome:
    """Every pooled answer about either attribute, library against listing."""
    both, worst, count = OneSided({"i": 1.0, "j": 0.5}), 0.0, 0
    for law in laws(10, (2, 2), SEED):
        cases, own = listed(law, 1.0, 0.5), belief(law)
        for about, i, j in itertools.product((0, 1), repeat=3):
            if (i, j)[about] == 1:
                continue  # the cell itself is shown: odds 0
            seen = {"i": RELEASED if i else WITHHELD, "j": RELEASED if j else WITHHELD}
            found = unspoken.odds(own, both, Adversary("ij"[about]), seen).value
            worst, count = max(worst, apart(found, odds(cases, law, about, (i, j)))), count + 1
    return compared(worst < 1e-9, f"{count} pooled answers: {same(worst)}")


def bits(small: bool) -> Outcome:
    """M and X are bits; an application sees values."""
    law = unspoken.Joint(
        [[12, 1], [8, 34], [5, 40]],
        names=["leaving", "occupancy"],
        values=[["before noon", "afternoon", "evening"], ["low", "normal"]],
    )
    hidden = {"leaving": list[str](), "occupancy": ["low"]}
    found = {
        shows: unspoken.leakage(
            law, OneSided({"leaving": 0.7}, hidden, shows=shows), Adversary("occupancy"), "odds"
        ).value
        for shows in ("bit", "value")
    }
    return compared(
        found["bit"] == 1,
        f"no hour of leaving sensitive: the bit M says x {found['bit']:.4f} of low occupancy, the "
        f"value shown x {found['value']:.4f}",
        "the notation holds; it counts which cells are released, not what they show",
    )


ROWS = (
    Row("001", "III.A, policy P(r)", "a record is sensitive or not", "`view` of one attribute",
        policy),
    Row("001", "III.A, exclusion attack", "withholding without coins gives a record away",
        "`odds` at eps = inf", withholding),
    Row("001", "Definition 1", "eps-freedom from exclusion attacks, kept by OSDPRR",
        'measure "exclusion"', definition_1),
    Row("001", "Definition 2", "release with probability 1 - e^-eps, never if sensitive",
        "`view` and all cases listed, 20 drawn laws", definition_2),
    Row("001", "Fig. 1", "occupancy of an office shows start, leaving, exits, mean occupancy",
        "`unspoken.tables.simulation`", figure_1),
    Row("001", "IV, lighting", "OSDPRR is a potential solution that lets lighting use average "
        "starting times",
        "coins in NumPy on simulated arrivals", lighting),
    Row("001", "IV, per attribute", "OSDPRR can be implemented for each attribute",
        "`view` and all cases listed, 20 drawn laws", per_attribute),
    Row("001", "Fig. 2, applications", "an application learns of others' attributes by dependency",
        "`leakage` with `Adversary(sees=)`", engine),
    Row("001", "Fig. 2, collusion", "colluding applications pool their responses",
        "`odds` and all cases listed, 10 drawn laws", collusion),
    Row("001", "V, M_i and X_i", "two outcomes: released or not; X_i: sensitive or not",
        '`leakage` with shows = "bit" and "value"', bits),
)  # fmt: skip
