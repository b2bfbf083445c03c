"""What has to be said of the rows that came since they were counted, before a plan is signed."""

from __future__ import annotations

import math

from unspoken.assessment.cautions import Caution
from unspoken.assessment.drift import Drift, drift
from unspoken.core.mechanisms import Mechanism
from unspoken.planning.limits import ROUNDING
from unspoken.storage.custody.believing import Believed
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project

__all__ = ["rows_since"]


def rows_since(
    project: Project, table: Table, believed: Believed, learned: Learned, mechanism: Mechanism
) -> Caution | None:
    """That they are not like those that were counted, if that shows. Red where, by them, a limit
    that ``mechanism`` was made for is not kept, or where that was not looked at.
    """
    found = drift(project, table, believed, learned, mechanism, every=False)
    if not found.found:
        return None
    limits, beyond = project.limits, _beyond(found, project.limits.odds_cap)
    public = (
        "The rows that came since the table was counted are not like those that were. "
        f"{_held(beyond, limits.on_average)} Before this is signed: unspoken diff says "
        "what differs and what the plan tells by these rows; unspoken learn --again and unspoken "
        "plan --adopt make a plan for them"
    )
    return Caution(
        f"{public}. Measured, not for release: {found.found[0].in_words(project)}.",
        red=beyond or limits.on_average,
        handed_on=f"{public}.",
    )


def _beyond(found: Drift, cap: float) -> bool:
    return not math.log(found.odds) <= math.log(cap) + ROUNDING


def _held(beyond: bool, on_average: bool) -> str:
    if beyond:
        return "By them the plan does not keep the limits on odds."
    if on_average:
        return "The limits on average are kept by what was counted, and may not be by these rows."
    return "By them the plan keeps the limits all the same, as far as they show."
