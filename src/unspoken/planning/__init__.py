"""Plans: the best release probabilities under a limit, with a certificate; what to withhold."""

from unspoken.planning.closure import Closure, closure
from unspoken.planning.plans import Plan, plan
from unspoken.planning.supports import Telling

__all__ = ["Closure", "Plan", "Telling", "closure", "plan"]
