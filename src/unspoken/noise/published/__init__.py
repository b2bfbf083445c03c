"""Formulas as they were printed, where they guarantee nothing: every one returns an Estimate.

They are here to be compared. Beside each stands what is true: the exact number where it can be had,
and bounds that hold. The pages in docs/theorems show the counterexamples.
"""

from unspoken.noise.published.dependent import (
    baseline,
    dpm,
    dpm_any_query,
    dpm_neighbours,
    dpm_one_endpoint,
    dpm_pairwise,
    pairs,
    pearson,
)
from unspoken.noise.published.dependent_claims import (
    accuracy_of_vectors,
    entropy_drop,
    parallel,
    sequential,
)
from unspoken.noise.published.graph import Claim, Edge, Graph, Node, graph
from unspoken.noise.published.information_claims import information_group, information_sequential
from unspoken.noise.published.picture import picture

__all__ = [
    "Claim",
    "Edge",
    "Graph",
    "Node",
    "accuracy_of_vectors",
    "baseline",
    "dpm",
    "dpm_any_query",
    "dpm_neighbours",
    "dpm_one_endpoint",
    "dpm_pairwise",
    "entropy_drop",
    "graph",
    "information_group",
    "information_sequential",
    "pairs",
    "parallel",
    "pearson",
    "picture",
    "sequential",
]
