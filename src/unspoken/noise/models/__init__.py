"""The data models of paper 002: friends, friendships, sensitivities."""

from unspoken.noise.models.friends import Blocked, Neighbour, blocked
from unspoken.noise.models.sensitivities import Sensitivity, additive, bounded

__all__ = ["Blocked", "Neighbour", "Sensitivity", "additive", "blocked", "bounded"]
