"""Beliefs P(X): what the adversary holds of the data before seeing anything."""

from unspoken.beliefs.belief import A_BELIEF, Belief
from unspoken.beliefs.chain import Chain
from unspoken.beliefs.exchangeable import Exchangeable
from unspoken.beliefs.gaussian import Gaussian
from unspoken.beliefs.independent import Independent
from unspoken.beliefs.joint import Joint
from unspoken.beliefs.networks.network import Network
from unspoken.beliefs.pairwise import Pairwise
from unspoken.beliefs.tree import Tree

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
