"""The cloud of posteriors an adversary may end up with, and what can be said over all of it."""

from unspoken.core.views.band import BandView
from unspoken.core.views.base import BaseView
from unspoken.core.views.finite import FiniteView, Seen
from unspoken.core.views.heads import HeadsView
from unspoken.core.views.members import MembersView
from unspoken.core.views.noisy import NoisyView
from unspoken.core.views.ratio import RatioView
from unspoken.core.views.view import Outcome, View

__all__ = [
    "BandView",
    "BaseView",
    "FiniteView",
    "HeadsView",
    "MembersView",
    "NoisyView",
    "Outcome",
    "RatioView",
    "Seen",
    "View",
]
