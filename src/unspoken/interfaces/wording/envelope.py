"""What --json prints: one object, of which command and in which format; and the plainest of them.

Each: {"unspoken": "leak", "format": 1, ...}. Those of more than words are in as_json.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unspoken.core.errors import UnspokenError

if TYPE_CHECKING:  # what only says that something went wrong loads nothing of releases
    from unspoken.workflows.release.reproducing import Reproduced

__all__ = ["checked", "error", "head", "reproduced", "started", "written"]

FORMAT = 1


def head(command: str) -> dict[str, Any]:
    """What every object begins with."""
    return {"unspoken": command, "format": FORMAT}


def error(place: str, text: str, code: int) -> dict[str, Any]:
    """What went wrong, where, and the exit code."""
    return {**head("error"), "error": {"place": place, "message": text, "exit": code}}


def checked(
    project: Path, table: bool, faults: Sequence[UnspokenError], unread: Sequence[str]
) -> dict[str, Any]:
    """What is wrong with a project: nothing, if there are no faults. ``table``: was that seen?
    ``unread``: else why not.
    """
    return {
        **head("check"),
        "project": str(project),
        "table": table,
        "unread": [*unread],
        "faults": [{"place": fault.place, "message": fault.text} for fault in faults],
    }


def started(project: Path, keys: Sequence[str], attributes: Sequence[str]) -> dict[str, Any]:
    """What a new project file says."""
    return {
        **head("init"),
        "project": str(project),
        "keys": list(keys),
        "attributes": list(attributes),
    }


def written(report: Path, charts: Sequence[Path]) -> dict[str, Any]:
    """Where the report is."""
    return {**head("report"), "report": str(report), "charts": [str(path) for path in charts]}


def reproduced(found: Sequence[tuple[Path, Reproduced]]) -> dict[str, Any]:
    """Releases that came out again as their manifests say, each to the byte; and which fields of
    older ones cannot be checked.
    """
    same = [
        {
            "manifest": str(paper),
            "event": each.number,
            "rows": each.rows,
            "sha256": each.sha256,
            "unchecked": [*each.unchecked],
        }
        for paper, each in found
    ]
    return {**head("verify"), "reproduced": same}
