"""The worst adversary: who, of all that know something beside, learns most from a release."""

from unsaid.searching.certificate import Certificate
from unsaid.searching.nodes import Nodes, pdp_nodes
from unsaid.searching.search import Worst, worst
from unsaid.searching.upper import pdp_upper

__all__ = ["Certificate", "Nodes", "Worst", "pdp_nodes", "pdp_upper", "worst"]
