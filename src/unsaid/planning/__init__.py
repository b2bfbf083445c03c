"""Plans: the best release probabilities under a limit, with a certificate; what to withhold."""

from unsaid.planning.closure import Closure, closure
from unsaid.planning.plans import Plan, plan
from unsaid.planning.supports import Telling

__all__ = ["Closure", "Plan", "Telling", "closure", "plan"]
