"""Plans: the best release probabilities under a limit, with a certificate."""

from unsaid.planning.plans import Plan, plan

__all__ = ["Plan", "plan"]
