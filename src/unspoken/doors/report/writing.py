"""The page and, if asked for, its pictures as files of their own."""

from __future__ import annotations

from pathlib import Path

from unspoken.doors.images import KINDS
from unspoken.doors.report.drawing import written
from unspoken.doors.report.page import write
from unspoken.releasing.findings import Findings

__all__ = ["write_report"]


def write_report(findings: Findings, path: Path, charts: Path | None = None) -> list[Path]:
    """Write the page, and each picture as PNG and SVG into the folder; gives those files."""
    write(findings, path)
    if charts is None:
        return []
    charts.mkdir(parents=True, exist_ok=True)
    return [path for kind in KINDS for path in written(findings, charts, kind)]
