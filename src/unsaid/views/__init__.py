"""The cloud of posteriors an adversary may end up with, and what can be said over all of it."""

from unsaid.views.finite import FiniteView
from unsaid.views.heads import HeadsView
from unsaid.views.view import Outcome, View

__all__ = ["FiniteView", "HeadsView", "Outcome", "View"]
