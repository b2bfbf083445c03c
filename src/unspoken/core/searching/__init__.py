"""The worst adversary: who, of all that know something beside, learns most from a release."""

from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.nodes import Nodes, pdp_nodes
from unspoken.core.searching.search import Worst, worst
from unspoken.core.searching.upper import pdp_upper

__all__ = ["Certificate", "Nodes", "Worst", "pdp_nodes", "pdp_upper", "worst"]
