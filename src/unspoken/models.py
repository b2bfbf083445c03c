"""The data models of paper 002: friends, friendships, sensitivities."""

from unspoken.noise.models import Blocked, Neighbour, Sensitivity, additive, blocked, bounded
from unspoken.noise.models.friendships import Blocks, Friendships
from unspoken.tables.friendship_files import read_blocks, read_friendships

__all__ = [
    "Blocked",
    "Blocks",
    "Friendships",
    "Neighbour",
    "Sensitivity",
    "additive",
    "blocked",
    "bounded",
    "read_blocks",
    "read_friendships",
]
