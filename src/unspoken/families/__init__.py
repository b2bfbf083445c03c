"""Sets of beliefs, for who is not sure of one: what leaks, whichever of them is true.

Prior differential privacy is defined over a set Theta of beliefs; every set answers
``leakage(mechanism, adversary)``: the largest over its members. They are kept here, and not among
the beliefs, because no primitive of a belief serves them: a set has no marginal and no cloud. It is
searched, for each answer, for the belief under which that answer tells most.
"""

from unspoken.families.box import Box
from unspoken.families.gaussian import GaussianBall
from unspoken.families.rows import Rows
from unspoken.families.sets import Ball, Beliefs

__all__ = ["Ball", "Beliefs", "Box", "GaussianBall", "Rows"]
