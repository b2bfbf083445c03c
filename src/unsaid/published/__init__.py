"""Formulas as they were printed, where they guarantee nothing: every one returns an Estimate.

They are here to be compared. Beside each stands what is true: the exact number where it can be had,
and bounds that hold. The pages in docs/theorems show the counterexamples.
"""

from unsaid.published.graph import Claim, Edge, Graph, Node, graph
from unsaid.published.picture import picture

__all__ = ["Claim", "Edge", "Graph", "Node", "graph", "picture"]
