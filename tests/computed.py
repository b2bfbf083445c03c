"""What is computed of a leakage, before its rounding is counted: compared digit by digit."""

from __future__ import annotations

from typing import Any

import unspoken
from unspoken.core.measures import MEASURES
from unspoken.core.questions import SECRET_ODDS
from unspoken.core.types.bound import Bound


def computed(
    belief: Any, mechanism: Any, adversary: Any, measure: Any = "max-log-ratio", **options: float
) -> unspoken.Bound:
    """Which lies in the bound that is answered."""
    cloud: Any = unspoken.view(belief, mechanism, adversary)
    inner = MEASURES[measure].of(cloud, **options)
    answered = unspoken.leakage(belief, mechanism, adversary, measure, **options)
    assert answered.low <= inner.low <= inner.high <= answered.high
    assert answered.exact == inner.exact
    return inner


def computed_log_odds(belief: Any, mechanism: Any, adversary: Any, seen: Any) -> float:
    """The same of the odds after one event, as a logarithm."""
    inner = mechanism.view(belief, adversary, seen).sup(SECRET_ODDS)
    answered = unspoken.odds(belief, mechanism, adversary, seen)
    assert answered.low <= Bound.of_odds(inner.low, inner.high, inner.premise, "").low
    assert inner.low == inner.high <= answered.nats
    return float(inner.high)
