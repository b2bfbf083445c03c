"""Formulas of the four papers as they were printed: no guarantees, so they return an Estimate."""

import sys
from importlib import import_module

from unspoken.noise.published import (
    Claim,
    Edge,
    Graph,
    Node,
    accuracy_of_vectors,
    baseline,
    dpm,
    dpm_any_query,
    dpm_neighbours,
    dpm_one_endpoint,
    dpm_pairwise,
    entropy_drop,
    graph,
    information_group,
    information_sequential,
    pairs,
    parallel,
    pearson,
    picture,
    sequential,
)

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

# The modules of it, by their public names too.
for _name in (
    "dependent",
    "dependent_claims",
    "dependent_friends",
    "edges",
    "graph",
    "information_claims",
    "picture",
    "tails",
):
    sys.modules[f"{__name__}.{_name}"] = import_module(f"unspoken.noise.published.{_name}")
