"""Measures: convex functions of the posterior, taken as the largest or the mean over the cloud."""

from unsaid.measures.max_information import MAX_INFORMATION
from unsaid.measures.max_log_ratio import MAX_LOG_RATIO
from unsaid.measures.measure import Measure
from unsaid.measures.odds import ODDS
from unsaid.measures.relative_entropy import MUTUAL_INFORMATION, RELATIVE_ENTROPY

__all__ = ["MEASURES", "Measure"]

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (MAX_INFORMATION, MAX_LOG_RATIO, MUTUAL_INFORMATION, ODDS, RELATIVE_ENTROPY)
}
