"""The shares that a release says of itself, and by which counts."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import RenderableType

from unspoken.assessment.promise import Promise
from unspoken.interfaces.wording.terminal import blank, note, rows_of
from unspoken.storage import prose
from unspoken.tables.policy import Project
from unspoken.workflows.release.results import Said

__all__ = ["shares", "uncounted"]


def shares(p: Mapping[str, float], what: Said) -> list[RenderableType]:
    """How often what is free is released. Of one coin a record it is a mean over the rows, by the
    counts that the plan was made of; one coin a cell has this very chance.
    """
    rows = [(name, prose.chance(chance)) for name, chance in p.items()]
    noisy = what.promise.pinned and what.project.belief.noise is not None
    mean = noisy and what.project.plan.by == "record" and what.project.protected
    by = note("By the noisy counts; of the rows themselves more or less may be shown.")
    return [blank(), rows_of(["attribute", "release"], rows), blank(), *([by] if mean else [])]


def uncounted(project: Project, promise: Promise | None) -> list[RenderableType]:
    """That a plan by noisy counts will be another one, before there are any."""
    noise = project.belief.noise
    if promise is None or promise.pinned or noise is None or not project.protected:
        return []
    return [
        note(
            "Nothing is counted yet: these are exact counts, taken to be as unsure as noise of "
            f"eps {noise:g} will make them. The first release counts with that noise and plans "
            "anew; `unspoken learn` does it before."
        )
    ]
