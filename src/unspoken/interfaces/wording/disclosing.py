"""What became known otherwise, and what follows from it, in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType

from unspoken.interfaces.wording.terminal import Prose
from unspoken.workflows.serve.disclosing import Consequences

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
            f"The adopted plan shows nothing more of these rows: {found.plan}. {_remedy(found)}"
        )
    return Group(*map(Prose, [*said, "What was given before is given again as it was."]))


def _remedy(found: Consequences) -> str:
    """A plan is one for all rows: made for what is known of some, it would show less of others."""
    adopt = "unspoken plan --adopt"
    if not found.event.epochs:
        return f"Adopt one that is made for it: {adopt}"
    names = ", ".join(f'"{name}"' for name in found.event.attributes)
    return (
        "A new plan is not made for it either, since it is known of these epochs alone; others go "
        f"on as they were. To show these, too, let plans take it for known of all rows: knows = "
        f"[{names}] under [application.NAME] of whoever knows, then {adopt}"
    )
