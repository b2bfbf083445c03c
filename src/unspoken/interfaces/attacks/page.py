"""One HTML file of what attacks came to: verdicts, a picture of each, and all numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from unspoken.core.errors import InputError
from unspoken.interfaces.attacks.charts import panel_chart, top_of
from unspoken.interfaces.attacks.panels import Panel, of_catalogue, of_file, of_releases
from unspoken.interfaces.output_files import room_for
from unspoken.tables.files import atomically
from unspoken.workflows.audit import Audited, AuditedFile
from unspoken.workflows.audit.strays import Strays
from unspoken.workflows.audit.trying import TriedAll

__all__ = ["catalogue_page", "file_page", "releases_page", "to_write"]


def to_write(path: Path) -> Callable[[str], None]:
    """What writes a page into this file; refused now if it could not."""
    from unspoken.interfaces.report.page import replaceable, require_report_extra

    if path.suffix != ".html":
        raise InputError(f"{path}: a page is a file that ends in .html")
    room_for(path)
    replaceable(path, "--page")
    require_report_extra()

    def write(text: str) -> None:
        with atomically(path) as out:
            out.write(text.encode())

    return write


def releases_page(found: Audited) -> str:
    """Of a project's own releases, for the holder alone."""
    verdict = "No attack here beat a limit."
    if found.beaten:
        verdict = f"Attacks beat the limit in {len(found.beaten)} of {len(found.attacked)} cases."
    title = f"What attackers get of the releases of {found.project.parent.name or found.project}"
    return _page(title, verdict, of_releases(found), found.strays, found.chance)


def file_page(found: AuditedFile) -> str:
    """Of any released table."""
    claimed = [one.verdict for one in found.secrets if one.verdict.claim.bound is not None]
    verdict = "No bound is claimed; what attacks reached is below."
    if claimed:
        verdict = "Of the bound that is claimed nothing can be said: too few rows to count."
    if any(each.word == "pass" for each in claimed):
        verdict = "No attack here beat the bound that is claimed."
    if found.beaten:
        verdict = "An attack beat the bound that is claimed."
    names = ", ".join(Path(name).name for name in found.release.split(", "))
    return _page(
        f"What attackers get of {names}", verdict, of_file(found), found.strays, found.chance
    )


def catalogue_page(tried: TriedAll) -> str:
    """Of the scenarios of the catalogue."""
    kept = len(tried.tried) - len(tried.otherwise)
    verdict = f"{kept} of {len(tried.tried)} scenarios came out as they were written down."
    panels = of_catalogue(tried)
    return _page("What attackers get: the catalogue", verdict, panels, (), tried.chance)


def _page(
    title: str, verdict: str, panels: Sequence[Panel], strays: Sequence[Strays], chance: float
) -> str:
    from unspoken.interfaces.report.page import drawn, inline

    tops = {panel.unit: top_of(panels, panel.unit) for panel in panels}
    shown = [
        {
            "title": panel.title,
            "says": panel.says,
            "claimed": "" if panel.claimed is None else panel.number(panel.claimed),
            "picture": inline(panel_chart(panel, tops[panel.unit]), f"{panel.title}: {panel.says}"),
            "rows": [_row(panel, k) for k in range(len(panel.lines))],
        }
        for panel in panels
    ]
    said: dict[str, Any] = {
        "title": title,
        "verdict": verdict,
        "at": f"{datetime.now().astimezone():%Y-%m-%d %H:%M}",
        "panels": shown,
        "strays": [stray.in_words() for stray in strays],
        "chance": f"{chance:g}",
        "catalogue": any(panel.unit == "share" for panel in panels),
    }
    return drawn("attacks/page.html.jinja", said)


def _row(panel: Panel, k: int) -> dict[str, Any]:
    line = panel.lines[k]
    low, value, high = map(panel.number, (line.low, line.value, line.high))
    found = {"found": line.found, "right": line.right, "beats": line.beats, "beside": line.beside}
    return {"name": line.name, "low": low, "value": value, "high": high, **found}
