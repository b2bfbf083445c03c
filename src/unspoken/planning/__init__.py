"""Plans: the best release probabilities under a limit, with a certificate; what to withhold."""

from unspoken.planning.closure import Closure, closure
from unspoken.planning.limits import Broken, Limits
from unspoken.planning.plans import Plan, baseline_plan, plan
from unspoken.planning.supports import Telling

__all__ = ["Broken", "Closure", "Limits", "Plan", "Telling", "baseline_plan", "closure", "plan"]
