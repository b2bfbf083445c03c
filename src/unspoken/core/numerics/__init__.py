"""Arithmetic that keeps its digits: logarithms, entropies, directed rounding, coin thresholds."""
