"""What the page says of other limits: the curves of bits and of odds caps, with their points."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from unspoken.assessment.findings import Findings
from unspoken.assessment.trade_off import ByCap, TradeOff
from unspoken.storage import prose

__all__ = ["NOT_DRAWN", "curves"]

NOT_DRAWN = (
    "The curve was not computed for this page: a plan of so many combinations of values takes "
    "seconds to minutes, and a curve has a dozen. To see another limit, write it into the project "
    "file and run unspoken plan, which changes nothing that is adopted."
)


def curves(findings: Findings) -> list[dict[str, Any]]:
    """Each with what it is of, the name of its picture and its points."""
    cap = prose.factor(findings.project.limits.odds_cap)
    of_bits = findings.project.limits.bits < math.inf
    said = (
        f"Each point is the best plan for one limit on the average, with the same cap of {cap} on "
        "the odds. Where the curve is flat, the cap decides and a higher limit buys nothing."
        if of_bits
        else "Each point is the best plan for one cap on the odds."
    )
    bits = f"Each point is the best plan for one cap on the odds, {_average(findings)} staying."
    drawn = [
        (findings.curve, "trade-off", said, prose.bits if of_bits else prose.factor),
        (findings.curve_of_caps, "trade-off-caps", bits, prose.factor),
    ]
    return [
        {"says": f"{says}{_falls(curve)}", "picture": picture, "points": _points(curve, unit)}
        for curve, picture, says, unit in drawn
        if curve
    ]


def _falls(curve: TradeOff | ByCap) -> str:
    """Why a larger limit may let out less: a plan that gains little is not taken."""
    if all(after.released >= before.released for before, after in pairwise(curve)):
        return ""
    return (
        " Where a larger one lets out less, no plan gained enough over the floor to be worth its "
        "premise, and the floor, which needs no belief, is taken."
    )


def _average(findings: Findings) -> str:
    return f"the limit of {prose.limit(findings.project.limits.bits)} on the average"


def _points(curve: TradeOff | ByCap, unit: Callable[[float], str]) -> list[dict[str, Any]]:
    return [
        {
            "limit": unit(point.limit),
            "released": prose.percent(point.released),
            "chosen": point.chosen,
        }
        for point in curve
    ]
