"""The worst adversary: every one of them at once, where there are few enough variables."""

from unsaid.searching.nodes import Nodes, pdp_nodes

__all__ = ["Nodes", "pdp_nodes"]
