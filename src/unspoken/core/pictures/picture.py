"""A picture that notebooks show, and that goes into a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unspoken.core.lending import presenter
from unspoken.core.pictures.looks import Chart

__all__ = ["Picture"]


@dataclass(frozen=True, repr=False)
class Picture:
    """``described`` in Vega-Lite; drawing it needs the extra `report`."""

    described: Chart

    def __post_init__(self) -> None:
        presenter("check_drawing")()  # refused where it is asked for, not where a notebook shows it

    def svg(self) -> str:
        """As text that browsers draw."""
        image: str = presenter("draw_svg")(self.described)
        return image

    def save(self, path: str | Path) -> Path:
        """Write it to a file that ends in .svg or .png."""
        written: Path = presenter("write_picture")(path)(self.described)
        return written

    def __repr__(self) -> str:
        return f'Picture: {self.described["title"]["text"]}; .save("picture.svg") writes it'

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"image/svg+xml": self.svg(), "text/plain": repr(self)}
