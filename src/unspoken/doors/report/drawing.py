"""The report's pictures as images."""

from __future__ import annotations

from pathlib import Path

from unspoken.doors import images
from unspoken.doors.report.charts import CHARTS, chart
from unspoken.doors.report.palette import LIGHT, Palette
from unspoken.releasing.findings import Findings

__all__ = ["drawn", "written"]


def drawn(name: str, findings: Findings, use: Palette = LIGHT) -> str:
    """A picture as SVG; empty where there is nothing to draw."""
    described = chart(name, findings, use)
    return images.svg(described) if described else ""


def written(findings: Findings, folder: Path, kind: str) -> list[Path]:
    """Every picture there is as a file of this kind (of `images.KINDS`)."""
    described = {name: chart(name, findings, LIGHT) for name in CHARTS}
    return [
        images.picture_writer(folder / f"{name}{kind}")(one)
        for name, one in described.items()
        if one
    ]
