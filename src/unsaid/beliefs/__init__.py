"""Beliefs P(X): what the adversary holds of the data before seeing anything."""

from unsaid.beliefs.belief import Belief
from unsaid.beliefs.chain import Chain
from unsaid.beliefs.exchangeable import Exchangeable
from unsaid.beliefs.gaussian import Gaussian
from unsaid.beliefs.independent import Independent
from unsaid.beliefs.joint import Joint
from unsaid.beliefs.networks.network import Network
from unsaid.beliefs.pairwise import Pairwise
from unsaid.beliefs.tree import Tree

__all__ = [
    "BELIEFS",
    "Belief",
    "Chain",
    "Exchangeable",
    "Gaussian",
    "Independent",
    "Joint",
    "Network",
    "Pairwise",
    "Tree",
]

BELIEFS: dict[str, type[Belief]] = {
    "chain": Chain,
    "exchangeable": Exchangeable,
    "gaussian": Gaussian,
    "independent": Independent,
    "joint": Joint,
    "network": Network,
    "pairwise": Pairwise,
    "tree": Tree,
}
