"""Measures: convex functions of the posterior, taken as the largest or the mean over the cloud."""

from unsaid.measures.capacity import capacity
from unsaid.measures.delta import DELTA
from unsaid.measures.exclusion import EXCLUSION
from unsaid.measures.guesses import BAYES_LEAKAGE, GUESSING, MAXIMAL_LEAKAGE
from unsaid.measures.max_information import MAX_INFORMATION, MAX_INFORMATION_TWO_SIDED
from unsaid.measures.max_log_ratio import MAX_LOG_RATIO
from unsaid.measures.measure import Measure
from unsaid.measures.odds import ODDS
from unsaid.measures.relative_entropy import MUTUAL_INFORMATION, RELATIVE_ENTROPY

__all__ = ["MEASURES", "Measure", "capacity"]

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        BAYES_LEAKAGE,
        DELTA,
        EXCLUSION,
        GUESSING,
        MAX_INFORMATION,
        MAX_INFORMATION_TWO_SIDED,
        MAX_LOG_RATIO,
        MAXIMAL_LEAKAGE,
        MUTUAL_INFORMATION,
        ODDS,
        RELATIVE_ENTROPY,
    )
}
