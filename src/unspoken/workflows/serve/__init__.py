"""Serving: applications ask one curator, who lets out what was promised to them and no more."""

from unspoken.workflows.serve.curator import Curator
from unspoken.workflows.serve.history import Entry
from unspoken.workflows.serve.notices import Notice
from unspoken.workflows.serve.request import Request
from unspoken.workflows.serve.results import Catalogue, Held, Refused, Rehearsal, ReleasedCells
from unspoken.workflows.serve.standing import Standing

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
