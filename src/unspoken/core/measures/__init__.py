"""Measures: convex functions of the posterior, taken as the largest or the mean over the cloud."""

from unspoken.core.measures.capacity import capacity
from unspoken.core.measures.measure import Measure
from unspoken.core.measures.named import MEASURES, MeasureName, measure_named

__all__ = ["MEASURES", "Measure", "MeasureName", "capacity", "measure_named"]
