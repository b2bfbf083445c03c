"""Whether cells can still be released beside the answers with noise that were given."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from unspoken.core.errors import InputError, LimitExceeded
from unspoken.tables.policy import Project
from unspoken.workflows.query.given import given_answers
from unspoken.workflows.release import rehearse

__all__ = ["refused_beside"]


def refused_beside(project: Project) -> str:
    """Why limits refuse a release now, as it would say; empty if they do not, or no answer was
    given: then a plan fits, since it was made within the limits. What else is in its way, as that
    nobody has approved the plan yet, is not asked.
    """
    if not given_answers(project):
        return ""
    approved = replace(project, plan=replace(project.plan, approve=False))
    for reader in project.applications if project.divided else [None]:
        try:
            with suppress(InputError):
                rehearse(approved, reader=reader)
        except LimitExceeded as refused:
            return str(refused)
    return ""
