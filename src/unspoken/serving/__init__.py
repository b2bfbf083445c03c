"""Serving: applications ask one curator, who lets out what was promised to them and no more."""

from unspoken.serving.curator import Curator
from unspoken.serving.history import Entry
from unspoken.serving.notices import Notice
from unspoken.serving.request import Request
from unspoken.serving.results import Catalogue, Held, Refused, Rehearsal, ReleasedCells
from unspoken.serving.standing import Standing

__all__ = [
    "Catalogue",
    "ReleasedCells",
    "Curator",
    "Entry",
    "Held",
    "Notice",
    "Refused",
    "Rehearsal",
    "Request",
    "Standing",
]
