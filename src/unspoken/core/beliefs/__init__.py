"""Beliefs P(X): what the adversary holds of the data before seeing anything."""

from unspoken.core.beliefs.belief import A_BELIEF, Belief
from unspoken.core.beliefs.chain import Chain
from unspoken.core.beliefs.exchangeable import Exchangeable
from unspoken.core.beliefs.gaussian import Gaussian
from unspoken.core.beliefs.independent import Independent
from unspoken.core.beliefs.joint import Joint
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.beliefs.pairwise import Pairwise
from unspoken.core.beliefs.tree import Tree

__all__ = [
    "A_BELIEF",
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
