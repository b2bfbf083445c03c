"""Beliefs P(X): what the adversary holds of the data before seeing anything."""

from unsaid.beliefs.belief import Belief
from unsaid.beliefs.independent import Independent
from unsaid.beliefs.joint import Joint
from unsaid.beliefs.pairwise import Pairwise

__all__ = ["BELIEFS", "Belief", "Independent", "Joint", "Pairwise"]

BELIEFS: dict[str, type[Belief]] = {
    "independent": Independent,
    "joint": Joint,
    "pairwise": Pairwise,
}
