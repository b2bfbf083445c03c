"""The data models of paper 002: friends, friendships, sensitivities."""

import sys
from importlib import import_module

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

# The modules of it, by their public names too.
for _name in ("friends", "friendships", "sensitivities"):
    sys.modules[f"{__name__}.{_name}"] = import_module(f"unspoken.noise.models.{_name}")
