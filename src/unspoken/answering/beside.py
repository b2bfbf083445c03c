"""Whether cells can still be released beside the answers with noise that were given."""

from __future__ import annotations

from unspoken.answering.given import given_answers
from unspoken.errors import LimitExceeded
from unspoken.policy import Project
from unspoken.releasing import rehearse

__all__ = ["refused_beside"]


def refused_beside(project: Project) -> str:
    """Why a release is refused now, as it would say; empty if it is not, or no answer was given:
    then a plan fits, since it was made within the limits.
    """
    if not given_answers(project):
        return ""
    for reader in project.applications if project.divided else [None]:
        try:
            rehearse(project, reader=reader)
        except LimitExceeded as refused:
            return str(refused)
    return ""
