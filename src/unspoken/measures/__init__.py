"""Measures: convex functions of the posterior, taken as the largest or the mean over the cloud."""

from unspoken.measures.capacity import capacity
from unspoken.measures.delta import DELTA
from unspoken.measures.exclusion import EXCLUSION
from unspoken.measures.guesses import BAYES_LEAKAGE, GUESSING, MAXIMAL_LEAKAGE
from unspoken.measures.max_information import MAX_INFORMATION, MAX_INFORMATION_TWO_SIDED
from unspoken.measures.max_log_ratio import MAX_LOG_RATIO
from unspoken.measures.measure import Measure
from unspoken.measures.odds import ODDS
from unspoken.measures.relative_entropy import MUTUAL_INFORMATION, RELATIVE_ENTROPY

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
