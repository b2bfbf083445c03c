"""What became known otherwise, and what follows from it, in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType

from unspoken.doors.terminal import Prose
from unspoken.serving.disclosing import Consequences

__all__ = ["in_words"]


def in_words(found: Consequences) -> RenderableType:
    """What is broken, what is not known, and what the adopted plan shows from now on."""
    said = [f"Broken by what was given before: {each}" for each in found.broken]
    unknown = [each for each in found.standings if each.odds is None]
    said += [f"Not known of {', '.join(each.coalition)}: {each.why}" for each in unknown]
    if not said:
        said.append("All that was given keeps its limits for who knows this, too.")
    if found.plan:
        said.append(
            f"The adopted plan shows nothing more of these rows: {found.plan}. Adopt one that is "
            "made for it: unspoken plan --adopt"
        )
    return Group(*map(Prose, [*said, "What was given before is given again as it was."]))
