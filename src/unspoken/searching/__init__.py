"""The worst adversary: who, of all that know something beside, learns most from a release."""

from unspoken.searching.certificate import Certificate
from unspoken.searching.nodes import Nodes, pdp_nodes
from unspoken.searching.search import Worst, worst
from unspoken.searching.upper import pdp_upper

__all__ = ["Certificate", "Nodes", "Worst", "pdp_nodes", "pdp_upper", "worst"]
