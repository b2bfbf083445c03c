"""Bayesian networks: read from files, summed out along clique trees, in batches of evidence."""
