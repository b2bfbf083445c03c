"""Images of the pictures, as SVG and PNG: the one place that opens vl-convert."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unsaid.doors.report.charts import CHARTS, Chart, chart
from unsaid.doors.report.palette import LIGHT, Palette
from unsaid.errors import InputError
from unsaid.releasing.files import atomically
from unsaid.releasing.findings import Findings

try:
    import vl_convert
except ImportError:  # said when a picture is asked for
    vl_convert = None  # type: ignore[assignment]

__all__ = ["MISSING", "drawn", "png", "svg"]

MISSING = "the report needs an extra: pip install 'unsaid-privacy[report]'"


def drawn(name: str, findings: Findings, use: Palette = LIGHT) -> str:
    """A picture as SVG; empty where there is nothing to draw."""
    described = chart(name, findings, use)
    return _svg(described) if described else ""


def png(findings: Findings, folder: Path) -> list[Path]:
    """Each picture as a PNG file."""
    return _written(findings, folder, "png", _png)


def svg(findings: Findings, folder: Path) -> list[Path]:
    """Each picture as an SVG file."""
    return _written(findings, folder, "svg", lambda described: _svg(described).encode())


def _written(
    findings: Findings, folder: Path, kind: str, image: Callable[[Chart], bytes]
) -> list[Path]:
    """Every picture there is, each whole or not at all."""
    described = {name: chart(name, findings, LIGHT) for name in CHARTS}
    images = {name: image(one) for name, one in described.items() if one}
    for name, content in images.items():
        with atomically(folder / f"{name}.{kind}") as partial:
            partial.write_bytes(content)
    return [folder / f"{name}.{kind}" for name in images]


def _svg(described: Chart) -> str:
    _opened()
    image: str = vl_convert.vegalite_to_svg(described, allowed_base_urls=[])
    return image


def _png(described: Chart) -> bytes:
    _opened()
    image: bytes = vl_convert.vegalite_to_png(described, scale=2.0, allowed_base_urls=[])
    return image


def _opened() -> None:
    if vl_convert is None:
        raise InputError(MISSING)
