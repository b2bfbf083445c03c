"""Every measure by its name."""

from __future__ import annotations

from unspoken.core.errors import InputError, quoted, unknown
from unspoken.core.measures.delta import DELTA
from unspoken.core.measures.exclusion import EXCLUSION
from unspoken.core.measures.guesses import BAYES_LEAKAGE, GUESSING, MAXIMAL_LEAKAGE
from unspoken.core.measures.max_information import MAX_INFORMATION, MAX_INFORMATION_TWO_SIDED
from unspoken.core.measures.max_log_ratio import MAX_LOG_RATIO
from unspoken.core.measures.measure import Measure, MeasureName
from unspoken.core.measures.odds import ODDS
from unspoken.core.measures.relative_entropy import MUTUAL_INFORMATION, RELATIVE_ENTROPY

__all__ = ["MEASURES", "MeasureName", "measure_named"]

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


def measure_named(name: object, where: str = "measure") -> Measure:
    """The measure of this name; any other word, or something that is no word, is refused."""
    if not isinstance(name, str):
        text = quoted(name)
        raise InputError(f'{where}: {text} is no name of one; write "max-log-ratio", say')
    if name not in MEASURES:
        raise unknown(where, name, MEASURES)
    return MEASURES[name]
