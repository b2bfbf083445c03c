"""The cloud of posteriors an adversary may end up with, and what can be said over all of it."""

from unsaid.views.band import BandView
from unsaid.views.finite import FiniteView
from unsaid.views.heads import HeadsView
from unsaid.views.noisy import NoisyView
from unsaid.views.view import Outcome, View

__all__ = ["BandView", "FiniteView", "HeadsView", "NoisyView", "Outcome", "View"]
