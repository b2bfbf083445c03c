"""The cloud of posteriors an adversary may end up with, and what can be said over all of it."""

from unspoken.views.band import BandView
from unspoken.views.base import BaseView
from unspoken.views.finite import FiniteView, Seen
from unspoken.views.heads import HeadsView
from unspoken.views.members import MembersView
from unspoken.views.noisy import NoisyView
from unspoken.views.ratio import RatioView
from unspoken.views.view import Outcome, View

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
