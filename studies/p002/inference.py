"""Rows of paper 002, IV.C, IV.D, Fig. 7 and 10: the attack, and what its success is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from studies.by_hand import entropy, same
from studies.charts import Point, curves
from studies.p002.attack import WEIGHTS
from studies.p002.attack_by_hand import posterior_by_hand
from studies.p002.gowalla import DATA
from studies.p002.intervals import Mean
from studies.p002.section_iv import (
    AFTER_DE,
    AFTER_INDE,
    DE,
    EPSILONS,
    INDE,
    attack,
    dpm_scale,
    parts,
    victims,
)
from studies.row import Outcome, Row, Verdict, compared
from unspoken.core.pictures import Chart

__all__ = ["ROWS"]

FEW_DRAWS = 4  # where many settings are compared
BY_HAND = 3  # users whose posterior is counted again
BEYOND = (1e4, 1e5, 1e6)  # 1 / scale, far above any epsilon of the paper's
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
PRIOR = 'it is the prior: as much is "leaked" before anything is released'
KINDS: dict[str, Callable[[float], float]] = {"LPM": lambda epsilon: 1 / epsilon, "DPM": dpm_scale}


def posterior(small: bool) -> Outcome:
    shown = []
    for epsilon in (1.0, 1000.0):
        error = parts(1 / epsilon, small).told.error
        moved = float((error[..., AFTER_DE] != error[..., DE]).mean())
        shown.append(f"{100 * moved:.2f} % at eps = {epsilon:g}")
    off = max(_off_by_hand(i) for i in victims(True)[:BY_HAND])
    return compared(
        off < 1e-9,
        f"the likeliest cell is another after the release for {', '.join(shown)}; of {BY_HAND} "
        f"users, centroids counted again for each cell: {same(off)}",
        "computed as printed; eps there is 1 / scale, which takes a sensitivity of 1",
    )


def _off_by_hand(i: int) -> float:
    """The entropy after a release of little noise, against that of `posterior_by_hand`."""
    on, scale = attack(), 1e-5
    released = on.release(scale, 1, np.random.default_rng(i))
    held = np.array([*posterior_by_hand(on, i, released[0], scale).values()])
    found = float(on.told([i], released, scale).entropy[0, 0, AFTER_DE])
    return abs(found - entropy(held) / np.log(2))


def priors(small: bool) -> Outcome:
    told = parts(1.0, small).told
    truth = told.truth[:, 0]
    truth = truth[~np.isnan(truth).any(1)]
    raised = float((truth[:, DE] > truth[:, INDE]).mean())
    gain = {name: parts(1.0, small, weight=w, draws=1).true_prior for name, w in WEIGHTS.items()}
    return compared(
        raised > 0.5,
        f"the user's own cell is held likelier for {100 * raised:.0f} % of users; log2 of what is "
        f"held of it grows by {_each(gain)}",
        "eq. 9 leaves weight() open, so it is not one attack but many",
    )


def entropy_before(small: bool) -> Outcome:
    before = float(parts(1.0, small).told.entropy[..., INDE].mean())
    return Outcome(
        f"H(P_inde) = {before:.2f} bit",
        Verdict.CANNOT,
        "on 1,594 users, not 6,969: fewer cells are occupied",
    )


def error_with_friends(small: bool) -> Outcome:
    found = parts(1.0, small)
    gain = found._mean(lambda t: t.error[..., AFTER_INDE] - t.error[..., AFTER_DE])
    return compared(
        gain.low > 0,
        f"{found.error(AFTER_INDE):.0f} km without friends, {found.error(AFTER_DE):.0f} km with; "
        f"before any release {found.error(INDE):.0f} and {found.error(DE):.0f}",
        "mostly whether the city is right",
        {"p002-fig5a": _errors(small)},
    )


def error_with_epsilon(small: bool) -> Outcome:
    least = parts(1 / EPSILONS[0], small).error(AFTER_DE).value
    change = {
        epsilon: parts(1 / epsilon, small).error(AFTER_DE).value - least
        for epsilon in (EPSILONS[-1], *BEYOND)
    }
    return compared(
        change[EPSILONS[-1]] < -1,
        f"from eps = {EPSILONS[0]:g} to {_numbers(EPSILONS[-1:])} the error changes by "
        f"{change[EPSILONS[-1]]:+.3f} km; to {_numbers(BEYOND)}: "
        + ", ".join(f"{change[epsilon]:+.0f} km" for epsilon in BEYOND),
        "the release hardly changes which cell is likeliest (row eq. 6, 7)",
    )


def leaked_with_friends(small: bool) -> Outcome:
    found = parts(1.0, small)
    gain = found.leaked.low - found.independent.high
    return compared(
        gain > 0,
        f"at eps = 1 {found.leaked} bit with friends, {found.independent} without; of it prior "
        f"{found.prior}, release {found.release:.5f}; the true cell gains {found.true_prior} bit "
        f"by friends and {found.true_release:.5f} by the release; misfit {found.misfit}",
        f"more, but {PRIOR}; and most of that is belief that truth does not bear out (misfit)",
        {"p002-fig5b": _leaks(small)},
    )


def leaked_with_epsilon(small: bool) -> Outcome:
    """Beyond the paper's range, too: at some noise the release does tell."""
    each = {epsilon: parts(1 / epsilon, small) for epsilon in (*EPSILONS, *BEYOND)}
    lines = {
        what: ", ".join(f"{each[e].leaked} ({each[e].release:.5f})" for e in epsilons)
        for what, epsilons in (("range", EPSILONS), ("beyond", BEYOND))
    }
    return compared(
        each[10.0].release.value > 0.01,
        f"leaked (of it by the release) at eps = {_numbers(EPSILONS)}: {lines['range']}; at eps = "
        f"{_numbers(BEYOND)}: {lines['beyond']}",
        "eps is 1 / scale. Up to 1,000 it is one number, the prior's, which nothing released has, "
        "too; only a noise far below what one user moves the centroids by lets the release tell",
    )


def _numbers(epsilons: Sequence[float]) -> str:
    return ", ".join(f"{epsilon:,.10g}" for epsilon in epsilons)


def by_weight(small: bool) -> Outcome:
    each = {name: parts(1.0, small, weight=w, draws=1) for name, w in WEIGHTS.items()}
    values = [found.leaked.value for found in each.values()]
    return Outcome(
        f"at eps = 1: {_each({name: found.leaked for name, found in each.items()})}; of it "
        f"release {_each({name: found.release for name, found in each.items()}, '.5f')}",
        Verdict.CANNOT if max(values) - min(values) > 0.1 else Verdict.AGREES,
        "weight() of eq. 9 is not given, and each choice has its own number",
    )


def violation(small: bool) -> Outcome:
    found, bound = parts(10.0, small), 0.1 / np.log(2)
    return compared(
        found.release.low > bound,
        f'at eps = 0.1 (bound {bound:.2f} bit) {found.leaked} bit are "leaked"; with nothing '
        f"released {found.prior}; by the release {found.release:.5f}",
        "differential privacy bounds what the release adds, and that keeps the bound",
    )


def half_known(small: bool) -> Outcome:
    half, every = parts(1.0, small, share=0.5, draws=FEW_DRAWS), parts(1.0, small)
    return compared(
        half.leaked.low > every.independent.high,
        f"half of the users known, with friends: {half.leaked} bit (release {half.release:.5f}); "
        f"all known, without friends: {every.independent}",
        PRIOR,
    )


def underestimated(small: bool) -> Outcome:
    rows = {}
    for kappa in (1.0, 0.9, 0.8):
        scale = dpm_scale(1.0, kappa)
        rows[f"{kappa:g} rho (scale {scale:.1f})"] = parts(scale, small, draws=FEW_DRAWS)
    most = max(abs(found.release.value) for found in rows.values())
    return compared(
        most < 0.01,
        f"at eps = 1: {_each({name: found.leaked for name, found in rows.items()})}; of it "
        f"release at most {most:.5f}",
        "well bounded, but this attack cannot tell: it has the same number with no noise worth "
        "speaking of. What is kept is eps / 0.8 where DPM is sound (row VI-D3)",
    )


def resisted(small: bool) -> Outcome:
    lpm, dpm = parts(1.0, small), parts(dpm_scale(1.0), small)
    return compared(
        dpm.leaked.high < lpm.leaked.low,
        f"at eps = 1, with friends: LPM {lpm.leaked} bit, DPM {dpm.leaked}; without friends "
        f"{lpm.independent}",
        "DPM's noise takes away nothing, as there was nothing of the release to take: "
        f'{PRIOR}. Of any data, by eq. 11: row "Fig. 10 (a), eq. 11 alone"',
        {"p002-fig10a": _resistance(small)},
    )


def by_knowledge(small: bool) -> Outcome:
    scale = dpm_scale(1.0)
    each = {share: parts(scale, small, share=share, draws=FEW_DRAWS) for share in SHARES}
    leaks = {f"{100 * share:.0f} %": found.leaked for share, found in each.items()}
    release = max(abs(found.release.value) for found in each.values())
    lines = {
        "leaked, eq. 11": [_point(share, found.leaked) for share, found in each.items()],
        "true cell gains": [
            _point(s, _plus(f.true_prior, f.true_release)) for s, f in each.items()
        ],
        "of it by the release": [_point(share, found.release) for share, found in each.items()],
    }
    return compared(
        each[1.0].leaked.low > each[0.1].leaked.value and release < 0.01,
        f"with DPM at eps = 1, knowing {_each(leaks)} bit; of it release at most {release:.5f}",
        "more friends are known, and so the prior narrows; the release has no part in it",
        {
            "p002-fig10b": curves(
                lines, "What prior knowledge leaks, with DPM", ("share of users known", "bit")
            )
        },
    )


def _each(found: dict[str, Mean], digits: str = ".2f") -> str:
    return ", ".join(f"{name}: {mean:{digits}}" for name, mean in found.items())


def _point(x: float, mean: Mean) -> Point:
    return Point(x, *mean)


def _plus(a: Mean, b: Mean) -> Mean:
    return Mean(a.value + b.value, a.low + b.low, a.high + b.high)


def _leaks(small: bool) -> Chart:
    each = {epsilon: parts(1 / epsilon, small) for epsilon in EPSILONS}
    lines = {
        "with friends, eq. 11": [_point(e, found.leaked) for e, found in each.items()],
        "before the release": [_point(e, found.prior) for e, found in each.items()],
        "without friends": [_point(e, found.independent) for e, found in each.items()],
        "true cell gains": [_point(e, found.true_prior) for e, found in each.items()],
    }
    title = 'What is "leaked", and what of it by the release'
    return curves(lines, title, ("eps", "bit"), log=(True, False))


def _errors(small: bool) -> Chart:
    each = {epsilon: parts(1 / epsilon, small) for epsilon in EPSILONS}
    lines = {
        name: [_point(e, found.error(which)) for e, found in each.items()]
        for name, which in (("without friends", AFTER_INDE), ("with friends", AFTER_DE))
    }
    return curves(lines, "How far the likeliest cell is off", ("eps", "km"), log=(True, False))


def _resistance(small: bool) -> Chart:
    lines = {
        f"{kind}, with friends": [_point(e, parts(scale(e), small).leaked) for e in EPSILONS]
        for kind, scale in KINDS.items()
    }
    lines["LPM, without friends"] = [_point(e, parts(1 / e, small).independent) for e in EPSILONS]
    return curves(lines, "The attack on LPM and on DPM", ("eps", "bit"), log=(True, False))


ROW = partial(Row, "002", needs=DATA, sized=True)
DECOMPOSED = "entropies of eq. 6 before and after the release, and log2 of the true cell's"
ROWS = (
    ROW(
        "eq. 6, 7",
        "the adversary combines centroids and prior into a posterior, and takes its mode",
        "Laplace likelihood of the centroids with a cell's mean vector in place of the user's",
        posterior,
    ),
    ROW(
        "eq. 8, 9, Fig. 4",
        "cells near friends get more weight, and are likelier true",
        "P_inde and P_de of the true cell, for three readings of weight()",
        priors,
    ),
    ROW(
        "IV.D, 8.38 bit",
        "H(D_i) = 8.38 bit",
        "entropy of eq. 8, 20 x 20 cells a city",
        entropy_before,
    ),
    ROW(
        "Fig. 5 (a), friends",
        "who knows friends makes smaller errors",
        "eq. 10 with and without friends, and before the release",
        error_with_friends,
    ),
    ROW(
        "Fig. 5 (a), eps",
        "larger eps, smaller errors",
        "eq. 10 at eps 0.1 to 1000",
        error_with_epsilon,
    ),
    ROW(
        "Fig. 5 (b), friends",
        "more is leaked to who knows friends",
        DECOMPOSED,
        leaked_with_friends,
    ),
    ROW("Fig. 5 (b), eps", "larger eps, more leaked", DECOMPOSED, leaked_with_epsilon),
    ROW(
        "Fig. 5 (b), amounts",
        "how much is leaked, in bits (the figure is not in the text)",
        "eq. 11 for three readings of weight()",
        by_weight,
    ),
    ROW(
        "IV.D, violating DP",
        "the leaked information exceeds the bound of Theorem 2, so DP is violated",
        DECOMPOSED,
        violation,
    ),
    ROW(
        "IV.D, N_prior = 3500",
        "who knows half of the users and friends learns more than a DP-adversary who knows all",
        "the same with half of the users known",
        half_known,
    ),
    ROW(
        "Fig. 7",
        "with 0.9 rho and 0.8 rho the leaked information is still well bounded",
        "the same attack on DPM's noise, rho underestimated",
        underestimated,
    ),
    ROW(
        "Fig. 10 (a)",
        "DPM leaks much less than LPM, as little as without friends",
        "the same attack on LPM's noise and on DPM's",
        resisted,
    ),
    ROW(
        "Fig. 10 (b)",
        "more prior information, more leaked; DPM resists",
        "the same with 10 to 100 % of the users known",
        by_knowledge,
    ),
)
